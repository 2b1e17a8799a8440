"""The program's door: picks the command, maps errors to one line and an exit code.

Nothing heavier than the option table is imported before a command is chosen.
"""

from __future__ import annotations

import os

from sandgate import __version__
from sandgate.errors import (
    ConfigError,
    LaunchError,
    MissingKey,
    ProgramNotFound,
    RequestError,
    RuleError,
    SandgateError,
)
from sandgate.surfaces.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

BAD_USAGE, CANNOT, NOT_EXECUTABLE, NOT_FOUND, BAD_CONFIG, INTERRUPTED = 2, 125, 126, 127, 78, 130
HELP_WORDS = ("-h", "--help", "help")


def main(arguments: list[str]) -> int:
    """Run the program on everything after its name; returns the exit code, never raises."""
    try:
        return _unless_lost(_dispatch(arguments))
    except KeyboardInterrupt:
        say.fact("interrupted")
        return INTERRUPTED
    except SandgateError as error:
        say.error(error)
        return exit_code(error)
    except BrokenPipeError:
        return CANNOT
    except Exception as error:  # the program's edge: a bug becomes one line, and the trace on request
        if os.environ.get("SANDGATE_DEBUG"):
            raise
        say.fact(f"internal error: {type(error).__name__}: {error} (SANDGATE_DEBUG=1 shows where)")
        return CANNOT


def _unless_lost(code: int) -> int:
    """A success whose output is lost is no success."""
    if not say.lost:
        return code
    say.fact(f"cannot write to stdout: {say.lost[0].strerror}")
    return code or CANNOT


def exit_code(error: SandgateError) -> int:
    """The exit code of an error."""
    match error:
        case ConfigError() | RuleError() | MissingKey():
            return BAD_CONFIG
        case RequestError():
            return BAD_USAGE
        case ProgramNotFound():
            return NOT_FOUND
        case LaunchError():
            return NOT_EXECUTABLE
        case _:
            return CANNOT


def helped(arguments: list[str]) -> int | None:
    """Prints help or the version if that is asked for, or nothing is; the exit code then, else None.

    Needs no package but this one.
    """
    if arguments[:1] == ["--version"]:
        say.out(f"sandgate {__version__}\n")
        return 0
    asks_by_name = arguments[:1] == ["help"]
    arguments = _asked(arguments)
    if not arguments or arguments[0] in HELP_WORDS:
        from sandgate.surfaces.cli.help import overview

        say.out(overview())
        return 0 if arguments else BAD_USAGE
    from sandgate.surfaces.cli.parse import parse

    try:
        parsed = parse(arguments)
    except RequestError as problem:
        if asks_by_name:
            say.error(problem)
        return BAD_USAGE if asks_by_name else None
    return _run(parsed) if parsed.help else None


def _asked(arguments: list[str]) -> list[str]:
    """`help NAME` in the usual form."""
    return [arguments[1], "--help"] if arguments[:1] == ["help"] and len(arguments) > 1 else arguments


def _dispatch(arguments: list[str]) -> int:
    arguments = _asked(arguments)
    if not arguments or arguments[0] in (*HELP_WORDS, "--version"):
        return helped(arguments) or 0
    from sandgate.surfaces.cli.parse import parse

    try:
        parsed = parse(arguments)
    except RequestError as error:
        if arguments[0] == "run" and "--json" in _before_dashes(arguments):
            from sandgate.surfaces.cli.jsonlines import JsonLines

            JsonLines().failed(error, BAD_USAGE)
        raise
    return _run(parsed)


def _before_dashes(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _run(parsed: ParsedLine) -> int:
    if parsed.help:
        from sandgate.surfaces.cli.help import command_help

        say.out(command_help(parsed.command))
        return 0
    name = f"sandgate.surfaces.cli.{parsed.command.module}"
    module = __import__(name, fromlist=["main"])
    code: int = module.main(parsed)
    return code
