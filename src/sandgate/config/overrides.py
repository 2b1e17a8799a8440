"""`-c key=value`: settings from the command line.

The key is a dotted path whose segments may be quoted as in TOML (`projects."/a.b".trust_level`). The value is TOML
where it parses as TOML, and plain text where it does not, so that both `-c exec.timeout_ms=500` and
`-c sandbox_mode=read-only` mean what they say. Later overrides win over earlier ones.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Table = dict[str, object]

QUOTES = "\"'"
DIGITS_MAX = 18  # of a number read here; longer ones are TOML's business
DEPTH_MAX = 32  # segments of one key; no key of ours has more than four


def table_of(overrides: Iterable[str]) -> Table:
    """The overrides as one nested table, to be checked like a file's."""
    table: Table = {}
    for raw in overrides:
        path, text = split_override(raw)
        _put(table, path, value_of(text))
    return table


def split_override(raw: str) -> tuple[list[str], str]:
    """Path and value text, trimmed. The first `=` outside a quoted segment separates them."""
    segments, position = [], 0
    while True:
        segment, position = _segment(raw, position)
        segments.append(segment)
        if position >= len(raw):
            raise ConfigError(f"Invalid override (missing '='): {visible(raw)}", hint="write it as key=value")
        if raw[position] == "=":
            break
        position += 1  # over the dot
    if len(segments) > DEPTH_MAX:
        raise ConfigError(f"Key too deep in override: {visible(raw, limit=80)}")
    if not all(segments):
        raise ConfigError(f"Empty key in override: {visible(raw)}", hint="write it as key=value")
    return segments, raw[position + 1 :].strip()


def _segment(raw: str, position: int) -> tuple[str, int]:
    """One segment of the path from `position`, and where it stops: at `.`, at `=`, or at the end."""
    while raw[position : position + 1].isspace():
        position += 1
    quote = raw[position : position + 1]
    if quote and quote in QUOTES:
        text, position = _quoted(raw, position)
        while raw[position : position + 1].isspace():
            position += 1
        if raw[position : position + 1] not in (".", "=", ""):
            raise ConfigError(f"Invalid override (text after a quoted segment): {visible(raw)}")
        return text, position
    stop = min((found for mark in ".=" if (found := raw.find(mark, position)) >= 0), default=len(raw))
    return raw[position:stop].strip(), stop


def _quoted(raw: str, position: int) -> tuple[str, int]:
    """A quoted segment and the position after it; in double quotes a backslash takes the next character as it is."""
    quote, text = raw[position], ""
    position += 1
    while position < len(raw):
        if raw[position] == quote:
            return text, position + 1
        if raw[position] == "\\" and quote == '"':
            position += 1
        text += raw[position : position + 1]
        position += 1
    raise ConfigError(f"Invalid override (unclosed quote): {visible(raw)}")


def value_of(text: str) -> object:
    """What the right side means: a TOML value, else the text without surrounding quotes."""
    # The common cases by hand: importing tomllib costs more than confining a command.
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.replace("-", "").isalpha() and not text.endswith(("inf", "nan")):
        return text  # a word is never TOML
    if text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX and (text[0] != "0" or text == "0"):
        return int(text)
    from tomllib import TOMLDecodeError, loads

    try:
        parsed = loads(f"_x_ = {text}")
    except (TOMLDecodeError, RecursionError, ValueError):
        return text.strip(QUOTES)
    # More than one key means the text held a line break and smuggled a second assignment.
    return parsed["_x_"] if len(parsed) == 1 else text.strip(QUOTES)


def _put(table: Table, path: list[str], value: object) -> None:
    """Set the value, making tables on the way; something else in the way becomes a table."""
    for segment in path[:-1]:
        inner = table.get(segment)
        if not isinstance(inner, dict):
            inner = table[segment] = {}
        table = inner
    table[path[-1]] = value
