"""What Sandgate itself runs at its next start, and so nothing that it confines may change.

The package is only a part: the interpreter, the environment with what we import, the byte code Python keeps for us,
and in a clone the scripts that lead here. Python does not say which environment that is (without `site` it takes
itself for the plain interpreter), so it is found where the interpreter was started from.
"""

from __future__ import annotations

import os
import sys

from sandgate.record import Record

# At the root of a clone: what the helper is compiled from, and what a person starts and what that reads.
CLONE_MARK = "native"
CLONE_CODE = (CLONE_MARK, "requirements", "src", "sandgate", "check")
CLONE_ENVIRONMENTS = (
    ".venv",
    ".venv-mcp",
    ".venv-dev",
)  # the starters take one that is there without asking where it came from
ENVIRONMENT_MARK = "pyvenv.cfg"
PACKAGE_DIRECTORIES = ("site-packages", "dist-packages")


class OwnCode(Record):
    """Canonical paths. `absent` would be run if somebody made them."""

    present: tuple[str, ...]
    absent: tuple[str, ...] = ()


def own_code(package: str, *, executable: str, import_path: tuple[str, ...], more: tuple[str, ...]) -> OwnCode:
    """Everything we run: `package` is our own directory, `more` are further places of this interpreter's."""
    places = [package, *more, *environments_of(executable, import_path)]
    places += [entry for entry in import_path if os.path.basename(entry) in PACKAGE_DIRECTORIES]
    places += [executable] if executable else []
    present = [path for place in places for path in _names_of(place) if path != "/" and os.path.lexists(path)]
    clone = os.path.dirname(os.path.dirname(package))
    if not os.path.isdir(os.path.join(clone, CLONE_MARK)):
        return OwnCode(tuple(dict.fromkeys(present)))
    made = [name for name in os.listdir(clone) if name.startswith(CLONE_ENVIRONMENTS)]
    wanted = [os.path.join(clone, name) for name in (*CLONE_CODE, *CLONE_ENVIRONMENTS, *made)]
    present += filter(os.path.lexists, wanted)
    return OwnCode(
        tuple(dict.fromkeys(present)), tuple(dict.fromkeys(path for path in wanted if not os.path.lexists(path)))
    )


def environments_of(executable: str, import_path: tuple[str, ...]) -> list[str]:
    """The virtual environments that the interpreter and the import path belong to; links are not followed.

    Only where an environment has them: a mark planted further up must not close a whole workspace.
    """
    beside = os.path.dirname(executable)
    candidates = [beside, os.path.dirname(beside)]
    for entry in import_path:
        if os.path.basename(entry) in PACKAGE_DIRECTORIES:  # ENVIRONMENT/lib/python3.x/site-packages
            candidates.append(os.path.dirname(os.path.dirname(os.path.dirname(entry))))
    marked = (path for path in candidates if path and os.path.lexists(os.path.join(path, ENVIRONMENT_MARK)))
    return list(dict.fromkeys(marked))


def _names_of(place: str) -> tuple[str, str]:
    """The name in its real directory, be it a link, and what it leads to."""
    directory, name = os.path.split(place.rstrip("/"))
    return os.path.join(os.path.realpath(directory), name), os.path.realpath(place)


def _ours() -> OwnCode:
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    more = [os.path.dirname(os.__file__)]
    if sys.prefix != sys.base_prefix:
        more.append(sys.prefix)
    if sys.pycache_prefix:
        more.append(os.path.abspath(sys.pycache_prefix))
    return own_code(package, executable=sys.executable or "", import_path=tuple(sys.path), more=tuple(more))


OWN_CODE = _ours()  # where we lie does not change while we run
