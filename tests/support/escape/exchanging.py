"""A session in a process of its own in which things are exchanged while somebody is asked, and are then approved.

The driver's reviewer exchanges what it is told to at a question's turn, the way a live command of the session could:
by renaming, linking and writing as the same user. `trusting` switches off every look at what was shown, to show that
the exchange is an attack.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from support.escape.escape_stage import SOURCE, Stage

DRIVER = """
import json, os, sys
spec = json.loads(sys.argv.pop())
sys.path[:0] = spec["path"]
from sandgate.approvals import holding
from sandgate.approvals.prompts.form import form_of
from sandgate.errors import SandgateError
from sandgate.protocol.bindings import Bound
from sandgate.protocol.decisions import Decision
from sandgate.protocol.permissions import ESCALATE
from sandgate.protocol.environment import Environment
from sandgate.runtime.opening import open_runtime

if spec["trusting"]:
    holding.Held.changed = lambda held: ""
    holding.Held.bound = lambda held, plan: Bound()

if spec["late"]:
    looked = holding.Held.bound
    def bound(held, plan):
        found = looked(held, plan)
        if spec["late"]:
            code, spec["late"] = spec["late"], ""
            exec(code)
        return found
    holding.Held.bound = bound

asked = []

class Reviewer:
    def review(self, request):
        asked.append({"changed": request.changed, "choices": [name for name, _ in form_of(request).choices]})
        step = len(asked) - 1
        answer = spec["answers"][min(step, len(spec["answers"]) - 1)]
        if step < len(spec["exchanges"]):
            exec(spec["exchanges"][step])
        if answer == "deny":
            return Decision(request.stage, "denied", "user")
        if answer == "escalate":
            return Decision(request.stage, "approved", "user", (ESCALATE,))
        from sandgate.approvals.prompts.form import chosen
        return chosen(request, answer)

environment = Environment(
    cwd=spec["cwd"], environ=os.environ, overrides=tuple(spec["overrides"]), person_present=True,
)
said = []
with open_runtime(environment, reviewers=(Reviewer(),)) as runtime:
    for number, (argv, options, between) in enumerate(spec["commands"]):
        exec(between)
        try:
            if spec["live"]:
                answer = runtime.exec_command(argv[-1], workdir=options["cwd"], yield_time_ms=30_000)
                said.append({"out": answer.output, "refusal": answer.refused})
                continue
            passage = runtime.run(runtime.request(argv, **options))
        except SandgateError as problem:
            said.append({"error": [type(problem).__name__, str(problem)]})
            continue
        result = passage.result
        said.append({
            "out": (result.stdout + result.stderr).decode("utf-8", "replace") if result else "",
            "refusal": passage.refusal and [passage.refusal.by, passage.refusal.why],
            "confined": [attempt.confined for attempt in passage.attempts],
            "allowed_by": [attempt.allowed_by for attempt in passage.attempts],
            "decisions": [[each.decision, each.source] for each in passage.decisions],
        })
print(json.dumps({"asked": asked, "said": said}))
"""


def conversation(
    stage: Stage,
    commands: Sequence[tuple[Sequence[str], Mapping[str, Any], str]],
    *,
    exchanges: Sequence[str] = (),
    answers: Sequence[str] = ("approve",),
    backend: str = "namespace",
    policy: str = "untrusted",
    sandbox: str = "workspace-write",
    trusting: bool = False,
    live: bool = False,
    late: str = "",
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """What was asked and what came of each command: its words, its options, and Python that runs before it.

    `exchanges` are Python, one for each question, run while it is open; the last of `answers` is given to all further
    questions. `late` runs once, after the last look at what was approved and before the start. `live`: the last word of
    each command is a script for `exec_command`.
    """
    spec = {
        "path": [str(stage.account.source)] if stage.account else [str(SOURCE)],
        "cwd": str(stage.repo),
        "commands": [[list(argv), dict(options), between] for argv, options, between in commands],
        "exchanges": list(exchanges),
        "answers": list(answers),
        "trusting": trusting,
        "live": live,
        "late": late,
        "overrides": [
            f"approval_policy={policy}",
            f"sandbox_mode={sandbox}",
            f"sandbox.backend={backend}",
            *overrides,
        ],
    }
    env = {**stage.environment(), "SANDGATE_HOME": str(stage.state)}
    ended = stage.resident().run(DRIVER, json.dumps(spec), cwd=str(stage.repo), env=env)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found
