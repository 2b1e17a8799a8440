"""Runs a task's command lines in one session of Sandgate. A program of its own, for it runs as other users as well.

Read as text and run as `python -c` would: nothing of the tests is where an ordinary user may look. In: one JSON object
as its last argument, made by `contestants.Gated`. Out: a list, of each line its exit code, what it printed, what was
asked and what was refused.
"""

import json
import sys

order = json.loads(sys.argv.pop())
sys.path.extend(order["path"])

from sandgate.errors import SandgateError  # noqa: E402
from sandgate.protocol.decisions import ApprovalRequest, Decision  # noqa: E402
from sandgate.protocol.denials import Denial, DenialReport  # noqa: E402
from sandgate.runtime import Environment, Runtime, open_runtime  # noqa: E402

LIVE = "& "
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")  # what lies outside is never said yes to: nothing here needs a network
LINE_LIMIT_MS = 30_000
LOOK_MS = 500  # at a line that is left running, before the next one is run

asked: list[dict[str, object]] = []


class Answers:
    """Says always the same, and keeps what was asked."""

    def review(self, request: ApprovalRequest) -> Decision:
        denials = request.denial.denials if request.denial else ()
        gives = [f"{grant.kind} {grant.value}".strip() for grant in request.grants]
        asked.append({"stage": request.stage, "why": request.why or request.reason, "gives": gives,
                      "refused": [refused(each) for each in denials]})  # fmt: skip
        asked[-1]["outside"] = any(
            each.kind == "host" and not each.value.startswith(LOOPBACK) for each in request.grants
        )
        if order["yes"] and not asked[-1]["outside"]:
            return Decision(request.stage, "approved", "user", request.grants)
        return Decision(request.stage, "denied", "user")


def refused(denial: Denial) -> str:
    return f"{denial.operation} {denial.path or denial.address or denial.syscall or ''}".strip()


def told(report: DenialReport) -> list[str]:
    return [refused(each) for each in report.denials]


def run(runtime: Runtime, line: str) -> dict[str, object]:
    asked.clear()
    answer: dict[str, object] = {"code": 125, "printed": "", "refused": [], "why": ""}
    try:
        if line.startswith(LIVE):
            lives = runtime.exec_command(line.removeprefix(LIVE), yield_time_ms=LOOK_MS)
            answer.update(code=lives.exit_code or 0, printed=lives.output)
        else:
            passage = runtime.run(runtime.request(("bash", "-c", line), timeout_ms=LINE_LIMIT_MS))
            if passage.result is not None:
                output = passage.result.stdout + b"\n" + passage.result.stderr
                answer.update(code=passage.result.exit_code, printed=output.decode("utf-8", "replace"))
                answer.update(refused=told(passage.attempts[-1].denial))
            if passage.refusal is not None:
                answer.update(why=passage.refusal.why)
    except SandgateError as problem:
        answer.update(why=f"{type(problem).__name__}: {problem}")
    return {**answer, "asked": list(asked)}


with open_runtime(
    Environment(cwd=order["cwd"], environ=order["environ"], overrides=tuple(order["overrides"])),
    reviewers=(Answers(),),
) as session:
    print(json.dumps([run(session, line) for line in order["lines"]]))
