"""Which repository a directory lies in."""

from __future__ import annotations

import os

from sandgate.places.git import DIRECTORY
from sandgate.sandbox.closing import Repository
from sandgate.sandbox.listing import join
from sandgate.sandbox.repositories import common_directory, pointed_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.sandbox.looking import Look


def repository_around(root: str, look: Look) -> Repository | None:
    """The repository that a root lies in; git takes the nearest."""
    place = root
    while place != "/":
        place = os.path.dirname(place)
        path = join(place, DIRECTORY)
        if not look.exists(path):
            continue
        directory = look.real(path) if look.is_directory(path) else pointed_to(path, look)
        return (directory and Repository(place, directory, common_directory(directory, look), True)) or None
    return None
