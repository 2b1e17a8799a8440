"""Thousands of disguises of dangerous commands: none slips through, and a sample is proven to be real.

`hostile_spellings` makes them from a seed, so that a failure can be repeated. `SANDGATE_FUZZ=full` looks at ten times
as many.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandgate.commandline import segments
from sandgate.policy.approval import verdict_for
from sandgate.policy.dangerous import find_danger
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import DangerFullAccess, WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Forbid
from support.command.assessing import ENVIRONMENT, PROJECT, judged
from support.command.hostile_spellings import DANGERS, Disguise, disguised
from support.suite.sampling import share

MANY = 100_000 if os.environ.get("SANDGATE_FUZZ") == "full" else 10_000
FEW = 300
PROVEN = 200
HIGH_MIN = 0.99  # of the disguises whose danger can be read; the others need only be more than low
RUN_MAX_S = 20
FILE_BYTES_MAX = 64 << 10


def asked(disguise: Disguise) -> CommandRequest:
    return CommandRequest(("bash", "-lc", disguise.script), PROJECT, ENVIRONMENT)


def slipped(disguises: Iterable[Disguise]) -> list[str]:
    """Those that the policy or the assessor takes for harmless, and why."""
    found = []
    for each in disguises:
        if isinstance(verdict_for(asked(each), policy="untrusted", sandbox=WorkspaceWrite()), Allow):
            found.append(f"allowed under untrusted: {each.script!r}")
        if judged(each.script).risk_level == "low":
            found.append(f"called low: {each.script!r}")
        if each.visible and find_danger(segments(asked(each).argv)) is None:
            found.append(f"not seen to be dangerous: {each.script!r}")
    return found


def test_some_disguises_deceive_nobody() -> None:
    assert slipped(disguised(seed) for seed in range(FEW)) == []


def test_a_danger_that_is_seen_never_runs_unasked() -> None:
    """Known gap, on purpose: where nothing confines and nobody may be asked, everything runs."""
    for each in map(disguised, range(FEW)):
        if each.visible:
            unconfined = verdict_for(asked(each), policy="on-request", sandbox=DangerFullAccess())
            unattended = verdict_for(asked(each), policy="never", sandbox=WorkspaceWrite())
            assert not isinstance(unconfined, Allow), each.script
            assert isinstance(unattended, Forbid), each.script


@pytest.mark.slow
@pytest.mark.proof
def test_thousands_of_disguises_deceive_nobody() -> None:
    assert slipped(map(disguised, share(range(FEW, MANY)))) == []


@pytest.mark.slow
def test_a_danger_that_can_be_read_is_rated_high() -> None:
    visible = [each for each in map(disguised, share(range(3_000))) if each.visible]
    rated = [judged(each.script).risk_level for each in visible]
    assert rated.count("high") / len(rated) >= HIGH_MIN


STAND_IN = '#!/bin/sh\nprintf \'%s\\0\' "${0##*/}" "$@" >>"$SANDGATE_TEST_LOG"\nprintf \'\\n\' >>"$SANDGATE_TEST_LOG"\n'


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs with dangerous names that only write down how they were called."""
    folder = tmp_path_factory.mktemp("stand-ins")
    for name in {argv[0] for argv in DANGERS}:
        program = folder / name
        program.write_text(STAND_IN, encoding="utf-8")
        program.chmod(0o755)
    return folder


def runs_the_danger(disguise: Disguise, stand_ins: Path, home: Path) -> bool:
    """Really runs it, with stand-ins first on PATH; the victim does not exist. What gets past them all the same can
    write no more to a file than they do.
    """
    log = home / "log"
    environment = {"PATH": f"{stand_ins}:/usr/bin:/bin", "HOME": str(home), "SANDGATE_TEST_LOG": str(log)}
    try:
        subprocess.run(
            ["bash", "-c", disguise.script],
            env=environment, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_MAX_S, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, FILE_BYTES_MAX)),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    said = log.read_bytes() if log.exists() else b""
    return "\0".join(disguise.argv).encode() in said


def test_no_disguise_that_is_really_run_looks_past_the_stand_ins() -> None:
    """Required: one of them had `dd` itself fill the directory of devices, which is memory, in each run of tests."""
    proven = [each for each in map(disguised, range(4 * PROVEN)) if each.provable]
    assert not [each.script for each in proven if "command -p" in each.script]


@pytest.mark.slow
def test_the_disguises_are_real(stand_ins: Path, tmp_path: Path) -> None:
    """Most still run the very same command in bash; a few meet a shell that refuses their syntax."""
    sample = [each for each in map(disguised, range(4 * PROVEN)) if each.provable][:PROVEN]
    homes = [tmp_path / str(number) for number in range(len(sample))]
    for home in homes:
        home.mkdir()
    with ThreadPoolExecutor(2) as pool:
        ran = list(pool.map(lambda pair: runs_the_danger(pair[0], stand_ins, pair[1]), zip(sample, homes, strict=True)))
    assert len(sample) == PROVEN
    assert ran.count(True) / PROVEN >= 0.9, [each.script for each, ok in zip(sample, ran, strict=True) if not ok]
