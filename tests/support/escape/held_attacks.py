"""Attacks on held calls: a command under test whose questions are answered by its path, as the user under test.

`meanwhile` is Python that runs on the host's side when a path is asked about, before the answer; it finds `path` and
`stage` there. A path that has no answer gets none at all.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from support.escape.escape_stage import Stage

DRIVER = """
import json, os, select, sys, time
with open(sys.argv.pop()) as file: spec = json.load(file)
sys.path[:0] = spec["path"]
from sandgate.kernel import helper, launcher
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.permissions import EffectivePermissions, Grant
from sandgate.sandbox.landlock import LandlockBackend

stage, repo = spec["stage"], spec["stage"] + "/repo"
plan = ConfinedCommand(
    backend="namespace", argv=tuple(spec["argv"]), cwd=stage, env=spec["env"], mounts=(Mount("write", repo),),
    permissions=EffectivePermissions(writable=(repo,)), holds_calls=True,
    supervised_grants=tuple(Grant(kind, os.fsdecode(bytes.fromhex(path))) for kind, path in spec["given"]),
)
if spec["backend"] == "landlock":
    plan = LandlockBackend().confine(CommandRequest(plan.argv, plan.cwd, plan.env), plan.permissions).but(
        holds_calls=True, supervised_grants=plan.supervised_grants
    )
everywhere = tuple(Grant(kind, os.fsdecode(bytes.fromhex(path))) for kind, path in spec["all_answers"])
answers = {
    os.fsdecode(bytes.fromhex(path)): tuple(Grant(kind, os.fsdecode(bytes.fromhex(value))) for kind, value in grants)
    for path, grants in spec["answers"]
}
reading, writing = os.pipe()
null = os.open("/dev/null", os.O_RDWR)
streams = {"stdin": null, "stdout": writing, "stderr": writing}
if spec["backend"] == "landlock":
    child = launcher.start(plan, **streams)
else:
    child = helper.start(plan, **streams, helper=spec["helper"])
os.close(writing)
waiting, seen, together = select.poll(), 0, spec["together"]
end = time.monotonic() + spec["limit_s"]
while child.descriptors():
    for fd in child.descriptors():
        waiting.register(fd, select.POLLIN)
    ready = waiting.poll((end - time.monotonic()) * 1000)
    assert ready, "it took too long"
    for fd, _ in ready:
        child.handle(fd)
    while seen < len(child.held) and len(child.held) >= together:
        held = child.held[seen]
        seen += 1
        path = held.refused.path
        exec(spec["meanwhile"])
        if path in answers or spec["otherwise_no"]:
            child.answer(held.number, answers.get(path, everywhere))
child.close()
output = b""
while chunk := os.read(reading, 65536):
    output += chunk
print(json.dumps({
    "exit_code": child.ended and child.ended.exit_code, "output": output.decode("ascii", "backslashreplace"),
    "failure": repr(child.failure) if child.failure else "",
    "held": [ascii(held.refused.path) for held in child.held], "let_go": list(child.let_go),
    "refused": [ascii(each.path) for each in child.refused],
    "performed": [[each.number, each.operation, each.error] for each in child.performed_calls],
    "performed_omitted": child.performed_omitted, "refused_omitted": child.refused_omitted,
}))
"""

LIMIT_S = 50


@dataclass(frozen=True)
class Attacked:
    """How one went; paths as Python writes them."""

    exit_code: int | None
    output: str
    failure: str
    held: list[str] = field(default_factory=list)
    let_go: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    performed: list[list[Any]] = field(default_factory=list)
    performed_omitted: int = 0
    refused_omitted: int = 0


Grants = Sequence[tuple[str, Path | bytes]]

# Turns a directory into a link to its neighbour and back, without end.
FLIP = """
import os, sys
folder = sys.argv[1]
os.symlink("victim", folder + "/link")
print("flipping", flush=True)
while True:
    os.rename(folder + "/dir", folder + "/third"); os.rename(folder + "/link", folder + "/dir")
    os.rename(folder + "/dir", folder + "/link"); os.rename(folder + "/third", folder + "/dir")
"""


class Attack(Protocol):
    """`attack` in one of the backends."""

    def __call__(
        self,
        stage: Stage,
        argv: Sequence[str],
        *,
        answers: Mapping[Path | bytes, Grants] | None = None,
        given: Grants = (),
        all_answers: Grants = (),
        meanwhile: str = "",
        together: int = 1,
        otherwise_no: bool = True,
    ) -> Attacked: ...


def attack(
    backend: str,
    stage: Stage,
    argv: Sequence[str],
    *,
    answers: Mapping[Path | bytes, Grants] | None = None,
    given: Grants = (),
    all_answers: Grants = (),
    meanwhile: str = "",
    together: int = 1,
    otherwise_no: bool = True,
) -> Attacked:
    """Runs `argv` on the stage, where only the workspace is writable.

    `given` holds from the start, `all_answers` are the grants for what `answers` does not name; no answer is given
    before `together` calls were held.
    """
    spec = {
        "path": stage.import_path.split(":")[:1],
        "stage": str(stage.folder),
        "argv": list(argv),
        "env": stage.environment(),
        "helper": stage.helper,
        "backend": backend,
        "answers": [[_hex(path), _grants(grants)] for path, grants in (answers or {}).items()],
        "given": _grants(given),
        "all_answers": _grants(all_answers),
        "meanwhile": meanwhile,
        "together": together,
        "otherwise_no": otherwise_no,
        "limit_s": LIMIT_S,
    }
    told = stage.state / "attack.json"  # too long for an argument
    told.write_text(json.dumps(spec))
    told.chmod(0o644)
    ran = stage.unconfined(stage.script(DRIVER, told))
    assert ran.exit_code == 0, ran.said
    return Attacked(**json.loads(ran.stdout.splitlines()[-1]))


def _grants(grants: Grants) -> list[list[str]]:
    return [[kind, _hex(path)] for kind, path in grants]


def _hex(path: Path | bytes) -> str:
    return bytes(path).hex()
