"""Unix sockets of the host: one `systemd-run --user` over the session bus leaves every sandbox.

Neither a read-only mount nor a network namespace stops `connect()` to a path. So the directories where programs
keep their sockets are covered, every other listening socket that the kernel lists (`listening.py`) is covered by
itself, and the variables that point programs to them are taken out of the environment (`socket_variables.py`). A socket
that was granted stays.

Known limit: a socket listening in another network namespace is not listed; it is covered when it lies in
one of the directories.
"""

from __future__ import annotations

import os
import stat

from sandgate.record import Record
from sandgate.sandbox.roots import at_or_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.sandbox.looking import Look

# Below `/run`: what name resolution and, on some distributions, every program path need.
RESOLVER_FILES = ("/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf")
SYSTEM_LINKS = ("/run/booted-system", "/run/current-system", "/run/opengl-driver")
HOME_DIRECTORIES = (".docker/desktop", ".docker/run")
TMP = "/tmp"


class SocketPlaces(Record):
    """What to cover, and what must stay readable below it. All canonical and existing."""

    covered: tuple[str, ...]
    openings: tuple[str, ...] = ()


def socket_places(
    environ: Mapping[str, str],
    look: Look,
    *,
    homes: Iterable[str],
    keep: Iterable[str],
    uid: int,
    listening: Iterable[str],
    private_tmp: bool = False,
) -> SocketPlaces:
    """Directories and single sockets to cover.

    `listening` are the names the kernel lists. `keep` are directories that must not be covered as a whole although a
    variable points at them: the working directory and everything above it. `private_tmp`: unless one of these lies in
    the host's /tmp, commands see nothing of it, and programs make and remove things there all the time.
    """
    covered = _runtime_directories(look)
    kept = frozenset(keep)
    is_unseen = private_tmp and TMP not in kept
    candidates = [] if is_unseen else [f"{TMP}/{name}" for name in (".X11-unix", ".ICE-unix", f"tmux-{uid}")]
    candidates += [f"{home}/{name}" for home in homes for name in HOME_DIRECTORIES]
    for directory in (environ.get("XDG_RUNTIME_DIR", ""), os.path.dirname(environ.get("SSH_AUTH_SOCK", ""))):
        if directory.startswith("/"):
            candidates.append(look.real(directory))
    for directory in candidates:
        if directory not in kept and not at_or_below(directory, covered) and look.is_kind(directory, stat.S_ISDIR):
            covered.append(directory)
    openings = tuple(_resolver_files(covered, look))
    covered += _single_sockets(listening, look, below_none_of=covered)
    return SocketPlaces(tuple(covered), openings)


def _runtime_directories(look: Look) -> list[str]:
    """`/run`; where it holds links that programs are found through, each of its entries instead.

    A link cannot be bound back into a covered directory.
    """
    if any(look.is_link(path) for path in SYSTEM_LINKS):
        covered = [path for name in look.names("/run") if not look.is_link(path := "/run/" + name)]
    else:
        covered = ["/run"] if look.is_kind("/run", stat.S_ISDIR) else []
    return [*covered, "/var/run"] if look.is_kind("/var/run", stat.S_ISDIR) else covered


def _resolver_files(covered: list[str], look: Look) -> list[str]:
    """Covered files that name resolution reads."""
    files = dict.fromkeys((*RESOLVER_FILES, look.real("/etc/resolv.conf")))
    return [path for path in files if at_or_below(path, covered) and _is_plain_file(path, look)]


def _single_sockets(names: Iterable[str], look: Look, *, below_none_of: Iterable[str]) -> list[str]:
    """Those that we can see and that no directory covers already."""
    covered = tuple(below_none_of)
    reals = dict.fromkeys(look.real(name) for name in names)
    return [real for real in reals if not at_or_below(real, covered) and look.is_kind(real, stat.S_ISSOCK)]


def _is_plain_file(path: str, look: Look) -> bool:
    return look.is_kind(path, stat.S_ISREG) and look.real(path) == path
