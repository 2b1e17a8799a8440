"""What would have allowed what was refused because no reviewer could be asked: a rule, or an option, by name."""

from __future__ import annotations

from os import environ
from os.path import dirname

from sandgate.commandline.words import joined, quoted
from sandgate.display import in_toml
from sandgate.places.git import opened_together
from sandgate.policy.common_places import homes_of, is_common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.permissions import Grant

HINTS_MAX = 6  # of one refusal
ANY_HOST = "*"


def allowing(request: ApprovalRequest) -> tuple[str, ...]:
    """Ways to have it allowed next time, the narrowest first; the last one is always there."""
    denials = request.denial.denials if request.denial is not None else ()
    new = {denial.path for denial in denials if denial.operation == "create"}
    places, patched = (request.command.cwd,), bool(request.changes)
    found = [option(each, new=each.value in new, workspaces=places, patched=patched) for each in request.grants]
    if request.amendment is not None and request.amendment.sandbox == "keep":
        given = [named_option(grant) for grant in request.amendment.places]
        found.insert(0, f"sandgate rules add {' '.join([*given, '--'])} {joined(request.amendment.prefix)}")
    if request.command.wish == "require_escalated":
        found.append("-s danger-full-access")
    hints = list(dict.fromkeys(hint for hint in found if hint))[: HINTS_MAX - 1]
    return (*hints, "--answer approve, or a terminal where you can be asked")


def root_option(path: str, *, new: bool, workspaces: tuple[str, ...]) -> str:
    """The option that opens `path` for writing, or where it is `new` its directory.

    Empty where that opens too much: a home, or what lies above a workspace.
    """
    place = dirname(path) if new else path  # a root must exist, and what was to be created does not
    return "" if is_common(place, homes=homes_of(environ), workspaces=workspaces) else f"--add-dir {quoted(place)}"


def git_options(denial: Denial, *, workspaces: tuple[str, ...]) -> str:
    """All options that a git command takes of which this is the first step; empty where it is no matter of git."""
    if denial.grant is None or denial.grant.kind not in ("write_root", "write_path") or denial.path is None:
        return ""
    together = opened_together(denial.path, renamed=denial.operation == "rename")
    options = [root_option(place, new=False, workspaces=workspaces) for place in together]
    return " ".join(options) if all(options) else ""


def named_option(grant: Grant) -> str:
    """What gives that path and nothing else."""
    return f"--grant {quoted(f'{grant.kind}={grant.value}')}"


def option(grant: Grant, *, new: bool, workspaces: tuple[str, ...], patched: bool = False) -> str:
    """The option that gives this grant and, as far as options can, no more; `new`: for a file that does not exist.

    A patch, which no supervisor carries out, takes places that are open. Empty where every option gives much more: one
    yes is less. That holds for a single address, too.
    """
    if grant.kind == "write_path" and (patched or new):  # only a view opens it, and the next new file wants the same
        around = root_option(grant.value, new=new, workspaces=workspaces)
        return around if around or patched else named_option(grant)
    match grant.kind:
        case "write_root":  # of a directory that is to be made, its own name
            return root_option(grant.value + "/" * new, new=False, workspaces=workspaces)
        case "write_path" | "new_entry" | "remove" | "metadata":
            return named_option(grant)
        case "read_path":
            return "-c " + quoted(f"secrets.opened=[{value}]") if (value := in_toml(grant.value)) else ""
        case "unix_socket":
            return "-c " + quoted(f"sandbox.unix_sockets=[{value}]") if (value := in_toml(grant.value)) else ""
        case "host":
            return "--network on" if grant.value == ANY_HOST else ""
        case "escalate":
            return "-s danger-full-access"
