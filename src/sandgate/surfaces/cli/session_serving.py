"""How a server of whole sessions is to serve, from the command line."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.sessions.serving import Serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.environment import Environment
    from sandgate.surfaces.cli.parse import ParsedLine

FILES = (("model_script", "model script"), ("model_replay", "recording"))


def serving_of(parsed: ParsedLine, where: Environment) -> Serving:
    """Raises RequestError for a file that is not there."""
    named = {key: _file(parsed.text(key), what) for key, what in FILES}
    return Serving(
        where,
        model=parsed.text("model"),
        model_record=parsed.text("model_record"),
        loosening=parsed.on("loosening"),
        **named,
    )


def _file(path: str | None, what: str) -> str | None:
    if path is not None and not os.path.isfile(path):
        raise RequestError(f"there is no {what} `{visible(path)}`")
    return None if path is None else os.path.abspath(path)
