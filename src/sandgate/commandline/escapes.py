"""Commands in the languages of programs that are no shells: `!ls` in dc and ftp, `exec ls` in Tcl, `syscmd(ls)` in m4.

What such a program is told in words, or fed, is searched line by line for the marks behind which it takes a command,
by the manuals of the programs. For finding what must be stopped or asked about: a text too many does no harm.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ESCAPES_MAX = 50  # of one text that are looked at
# Programs, and the marks behind which a command stands as far as its line goes. `_` is a blank.
_TABLE = """
    vim vi nvim ex view gvim vimdiff ed red = ! system( term_ terminal_
    less more most = ! |
    man = !
    gdb = ! shell_ |
    lldb = shell_
    psql = \\! | program_
    mysql mariadb = \\! system_ pager_ \\P_
    sqlite3 = .shell_ .system_ |
    dc bc = !
    ftp tftp lftp ncftp sftp telnet smbclient cu tip = ! |
    mail mailx s-nail heirloom-mailx mutt neomutt alpine = ! | pipe_
    gnuplot = ! shell_ system_ system(
    ipython bpython xonsh irb pry = !
    tclsh wish expect jimsh = exec_ spawn_ |
    m4 gm4 autom4te autoconf = syscmd(
    tex latex pdftex pdflatex xetex xelatex luatex lualatex = write18{ \\input|
    crash debugfs drgn = !
"""
# The command is what stands behind the first comma of such a call: `edit(x, 'ls')` (sqlite.org, "The edit() SQL
# function").
_CALLS: dict[str, str] = {"sqlite3": "edit"}
_OPENING = " \t\"'`([{@-:"
_CLOSING = " \t\"'`)]};"


def _rows() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _TABLE.strip().splitlines():
        names, _, marks = line.partition(" = ")
        found.update(dict.fromkeys(names.split(), tuple(mark.replace("_", " ") for mark in marks.split())))
    return found


ESCAPES = _rows()
ESCAPING = frozenset(ESCAPES)
# Of these every line that they are fed may be a command of a shell's form: `spawn ls`, `exec ls`.
LINEWISE = words_of("tclsh wish expect jimsh")


def escaped(name: str, text: str) -> Iterator[str]:
    """The commands in `text`, which the program `name` of `ESCAPING` takes for orders in its own language."""
    left = ESCAPES_MAX
    for line in text.splitlines():
        for mark in ESCAPES[name]:
            for rest in line.split(mark)[1:] if mark == "|" else _behind(line, mark):
                left -= 1
                if left < 0:
                    return
                if rest.strip(_OPENING + _CLOSING):
                    yield _bare(rest)
        call = _CALLS.get(name)
        if call is not None and call in line.lower():
            yield from [_bare(rest.partition(",")[2]) for rest in _behind(line.lower(), call) if "," in rest]


def _behind(line: str, mark: str) -> Iterator[str]:
    """What follows the mark, wherever it stands, to the end of the line."""
    at = line.find(mark)
    while at >= 0:
        at += len(mark)
        yield line[at:]
        at = line.find(mark, at)


def _bare(text: str) -> str:
    """Without what the language puts around a command."""
    return text.lstrip(_OPENING).rstrip(_CLOSING)
