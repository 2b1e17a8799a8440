"""One value against its row of the table: right type, right range, in the form the program uses.

TOML has no schema, so this is it. Lists become tuples and paths become absolute; anything else is a
`ConfigError` that names the place, the key and what would have been accepted.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.protocol.permissions import Granular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.schema import Key
    from sandgate.config.source import Source

SHOWN_MAX = 60  # characters of a value in a message
GRANULAR_REQUIRED = ("sandbox_approval", "rules", "mcp_elicitations")
GRANULAR_OPTIONAL = ("skill_approval", "request_permissions")
# Read because others write them; a user who switches one on would wait for questions that never come.
NEVER_ASKED = {
    "skill_approval": "skills, and there are none here",
    "request_permissions": "permissions that a model requests beforehand, and no tool here does",
}


def checked(key: Key, value: object, source: Source, *, name: str = "") -> object:
    """The value ready for use. `name` is what to call the key in messages when not its own name."""
    name = name or key.name
    match key.kind:
        case "approval":
            return _approval(key, value, source)
        case "choice":
            if isinstance(value, str) and value in key.choices:
                return value
            raise source.wrong(
                name, f"{shown_value(value)} is not one of them", hint=f"allowed: {', '.join(key.choices)}"
            )
        case "flag":
            if isinstance(value, bool):
                return value
            raise source.wrong(name, f"{shown_value(value)} is not a switch", hint="allowed: true, false")
        case "count":
            return _count(key, name, value, source)
        case "seconds":
            return _seconds(key, name, value, source)
        case "names":
            return _names(name, value, source)
        case "words":
            return _words(name, value, source)
        case "entries":
            return _entries(name, value, source)
        case "paths":
            return tuple(dict.fromkeys(source.absolute(name, path) for path in _texts(name, value, source)))
        case "path" if isinstance(value, str):
            return source.absolute(name, value)
        case "text" | "path":
            if isinstance(value, str):
                return value
            raise source.wrong(name, f"{shown_value(value)} is not text")
        case "variables":
            return _variables(name, value, source)


def shown_value(value: object) -> str:
    """A value as a reader of TOML would write it, short enough for a message."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{visible(text, limit=SHOWN_MAX)}`"


def _count(key: Key, name: str, value: object, source: Source) -> int:
    least, most = key.range
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise source.wrong(name, f"{shown_value(value)} is out of range", hint=f"allowed: whole numbers, {least} to {most}")


def _seconds(key: Key, name: str, value: object, source: Source) -> float:
    most = key.range[1]
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= most:
        return value
    raise source.wrong(
        name, f"{shown_value(value)} is no such time", hint=f"allowed: seconds, more than 0 and at most {most}"
    )


def _words(name: str, value: object, source: Source) -> tuple[str, ...]:
    """Part of a command line: order, repetitions and empty words count."""
    texts = _texts(name, value, source)
    if any("\0" in text for text in texts):
        raise source.wrong(name, "it contains a NUL character")
    return tuple(texts)


def _texts(name: str, value: object, source: Source) -> list[str]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise source.wrong(name, f"{shown_value(value)} is not a list of texts", hint=f'for example: {name} = ["..."]')


def _names(name: str, value: object, source: Source) -> tuple[str, ...]:
    texts = _texts(name, value, source)
    if not all(texts) or any("\0" in text for text in texts):
        raise source.wrong(name, "it contains an empty name or a NUL character")
    return tuple(dict.fromkeys(texts))


def _entries(name: str, value: object, source: Source) -> tuple[str, ...]:
    """Names below some directory: relative, and not leading out of it."""
    names = _names(name, value, source)
    for entry in names:
        if any(part in ("", ".", "..") for part in entry.split("/")):
            raise source.wrong(name, f"{shown_value(entry)} is not a name", hint="for example: .github/workflows")
    return names


def _variables(name: str, value: object, source: Source) -> dict[str, str]:
    if not isinstance(value, dict):
        raise source.wrong(name, f"{shown_value(value)} is not a table")
    for variable, text in value.items():
        if not variable or "=" in variable or "\0" in variable:
            raise source.wrong(name, f"{shown_value(variable)} cannot be the name of a variable")
        if not isinstance(text, str) or "\0" in text:
            raise source.wrong(
                f"{name}.{variable}", f"{shown_value(text)} is not text", hint='write it in quotes: "..."'
            )
    return value


def _approval(key: Key, value: object, source: Source) -> str | Granular:
    if isinstance(value, str) and value in key.choices:
        return value
    if isinstance(value, dict) and len(value) == 1:
        (tag, fields) = next(iter(value.items()))
        if tag in ("granular", "reject") and isinstance(fields, dict):
            return _granular(key.name, fields, source, inverse=tag == "reject")
    raise source.wrong(
        key.name,
        f"{shown_value(value)} is not a policy",
        hint=f"allowed: {', '.join(key.choices)}, or {{ granular = ... }}",
    )


def _granular(name: str, fields: dict[str, object], source: Source, *, inverse: bool) -> Granular:
    """`reject` is the older form, where true means refused; it is read and never written."""
    tag = "reject" if inverse else "granular"
    hint = (
        f"{', '.join(GRANULAR_REQUIRED)} are required; {', '.join(GRANULAR_OPTIONAL)} may be left out, which means "
        + ("asked" if inverse else "refused")
    )
    for field in fields:
        if field not in GRANULAR_REQUIRED + GRANULAR_OPTIONAL:
            raise source.wrong(name, f"`{tag}` has no field `{field}`", hint=hint)
    asked = {}
    for field in GRANULAR_REQUIRED + GRANULAR_OPTIONAL:
        switch = fields.get(field, None if field in GRANULAR_REQUIRED else False)
        if not isinstance(switch, bool):
            raise source.wrong(name, f"`{tag}.{field}` must be true or false", hint=hint)
        asked[field] = switch != inverse
        if asked[field] and field in fields and field in GRANULAR_OPTIONAL:
            why = f"`{tag}.{field}` would ask about {NEVER_ASKED[field]}"
            raise source.wrong(name, why, hint=f"leave `{field}` out")
    return Granular(**asked)
