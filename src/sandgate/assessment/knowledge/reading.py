"""Programs that look and change nothing: readers, filters, printers, facts about the machine."""

from __future__ import annotations

from sandgate.assessment.findings import HIGH, LOW, MEDIUM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import words

LISTING = frozenset(
    words("stat ls dir tree exa eza du readlink realpath wc file md5sum sha1sum sha256sum sha512sum cksum")
)


LOOKS_HERE = frozenset(words("ls dir tree exa eza du"))  # at the working directory, unless told where


def _readers() -> tuple[Entry, ...]:
    """name | options with values | example; operands are files."""
    table = """
    cat || cat README.md
    bat |-l -r --style| bat src/app.py
    head |-n -c| head -n 5 README.md
    tail |-n -c| tail -f server.log
    less || less README.md
    more || more README.md
    nl || nl src/app.py
    tac || tac notes.txt
    rev || rev notes.txt
    wc || wc -l src/app.py
    sort |-k -t -S -T -o --output| sort -k 2 names.txt
    uniq |-f -s -w| uniq -c
    cut |-d -f -c -b| cut -d : -f 1 names.txt
    paste |-d| paste a.txt b.txt
    join |-t -1 -2| join a.txt b.txt
    comm || comm a.txt b.txt
    column |-t -s| column -t table.txt
    fold |-w| fold -w 80 notes.txt
    fmt |-w| fmt notes.txt
    expand |-t| expand src/app.py
    diff |-U --label -x| diff -u a.txt b.txt
    cmp || cmp a.bin b.bin
    od |-t -A -N -j| od -c a.bin
    hexdump |-n -s -e| hexdump -C a.bin
    strings |-n| strings a.bin
    file || file a.bin
    stat |-c -f --format| stat README.md
    ls |-I| ls -la src
    dir || dir src
    tree |-L -I -P| tree -L 2 src
    exa || exa -l
    eza || eza -l
    du |-d --max-depth| du -sh .
    readlink || readlink -f src
    realpath || realpath src
    md5sum || md5sum a.bin
    sha1sum || sha1sum a.bin
    sha256sum || sha256sum a.bin
    sha512sum || sha512sum a.bin
    cksum || cksum a.bin
    nm || nm a.out
    objdump || objdump -d a.out
    readelf || readelf -h a.out
    ldd || ldd a.out
    size || size a.out
    cloc || cloc src
    tokei || tokei src
    zcat || zcat log.gz
    zless || zless log.gz
    bzcat || bzcat log.bz2
    xzcat || xzcat log.xz
    xmllint |--xpath| xmllint --noout a.xml
    """
    return tuple(_reader(*(part.strip() for part in line.split("|"))) for line in table.strip().splitlines())


def _reader(name: str, values: str, example: str) -> Entry:
    listing = name in LISTING
    return Entry(name, LOW, "Looks at {}" if listing else "Reads {}", (example,), kind="reads",
                 operands="list" if listing else "read", values=values,
                 alone="the working directory" if name in LOOKS_HERE else "its input")  # fmt: skip


def _searchers() -> tuple[Entry, ...]:
    """The same, with a pattern as first operand."""
    table = """
    grep |-e -f -m -A -B -C --include --exclude --exclude-dir| grep -rn main src
    egrep |-e -f -m -A -B -C| egrep -r "a|b" src
    fgrep |-e -f -m -A -B -C| fgrep text README.md
    zgrep |-e -f| zgrep error log.gz
    rg |-e -f -g -t -T -m -A -B -C --glob --type| rg -n "def main" src
    ag |-G| ag main src
    ack |--type| ack main src
    jq |--arg --argjson -f --indent| jq .name package.json
    """
    found = []
    for line in table.strip().splitlines():
        name, values, example = (part.strip() for part in line.split("|", 2))
        found.append(
            Entry(
                name,
                LOW,
                "Searches {}",
                (example,),
                kind="reads",
                operands="skip-read",
                values=values,
                alone="the working directory" if name in {"rg", "ag", "ack"} else "its input",
            )
        )
    return tuple(found)


def _printers() -> tuple[Entry, ...]:
    """Programs whose operands are no paths at all, or do not matter."""
    table = """
    true false : pwd whoami id groups uname arch uptime hostid nproc free vmstat lscpu lsblk lsusb lspci lsmod
    df who w last tty seq expr basename dirname which whereis printenv locale getconf getent ps pgrep top htop pidof
    lsof fuser type wait sleep yes clear tput man info apropos whatis help times jobs cal bc factor numfmt shuf test [
    tr logname users return exit break continue shift getopts fc-list ulimit umask sw_vers
    """
    return tuple(Entry(name, LOW, "Prints information", (name,), kind="reads") for name in words(table))


ENTRIES: tuple[Entry, ...] = (
    *_readers(),
    *_searchers(),
    *_printers(),
    Entry("base64", LOW, "Encodes or decodes {}", ("base64 a.bin",), kind="reads", operands="read", values="-w"),
    Entry("base32", LOW, "Encodes or decodes {}", ("base32 a.bin",), kind="reads", operands="read", values="-w"),
    Entry("xxd", LOW, "Shows {} as hexadecimal", ("xxd a.bin",), kind="reads", operands="read", values="-c -l -s"),
    Entry("uuencode", LOW, "Encodes {}", ("uuencode a.bin a",), kind="reads"),
    Entry("yq", LOW, "Reads {}", ("yq .a conf.yaml", "yq -i .a=1 conf.yaml => medium"), kind="reads",
          operands="skip-read",
          worse=(Worse("-i --inplace", MEDIUM, "Changes files in place"),)),
    Entry("time", LOW, "Measures a command", ("time ls",), kind="reads"),
    Entry("set", LOW, "Sets shell options", ("set -e",), kind="reads"),
    Entry("shopt", LOW, "Sets shell options", ("shopt -s globstar",), kind="reads"),
    Entry("ip", LOW, "Shows network interfaces", ("ip addr", "ip link set eth0 down => high"), kind="reads",
          worse=(Worse("", HIGH, "Changes the network set-up", ("system_modification",),
                       operands="set add del delete flush replace change"),)),
    Entry("ifconfig", LOW, "Shows network interfaces", ("ifconfig", "ifconfig eth0 down => high"), kind="reads",
          worse=(Worse("", HIGH, "Changes the network set-up", ("system_modification",), operands="down up netmask"),)),
    Entry("ss", LOW, "Shows sockets", ("ss -tlnp",), kind="reads"),
    Entry("netstat", LOW, "Shows sockets", ("netstat -an",), kind="reads"),
)  # fmt: skip
