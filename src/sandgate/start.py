"""The `sandgate` program's first and last step: fast start, quick exit. Everything between is `surfaces.cli`.

Before anything else the three standard numbers are taken. Where the caller closed one, the next file that is opened
would get it, and a command would read our own files as its input, or write into them.
"""

import gc
import sys
from os import O_RDONLY, O_WRONLY, _exit, environ, fstat, set_inheritable, stat
from os import open as open_descriptor

from sandgate.modulecache import DIRECTORY, OTHERS_MAY_WRITE, install

INSIDE = "SANDGATE_SANDBOX"  # set for confined commands: our own code is read-only there
NOTHING = "/dev/null"
# Open the wrong way round: who uses one is told EBADF, as with a number that is closed, and not that all went well.
CLOSED_MODES = (O_WRONLY, O_RDONLY, O_RDONLY)  # of stdin, stdout, stderr
CANNOT = 125  # exit code: Sandgate could not do its part
GC_THRESHOLD = 100_000  # new objects before the collector looks; start-up makes many and throws none away
# Commands that are used every day, and the file their modules are kept in: they begin alike. The others load what they
# need as usual.
WHOLE = frozenset({"check", "sessions"})  # files of commands that only begin: nothing of theirs comes later
KEPT_FOR = {"run": "run", "check": "check", "agent": "agent", "review": "agent", "sessions": "sessions"}


def entry() -> None:
    """Console script. Leaves without the interpreter's own tidying up: there is nothing left to tidy."""
    occupy_standard()
    if stat(DIRECTORY).st_mode & OTHERS_MAY_WRITE:
        print(f"sandgate: anybody can change `{DIRECTORY}`, so it is not run: chmod o-w {DIRECTORY}", file=sys.stderr)
        _exit(CANNOT)
    gc.set_threshold(GC_THRESHOLD)
    arguments = sys.argv[1:]
    kept = KEPT_FOR.get(arguments[0]) if arguments else None
    modules = install(kept or "run", is_whole=kept in WHOLE)
    if kept:
        modules.load_first()
    from sandgate.surfaces.cli.main import main

    code = main(arguments)
    if kept and INSIDE not in environ:
        if kept in WHOLE:
            modules.begun()
        modules.keep()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    _exit(code)


def occupy_standard() -> None:
    """Let each standard descriptor that is closed refer to what cannot be used, and be inherited so."""
    for number, mode in enumerate(CLOSED_MODES):
        try:
            fstat(number)
        except OSError:
            # The lowest free number is the one that is missing: nothing below it is free any more.
            set_inheritable(open_descriptor(NOTHING, mode), True)
