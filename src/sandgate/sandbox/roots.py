"""Which directories count: homes, scratch space, our own, and the paths that a person or a grant named, all in
canonical form.

Resolving is where a confined command can cheat: what it may write to, it can fill with links, and a later command
would follow them. So a named root must not be reached through a link below another root, and a granted path must not
contain one at all.
"""

from __future__ import annotations

import os

from sandgate.errors import ConfinementError
from sandgate.protocol.environment import STATE_NAME
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.permissions import Grant
    from sandgate.sandbox.looking import Look

    Places = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]  # the fields of OwnState

# Never scratch space, but what lies in them may be.
SYSTEM_TOPS = ("/", "/home", "/opt", "/root", "/srv", "/var/folders")
# Never scratch space with all they contain (and so are /lib, /lib64, /libx32 …), but for the second list.
SYSTEM_TREES = ("/bin", "/boot", "/dev", "/etc", "/proc", "/run", "/sbin", "/sys", "/usr", "/var")
SCRATCH_IN_SYSTEM_TREES = ("/dev/shm", "/var/folders", "/var/tmp")
STATE_IN_HOME = f".local/state/{STATE_NAME}"
PASSWD = "/etc/passwd"
PASSWD_BYTES_MAX = 1 << 20


class OwnState(Record):
    """Our own directories, canonical, and what would have to be changed to have others in their place."""

    present: tuple[str, ...]
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()  # the first name on the way to each missing one that must not come to exist
    steps: tuple[str, ...] = ()  # on the way to them: links, and files where a directory should be


def existing_directory(path: str, look: Look) -> str | None:
    """The canonical form of an absolute, existing directory; None for anything else."""
    led = look.follow(path) if path.startswith("/") else None
    return led.real if led is not None and look.is_directory(led.real) else None


def scratch_directory(path: str, look: Look, *, shared: str | None, homes: Iterable[str]) -> str | None:
    """What `$TMPDIR` says, canonical; None when it is no directory that scratch files belong in.

    One variable must not make the home directory or a part of the system writable. Nor must a link below `shared`:
    any user could have made that link in /tmp.
    """
    real = _trusted_directory(path, look, shared=shared)
    if real is None or real in SYSTEM_TOPS or any(at_or_below(home, [real]) for home in homes):
        return None
    top = "/" + real.split("/")[1]
    is_system = top in SYSTEM_TREES or top.startswith("/lib")
    return None if is_system and not at_or_below(real, SCRATCH_IN_SYSTEM_TREES) else real


def _trusted_directory(path: str, look: Look, *, shared: str | None) -> str | None:
    found = look.follow(path) if path.startswith("/") else None
    if found is None or not look.is_directory(found.real):
        return None
    planted = shared is not None and any(at_or_below(link, [shared]) for link in found.links)
    return None if planted else found.real


def known_homes(home: str, uid: int, look: Look) -> list[str]:
    """The home the environment names and the one the system knows: one variable must not uncover secrets."""
    found = (existing_directory(path, look) for path in (home, _known_home(uid, look)))
    return list(dict.fromkeys(path for path in found if path and path != "/"))


def _known_home(uid: int, look: Look) -> str:
    """From the local accounts; only who is not among them is looked up in every other place the system knows."""
    wanted = str(uid)
    for line in look.settled_text(PASSWD, PASSWD_BYTES_MAX).splitlines():
        fields = line.split(":")
        if len(fields) >= 6 and fields[2] == wanted:
            return fields[5]
    import pwd

    look.cannot_be_kept()
    try:
        return pwd.getpwuid(uid).pw_dir
    except KeyError:
        return ""


def own_state(directory: str, state_home: str, homes: Iterable[str], look: Look) -> OwnState:
    """The directories that no confined command may see: Sandgate's home, and what outlives a session.

    `state_home` is `$XDG_STATE_HOME`, `homes` are canonical. The usual place in each home counts beside it: what
    answers to another environment's server lies there, and one variable must not open that.
    """
    found = [_own_place(directory, look, links=())]  # `.sandgate` itself is a protected name, be it a link
    found += [_usual_state(home, look) for home in homes]
    if state_home.startswith("/"):
        path = os.path.join(os.path.normpath(state_home), STATE_NAME)
        found.append(_own_place(path, look, links=_links_towards(path, look)))
    return OwnState(*(tuple(dict.fromkeys(path for one in found for path in one[field])) for field in range(4)))


def _usual_state(home: str, look: Look) -> Places:
    """Mostly there is nothing, or no link, and then one question for each part is enough."""
    path = f"{home}/{STATE_IN_HOME}"
    place = home
    for part in STATE_IN_HOME.split("/"):
        above, place = place, f"{place}/{part}"
        if not look.exists(place):
            return _missing(path, above, place, look, ())
        if look.is_link(place):
            return _own_place(path, look, links=_links_towards(path, look))
    return (path,), (), (), ()


def _own_place(path: str, look: Look, *, links: tuple[str, ...]) -> Places:
    real = first = look.real(path)
    if look.exists(real):
        return (real,), (), (), links
    while not look.exists(above := os.path.dirname(first)):
        first = above
    return _missing(real, above, first, look, links)


def _missing(path: str, above: str, first: str, look: Look, links: tuple[str, ...]) -> Places:
    if look.is_directory(above):
        return (), (path,), (first,), links
    return (), (path,), (), (*links, above)


def _links_towards(path: str, look: Look) -> tuple[str, ...]:
    """Every link on the way, as far as there is a way."""
    while path != "/" and not look.exists(path):
        path = os.path.dirname(path)
    led = look.follow(path)
    if led is not None:
        return led.links
    directory, name = os.path.split(path)  # the last one leads nowhere
    return (*_links_towards(directory, look), os.path.join(look.real(directory), name))


def resolved_roots(written: Iterable[str], implied: Iterable[str | None], look: Look) -> dict[str, str]:
    """Named roots as written → canonical. Missing ones are left out."""
    followed = {path: found for path in written if (found := look.follow(path)) is not None}
    roots = {root for root in (*(found.real for found in followed.values()), *implied) if root and root != "/"}
    for path, found in followed.items():
        link = next((link for link in found.links if at_or_below(os.path.dirname(link), roots)), None)
        if link is not None:
            raise ConfinementError(
                f"cannot make `{path}` writable inside the sandbox",
                why=f"`{link}` is a symbolic link in a directory that confined commands can change",
                hint=f"name the directory itself: `{found.real}`, if that is what you mean",
            )
    return {path: found.real for path, found in followed.items()}


def resolved_grants(grants: tuple[Grant, ...], look: Look) -> dict[str, str]:
    """Granted paths → themselves. What was approved is the path that was shown, not where a link now leads."""
    resolved = {}
    for grant in grants:
        if grant.kind not in ("write_path", "read_path", "unix_socket", "write_root"):
            continue
        directory, name = os.path.split(os.path.normpath(grant.value))
        if (real := look.real(directory)) != directory:
            raise ConfinementError(
                f"cannot grant `{grant.value}`",
                why="a directory on the way to it is a symbolic link, so it may lead elsewhere by the time of use",
                hint=f"grant `{os.path.join(real, name)}`, if that is what you mean",
            )
        if grant.kind == "write_path" or look.exists(grant.value):
            resolved[grant.value] = os.path.join(directory, name)
    return resolved


def at_or_below(path: str, roots: Iterable[str]) -> bool:
    """True when `path` is one of `roots` or lies in one; all are canonical absolute paths."""
    return any(path == root or path.startswith(root + "/") for root in roots)
