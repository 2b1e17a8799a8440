"""Why a question is asked, and what would keep it from being asked again: two lines of every prompt.

A person who is asked the same thing often should see at once which answer, which rule or which setting ends that, and
be shown the rule before it is saved.
"""

from __future__ import annotations

from posixpath import dirname

from sandgate.display import in_toml, one_line, visible
from sandgate.places.workspaces import search_path, why_no_workspace
from sandgate.policy.common_places import homes_of
from sandgate.protocol.permissions import ESCALATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.decisions import Amendment, ApprovalRequest
    from sandgate.protocol.permissions import Grant

WHY_CHARACTERS_MAX = 500
KEEPS = "the sandbox refused this; a yes adds it and runs it again from the start"
LEAVES = "what the sandbox refused is only to be had without the sandbox; a yes runs it again from the start"
SETTINGS_SHOWN_MAX = 4
GIT_SETTING = 'sandbox.protect_git = "hooks-and-config" in config.toml opens what `git commit` writes'


def why_line(request: ApprovalRequest) -> str:
    """What asks: the policy, a rule, or the sandbox. Empty where only the reason says it."""
    if request.stage == "retry":
        return LEAVES if ESCALATE in request.grants else KEEPS
    return one_line(request.why, limit=WHY_CHARACTERS_MAX)


def again_lines(request: ApprovalRequest, *, session: str, always: str) -> list[str]:
    """What ends such questions. `session` and `always` are what the answers to that end are called here; "" where
    there is none."""
    lines = [f"`{session}` is an answer for this session"] if session else []
    high = request.risk is not None and request.risk.risk_level == "high"
    if request.amendment is not None and not high:
        lines.append(f"`{always}` saves the rule {saved_as(request.amendment)}")
    if any("/.git/" in f"{grant.value}/" for grant in request.grants if grant.kind in ("write_root", "write_path")):
        lines.append(GIT_SETTING)
    env = request.command.env
    named = _setting_at_a_call if request.stage == "held" else _setting
    settings = list(dict.fromkeys(filter(None, [named(grant, env) for grant in request.grants])))
    if settings:
        lines += [f"{setting} in config.toml" for setting in settings[:SETTINGS_SHOWN_MAX]]
    return lines


def saved_as(amendment: Amendment) -> str:
    """The exact line that is saved."""
    from sandgate.policy.amendments import rule_line

    return visible(rule_line(amendment))


def _setting(grant: Grant, env: Mapping[str, str]) -> str:
    """The setting that gives the same for good; empty where none does, or where it would be protected again."""
    match grant.kind:
        case "write_root" | "write_path":
            place = grant.value if grant.kind == "write_root" else dirname(grant.value)
            value = in_toml(place) if _is_narrow(grant.value, place, env) else ""
            return f"sandbox_workspace_write.writable_roots = [{value}]" if value else ""
        case "read_path":
            return f"secrets.opened = [{value}]" if (value := in_toml(grant.value)) else ""
        case "unix_socket":
            return f"sandbox.unix_sockets = [{value}]" if (value := in_toml(grant.value)) else ""
        case "host":
            return "sandbox_workspace_write.network_access = true"
        case _:
            return ""


def _setting_at_a_call(grant: Grant, env: Mapping[str, str]) -> str:
    """Who waits at a call is also there to carry out a standing grant of one file, which is less than its directory.

    None for what is new or goes: the same command wants something else the next time.
    """
    if grant.kind not in ("write_path", "metadata"):
        return _setting(grant, env)
    place, value = dirname(grant.value), in_toml(grant.value)
    at_home = place in homes_of(env) and "/." not in grant.value
    return f"grants.{grant.kind} = [{value}]" if value and (at_home or _is_narrow(grant.value, place, env)) else ""


def _is_narrow(path: str, place: str, env: Mapping[str, str]) -> bool:
    """Whether `place` may be open for good: no top directory, no user's home, and `path` behind no name with a dot.

    What is no workspace would end every later command, as a setting.
    """
    if why_no_workspace(place, homes_of(env), search_path(env.get("PATH", ""))):
        return False
    depth_min = 3 if place.startswith(("/home/", "/Users/")) else 2
    return place.count("/") >= depth_min and not any(part.startswith(".") for part in path.split("/"))
