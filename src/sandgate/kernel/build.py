"""Where the helper `sandgate-exec` is: carried by the package, or compiled once for each state of its sources.

In a clone the binary appears at first use beside the package; an installed package carries it, or carries the sources
when there was no compiler at that time.
"""

from __future__ import annotations

import os
import stat
import sys

from sandgate.errors import BackendUnavailable
from sandgate.kernel.helper_sources import PACKAGE, PROGRAM, STAMP_SUFFIX, looks_of, unavailable
from sandgate.modulecache import is_trusted

STAMP_BYTES_MAX = 256  # two hashes


def helper_path() -> str:
    """The helper's absolute path, compiled first if it is missing or older than its sources.

    Raises BackendUnavailable, with the reason, when there is none and none can be made.
    """
    carried = os.path.join(PACKAGE, "_native", PROGRAM)
    sources = source_directory()
    if sources is None:
        if not os.access(carried, os.X_OK):
            raise unavailable("the package has neither the program nor its sources", "reinstall sandgate")
        if not is_ours(carried):
            raise unavailable(f"somebody else can have written `{carried}`", "look at its owner and mode")
        return carried
    if is_current(carried, sources):
        return carried
    from sandgate.kernel.compile import compile_helper, place_to_build

    program = os.path.join(place_to_build(), PROGRAM)
    if not is_current(program, sources):
        compile_helper(sources, program)
    return program


def source_directory() -> str | None:
    """Where native/ is: at the root of a clone, or inside a package installed without the binary."""
    root = os.path.dirname(os.path.dirname(PACKAGE))
    for candidate in (os.path.join(root, "native"), os.path.join(PACKAGE, "_native", "src")):
        if os.path.isfile(os.path.join(candidate, "sandbox.h")):
            return candidate
    return None


def is_ours(program: str) -> bool:
    """Whether it is a file that only we, root, or the owner of this package can have written."""
    try:
        found, owner = os.lstat(program), os.stat(PACKAGE).st_uid
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and is_trusted(found, owner)


def is_current(program: str, sources: str) -> bool:
    """Whether `program` was compiled from the present state of `sources`, by a user whom we trust."""
    try:
        looks, content = _read_stamp(program).split()
    except (OSError, ValueError):
        return False
    if not os.access(program, os.X_OK) or not is_ours(program):
        return False
    # Times and sizes answer without reading the sources; when they differ, the content decides, and is not asked again.
    if looks == (looks_now := looks_of(sources)):
        return True
    from sandgate.kernel.compile import content_of, stamp

    if content != content_of(sources):
        return False
    stamp(program, looks_now, content)
    return True


def _read_stamp(program: str) -> str:
    """On the path of every command, so without the layers of a text file."""
    stamp = os.open(program + STAMP_SUFFIX, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(stamp, STAMP_BYTES_MAX).decode()
    finally:
        os.close(stamp)


def main() -> int:
    """Builds if needed and prints the path: `python -m sandgate.kernel.build`."""
    try:
        print(helper_path())
    except BackendUnavailable as problem:
        print(f"{problem}\n{problem.hint}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
