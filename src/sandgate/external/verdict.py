"""Whether a call of an MCP server's tool needs a reviewer, and what that reviewer gets to see.

What a server says about its own tools is no proof: it may call a tool that deletes everything read-only. So every call
is asked about, unless the user has said for this server or tool to believe it (`auto`) or to let it through
(`approve`). Where policy allows no question, the call is refused. Pure.
"""

from __future__ import annotations

from sandgate.display import one_line, visible
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalKey
from sandgate.protocol.permissions import Granular
from sandgate.protocol.verdicts import Allow, Ask, Because, Forbid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.external.offer import ExternalTool
    from sandgate.external.server import ExternalServer
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.protocol.verdicts import RuleDecision, Verdict

FAMILY = "mcp"
ARGUMENTS_SHOWN_CHARS = 4_000
DESCRIPTION_SHOWN_CHARS = 400
NAME_SHOWN_CHARS = 80


def call_verdict(tool: ExternalTool, server: ExternalServer, *, approval: ApprovalPolicy) -> Verdict:
    """`server` is the one that `tool` belongs to."""
    mode = server.approval_of(tool.tool)
    if mode == "approve":
        return Allow(because=(_because(tool, "allow", "the configuration approves its calls"),))
    if mode == "auto" and tool.read_only:
        return Allow(
            because=(_because(tool, "allow", "its server, which the configuration believes, calls it read-only"),)
        )
    because = (_because(tool, "ask", "a tool of another's server"),)
    if approval == "never":
        return Forbid(reason=_nobody(tool, "the approval policy is `never`"), because=because)
    if isinstance(approval, Granular) and not approval.mcp_elicitations:
        return Forbid(reason=_nobody(tool, "the approval policy refuses questions about MCP servers"), because=because)
    return Ask(because=because, reason=f"the model wants to call {shown_name(tool)}")


def shown_name(tool: ExternalTool) -> str:
    """Which tool it really is, for people."""
    name = one_line(tool.tool, limit=NAME_SHOWN_CHARS)
    return f"`{name}` of the MCP server `{one_line(tool.server, limit=NAME_SHOWN_CHARS)}`"


def review_text(tool: ExternalTool, arguments: Mapping[str, Any]) -> str:
    """What a reviewer is to see: the real names, the arguments, and apart from them what the server says of itself."""
    hints = "read-only" if tool.read_only else ("may destroy" if tool.destructive else "destroys nothing")
    return "\n".join(
        (
            f"Tool: {shown_name(tool)}",
            f"Arguments: {visible(arguments_json(arguments), limit=ARGUMENTS_SHOWN_CHARS)}",
            f"Its server says (unproven): {hints}; {one_line(tool.description, limit=DESCRIPTION_SHOWN_CHARS)}",
        )
    )


def as_command(tool: ExternalTool, arguments: Mapping[str, Any], *, cwd: str) -> CommandRequest:
    """The call in the form in which the gate and its reviewers know what is asked for. It is never run as a command."""
    return CommandRequest(argv=(FAMILY, tool.server, tool.tool, arguments_json(arguments)), cwd=cwd, env={})


def external_call_key(tool: ExternalTool, arguments: Mapping[str, Any], *, cwd: str) -> ApprovalKey:
    """What an approval is about: this tool of this server with these arguments, in whatever order they came."""
    command = as_command(tool, arguments, cwd=cwd)
    nothing: frozenset[tuple[str, str]] = frozenset()
    return ApprovalKey(FAMILY, command.argv, cwd, nothing, command.wish, False)


def arguments_json(arguments: Mapping[str, Any]) -> str:
    """Arguments as JSON, the same for the same."""
    import json

    return json.dumps(arguments, ensure_ascii=False, sort_keys=True)


def _because(tool: ExternalTool, verdict: RuleDecision, detail: str) -> Because:
    return Because((FAMILY, tool.server, tool.tool), verdict, "policy", detail)


def _nobody(tool: ExternalTool, why: str) -> str:
    return (
        f"a call of {shown_name(tool)} needs approval, and {why}; the user can allow it with "
        f'`mcp_servers.{tool.server}.default_tools_approval_mode = "approve"`'
    )
