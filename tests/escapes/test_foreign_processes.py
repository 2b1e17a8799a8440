"""Processes outside the sandbox are not there (threat table, rows 5 and 27)."""

import subprocess
from collections.abc import Iterator

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

SECRET = "sesame-open-0451"
LOOK = (
    'tr "\\0" "\\n" < "/proc/$1/environ"; ls -l "/proc/$1/cwd" "/proc/$1/root" "/proc/$1/fd"; head -c 1 "/proc/$1/mem"'
)


@pytest.fixture
def outsider(stage: Stage) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the same user with a secret in its environment and a descriptor to something outside."""
    with subprocess.Popen(
        ["sleep", "60"], env={"TOKEN": SECRET}, cwd=stage.outside, stdin=subprocess.DEVNULL, **stage._identity()
    ) as process:
        yield process
        process.kill()


@BOTH_BACKENDS
def test_the_environment_and_memory_of_others_cannot_be_read(
    stage: Stage, backend: str, outsider: "subprocess.Popen[bytes]"
) -> None:
    attack = ["sh", "-c", LOOK, "sh", str(outsider.pid)]
    seen = stage.unconfined(attack).stdout
    assert SECRET in seen
    assert str(stage.outside) in seen
    ran = stage.confined(attack, backend=backend)
    assert SECRET not in ran.said
    assert str(stage.outside) not in ran.stdout


@pytest.mark.host("namespace")
def test_no_outside_process_is_listed(stage: Stage) -> None:
    count = ["sh", "-c", "ls -d /proc/[0-9]* | wc -l"]
    assert int(stage.unconfined(count).stdout) > 5
    assert int(stage.confined(count).stdout) <= 5


@BOTH_BACKENDS
def test_no_environment_anywhere_holds_the_secret(
    stage: Stage, backend: str, outsider: "subprocess.Popen[bytes]"
) -> None:
    attack = ["sh", "-c", f"grep -l {SECRET[:-4]}[0]451 /proc/[0-9]*/environ 2>/dev/null"]
    assert f"/proc/{outsider.pid}/environ" in stage.unconfined(attack).stdout
    assert stage.confined(attack, backend=backend).stdout == ""


@BOTH_BACKENDS
def test_signals_do_not_reach_outside(stage: Stage, backend: str, outsider: "subprocess.Popen[bytes]") -> None:
    ran = stage.confined(["kill", "-9", str(outsider.pid)], backend=backend)
    assert ran.exit_code != 0
    assert outsider.poll() is None
    assert stage.unconfined(["kill", "-9", str(outsider.pid)]).exit_code == 0
    assert outsider.wait(5) == -9


@BOTH_BACKENDS
def test_killing_everybody_ends_only_the_sandbox(
    stage: Stage, backend: str, outsider: "subprocess.Popen[bytes]"
) -> None:
    if stage.uid == 0:
        return  # the unconfined half would end the machine, and the confined half is the test above
    stage.confined(["sh", "-c", "kill -9 -1"], backend=backend)
    assert outsider.poll() is None
