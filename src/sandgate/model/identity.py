"""Which session asks, in headers, for gateways that route and meter."""

from __future__ import annotations

from sandgate.display import visible

DELEGATE_HEADER = "x-openai-subagent"  # only of a sub-agent of a session, not of the session itself
NAME_CHARS_MAX = 200


def identity_headers(own: str, *, delegate: str = "", parent: str = "") -> dict[str, str]:
    """`own` is the id of what asks; `delegate` says what it is for, and `parent` whose it is."""
    headers = {
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",  # a bound on bytes is worth nothing for what is unpacked afterwards
        "User-Agent": "sandgate",
        "originator": "sandgate",
        "conversation_id": _sendable(own),
        "session_id": _sendable(own),
    }
    if delegate:
        headers[DELEGATE_HEADER] = _sendable(delegate)
    if parent:
        headers["parent_session_id"] = _sendable(parent)
    return headers


def source_header(parent_source: str) -> dict[str, str]:
    """Where the session comes from for which something else asks; nothing where that is not known."""
    return {"parent_session_source": _sendable(parent_source)} if parent_source else {}


def _sendable(name: str) -> str:
    """A label may have any characters; a header is one line of plain characters."""
    return visible(name, limit=NAME_CHARS_MAX).encode("ascii", "backslashreplace").decode()
