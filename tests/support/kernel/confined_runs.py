"""Runs commands under the Landlock backend for tests: in this process, or in one that has become an ordinary user."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.process.resident import Resident

ORDINARY_UID = 4242
RUN_SECONDS_MAX = 30
PROTECTED = (".git", ".agents", ".codex", ".sandgate")
SYSTEM_PYTHON = "/usr/bin/python3"  # an ordinary user may not be able to read the one that runs the tests
OUTSIDER = "@outsider@"  # in a script: the pid of a process of the same user that is not ours
PERFORMS = "import confined_runs, json, sys; print(json.dumps(confined_runs._perform(*json.loads(sys.argv.pop()))))"
SOURCE = Path(__file__).resolve().parents[3] / "src"


def permissions(workspace: str, **changes: Any) -> Any:
    from sandgate.protocol.permissions import EffectivePermissions

    names = [f"{workspace}/{name}" for name in PROTECTED]
    values: dict[str, Any] = {
        "writable": (workspace,),
        "read_only": tuple(path for path in names if os.path.lexists(path)),
        "absent": tuple(path for path in names if not os.path.lexists(path)),
    }
    return EffectivePermissions(**{**values, **changes})


def plan_for(argv: tuple[str, ...], workspace: str, **changes: Any) -> Any:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.sandbox.landlock import LandlockBackend

    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": workspace, "TMPDIR": workspace, "LC_ALL": "C"}
    return LandlockBackend().confine(CommandRequest(argv, workspace, env), permissions(workspace, **changes))


def run_plan(plan: Any, *, seconds_max: float = RUN_SECONDS_MAX) -> dict[str, Any]:
    """Starts a plan and follows it to its end; a plain dictionary, so that it can cross a process boundary."""
    from sandgate.kernel.launcher import start

    reading, writing = os.pipe()
    silence = os.open("/dev/null", os.O_RDONLY)
    child = start(plan, stdin=silence, stdout=writing, stderr=writing)
    os.close(silence)
    os.close(writing)
    try:
        output = _follow(child, reading, time.monotonic() + seconds_max)
        ended = child.ended
        return {
            "exit_code": None if ended is None else ended.exit_code,
            "failure": child.failure.fields() if child.failure else None,
            "output": output.decode("utf-8", "replace"),
            "refused": [refused.fields() for refused in child.refused],
            "reported": child.reported,
        }
    finally:
        child.close()
        os.close(reading)


def _follow(child: Any, reading: int, end: float) -> bytes:
    output, open_ended = b"", True
    while (child.ended is None and child.failure is None) or open_ended:
        poller = select.poll()
        for fd in (*child.descriptors(), *([reading] if open_ended else [])):
            poller.register(fd, select.POLLIN)
        left_ms = (end - time.monotonic()) * 1000
        ready = poller.poll(max(left_ms, 0))
        if not ready:
            raise TimeoutError(f"still running after its time: {output!r}")
        for fd, _ in ready:
            if fd == reading:
                chunk = os.read(reading, 65536)
                output, open_ended = output + chunk, bool(chunk)
            else:
                child.handle(fd)
    return output


def confined(script: str | tuple[str, ...], workspace: str, **changes: Any) -> dict[str, Any]:
    argv = ("/bin/sh", "-c", script) if isinstance(script, str) else script
    return run_plan(plan_for(argv, workspace, **changes))


def unconfined(script: str | tuple[str, ...], workspace: str) -> subprocess.CompletedProcess[bytes]:
    argv = ("/bin/sh", "-c", script) if isinstance(script, str) else script
    return subprocess.run(argv, cwd=workspace, capture_output=True, timeout=RUN_SECONDS_MAX, check=False)


class Account:
    """Runs things as root (or whoever runs the tests) or as an ordinary user."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def ordinary(self) -> bool:
        """Whether this is somebody else; where an ordinary user runs the tests, nobody else is at hand or needed."""
        return self.name == "ordinary" and os.geteuid() == 0

    def own(self, *paths: Path) -> None:
        for path in paths:
            if self.ordinary:
                for below in (path, *path.rglob("*")):
                    os.chown(below, ORDINARY_UID, ORDINARY_UID, follow_symlinks=False)

    def confined(self, script: str | tuple[str, ...], workspace: Path, **changes: Any) -> dict[str, Any]:
        return self._do("confined", script, workspace, changes)

    def unconfined(self, script: str | tuple[str, ...], workspace: Path) -> dict[str, Any]:
        return self._do("unconfined", script, workspace, {})

    def _do(self, how: str, script: Any, workspace: Path, changes: dict[str, Any]) -> dict[str, Any]:
        if not self.ordinary:
            return _perform(how, script, str(workspace), changes)
        order = json.dumps([how, script, str(workspace), changes])
        done = _ordinary().run(PERFORMS, order, cwd="/", env={"PATH": "/usr/bin:/bin"})
        if done.returncode:
            raise AssertionError(done.stderr)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


def _ordinary() -> Resident:
    """The Python from which what an ordinary user does is born."""
    from support.process.resident import resident

    identity = ("user", ORDINARY_UID), ("group", ORDINARY_UID), ("extra_groups", ())
    return resident((SYSTEM_PYTHON, "-I", "-S"), (_readable_source(),), identity)


@functools.cache
def _readable_source() -> str:
    """A copy of the source and of this file that everybody may read, compiled for the system's Python."""
    place = tempfile.mkdtemp(dir="/var/tmp", prefix="sandgate-source-")
    atexit.register(shutil.rmtree, place)
    shutil.copytree(SOURCE / "sandgate", f"{place}/sandgate")
    shutil.copy(__file__, place)
    subprocess.run([SYSTEM_PYTHON, "-m", "compileall", "-q", place], check=False, capture_output=True)
    for path in (Path(place), *Path(place).rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return place


def _perform(how: str, script: Any, workspace: str, changes: dict[str, Any]) -> dict[str, Any]:
    words = script if isinstance(script, str) else tuple(script)
    if OUTSIDER in words:
        return _beside_an_outsider(how, str(words), workspace, changes)
    if how == "confined":
        return confined(words, workspace, **{key: _tuple(value) for key, value in changes.items()})
    done = unconfined(words, workspace)
    return {"exit_code": done.returncode, "output": (done.stdout + done.stderr).decode("utf-8", "replace")}


def _beside_an_outsider(how: str, script: str, workspace: str, changes: dict[str, Any]) -> dict[str, Any]:
    with subprocess.Popen(["/bin/sleep", "100"]) as outsider:
        try:
            return _perform(how, script.replace(OUTSIDER, str(outsider.pid)), workspace, changes)
        finally:
            outsider.kill()


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def seen(outcome: dict[str, Any]) -> list[tuple[str, str]]:
    """(operation, where) of each recorded refusal."""
    return [(refused["operation"], refused["path"] or refused["address"]) for refused in outcome["refused"]]


def snapshot(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path.relative_to(directory)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns if not path.is_dir() else 0,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(directory.rglob("*"))
    }


def change_nothing_outside(account: Account, attack: str, *, workspace: Path, outside: Path, shelf: Path) -> None:
    """Both halves of an attack on `outside`: refused, seen and without effect confined; real unconfined."""
    before = snapshot(outside)
    outcome = account.confined(attack.format(o=outside), workspace)
    assert outcome["exit_code"] != 0
    assert snapshot(outside) == before
    assert any(str(where).startswith(f"{outside}") for _, where in seen(outcome))
    fresh = shelf / "fresh"
    (fresh / "src").mkdir(parents=True)
    account.own(fresh)
    assert account.unconfined(attack.format(o=outside), fresh)["exit_code"] == 0  # the attack is real
