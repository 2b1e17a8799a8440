"""`--wait-for-approvals` and `--approval-timeout`: how long a question waits for a person at another terminal."""

from __future__ import annotations

from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.serving.other_terminal import OtherTerminal
    from sandgate.surfaces.cli.parse import ParsedLine

APPROVAL_TIMEOUT_S, APPROVAL_TIMEOUT_S_MAX = 600.0, 24 * 3600.0


def approval_timeout_s(parsed: ParsedLine) -> float:
    """Seconds that a question stays open. Raises RequestError for what is no time."""
    text = parsed.text("approval_timeout")
    try:
        seconds = APPROVAL_TIMEOUT_S if text is None else float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= APPROVAL_TIMEOUT_S_MAX:
        raise RequestError(
            f"`--approval-timeout {text}` is not a time", hint=f"seconds, at most {APPROVAL_TIMEOUT_S_MAX:g}"
        )
    return seconds


def other_terminal(parsed: ParsedLine, environ: Mapping[str, str]) -> OtherTerminal:
    """The reviewer that answers with `sandgate approvals`. Raises RequestError."""
    from sandgate.serving.other_terminal import OtherTerminal
    from sandgate.surfaces.cli import say

    return OtherTerminal(environ, timeout_s=approval_timeout_s(parsed), tell=say.fact)
