"""What `sandgate agent` was asked for: which session, and what is said to the model. Checked before anything starts."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.protocol.operations import LocalImageInput, TextInput, Undo, UserInput
from sandgate.record import Record
from sandgate.surfaces.cli.prompt_input import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sandgate.protocol.operations import Operation
    from sandgate.surfaces.cli.parse import ParsedLine

SCHEMA_BYTES_MAX = 1 << 20
IMAGES_MAX = 32
BEFORE_MAX = 1_000_000  # more messages than a session holds
LAST = "last"
UNDO = "undo"
DEEDS = ("resume", "fork", UNDO)
PAST_HINT = "sandgate agent {deed} SESSION PROMPT, or {deed} --last PROMPT"


class PastChoice(Record):
    """Which earlier session goes on: none, one (`last` or an id), or a copy of one up to a message of the user."""

    resume: str | None = None
    fork: bool = False
    fork_before: int | None = None


def past_and_prompt(parsed: ParsedLine) -> tuple[PastChoice, str | None]:
    """The session that goes on, and the word that is the prompt. Raises RequestError."""
    deed = parsed.form.partition(" ")[0]
    words = list(parsed.words)
    if deed not in DEEDS:
        for option in ("last", "before"):
            if option in parsed.values:
                raise RequestError(f"`--{option}` belongs to `resume` and `fork`", hint="sandgate agent resume --last")
        return PastChoice(), words[0] if words else None
    if parsed.on("ephemeral"):
        raise RequestError(f"`--ephemeral` keeps nothing, and {deed} goes on with what is kept", hint="leave one out")
    words = words[1:]
    if not parsed.on("last") and not words:
        raise RequestError(f"{deed} which session?", hint=f"sandgate agent {deed} SESSION, or {deed} --last")
    session = LAST if parsed.on("last") else words.pop(0)
    if deed == UNDO and words:
        raise RequestError("`undo` says nothing to a model", hint="sandgate agent undo SESSION, or undo --last")
    if len(words) > 1:
        raise RequestError("`--last` and a session contradict each other", hint=f"sandgate agent {deed} --last PROMPT")
    return PastChoice(session, deed == "fork", _before(parsed, deed)), words[0] if words else None


def wanted_operation(parsed: ParsedLine, argument: str | None) -> Operation:
    """What the session is to do. Raises RequestError."""
    return Undo() if takes_back(parsed) else user_input(parsed, argument)


def takes_back(parsed: ParsedLine) -> bool:
    """No model is asked: the last turn's patches are taken back."""
    return parsed.form.partition(" ")[0] == UNDO


def user_input(parsed: ParsedLine, argument: str | None) -> UserInput:
    """What is said to the model. Raises RequestError."""
    schema = _schema(parsed.text("output_schema"))
    images = _images(parsed.texts("image"))
    deed = parsed.form.partition(" ")[0]
    text = prompt_text(argument, PAST_HINT.format(deed=deed)) if deed in DEEDS else prompt_text(argument)
    return UserInput((TextInput(text), *images), schema)


def require_known_place(parsed: ParsedLine, directory: str, *, trusted: Callable[[], bool]) -> None:
    """A model works where its changes can be seen and taken back, or where the user said so. Raises RequestError.

    `trusted` reads the configuration, and is asked only where that matters.
    """
    from sandgate.config.project import is_marked, project_root

    repository = project_root(directory, (".git",))
    if is_marked(repository, ".git") or parsed.on("skip_git") or trusted():
        return
    raise RequestError(
        "Not inside a trusted directory and --skip-git-repo-check was not specified.",
        hint=f"`{visible(directory)}` is in no Git repository, and your configuration does not trust it: "
        "work in a repository, or give `--skip-git-repo-check`",
    )


def _before(parsed: ParsedLine, deed: str) -> int | None:
    text = parsed.text("before")
    if deed != "fork":
        if text is not None:
            raise RequestError("`--before` belongs to `fork`", hint="sandgate agent fork SESSION --before 0")
        return None
    if text is None:
        return None  # all of it
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(BEFORE_MAX)) and int(text) <= BEFORE_MAX):
        raise RequestError(f"`--before {visible(text)}` is no number of a message", hint="count them from 0")
    return int(text)


def _schema(path: str | None) -> dict[str, Any] | None:
    if path is None:
        return None
    import json

    try:
        with open(path, "rb") as file:
            content = file.read(SCHEMA_BYTES_MAX + 1)
    except OSError as problem:
        raise RequestError(f"cannot read the schema `{visible(path)}`", why=str(problem.strerror)) from problem
    if len(content) > SCHEMA_BYTES_MAX:
        raise RequestError(f"the schema `{visible(path)}` is longer than {SCHEMA_BYTES_MAX >> 20} MiB")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise RequestError(f"the schema `{visible(path)}` is not JSON", why=visible(str(problem))) from problem
    if not isinstance(found, dict):
        raise RequestError(f"the schema `{visible(path)}` is no JSON object")
    return found


def _images(paths: tuple[str, ...]) -> tuple[LocalImageInput, ...]:
    if len(paths) > IMAGES_MAX:
        raise RequestError(f"more than {IMAGES_MAX} pictures")
    for path in paths:
        if not os.path.isfile(path):
            raise RequestError(f"there is no picture `{visible(path)}`")
    return tuple(LocalImageInput(os.path.abspath(path)) for path in paths)
