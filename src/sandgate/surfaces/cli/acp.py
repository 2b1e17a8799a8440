"""`sandgate acp`: checks what was asked for, then loads the server."""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.surfaces.cli.session import environment
from sandgate.surfaces.cli.session_serving import serving_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine


def main(parsed: ParsedLine) -> int:
    """Serves until the editor goes, or a signal comes. Raises RequestError and ConfigError before that."""
    serving = serving_of(parsed, environment(parsed).but(person_present=True))
    try:
        from sandgate.surfaces.acp.command import serve_client
    except ModuleNotFoundError as missing:
        raise RequestError(
            "cannot start the ACP server",
            why=f"the Python package `{missing.name}` is not installed",
            hint="install Sandgate with its extra `acp`; in a clone: pip install '.[acp]'",
        ) from missing
    return serve_client(serving)
