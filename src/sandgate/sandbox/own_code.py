"""What Sandgate itself runs at its next start, and so nothing that it confines may change, and nothing opens.

The package is only a part: the interpreter with its library and the shared objects beside it, what tells the
interpreter where these are, the environment with what we import, the byte code Python keeps for us, the name
`sandgate` wherever a shell looks for it, and in a clone the scripts that lead here. Python does not say which
environment that is (without `site` it takes itself for the plain interpreter), so it is found where the interpreter
was started from.
"""

from __future__ import annotations

import os
import sys

from sandgate.record import Record
from sandgate.sandbox.listing import join
from sandgate.sandbox.looking import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.sandbox.following import Followed
    from sandgate.sandbox.grounds import Grounds

PROGRAM = "sandgate"
# At the root of a clone: what the helper is compiled from, and what a person starts and what that reads.
CLONE_MARK = "native"
CLONE_CODE = (CLONE_MARK, "requirements", "src", PROGRAM, "check")
CLONE_ENVIRONMENTS = (
    ".venv",
    ".venv-mcp",
    ".venv-acp",
    ".venv-dev",
)  # the starters take one that is there without asking where it came from
# What SANDGATE_PYTHON may append to these, for the names that requirements/environment.sh tries.
PYTHONS = ("python3", "python3.11", "python3.12", "python3.13", "python3.14")
ENVIRONMENT_MARK = "pyvenv.cfg"
PACKAGE_DIRECTORIES = ("site-packages", "dist-packages")
LIBRARY_DIRECTORIES = ("lib", "lib64", "lib32")
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# Beside the interpreter; each of them tells it to take its library from elsewhere (Modules/getpath.py in CPython).
BESIDE_INTERPRETER = (
    *(
        ENVIRONMENT_MARK,
        "pybuilddir.txt",
        "python._pth",
        f"python{VERSION}._pth",
        f"python{VERSION.replace('.', '')}._pth",
    ),
    *LIBRARY_DIRECTORIES,
)
SYSTEM_PROGRAMS = ("/usr/bin", "/usr/sbin", "/bin", "/sbin")  # never below a writable root
# Below a home: what a clone that is not ours keeps there, and where the interpreter looks for a user's modules.
CACHE_NAME = PROGRAM
CACHE_IN_HOME = f".cache/{CACHE_NAME}"
USER_LIBRARY_IN_HOME = f".local/lib/python{VERSION}"


class OwnCode(Record):
    """Canonical paths."""

    present: tuple[str, ...]
    absent: tuple[str, ...] = ()  # would be run if a command made them
    shared: tuple[str, ...] = ()  # those of `present` that hold what is not ours, too
    found_first: tuple[str, ...] = ()  # `sandgate` in directories on PATH that have none
    loaded: tuple[str, ...] = ()  # further directories of modules; closing them would close what people work on


def own_code(
    package: str,
    *,
    executable: str,
    import_path: tuple[str, ...],
    more: tuple[str, ...],
    library: str = "",
    script: str = "",
    search_path: tuple[str, ...] = (),
    look: Look | None = None,
) -> OwnCode:
    """Everything we run: `package` is our own directory, `more` are further places of this interpreter's, `library`
    is where its modules lie, `script` what was started, `search_path` where a shell looks for programs."""
    look = look or Look()
    places = [
        package,
        *more,
        *environments_of(executable, import_path, look),
        *_script_places(script, import_path, look),
    ]
    places += [entry for entry in import_path if os.path.basename(entry) in PACKAGE_DIRECTORIES]
    places += _interpreter_places(executable, look) if executable else []
    places += [entry for entry in import_path if entry.endswith(".zip")]
    of_clone, not_in_clone = _clone_places(os.path.dirname(os.path.dirname(package)), look)
    places += of_clone
    shared, missing = _names_of(_library_directories(library), look)
    present, absent = _names_of(places, look)
    on_path, found_first = _names_of([f"{each}/{PROGRAM}" for each in search_path if each not in SYSTEM_PROGRAMS], look)
    closed = tuple(dict.fromkeys((*present, *shared, *on_path)))
    loaded = [look.real(entry) for entry in import_path if entry[:1] == "/" and look.is_directory(entry)]
    return OwnCode(
        present=closed,
        absent=(*absent, *not_in_clone, *missing),
        shared=shared,
        found_first=found_first,
        loaded=tuple(entry for entry in loaded if not _is_below(entry, closed)),
    )


def _names_of(places: Iterable[str], look: Look) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What exists, with every link on the way to it, each in its real directory; and what may come to exist."""
    present: dict[str, None] = {}
    absent: dict[str, None] = {}
    directories: dict[str, Followed | None] = {}  # where the directory part of a name leads: many names share one
    for place in dict.fromkeys(map(os.path.abspath, places)):
        directory, _, name = place.rpartition("/")
        if directory not in directories:
            directories[directory] = look.follow(directory or "/")
        beside = directories[directory]
        if beside is None or not look.is_directory(beside.real):
            continue
        there = join(beside.real, name)
        if not look.exists(there):
            absent[there] = None
            continue
        led = look.follow(place) if look.is_link(there) else None
        present |= dict.fromkeys(beside.links if led is None else led.links)
        present[there if led is None else led.real] = None
    present.pop("/", None)
    return tuple(present), tuple(absent)


def environments_of(executable: str, import_path: tuple[str, ...], look: Look) -> list[str]:
    """The virtual environments that the interpreter and the import path belong to; links are not followed.

    Only where an environment has them: a mark planted further up must not close a whole workspace.
    """
    beside = os.path.dirname(executable)
    candidates = [beside, os.path.dirname(beside)]
    for entry in import_path:
        if os.path.basename(entry) in PACKAGE_DIRECTORIES:  # ENVIRONMENT/lib/python3.x/site-packages
            candidates.append(os.path.dirname(os.path.dirname(os.path.dirname(entry))))
    marked = (path for path in candidates if path and look.exists(os.path.join(path, ENVIRONMENT_MARK)))
    return list(dict.fromkeys(marked))


def own_places(homes: tuple[str, ...], cache_home: str, look: Look) -> OwnCode:
    """The same below canonical `homes`, and below `$XDG_CACHE_HOME`: what may come and go while we run."""
    wanted = [f"{home}/{name}" for home in homes for name in (CACHE_IN_HOME, USER_LIBRARY_IN_HOME)]
    wanted += [f"{os.path.normpath(cache_home)}/{CACHE_NAME}"] if cache_home.startswith("/") else []
    present: list[str] = []
    absent: list[str] = []
    for path in wanted:
        led = look.follow(path)
        if led is not None:
            present += [*led.links, led.real]
            continue
        above = look.real(os.path.dirname(path))
        absent.append(f"{above}/{os.path.basename(path)}")
    return OwnCode(tuple(dict.fromkeys(present)), tuple(dict.fromkeys(absent)))


def _interpreter_places(executable: str, look: Look) -> list[str]:
    """The program, and what stands beside it and decides where its library is."""
    beside = os.path.dirname(look.real(executable))
    return [
        executable,
        *(f"{beside}/{name}" for name in BESIDE_INTERPRETER),
        f"{os.path.dirname(beside)}/{ENVIRONMENT_MARK}",
    ]


def _library_directories(library: str) -> list[str]:
    """In these lie shared objects that the loader takes before the system's, and modules in a `.zip`."""
    libraries = os.path.dirname(library)
    if os.path.basename(libraries) not in LIBRARY_DIRECTORIES:
        return []
    return [f"{os.path.dirname(libraries)}/{name}" for name in LIBRARY_DIRECTORIES]


def _script_places(script: str, import_path: tuple[str, ...], look: Look) -> list[str]:
    """A started `sandgate`; and the directory it lies in, when Python looks for modules there."""
    if os.path.basename(script) != PROGRAM:
        return []
    path = os.path.abspath(script)
    beside = os.path.dirname(look.real(path))
    return [path, *(entry for entry in import_path[:1] if entry == beside)]


def _clone_places(clone: str, look: Look) -> tuple[list[str], list[str]]:
    """What a canonical clone has of our code and its environments, and what it may come to have."""
    if not look.is_directory(os.path.join(clone, CLONE_MARK)):
        return [], []
    there = look.names(clone)
    made = [name for name in there if name.startswith(CLONE_ENVIRONMENTS)]
    named = [f"{name}-{python}" for name in CLONE_ENVIRONMENTS for python in PYTHONS]
    wanted = dict.fromkeys((*CLONE_CODE, *CLONE_ENVIRONMENTS, *made, *named))
    present = wanted.keys() & there
    return [f"{clone}/{name}" for name in wanted if name in present], [
        f"{clone}/{name}" for name in wanted if name not in present
    ]


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(place + "/") for place in places)


def _ours(look: Look) -> OwnCode:
    package = os.path.dirname(os.path.dirname(look.real(os.path.abspath(__file__))))
    more = [sys.prefix] if sys.prefix != sys.base_prefix else []
    if sys.pycache_prefix:
        more.append(os.path.abspath(sys.pycache_prefix))
    library = os.path.dirname(os.__file__)
    search_path = tuple(filter(os.path.isabs, os.environ.get("PATH", "").split(":")))
    return own_code(
        package,
        executable=sys.executable or "",
        import_path=tuple(sys.path),
        more=(library, *more),
        library=library,
        script=sys.argv[0] if sys.argv else "",
        search_path=search_path,
        look=look,
    )


_LOOK = Look()
OWN_CODE = _ours(_LOOK)  # where we lie does not change while we run


def own_grounds() -> Grounds | None:
    """What `OWN_CODE` rests on beside the interpreter; None where nothing would tell whether that still stands."""
    return _LOOK.grounds()
