"""Opens the runtime as the options ask, for every sub-command that decides or runs."""

from __future__ import annotations

import os

from sandgate.config import TypedOverrides
from sandgate.errors import RequestError
from sandgate.runtime import Environment, open_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.trace import Recorder
    from sandgate.runtime import Runtime
    from sandgate.serving.other_terminal import OtherTerminal
    from sandgate.surfaces.cli.parse import ParsedLine

STDERR = 2


def colour_wanted(parsed: ParsedLine, environ: Mapping[str, str]) -> bool:
    """Whether to paint: the option, then NO_COLOR (no-color.org), then whether stderr is a terminal."""
    match parsed.text("color"):
        case "always":
            return True
        case "never":
            return False
        case _:
            return not environ.get("NO_COLOR") and person_present()


def person_present() -> bool:
    """Whether a person can be asked: our own messages go to a terminal."""
    return os.isatty(STDERR)


def opened(parsed: ParsedLine, record: Recorder | None = None, *, lasting: bool = True) -> Runtime:
    """The runtime of this invocation; `lasting` as `open_runtime` has it."""
    where = environment(parsed)
    _make_directories(parsed.texts("add_dir"), where.cwd)
    waiting = _waiting(parsed, where)
    runtime = open_runtime(
        where,
        answers=parsed.texts("answer"),
        reviewers=() if waiting is None else (waiting,),
        ask_at_terminal=person_present(),
        colour=colour_wanted(parsed, where.environ),
        record=record,
        lasting=lasting,
    )
    if waiting is not None:
        waiting.confinement = runtime.confinement.summary
    return runtime


def _make_directories(places: tuple[str, ...], cwd: str) -> None:
    """`--add-dir DIR/` of one that is missing, where the directory above is there; else it is refused as missing."""
    for place in places:
        path = os.path.join(cwd, place)
        if place.endswith("/") and not os.path.lexists(path.rstrip("/")):
            try:
                os.mkdir(path)
            except OSError:
                continue


def _waiting(parsed: ParsedLine, where: Environment) -> OtherTerminal | None:
    """The reviewer at another terminal, where no person is at this one and the options ask for it."""
    if parsed.text("approval_timeout") is not None and not parsed.on("wait"):
        raise RequestError("`--approval-timeout` belongs to `--wait-for-approvals`")
    if not parsed.on("wait"):
        return None
    from sandgate.surfaces.cli.wait_for_approvals import other_terminal

    found = other_terminal(parsed, where.environ)
    return None if person_present() else found


def environment(parsed: ParsedLine) -> Environment:
    """Where the runtime stands, and what the options say."""
    return Environment(
        cwd=_directory(parsed),
        environ=dict(os.environ),
        overrides=parsed.texts("config"),
        profile=parsed.text("profile"),
        typed=_typed(parsed),
        person_present=person_present() or bool(parsed.texts("answer")),
    )


def requested(parsed: ParsedLine, runtime: Runtime) -> CommandRequest:
    """The command that was asked for, in the environment policy gives it."""
    argv = parsed.argv
    if parsed.on("shell"):
        if len(argv) != 1:
            raise RequestError("`--shell` takes the script as one word", hint="sandgate run --shell -- 'ls | wc -l'")
        from sandgate.runtime import shell_argv

        argv = shell_argv(argv[0])
    return runtime.request(
        argv,
        escalate=parsed.on("escalate"),
        justification=parsed.text("justification"),
        tty=parsed.on("tty"),
        set_variables=_variables(parsed.texts("env")),
    )


def _typed(parsed: ParsedLine) -> TypedOverrides:
    return TypedOverrides(
        approval_policy=parsed.text("approval"),
        sandbox_mode=parsed.text("sandbox"),
        add_dirs=parsed.texts("add_dir"),
        grants=parsed.texts("grant"),
        allow_broad_workspace=True if parsed.on("broad_workspace") else None,
        network=parsed.text("network"),
        backend=parsed.text("backend"),
        timeout_ms=_milliseconds(parsed.text("timeout")),
        enable=parsed.texts("enable"),
        disable=parsed.texts("disable"),
    )


def _directory(parsed: ParsedLine) -> str:
    wanted = parsed.text("cd")
    try:
        directory = os.getcwd() if wanted is None else wanted
        with os.scandir(directory):
            return os.path.realpath(directory)
    except OSError as error:
        raise RequestError(
            f"cannot work in the directory `{'.' if wanted is None else wanted}`",
            why=str(error.strerror),
            hint="choose a readable directory with `-C DIR`",
        ) from error


def _milliseconds(seconds: str | None) -> int | None:
    if seconds is None:
        return None
    try:
        milliseconds = round(float(seconds) * 1000)
    except (ValueError, OverflowError):
        milliseconds = 0
    if milliseconds < 1:
        raise RequestError(f"`--timeout {seconds}` is not a time", hint="give seconds above 0, such as 1.5")
    return milliseconds


def _variables(pairs: tuple[str, ...]) -> dict[str, str]:
    for pair in pairs:
        name, equals, _value = pair.partition("=")
        if not name or not equals:
            raise RequestError(f"`--env {pair}` sets nothing", hint="write --env NAME=VALUE")
    return dict(pair.partition("=")[::2] for pair in pairs)
