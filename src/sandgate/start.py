"""The `sandgate` program's first and last step: fast start, quick exit. Everything between is `surfaces.cli`."""

from __future__ import annotations

import gc
import sys
from os import _exit, environ

from sandgate.modulecache import install

INSIDE = "SANDGATE_SANDBOX"  # set for confined commands: our own code is read-only there
GC_THRESHOLD = 100_000  # new objects before the collector looks; start-up makes many and throws none away
# Commands whose start is on everybody's path, and the file their modules are kept in: they begin alike. The others load
# what they need as usual.
KEPT_FOR = {"run": "run", "check": "run", "agent": "agent", "review": "agent"}


def entry() -> None:
    """Console script. Leaves without the interpreter's own tidying up: there is nothing left to tidy."""
    gc.set_threshold(GC_THRESHOLD)
    arguments = sys.argv[1:]
    kept = KEPT_FOR.get(arguments[0]) if arguments else None
    modules = install(kept or "run")
    if kept:
        modules.load_first()
    from sandgate.surfaces.cli.main import main

    code = main(arguments)
    if kept and INSIDE not in environ:
        modules.keep()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    _exit(code)
