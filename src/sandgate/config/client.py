"""What a client of a server asks to have stricter than the server's own configuration. It can only tighten."""

from __future__ import annotations

from sandgate.config.layers import ConfigLayer
from sandgate.config.overrides import table_of
from sandgate.config.tighten import NEVER_FROM_PROJECT, tightened
from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.layers import Stack
    from sandgate.config.places import Places

SETTINGS_MAX = 32  # of one client


def push_client_settings(stack: Stack, places: Places, asked: tuple[tuple[str, str], ...]) -> None:
    """Keys and values as after `-c`. Raises RequestError for what would loosen, ConfigError for what is no setting."""
    if len(asked) > SETTINGS_MAX:
        raise RequestError("the client asks for too many settings", why=f"at most {SETTINGS_MAX} are taken")
    table = table_of(tuple(f"{key}={value}" for key, value in asked))
    reading = places.reading("the client's settings").read(table)
    result = tightened(reading.values, stack.values, policy_free=False)
    forbidden = sorted(table.keys() & NEVER_FROM_PROJECT)
    wrong = [*result.loosening, *result.unsupported, *forbidden, *reading.warnings]
    if wrong:
        raise RequestError(
            f"a client cannot set this: {', '.join(wrong)}",
            why="a client may only make the server's policy stricter",
            hint="configure it where the server is started",
        )
    stack.push(ConfigLayer("client", values=result.values))
