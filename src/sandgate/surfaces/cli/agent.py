"""`sandgate agent`: a model works on a prompt, every command of it through the gate, without a screen.

Questions go to the prepared answers, then to the person at the terminal. Where there is neither, what would have to be
asked is refused, and the lines on stderr name what would allow it.
"""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError, SandgateError
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import colour_wanted, environment, person_present

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.config import Settings
    from sandgate.protocol.operations import Operation
    from sandgate.runtime import Environment
    from sandgate.surfaces.cli.agent_options import PastChoice
    from sandgate.surfaces.cli.agent_turn import EndedTurn, Tell
    from sandgate.surfaces.cli.last_message import LastMessageFile
    from sandgate.surfaces.cli.parse import ParsedLine

STDOUT, STDERR = 1, 2
UNMET = 1  # the exit code of a model that failed
NO_JSON = "the last message is not JSON, which `--output-schema` asks for"
NO_JSON_HINT = "it is the provider that holds a model to the schema, and not each of them does: choose another model"


def main(parsed: ParsedLine) -> int:
    """One turn; the exit code is that of `agent --help`."""
    from sandgate.surfaces.cli.agent_options import past_and_prompt, require_known_place, wanted_operation

    try:
        past, argument = past_and_prompt(parsed)
        where = environment(parsed)
        require_known_place(parsed, where.cwd, trusted=lambda: _settings(where).trust == "trusted")
        said = wanted_operation(parsed, argument)
        file = last_message_file(parsed, where)
        try:
            ended = turn(parsed, where, said, past)
            if ended.heard and ended.session_id and not (parsed.on("ephemeral") or parsed.on("json")):
                say.fact(f"interrupted; it goes on with: sandgate agent resume {ended.session_id} PROMPT")
            _conclude(parsed, ended, file)
            unmet = ended.outcome.completed and ended.code == 0 and not _is_wanted_form(parsed, ended)
        finally:
            if file is not None:
                file.close()
    except SandgateError as error:
        if parsed.on("json"):
            say.out(_line({"type": "error", "message": str(error)}))
        raise
    if not unmet:
        return ended.code
    if parsed.on("json"):
        say.out(_line({"type": "error", "message": NO_JSON}))
    say.error(RequestError(NO_JSON, hint=NO_JSON_HINT))
    return UNMET


def turn(parsed: ParsedLine, where: Environment, operation: Operation, past: PastChoice) -> EndedTurn:
    """Run one operation in a session as the options ask. Raises what opening it raises."""
    from sandgate.agent.agent import AgentOptions, open_agent
    from sandgate.protocol.operations import Undo
    from sandgate.surfaces.cli.agent_turn import run_turn

    options = AgentOptions(
        model=parsed.text("model"),
        model_script=_absolute(parsed.text("model_script"), "model script"),
        model_replay=_absolute(parsed.text("model_replay"), "recording"),
        model_record=parsed.text("model_record"),
        resume=past.resume,
        fork=past.fork,
        fork_before=past.fork_before,
        ephemeral=parsed.on("ephemeral"),
        unasked=isinstance(operation, Undo),
        source="cli",
    )
    return run_turn(
        lambda: open_agent(
            where,
            options,
            answers=parsed.texts("answer"),
            ask_at_terminal=_asks_a_person(parsed),
            colour=colour_wanted(parsed, where.environ),
        ),
        operation,
        _telling(parsed, where),
    )


def last_message_file(parsed: ParsedLine, where: Environment) -> LastMessageFile | None:
    """The file of `-o`, open already. Raises RequestError."""
    path = parsed.text("last_message")
    if path is None:
        return None
    from sandgate.surfaces.cli.last_message import LastMessageFile

    temporary = filter(None, ("/tmp", "/var/tmp", where.environ.get("TMPDIR")))
    more = _settings(where).workspace.writable_roots
    return LastMessageFile(path, (where.cwd, *temporary, *parsed.texts("add_dir"), *more))


def write_last_message(file: LastMessageFile | None, text: str | None) -> None:
    """What the model said last, into the file of `-o` if there is one. Raises SandgateError."""
    if file is None:
        return
    if text is None:
        say.fact("warning: there is no last message; the file of `-o` is empty")
    file.write(text or "")


def printable(text: str) -> str:
    """Text of a model for stdout: as it is for a program, made visible line by line for a terminal."""
    if not os.isatty(STDOUT):
        return text if text.endswith("\n") else f"{text}\n"
    return "".join(f"{visible(line.expandtabs())}\n" for line in text.split("\n"))


def _conclude(parsed: ParsedLine, ended: EndedTurn, file: LastMessageFile | None) -> None:
    from sandgate.surfaces.cli.agent_options import takes_back

    text = ended.outcome.last_message if ended.outcome.completed else None
    if not parsed.on("json"):
        if text is not None:
            say.out(printable(text))
        elif ended.outcome.completed and file is None and not takes_back(parsed):
            say.fact("the model ended the turn without a word")
    write_last_message(file, text)


def _is_wanted_form(parsed: ParsedLine, ended: EndedTurn) -> bool:
    """Whether the last message is JSON where that was wanted; whether it fits the schema is the provider's to see."""
    if parsed.text("output_schema") is None:
        return True
    import json

    try:
        json.loads(ended.outcome.last_message or "")
    except (ValueError, RecursionError):
        return False
    return True


def _asks_a_person(parsed: ParsedLine) -> bool:
    return person_present() and not parsed.texts("answer")


def _telling(parsed: ParsedLine, where: Environment) -> Callable[[str], tuple[int, Tell]]:
    """Where events are told, and how; `review` has its JSON to itself."""
    from sandgate.surfaces.cli.agent_progress import AgentProgress
    from sandgate.surfaces.cli.thread_events import ThreadEvents

    def tell_for(session_id: str) -> tuple[int, Tell]:
        if parsed.on("json") and parsed.command.name == "agent":
            events = ThreadEvents(session_id)
            return STDOUT, lambda event: "".join(map(_line, events(event)))
        colour = colour_wanted(parsed, where.environ)
        return STDERR, AgentProgress(colour=colour, asks_a_person=_asks_a_person(parsed))

    return tell_for


def _settings(where: Environment) -> Settings:
    from sandgate.config import load_settings

    loaded = load_settings(
        cwd=where.cwd, environ=where.environ, overrides=where.overrides, profile=where.profile, typed=where.typed
    )
    return loaded.settings


def _absolute(path: str | None, what: str) -> str | None:
    if path is not None and not os.path.isfile(path):
        raise RequestError(f"there is no {what} `{visible(path)}`")
    return None if path is None else os.path.abspath(path)


def _line(event: dict[str, object]) -> str:
    import json

    # The one control character that JSON does not escape by itself.
    return json.dumps(event).replace("\x7f", "\\u007f") + "\n"
