"""Which rule about a place would have made the question at a refused call needless.

It is offered for the very words of the command and the very places that a yes gives, and only where nothing obeys,
starts or keeps secrets: below the home, behind no name that begins with a dot, in no place of programs. Pure.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from posixpath import basename, dirname

from sandgate.commandline.words import program_name
from sandgate.commandline.wrappers import SHELL_PROGRAMS
from sandgate.places.run_later import rows
from sandgate.places.secrets import kept_in_home, named_for_secrets
from sandgate.places.workspaces import search_path, why_no_workspace
from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.common_places import homes_of, is_common
from sandgate.policy.rules.places import KINDS, PATHS_MAX, is_plain
from sandgate.protocol.decisions import Amendment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.policy.approval import Judgement
    from sandgate.protocol.permissions import EffectivePermissions, Grant

PROGRAM_DIRECTORIES = ("bin", "sbin", "libexec")  # wherever they lie


def proposed_place_rule(
    judged: Judgement, grants: tuple[Grant, ...], permissions: EffectivePermissions, env: Mapping[str, str]
) -> Amendment | None:
    """The rule to offer; None when there is none. `judged` is the command under `untrusted`, without rules."""
    kinds = {grant.kind for grant in grants}
    if len(kinds) != 1 or kinds.isdisjoint(KINDS) or len(grants) > PATHS_MAX or judged.what.complex:
        return None
    if not all(may_be_given_for_good(grant, permissions, env) for grant in grants):
        return None
    asked = {each.because.segment: each for each in judged.segments if each.because.verdict != "allow"}
    if len(asked) != 1:
        return None
    ((words, one),) = asked.items()
    if one.because.source == "danger-list" or why_banned(words):
        return None
    if program_name(words[0]) in SHELL_PROGRAMS:  # a script that redirects: nobody says the same one twice
        return None
    return Amendment(words, places=grants)


def may_be_given_for_good(grant: Grant, permissions: EffectivePermissions, env: Mapping[str, str]) -> bool:
    """Whether a command may have it for good, as far as its name tells."""
    if not (is_plain(grant.value) and grant.value.isprintable()):  # a rule could not name it, or nobody could read it
        return False
    place, programs = grant.value.rstrip("/"), search_path(env.get("PATH", ""))
    home = next((each for each in homes_of(env) if place.startswith(each + "/")), "")
    inner = place[len(home) + 1 :]
    if not home or is_common(place, homes=(home,)) or any(part[:1] == "." for part in inner.split("/")):
        return False
    above = [place]
    while dirname(above[-1]) != home:
        above.append(dirname(above[-1]))
    if any(basename(each) in PROGRAM_DIRECTORIES or why_no_workspace(each, (home,), programs) for each in above):
        return False
    if kept_in_home(inner) or named_for_secrets(basename(place)) or _is_obeyed(inner):
        return False
    closed = (*permissions.hidden, *permissions.read_only, *permissions.own)
    return not any(f"{each}/".startswith(f"{place}/") or f"{place}/".startswith(f"{each}/") for each in closed)


def _is_obeyed(inner: str) -> bool:
    """Whether something executes or obeys what has this name, be it only when a person runs his project."""
    folded = "/" + inner.lower()
    return any(fnmatchcase(folded, f"*/{name.lower()}") for name, _, _, _ in rows())
