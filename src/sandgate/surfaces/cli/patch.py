"""`sandgate patch`: passes a patch through the gate and applies it, all of it or nothing."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import CommandRefused, PatchDoesNotFit, PatchError, RequestError
from sandgate.protocol.verdicts import Ask, Forbid
from sandgate.runtime.patches import EMPTY, NOBODY, described
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.denied_lines import patch_lines
from sandgate.surfaces.cli.narrate import Narrator
from sandgate.surfaces.cli.session import opened, person_present

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.agent.last_patch import LastPatch
    from sandgate.errors import SandgateError
    from sandgate.protocol.decisions import Decision
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.verdicts import Verdict
    from sandgate.runtime import Runtime
    from sandgate.runtime.patches import PatchOutcome
    from sandgate.surfaces.cli.parse import ParsedLine

DOES_NOT_FIT, MALFORMED, REFUSED = 1, 2, 77
NOBODY_THERE = "nobody could be asked"
APPROVE = "approve"
ALL_THE_SAME = f"sandgate patch --undo --answer {APPROVE}"
STDIN = 0
PATCH_BYTES_MAX = 512 << 20
PATCH_STARTS = ("*** Begin Patch", "<<EOF", "<<'EOF'", '<<"EOF"')
_READ_BYTES = 1 << 20


def main(parsed: ParsedLine) -> int:
    """0 applied or taken back, or with `--check` would apply; 1 does not fit; 2 malformed or empty; 77 not allowed."""
    try:
        if parsed.on("undo"):
            return _taken_back(parsed)
        text = _patch_text(parsed.argument)
        if not text.strip():
            raise PatchError("the patch is empty", hint="sandgate patch FILE, or the patch on standard input")
        return _applied(parsed, text)
    except PatchError as problem:
        say.fact(problem.program_text)
        _say_hint(problem)
        return MALFORMED
    except PatchDoesNotFit as problem:
        for line in str(problem).splitlines():
            say.fact(line)
        _say_hint(problem)
        return MALFORMED if problem.what == EMPTY else DOES_NOT_FIT


class PatchNarrator(Narrator):
    """Says nothing of a question that nobody heard: the end of the patch does, in one line with what it was about.

    After a no nobody is told how to allow it.
    """

    def _answered(self, decision: Decision) -> None:
        if not decision.approved:
            self.forget()
        if decision.source != "none":
            super()._answered(decision)


def _say_hint(problem: SandgateError) -> None:
    for line in problem.hint.splitlines():
        say.fact(f"hint: {line}")


def _applied(parsed: ParsedLine, text: str) -> int:
    narrator = PatchNarrator(asks_a_person=person_present(), verbose=False)
    runtime = opened(parsed, narrator, lasting=parsed.on("in_order"))
    patches, strict = runtime.tools.patches, parsed.on("strict_unique")
    if parsed.on("check"):
        plan = patches.plan(text, cwd=runtime.directory, strict_unique=strict)
        say.out("".join(f"{line}\n" for line in described(plan)))
        return _foreseen(*patches.foreseen(plan), runtime)
    if parsed.on("in_order"):
        answers = patches.apply_in_order(text, cwd=runtime.directory)
    else:
        answers = (patches.apply(text, cwd=runtime.directory, strict_unique=strict),)
    code = max(_told(answer, runtime, narrator) for answer in answers)
    narrator.finish()
    _kept(runtime).keep(runtime, [answer.call_id for answer in answers])
    return code


def _foreseen(verdict: Verdict, closed: Sequence[Denial], runtime: Runtime) -> int:
    if isinstance(verdict, Forbid):
        if closed:
            _say_refused("would be refused", NOBODY, closed, runtime)
        else:
            say.fact(f"would be refused: {verdict.reason}")
        return REFUSED
    if isinstance(verdict, Ask) or closed:
        say.fact("a reviewer would be asked before it is applied")
    return 0


def _taken_back(parsed: ParsedLine) -> int:
    others = [name for name in ("check", "in_order", "strict_unique") if parsed.on(name)]
    if parsed.argument is not None or others:
        raise RequestError("`--undo` takes no patch and no other option of one", hint="sandgate patch --undo")
    runtime = opened(parsed)
    try:
        done = _kept(runtime).take_back(runtime, approved=parsed.texts("answer")[:1] == (APPROVE,))
    except CommandRefused as refusal:
        say.fact(str(refusal))
        say.fact(f"take it back all the same with: {ALL_THE_SAME}")
        return REFUSED
    if not done:
        raise RequestError(
            "there is no patch to take back",
            why=f"`sandgate patch` has applied none in {runtime.loaded.settings.project_root}, or it is taken back",
        )
    say.out("".join(f"{visible(path)}\n" for path in done))
    say.fact("the patch is taken back; these files are as they were before it")
    return 0


def _kept(runtime: Runtime) -> LastPatch:
    from sandgate.agent.last_patch import LastPatch

    return LastPatch(runtime.environ, runtime.loaded.settings.project_root)


def _told(done: PatchOutcome, runtime: Runtime, narrator: Narrator) -> int:
    for warning in done.warnings:
        say.fact(f"warning: {warning}")
    if done.exit_code == 0:
        say.out(visible_lines(done.output))
        return 0
    refused = _unheard(done)
    if refused:
        narrator.forget()
        _say_refused("patch rejected", NOBODY_THERE if done.passage.decisions else NOBODY, refused, runtime)
    for line in () if refused else done.output.splitlines():
        say.fact(line)
    return REFUSED if done.exit_code is None or done.passage.attempts[-1].denial.denied else DOES_NOT_FIT


def _unheard(done: PatchOutcome) -> Sequence[Denial]:
    """Where it may not write, if nobody was there to say yes or no to that."""
    attempts, decisions = done.passage.attempts, done.passage.decisions
    if decisions and decisions[-1].source != "none":
        return ()
    return attempts[-1].denial.denials if attempts else done.closed


def _say_refused(opening: str, reason: str, closed: Sequence[Denial], runtime: Runtime) -> None:
    for line in patch_lines(opening, reason, closed, runtime.confinement.permissions()):
        say.fact(line)


def visible_lines(text: str) -> str:
    """Text of several lines, safe for a terminal."""
    return "".join(f"{visible(line)}\n" for line in text.splitlines())


def _patch_text(argument: str | None) -> str:
    if argument is not None and argument.lstrip().startswith(PATCH_STARTS):
        return _decoded(os.fsencode(argument))
    try:
        descriptor = STDIN if argument is None else os.open(argument, os.O_RDONLY | os.O_CLOEXEC)
        content = bytearray()
        while len(content) <= PATCH_BYTES_MAX and (piece := os.read(descriptor, _READ_BYTES)):
            content += piece
        if argument is not None:
            os.close(descriptor)
    except OSError as problem:
        source = "standard input" if argument is None else f"`{argument}`"
        raise RequestError(f"cannot read the patch from {source}", why=str(problem.strerror)) from problem
    return _decoded(bytes(content))


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise PatchError("the patch is not valid UTF-8") from problem
