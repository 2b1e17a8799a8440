"""`sandgate doctor`: what people read. `tests/runtime/test_doctor.py` has the conclusions."""

from __future__ import annotations

import json

import pytest

from sandgate.protocol.confinement import SetupFailure
from sandgate.runtime.doctor import Diagnosis, RefusedCalls
from sandgate.sandbox.canary import CanaryResult
from sandgate.sandbox.capabilities import HostCapabilities, Trial
from sandgate.surfaces.cli import doctor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOST = HostCapabilities(
    kernel="6.8.0",
    machine="x86_64",
    uid=1000,
    helper="/usr/lib/sandgate-exec",
    namespace=Trial(failure=SetupFailure("make namespaces", "EPERM")),
    landlock=Trial(("landlock", "notify")),
    landlock_abi=4,
    cgroup="v2",
    sysctls={"user/max_user_namespaces": "0"},
)
GOOD = Diagnosis(HOST, "auto", "landlock", "namespaces are off", "first line\nsecond line", ("one loss",))


@pytest.fixture
def diagnosed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def answer(diagnosis: Diagnosis) -> None:
        monkeypatch.setattr(doctor, "diagnose", lambda *_, **__: diagnosis)

    return answer


def test_a_good_host_is_described_with_what_is_lost_and_how_to_get_it(program: Any, diagnosed: Any) -> None:
    diagnosed(GOOD)
    assert program("doctor") == 0
    assert program.out.splitlines() == [
        "kernel: 6.8.0 x86_64",
        "user: 1000",
        "helper: /usr/lib/sandgate-exec",
        "namespaces: do not work",
        "landlock: ABI 4, works",
        "bwrap: none",
        "cgroup: v2",
        "user/max_user_namespaces: 0",
        "",
        "backend: landlock (asked for: auto)",
        "  why: namespaces are off",
        "$TMPDIR of commands here: the host's",
        "  lost: one loss",
        "  to get it:",
        "    first line",
        "    second line",
    ]


def test_how_much_of_the_home_is_closed_is_said(program: Any, diagnosed: Any) -> None:
    diagnosed(GOOD.but(closed_entries=("/home/u/.aws", "/home/u/.foo")))
    assert program("doctor") == 0
    said = (
        'home: closed unless known to be harmless; 2 entries are closed now (to open one: secrets.opened = ["~/.NAME"])'
    )
    assert said in program.out.splitlines()
    assert program("doctor", "--json") == 0
    assert json.loads(program.out)["closed_entries"] == ["/home/u/.aws", "/home/u/.foo"]


def test_what_no_command_can_call_is_said(program: Any, diagnosed: Any) -> None:
    diagnosed(GOOD.but(refused_calls=(RefusedCalls("keys", "shared", "EPERM", ("keyctl",)),), newest_call=469))
    assert program("doctor") == 0
    assert program.out.splitlines()[-2:] == [
        "system calls that commands cannot make (those numbered above 469 answer ENOSYS, too):",
        "  keys (EPERM): shared",
    ]
    assert program("doctor", "--json") == 0
    (group,) = json.loads(program.out)["refused_calls"]
    assert group == {"name": "keys", "why": "shared", "error": "EPERM", "calls": ["keyctl"]}


def test_a_host_that_cannot_confine_fails(program: Any, diagnosed: Any) -> None:
    diagnosed(GOOD.but(backend=None, lost=()))
    assert program("doctor") == 1
    assert "backend: NONE (asked for: auto). Nothing will run confined here, so nothing will run.\n" in program.out


def test_a_canary_that_got_out_fails_and_stands_out(program: Any, diagnosed: Any) -> None:
    """Required: a broken sandbox must not look like a good one."""
    canaries = (CanaryResult("write", True, True, "EROFS"), CanaryResult("network", False, True, "done"))
    diagnosed(GOOD.but(canaries=canaries))
    assert program("doctor", "--attack") == 1
    assert program.out.splitlines()[-3:] == [
        "held: write (EROFS)",
        "PASSED: network (done)",
        "broken: a canary got out; do not rely on this backend",
    ]


def test_json_carries_the_verdict_too(program: Any, diagnosed: Any) -> None:
    diagnosed(GOOD)
    assert program("doctor", "--json") == 0
    told = json.loads(program.out)
    assert (told["backend"], told["good"], told["broken"]) == ("landlock", True, False)
    assert told["host"]["namespace"]["failure"] == {"step": "make namespaces", "errno": "EPERM"}


@pytest.mark.parametrize("name", ["config.toml", "rules/own.toml"])
def test_settings_that_cannot_be_used_are_a_finding_beside_the_others(program: Any, name: str) -> None:
    """Required: whoever asks what is wrong here learns all of it, and that nothing runs."""
    file = program.home / ".sandgate" / name
    file.parent.mkdir(parents=True)
    file.write_text("x = [")
    assert program("doctor") == 1
    assert program.err == ""
    assert "NOTHING RUNS HERE: " in program.out
    assert str(file) in program.out
    assert "kernel: " in program.out
    assert program("doctor", "--json") == 1
    said = json.loads(program.out)
    assert said["good"] is False
    assert str(file) in said["unusable"]
