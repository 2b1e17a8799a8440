"""`sandgate run`: one governed command, no model needed."""

from __future__ import annotations

from sandgate.errors import SandgateError
from sandgate.runtime import CAPTURED, Stdio
from sandgate.surfaces.cli.narrate import Narrator
from sandgate.surfaces.cli.session import opened, person_present, requested
from sandgate.surfaces.cli.termination_signals import Terminations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import Passage, Refusal
    from sandgate.runtime import Runtime
    from sandgate.surfaces.cli.parse import ParsedLine

STREAMS = Stdio(stdin=0, stdout=1, stderr=2)  # our own; `start` saw to it that each is taken
REFUSED, CANNOT, INTERRUPTED = 77, 125, 130
WITH_QUESTIONS = "with `-a on-failure` a person, or `--answer`, is asked"
WOULD_ASK = f"a rule can allow it, and {WITH_QUESTIONS}"
WOULD_ASK_FIRST = (
    "only with `-a on-request` is a person, or `--answer`, asked about `--escalate`; "
    "`-s danger-full-access` has no sandbox from the start"
)


def main(parsed: ParsedLine) -> int:
    """Run the command; the exit code is the command's, or says why there was none."""
    return _as_json(parsed) if parsed.on("json") else _for_people(parsed)


def _for_people(parsed: ParsedLine) -> int:
    from sandgate.surfaces.cli import say

    present = person_present()
    narrator = Narrator(asks_a_person=present, verbose=parsed.on("verbose"), dialogue=parsed.on("tty"))
    terminations = Terminations(narrator)
    runtime = opened(parsed, terminations, lasting=False)
    stdio = STREAMS.but(tells_refusals=True) if present or parsed.on("verbose") else STREAMS
    passage = _passage(runtime, parsed, stdio, terminations)
    narrator.finish()
    terminations.end_if_heard()
    if passage.refusal is not None:
        advice = _advice(passage, passage.refusal, escalated=parsed.on("escalate"))
        say.fact("; ".join(filter(None, (f"refused by {passage.refusal.by}: {passage.refusal.why}", advice))))
    # A success whose output is lost is no success, and the command cannot know.
    return exit_code(passage) or (CANNOT if narrator.output_lost else 0)


def _advice(passage: Passage, refusal: Refusal, *, escalated: bool) -> str:
    """What would have it run, or asked about; a reviewer's no says it itself."""
    if refusal.by == "policy":
        return WOULD_ASK_FIRST if escalated else WOULD_ASK
    forbidden = any(each.verdict == "forbid" for each in passage.verdict.because)
    return WITH_QUESTIONS if refusal.by == "rule" and not forbidden else ""


def _as_json(parsed: ParsedLine) -> int:
    from sandgate.surfaces.cli import main as program
    from sandgate.surfaces.cli.jsonlines import JsonLines

    lines = JsonLines()
    try:
        terminations = Terminations(lines)
        runtime = opened(parsed, terminations, lasting=False)
        passage = _passage(runtime, parsed, CAPTURED.but(stdin=STREAMS.stdin, tells_refusals=True), terminations)
        code = exit_code(passage)
        if passage.risk is None:
            passage = passage.but(risk=runtime.risk(passage.command))
        lines.completed(passage, code)
        terminations.end_if_heard()
    except SandgateError as error:
        lines.failed(error, program.exit_code(error))
        raise
    except KeyboardInterrupt:
        lines.interrupted()
        raise
    except Exception as bug:
        lines.failed(SandgateError("internal error", why=f"{type(bug).__name__}: {bug}"), program.CANNOT)
        raise
    return code


def _passage(runtime: Runtime, parsed: ParsedLine, stdio: Stdio, terminations: Terminations) -> Passage:
    if parsed.texts("serve"):
        from sandgate.runtime.ports import port_wishes

        runtime.show_ports(port_wishes(parsed.texts("serve")))
    return runtime.run(requested(parsed, runtime), stdio, cancel_fd=terminations.descriptor)


def exit_code(passage: Passage) -> int:
    """The command's own code, or the code that says why it did not run."""
    if passage.result is None:
        return REFUSED
    if passage.result.termination == "interrupted":
        return INTERRUPTED
    return passage.result.exit_code
