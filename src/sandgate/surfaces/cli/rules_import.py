"""`sandgate rules import`: another agent's permissions as rules, with a report of all that is not as it was."""

from __future__ import annotations

import os

from sandgate.config.files import read_text
from sandgate.config.rule_listing import loaded_for
from sandgate.config.rules_files import load_rules
from sandgate.display import one_line
from sandgate.errors import ConfigError, RequestError
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.imported_rules import Imported
    from sandgate.surfaces.cli.parse import ParsedLine

FILE_MODE = 0o600
SHOWN_CHARS_MAX = 400


def import_rules(parsed: ParsedLine) -> int:
    """0; the rules on stdout or, with `--write`, in a file of their own; the report on stderr."""
    _, kind, path = parsed.words
    try:
        text = read_text(path, guarded=False)
    except ConfigError as wrong:
        raise RequestError(wrong.what, why=wrong.why, hint=wrong.hint) from wrong
    if text is None:
        raise RequestError(f"there is no file `{path}`")
    found = _read(kind, text)
    toml = found.toml(os.path.abspath(path))
    if parsed.on("write"):
        say.fact(f"written to {_write(parsed, kind, toml)}")
    if parsed.on("json"):
        import json

        say.out(json.dumps({"toml": toml, "notes": [note.fields() for note in found.notes]}) + "\n")
        return 0
    if not parsed.on("write"):
        say.out(toml)
    for note in found.notes:
        say.fact(one_line(f"{note.change}: {note.entry} ({note.why})", limit=SHOWN_CHARS_MAX))
    return 0


def _read(kind: str, text: str) -> Imported:
    if kind == "claude-settings":
        from sandgate.config.claude_settings import rules_of_claude

        return rules_of_claude(text)
    from sandgate.config.gemini_policy import rules_of_gemini

    return rules_of_gemini(text)


def _write(parsed: ParsedLine, kind: str, toml: str) -> str:
    """A new file among the user's own rules; none is replaced."""
    loaded = loaded_for(environment(parsed))
    own = next((each.path for each in loaded.rules if each.owner == "user"), None)
    if own is None:
        raise RequestError("there is no place for your rules", why="you have no home directory", hint="set `$HOME`")
    load_rules(loaded)  # nothing starts beside a file that cannot be used
    path = os.path.join(own, f"{kind}.toml")
    try:
        os.makedirs(own, 0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    except FileExistsError as wrong:
        hint = "look at what it says, and remove it to import anew"
        raise RequestError(f"`{path}` is there already", hint=hint) from wrong
    except OSError as wrong:
        raise RequestError(f"cannot write `{path}`", why=str(wrong.strerror)) from wrong
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(toml)
    return path
