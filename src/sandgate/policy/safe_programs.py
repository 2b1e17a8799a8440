"""Programs that only read, by the arguments that keep them so. Data only; `safety` reads it.

Each line is an argument grammar (the notation is in commandline/arguments.py). What is not in the line is not
safe, so a missing option costs a question and an extra one may cost a file: add with the manual open. A word that
looks like an option but stands behind an operand must fit the line as an option and as an operand (`xxd in -p`
writes to a file named `-p`), unless commandline/option_places.py knows the program. Marks:

    any           any arguments whatever
    !             harmless whatever the shell puts in: no option writes, runs or sends, and operands are inputs
    sub           the first operand is a command with a line of its own, `git log`; `alone`: it may be missing
    needs:-v,-V   one of these options must be there (with `sub`: where the command is missing)
    check:NAME    a function in safe_checks must agree
    exact         no word may be left to the shell's expansion
    confined      only where the sandbox confines it: what it reads may tell it to run programs
    program       the first operand may not; it is a program in a small language of its own
"""

from __future__ import annotations

from sandgate.commandline.tables import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_GENERAL: dict[str, str] = {
    # Shell words and builtins
    "true": "any !",
    "false": "any !",
    ":": "any !",
    "echo": "any !",
    "printf": "any ! check:printf",
    "pwd": "-LP 0",
    "cd": "-LPe@ * !",
    "pushd": "-n * !",
    "popd": "-n * !",
    "dirs": "-clpv * !",
    "test": "any check:test",
    "[": "any check:test",
    "type": "-afptP * !",
    "command": "-pvV stop * ! needs:-v,-V",
    "which": "-as * !",
    "whereis": "-bmsulBMS * !",
    "hash": "0",
    "umask": "-Sp 0",
    "ulimit": "-SHabcdefiklmnpqrstuvxPRT 0",
    "times": "0",
    "jobs": "-lnprs 0",
    "sleep": "* !",
    "wait": "0",
    "exit": "1 check:number exact",
    "set": "-euxf -o[=] * check:set exact",
    "read": "-rsa -d= -p= * check:read exact",
    "mapfile": "-t -n= -s= -d= 1 check:read exact",
    "readarray": "@mapfile",
    "shopt": "-pqsu * check:shopt exact",
    "local": "0",
    "shift": "1 check:number exact",
    "return": "1 check:number exact",
    "tee": "* check:discards exact",
    "break": "0",
    "continue": "0",
    # Reading files
    "cat": "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs "
    "--show-nonprinting --help --version * !",
    "tac": "-br -s= --before --regex --separator= --help --version * !",
    "rev": "-0 --zero --help --version * !",
    "nl": "-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering= "
    "--header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator= "
    "--starting-line-number= --number-width= --help --version * !",
    "head": "-NUM -qvz -c= -n= --bytes= --lines= --quiet --silent --verbose --zero-terminated --help --version * !",
    "tail": "-NUM -fFqrvz -b= -c= -n= -s= --bytes= --lines= --follow[=] --retry --pid= --sleep-interval= "
    "--max-unchanged-stats= --quiet --silent --verbose --zero-terminated --help --version * !",
    "wc": "-clmwL --bytes --chars --lines --words --max-line-length --total= --files0-from= --help --version * !",
    "nproc": "--all --ignore= --help --version 0",
    "seq": "-NUM -w -f= -s= --format= --separator= --equal-width --help --version * !",
    "expr": "any !",
    "cut": "-nsz -b= -c= -d= -f= --bytes= --characters= --complement --delimiter= --fields= --only-delimited "
    "--output-delimiter= --zero-terminated --help --version * !",
    "paste": "-sz -d= --delimiters= --serial --zero-terminated --help --version * !",
    "join": "-iz -a= -e= -j= -o= -t= -v= -1= -2= --ignore-case --check-order --nocheck-order --header "
    "--zero-terminated --help --version * !",
    "tr": "-cCdst --complement --delete --squeeze-repeats --truncate-set1 --help --version * !",
    "comm": "-123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated --help --version * !",
    "cmp": "-blsz -i= -n= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent --help --version * !",
    "uniq": "stop -cdDiuz -f= -s= -w= --count --repeated --all-repeated[=] --skip-fields= --group[=] --ignore-case "
    "--skip-chars= --unique --zero-terminated --check-chars= --help --version 1",
    "sort": "-bcCdfghiMmnRrsuVz -k= -t= -S= --ignore-leading-blanks --dictionary-order --ignore-case "
    "--general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort "
    "--random-source= --reverse --sort= --version-sort --batch-size= --check[=] --debug --key= --merge --parallel= "
    "--stable --buffer-size= --field-separator= --unique --zero-terminated --files0-from= --help --version *",
    "tsort": "--help --version * !",
    "shuf": "-erz -i= -n= --echo --input-range= --head-count= --random-source= --repeat --zero-terminated *",
    "fold": "-bcs -w= --bytes --spaces --width= --help --version * !",
    "fmt": "-cstu -p= -w= -g= --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --width= "
    "--goal= --help --version -NUM * !",
    "pr": "-NUM -abcdfFJmprtTv -h= -l= -n[=] -N= -o= -s[=] -S[=] -w= -W= *",
    "expand": "-i -t= --initial --tabs= --help --version * !",
    "unexpand": "-a -t= --all --first-only --tabs= --help --version * !",
    "column": "-extLJ -n= -c= -o= -s= -N= -R= -T= -H= -O= -E= -W= --table --separator= --output-separator= "
    "--table-columns= --table-right= --table-truncate= --table-noheadings --json --columns= --output-width= "
    "--fillrows --keep-empty-lines --help --version * !",
    "numfmt": "-dz -d= --delimiter= --field= --format= --from= --from-unit= --grouping --header[=] --invalid= "
    "--padding= --round= --suffix= --to= --to-unit= --zero-terminated --help --version * !",
    "base64": "-diD -w= -b= --decode --ignore-garbage --wrap= --help --version *",
    "base32": "-di -w= --decode --ignore-garbage --wrap= --help --version * !",
    "od": "-abcdDeFfhHiIlLoOsSvxXB -A= -j= -N= -S= -t= -w[=] --address-radix= --skip-bytes= --read-bytes= "
    "--format= --output-duplicates --width[=] --endian= --traditional --help --version * !",
    "hexdump": "-bcCdovx -e= -f= -n= -s= --one-byte-octal --one-byte-char --canonical --two-bytes-decimal "
    "--two-bytes-octal --two-bytes-hex --format= --format-file= --length= --skip= --no-squeezing --color[=] * !",
    "hd": "-bcdovx -e= -f= -n= -s= * !",
    "xxd": "stop -abeEiupPsC -c= -g= -l= -o= -n= -R= -s= 1",
    "strings": "-afow -n= -t= -e= -T= -s= -NUM --all --print-file-name --bytes= --radix= --encoding= --target= "
    "--include-all-whitespace --output-separator= --help --version * check:no_response_file",
    "iconv": "-cs -f= -t= --from-code= --to-code= --list -l --silent --help --version * !",
    "zcat": "-fhLqv *",
    "gzcat": "-fhLqv *",
    "bzcat": "-s *",
    "xzcat": "*",
    "unzip": "-clvZqp1hts * needs:-c,-l,-p,-t,-v,-Z",
    "zipinfo": "-12smlvhtzTZ *",
    "tar": "any check:tar exact",
    "sum": "-rs --sysv --help --version * !",
    "cksum": "-a= --algorithm= --base64 --raw --tag --untagged --help --version --check --zero -z -l= * !",
    "md5sum": "@sha256sum",
    "sha1sum": "@sha256sum",
    "sha224sum": "@sha256sum",
    "sha256sum": "-bctwz --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn "
    "--help --version * !",
    "sha384sum": "@sha256sum",
    "sha512sum": "@sha256sum",
    "b2sum": "-l= --length= @sha256sum",
    "shasum": "-bctspUq -a= --algorithm= --binary --check --text --status --warn --help --version * !",
    "diff": "-abBcdeEiNnpqrsTtuwyZ -C= -D= -F= -I= -L= -S= -U= -W= -x= -X= --normal --brief --report-identical-files "
    "--context[=] --unified[=] --ed --rcs --side-by-side --width= --left-column --suppress-common-lines "
    "--show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= "
    "--suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file "
    "--ignore-file-name-case --no-ignore-file-name-case --exclude= --exclude-from= --starting-file= --from-file= "
    "--to-file= --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change "
    "--ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --ifdef= "
    "--minimal --horizon-lines= --speed-large-files --color[=] --palette= --help --version -NUM *",
    "diff3": "-aAeEixX3mTL= --text --show-all --merge --help --version * !",
    # Finding
    "ls": "-aAbBcCdfFgGhHiklLmnNopqQrRsStTuUvwxXZ1@ -I= -w= -T= --all --almost-all --author --escape --block-size= "
    "--ignore-backups --color[=] --directory --dired --classify[=] --file-type --format= --full-time "
    "--group-directories-first --no-group --human-readable --si --dereference-command-line --hide= --hyperlink[=] "
    "--indicator-style= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars "
    "--show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= "
    "--tabsize= --width= --context --zero --help --version * !",
    "dir": "@ls",
    "vdir": "@ls",
    "tree": "-aCdDfFghiJlNnpqQrsStuUvxX -I= -L= -P= -H= -T= --dirsfirst --filesfirst --noreport --du --si "
    "--gitignore --gitfile= --matchdirs --metafirst --prune --filelimit= --charset= --sort[=] --timefmt= --inodes "
    "--device --info --ignore-case --caching --help --version *",
    "eza": "@exa",
    "exa": "-1aAbBdDfFghHilmMnNoOrRsStTuUxXZ@ -L= -s= -I= -t= -w= --oneline --grid --long --across --recurse --tree "
    "--all --list-dirs --only-dirs --only-files --level= --reverse --sort= --group-directories-first --git "
    "--git-ignore --ignore-glob= --icons[=] --no-icons --color[=] --colour[=] --header --binary --bytes --group "
    "--inode "
    "--links --modified --time= --time-style= --no-permissions --no-filesize --no-user --no-time --classify[=] *",
    "find": "words -H -L -P -O0 -O1 -O2 -O3 -D= -a -and -o -or -not -true -false -daystart -depth -d -follow -ls "
    "-mount -xdev -noleaf -print -print0 -prune -quit -empty -executable -readable -writable -nogroup -nouser "
    "-ignore_readdir_race -noignore_readdir_race -warn -nowarn -maxdepth= -mindepth= -regextype= -amin= -anewer= "
    "-atime= -cmin= -cnewer= -context= -ctime= -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= -iregex= "
    "-iwholename= -links= -lname= -mmin= -mtime= -name= -newer= -newerat= -newermt= -newerct= -newermm= -newerBt= "
    "-path= -perm= -printf= -regex= -samefile= -size= -type= -uid= -used= -user= -wholename= -xtype= -files0-from= "
    "--help --version *",
    "locate": "-AbceHiLPprSw -d= -l= -n= --all --basename --count --existing --ignore-case --limit= --regex "
    "--regexp= "
    "--null --wholename *",
    "fd": "-HIuagsiFl0pLEq1 -d= -t= -e= -E= -c= -S= -j= --hidden --no-ignore --no-ignore-vcs --unrestricted "
    "--case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow "
    "--full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --prune --type= --extension= --size= "
    "--changed-within= --changed-before= --owner= --max-results= --quiet --color= --base-directory= --and= "
    "--strip-cwd-prefix --one-file-system --help --version *",
    "fdfind": "@fd",
    "grep": "-abcEFGHhIiLlnoPqrRsTUuvwxyzZ -A= -B= -C= -D= -d= -e= -f= -m= -NUM --extended-regexp --fixed-strings "
    "--basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --invert-match --word-regexp "
    "--line-regexp --count --color[=] --colour[=] --files-without-match --files-with-matches --max-count= "
    "--only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= "
    "--line-number --initial-tab --null --after-context= --before-context= --context[=] --group-separator= "
    "--no-group-separator --text --binary-files= --devices= --directories= --exclude= --exclude-from= "
    "--exclude-dir= --include= --recursive --dereference-recursive --line-buffered --binary --null-data "
    "--help --version * !",
    "egrep": "@grep",
    "fgrep": "@grep",
    "rg": "-abcFHhIiLlNnoPpqSsUuvVwx0 -A= -B= -C= -d= -e= -E= -f= -g= -j= -m= -M= -r= -t= -T= --after-context= "
    "--auto-hybrid-regex "
    "--before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column "
    "--context= --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= "
    "--field-context-separator= --field-match-separator= --file= --files --files-with-matches "
    "--files-without-match --fixed-strings --follow --glob= --glob-case-insensitive --heading --help --hidden "
    "--iglob= --ignore-case --ignore-file= --ignore-file-case-insensitive --include-zero --invert-match --json "
    "--line-buffered --line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= "
    "--max-filesize= --mmap --multiline --multiline-dotall --no-column --no-config --no-filename --no-heading "
    "--no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages "
    "--no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-require-git --no-unicode "
    "--null --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --pcre2-version "
    "--pretty --quiet --regex-size-limit= --regexp= --replace= --smart-case --sort= --sortr= --stats --text "
    "--threads= --trim --type= --type-list --type-not= --unrestricted --version --vimgrep --with-filename "
    "--word-regexp *",
    "sed": "-nErsuz -e= --quiet --silent --regexp-extended --expression= --separate --unbuffered --null-data "
    "--posix --debug --sandbox --help --version * program check:sed",
    "awk": "-F= -v= * program check:awk",
    "gawk": "@awk",
    "mawk": "@awk",
    "jq": "-CMSacehjnRrs -L= -f= --compact-output --null-input --exit-status --slurp --raw-output --raw-output0 "
    "--join-output --raw-input "
    "--ascii-output --color-output --monochrome-output --sort-keys --tab --unbuffered --stream --stream-errors "
    "--seq --args --jsonargs "
    "--indent= --from-file= --help --version --arg --argjson --slurpfile --rawfile * !",
    "yq": "-CcerMnNPj -p[=] -o[=] -I[=] --prettyPrint --no-colors --colors --exit-status --null-input --raw-output "
    "--unwrapScalar[=] --output-format[=] --input-format[=] --indent[=] --no-doc * program check:yq",
    # About files
    "stat": "-Lftx -c= --dereference --file-system --format= --printf= --terse --cached= --help --version * !",
    "file": "-bcEhiIkLnNrsSvz0 -e= -F= -P= --brief --mime --mime-type --mime-encoding --dereference --keep-going "
    "--no-dereference --no-pad --separator= --special-files --extension --help --version *",
    "du": "-0abcdDhHklLmPsSxt -B= -d= -t= -I= -X= --null --all --apparent-size --block-size= --bytes --total "
    "--dereference-args --max-depth= --files0-from= --human-readable --inodes --dereference --count-links "
    "--no-dereference --separate-dirs --si --summarize --threshold= --time[=] --time-style= --exclude= "
    "--exclude-from= --one-file-system --help --version * !",
    "df": "-ahHiklmPTx -B= -t= -x= --all --block-size= --direct --human-readable --inodes --local --no-sync "
    "--output[=] --portability --si --print-type --type= --exclude-type= --total --help --version * !",
    "basename": "-az -s= --multiple --suffix= --zero --help --version * !",
    "dirname": "-z --zero --help --version * !",
    "realpath": "-eEmLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet "
    "--relative-to= --relative-base= --strip --no-symlinks --zero --help --version * !",
    "readlink": "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet "
    "--silent --verbose --zero --help --version * !",
    "pathchk": "-pP --portability * !",
    "namei": "-lmnovx --long --modes --nosymlinks --owners --vertical --mountpoints * !",
    "getfacl": "-acdEeLnpPRst --access --default --omit-header --recursive --tabular --numeric --absolute-names * !",
    "getfattr": "-dhLPR -n= -e= -m= --dump --name= --encoding= --match= --absolute-names --recursive * !",
    "lsattr": "-adlpRvV * !",
    "nm": "-aABCDgGhlnopPrsSuvVWw -t= --defined-only --demangle[=] --dynamic --extern-only --no-sort --print-size "
    "--size-sort --undefined-only * check:no_response_file",
    "readelf": "-aehlSgtsndurAVDLIWc -x= -p= -R= -j= --all --file-header --program-headers --sections --headers "
    "--symbols --syms --dyn-syms --notes --relocs --dynamic --version-info --wide * check:no_response_file",
    "objdump": "-afphdDgGstTrRxSwzC -b= -j= -l -m= -M= -E= --disassemble[=] --disassemble-all --section-headers "
    "--headers --all-headers --archive-headers --file-headers --syms --reloc --full-contents --private-headers "
    "--section= --demangle[=] --no-show-raw-insn --source --wide * check:no_response_file",
    "size": "-ABdoxtD --format= --radix= --totals * check:no_response_file",
    # About the machine and who we are
    "uname": "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor "
    "--hardware-platform --operating-system --help --version 0",
    "arch": "--help --version 0",
    "whoami": "--help --version 0",
    "id": "-aGgnruZz --context --group --groups --name --real --user --zero --help --version * !",
    "groups": "--help --version * !",
    "logname": "0",
    "users": "1",
    "who": "-abdHlmpqrstTuw --all --boot --heading --short --users --count 2",
    "w": "-fhisVo --no-header --short 1",
    "last": "-aFiwxR -f= -n= -NUM -t= -s= -p= *",
    "uptime": "-psV --pretty --since 0",
    "date": "-uR -d= -r= -f= -I[=] --date= --file= --iso-8601[=] --reference= --rfc-email --rfc-3339= --utc "
    "--universal "
    "--debug --help --version 1 check:date",
    "cal": "-13jmsyY -A= -B= -n= 3",
    "tty": "-s 0",
    "locale": "-acmk 1",
    "getconf": "-a 2",
    "getent": "* ! check:getent",
    "env": "-0 --null --help --version 0",
    "printenv": "-0 --null --help --version * !",
    "free": "-bkmghltvw -c= -s= --bytes --kibi --mebi --gibi --human --si --lohi --total --wide --help 0",
    "vmstat": "-adfmnstwVS= -p= 2",
    "ps": "-aAcCdeEfFghHjklLmMnNoOpPqrsStTuUvVwxXyZ -C= -G= -g= -o= -p= -q= -s= -t= -u= -U= -k= --pid= --ppid= "
    "--user= "
    "--User= --group= --Group= --sort= --format= --forest --no-headers --no-heading --headers --cols= --columns= "
    "--width= --rows= --lines= --sid= --tty= --deselect --cumulative --quick-pid= --help --version * !",
    "pgrep": "-acflnovwxi -F= -G= -g= -P= -r= -s= -t= -u= -U= -d= --count --delimiter= --list-name --list-full "
    "--full --newest --oldest --parent= --euid= --uid= --exact --inverse --ignore-case 1",
    "pidof": "-csxzq -o= *",
    "pstree": "-aAcglnpsStTuUZ -N= -H= -C= 1",
    "ss": "-aeHhilmnopOpstuwxZ460BEbMQVLT -A= -f= --all --listening --numeric --processes --tcp --udp --unix "
    "--summary --extended --no-header --options --memory * check:socket_filter",
    "lscpu": "-abcehjpxyBCJ -s= --all --online --offline --json --extended[=] --parse[=] --bytes --caches[=] 0",
    "lsblk": "-abdDefhiIJlmMnNoOpPrsStTvVxzZ -E= -o= -e= -I= -x= --all --bytes --fs --json --list --noheadings "
    "--output= "
    "--output-all --paths --raw --topology --nodeps *",
    "lsmod": "0",
    "lspci": "-bkmnqtvx -s= -d= 0",
    "lsusb": "-tv -s= -d= 0",
    "lsns": "-Jlnpru -o= -p= -t= --json --list --noheadings --output= --task= --type= 1",
    "findmnt": "-AabCcDefhiJklmnPRruvxy -d= -F= -N= -O= -o= -S= -T= -t= --json --list --output= --noheadings --target= "
    "--source= --types= --df --real --verify --verbose *",
    "mount": "-l 0",
    "dmesg": "-deHhkLPrStTuwWx -f= -l= -F= --human --kernel --level= --facility= --ctime --reltime --notime "
    "--time-format= --decode --nopager --raw 0",
    "nvidia-smi": "-Lq -i= -q -d= --query-gpu[=] --format[=] --list-gpus --query-compute-apps[=] 0",
    "sysctl": "-aAnNe * exact check:sysctl",
    # git: the options before its command, then one line a command. A pager is started for a terminal only. The
    # repository's own configuration may name programs (core.fsmonitor, diff.external, textconv, filter.clean), and
    # a repository may be anybody's, so reading it is harmless only where those programs run in the sandbox.
    "git": "-C= -c= check:git_settings --no-pager --no-optional-locks --no-replace-objects --literal-pathspecs "
    "--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-advice --version stop * sub alone confined",
}


def _others() -> tuple[dict[str, str], ...]:
    from sandgate.policy.safe_packages import PACKAGE_PROGRAMS
    from sandgate.policy.safe_services import PROGRAMS
    from sandgate.policy.safe_system import SYSTEM
    from sandgate.policy.safe_tools import TOOLS

    return TOOLS, PACKAGE_PROGRAMS, PROGRAMS, SYSTEM


SAFE: Mapping[str, str] = Later(_GENERAL, _others)

# In the sandbox these may be given any words. `file -C` makes a list of its own where it stands, and that is all.
LOOSER: dict[str, str] = {"file": f"{_GENERAL['file']} !"}

# Wrappers that add nothing of their own, so that the inner command alone decides.
SAFE_WRAPPERS: dict[str, str] = {
    "timeout": "-fpv -k= -s= --kill-after= --signal= --foreground --preserve-status --verbose stop * skip1",
    "nice": "-n= --adjustment= -NUM stop *",
    "ionice": "-c= -n= -t --class= --classdata= --ignore stop *",
    "time": "-p stop *",
    "stdbuf": "-i= -o= -e= --input= --output= --error= stop *",
    "command": "-p stop *",
    "builtin": "stop *",
    "exec": "-cl stop *",
    "setsid": "-w --wait stop *",
    "env": "-i -u= --ignore-environment --unset= stop * assigned",
    "busybox": "stop * applet",
    "toybox": "stop * applet",
    "xargs": "-0rtx -a= -d= -E= -I= -L= -n= -P= -s= --null --arg-file= --delimiter= --replace[=] --max-lines[=] "
    "--max-args= "
    "--max-procs= --no-run-if-empty --max-chars= --verbose --exit stop * appends",
}
