"""`sandgate mcp`: checks what was asked for, then loads the server."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.cli.session import environment
from sandgate.surfaces.cli.wait_for_approvals import approval_timeout_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

PORT_MAX = 65_535
MODEL_KEYS = ("model", "model_script", "model_record", "model_replay")
MODEL_FILES = (("model_script", "model script"), ("model_replay", "recording"))


def main(parsed: ParsedLine) -> int:
    """Serves until the client goes, or a signal comes. Raises RequestError and ConfigError before that."""
    asked = environment(parsed).but(person_present=True)
    port = _port(parsed)
    timeout_s = approval_timeout_s(parsed)
    channel = _channel(parsed)
    models = _models(parsed)
    try:
        from sandgate.surfaces.mcp.client_thread import Delegation
        from sandgate.surfaces.mcp.command import Wishes, serve_clients
    except ModuleNotFoundError as missing:
        raise RequestError(
            "cannot start the MCP server",
            why=f"the Python package `{missing.name}` is not installed",
            hint="install Sandgate with its extra `mcp`; in a clone: pip install '.[mcp]'",
        ) from missing
    return serve_clients(
        asked,
        Wishes(
            http=parsed.on("http"),
            port=port,
            token_file=parsed.text("token_file"),
            forms=channel != "approvals",
            waits_elsewhere=channel != "forms",
            approval_timeout_s=timeout_s,
            delegation=Delegation(**models) if parsed.on("sessions") else None,
        ),
    )


def _models(parsed: ParsedLine) -> dict[str, str | None]:
    """Of the agents that clients may hand tasks to."""
    named = {key: parsed.text(key) for key in MODEL_KEYS}
    if not parsed.on("sessions") and any(named.values()):
        raise RequestError("options about a model belong to `--sessions`", hint="sandgate mcp --sessions --model NAME")
    for key, what in MODEL_FILES:
        path = named[key]
        if path is not None and not os.path.isfile(path):
            raise RequestError(f"there is no {what} `{visible(path)}`")
    return {key: path if path is None or key == "model" else os.path.abspath(path) for key, path in named.items()}


def _port(parsed: ParsedLine) -> int:
    text = parsed.text("port")
    if not parsed.on("http") and (text is not None or parsed.text("token_file") is not None):
        raise RequestError("`--port` and `--token-file` belong to `--http`", hint="sandgate mcp --http --port 8765")
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and int(text) <= PORT_MAX):
        raise RequestError(f"`--port {text}` is not a port", hint=f"give a number from 0 to {PORT_MAX}")
    return int(text)


def _channel(parsed: ParsedLine) -> str:
    """Where questions go. `--wait-for-approvals` is the everyday name of `--ask both`."""
    named = parsed.text("ask")
    if not parsed.on("wait"):
        return named or "forms"
    if named == "forms":
        raise RequestError(
            "`--ask forms` and `--wait-for-approvals` contradict each other",
            why="the one asks the client alone, the other waits for `sandgate approvals` as well",
            hint="leave one out; `--ask both` is the other's long name",
        )
    return named or "both"
