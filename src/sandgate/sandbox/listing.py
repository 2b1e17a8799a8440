"""What the walk over a workspace wants to know of one directory."""

from __future__ import annotations

import os
import sys

from sandgate.places.run_later import is_plain_name
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_GET_ATTRIBUTES = 0x80086601  # FS_IOC_GETFLAGS, <linux/fs.h>
_FOLDS = 0x40000000  # FS_CASEFOLD_FL
ENVIRONMENT_MARK = "pyvenv.cfg"  # lies in every virtual environment of Python, and nowhere else
NEVER_ENTERED = frozenset(("node_modules", ".git"))


class Listing(Record):
    """One directory: its protected-looking names and its subdirectories."""

    names: frozenset[str]
    directories: tuple[str, ...]
    ignores_case: bool = False


NOTHING = Listing(frozenset(), ())  # of a directory that is gone or out of reach


def read_listing(directory: str, is_same_file: Callable[[str, str], bool]) -> Listing:
    """Only names that start with a dot (or may be folded into one) are kept, the few others of the table, and
    the mark of a virtual environment.

    Raises OSError.
    """
    names, directories, sample = [], [], ""
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == "." or not name[0].isascii() or is_plain_name(name) or name == ENVIRONMENT_MARK:
                names.append(name)
            elif not sample and name[0].isalpha():
                sample = name
            if name not in NEVER_ENTERED and entry.is_dir(follow_symlinks=False):
                directories.append(name)
    sample = sample or next((name for name in names if name.swapcase() != name), "")
    return Listing(frozenset(names), tuple(directories), _ignores_case(directory, sample, is_same_file))


def _ignores_case(directory: str, sample: str, is_same_file: Callable[[str, str], bool]) -> bool:
    """Asked of `sample`, a name in it; of an empty directory, of its attributes and of its own name."""
    here = join(directory, sample) if sample else directory
    swapped = join(os.path.dirname(here), os.path.basename(here).swapcase())
    # Two entries that differ by case prove that it matters, whatever they are links to: any program can make those.
    if is_same_file(here, swapped) and os.path.basename(swapped) not in os.listdir(os.path.dirname(swapped)):
        return True
    return not sample and is_marked_folding(directory)


def is_marked_folding(directory: str) -> bool:
    """Whether it has the attribute by which ext4, f2fs, bcachefs and tmpfs ignore case in one; chattr(1), `F`."""
    import fcntl

    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        flags = fcntl.ioctl(descriptor, _GET_ATTRIBUTES, bytes(8))
    except OSError:  # a file system without attributes
        return False
    finally:
        os.close(descriptor)
    return bool(int.from_bytes(flags[:4], sys.byteorder) & _FOLDS)


def by_meaning(names: frozenset[str]) -> dict[str, list[str]]:
    """Names as a case-insensitive file system compares them → all spellings that are there."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_folded(name), []).append(name)
    return found


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    import unicodedata

    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", visible).casefold()


def join(directory: str, name: str) -> str:
    """`name` below canonical `directory`; cheaper than the library's, which is called thousands of times here."""
    return name if name.startswith("/") else f"{directory.rstrip('/')}/{name}"
