"""Where the commands of a session work: its directory, homes, scratch space, and what a person or a grant named."""

from __future__ import annotations

from sandgate.errors import ConfinementError
from sandgate.places.workspaces import search_path, why_no_workspace
from sandgate.protocol.permissions import values_of
from sandgate.record import Record
from sandgate.sandbox.roots import (
    existing_directory,
    known_homes,
    resolved_grants,
    resolved_roots,
    scratch_directory,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.permissions import Grant
    from sandgate.sandbox.looking import Look

SLASH_TMP = "/tmp"


class Whereabouts(Record):
    """What is said of it, by the caller, the environment and the policy."""

    cwd: str  # canonical
    uid: int
    writes: bool  # whether the policy writes to the working directory at all
    home: str  # $HOME
    tmpdir: str  # $TMPDIR
    written: tuple[str, ...]  # roots that policy and grants name
    grants: tuple[Grant, ...]
    private_tmp: bool  # commands do not see the host's /tmp
    path: str = ""  # $PATH
    insists: bool = False  # on a home, or a directory of programs, as a workspace


class Workplaces(Record):
    """What that means on this disk. All canonical."""

    homes: tuple[str, ...]
    tmpdir: str | None
    slash_tmp: str | None
    resolved: tuple[tuple[str, str], ...]  # roots and grants as written → canonical
    named: tuple[str, ...]  # those of them that may be written
    directories: tuple[str, ...]  # where a person works
    scratch: tuple[str, ...]  # writable directories that no person works in
    missing: tuple[str, ...] = ()  # roots that the policy names and the disk has not


def workplaces(said: Whereabouts, look: Look) -> Workplaces:
    """Raises `ConfinementError` for a path that leads through a link a confined command could have made, and for a
    workspace that is none unless a person insists."""
    slash_tmp = existing_directory(SLASH_TMP, look)
    homes = known_homes(said.home, said.uid, look)
    tmpdir = scratch_directory(said.tmpdir, look, shared=slash_tmp, homes=homes)
    roots = resolved_roots(said.written, (said.cwd, slash_tmp, tmpdir), look)
    if not said.insists:
        _refuse_broad(said, roots, homes)
    resolved = roots | resolved_grants(said.grants, look)
    named = [
        *roots.values(),
        *(resolved[path] for path in values_of(said.grants, "write_path") if path in resolved),
    ]
    directories = [path for path in dict.fromkeys(named) if look.is_directory(path)]
    directories += [said.cwd] if said.writes and said.cwd not in ("/", *directories) else []
    shared = None if said.private_tmp else slash_tmp
    scratch = [path for path in dict.fromkeys((tmpdir, shared)) if said.writes and path and path not in directories]
    return Workplaces(
        homes=tuple(homes),
        tmpdir=tmpdir,
        slash_tmp=slash_tmp,
        resolved=tuple(resolved.items()),
        named=tuple(named),
        directories=tuple(directories),
        scratch=tuple(scratch),
        missing=tuple(path for path in said.written if path not in (*roots, *values_of(said.grants, "write_root"))),
    )


def _refuse_broad(said: Whereabouts, roots: Mapping[str, str], homes: list[str]) -> None:
    """What an approval grants was shown to a reviewer; what is configured may have been a mistake."""
    shown = values_of(said.grants, "write_root")
    wanted = [roots[path] for path in said.written if path in roots and path not in shown]
    programs = search_path(said.path)
    for root in [*wanted, *([said.cwd] if said.writes else ())]:
        if why := why_no_workspace(root, homes, programs):
            raise ConfinementError(
                f"`{root}` as a workspace would be writable as a whole",
                why=why,
                hint="work in a directory of its own, or give `-s read-only`; who wants exactly this insists with "
                "`--allow-broad-workspace`, or `sandbox.allow_broad_workspace = true` in the user's configuration",
            )
