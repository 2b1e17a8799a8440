"""Looks at the host under the tests; made-up hosts are in test_select.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.kernel import build
from sandgate.sandbox import probe
from sandgate.sandbox.backends import find_helper
from sandgate.sandbox.capabilities import Trial
from sandgate.sandbox.probe import (
    bubblewrap_trial,
    find_bubblewrap,
    host_facts,
    landlock_trial,
    namespace_trial,
    probe_host,
)


def program(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_facts_are_those_of_this_process() -> None:
    facts = host_facts()
    assert (facts.kernel, facts.machine, facts.uid) == (os.uname().release, os.uname().machine, os.geteuid())
    assert facts.namespace is None


@pytest.mark.parametrize(
    ("release", "wsl"),
    [("6.18.0", 0), ("4.4.0-19041-Microsoft", 1), ("5.15.90.1-microsoft-standard-WSL2", 2)],
)
def test_windows_is_recognised_by_its_kernels(release: str, wsl: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "host", release, "#1", "x86_64")))
    assert host_facts().wsl == wsl


def test_containers_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "CONTAINER_SIGNS", (("/", "docker"),))
    assert host_facts().container == "docker"


@pytest.mark.host("namespace")
def test_a_trial_with_the_helper_reports_its_layers() -> None:
    helper, why = find_helper()
    assert (helper is not None, why) == (True, "")
    trial = namespace_trial(helper or "")
    assert trial.works
    assert {"userns", "mount", "pid", "net"} <= set(trial.layers)


@pytest.mark.host("landlock")
def test_a_trial_with_landlock_reports_its_layers() -> None:
    trial = landlock_trial()
    assert trial.works, trial
    assert "landlock" in trial.layers


def test_a_helper_that_is_no_program_is_a_failed_trial(tmp_path: Path) -> None:
    trial = namespace_trial(str(tmp_path / "gone"))
    assert (trial.works, trial.layers) == (False, ())


def test_a_missing_helper_comes_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise BackendUnavailable("cannot build the helper", why="there is no C compiler")

    monkeypatch.setattr(build, "helper_path", none)
    assert find_helper() == (None, "there is no C compiler")


def test_bubblewrap_is_the_first_on_the_path_that_nobody_planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = program(tmp_path / "repo" / "bin" / "bwrap", "exit 0")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "bwrap").symlink_to(planted)
    system = program(tmp_path / "system" / "bwrap", "exit 0")
    monkeypatch.setenv("PATH", f"relative:{tmp_path}/repo/bin:{tmp_path}/links:{tmp_path}/system")
    assert find_bubblewrap(untrusted=[str(tmp_path / "repo")]) == system


def test_bubblewrap_is_tried_and_not_believed(tmp_path: Path) -> None:
    good = program(tmp_path / "good", '[ "$1" = --version ] && echo "bubblewrap 0.11.1"; exit 0')
    bad = program(
        tmp_path / "bad", '[ "$1" = --version ] && echo "bubblewrap 0.8.0" || { echo "no permission" >&2; exit 1; }'
    )
    assert bubblewrap_trial(good) == ("0.11.1", "")
    assert bubblewrap_trial(bad) == ("0.8.0", "no permission")
    assert bubblewrap_trial(str(tmp_path / "gone"))[1] != ""


def test_a_trial_that_hangs_is_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "TRIAL_LIMIT_MS", 100)
    assert "timed out" in bubblewrap_trial(program(tmp_path / "slow", "exec sleep 10"))[1]


@pytest.mark.host("namespace", "landlock")
def test_everything_together_describes_this_host(tmp_path: Path) -> None:
    host = probe_host(work_directory=str(tmp_path))
    assert host.namespace is not None
    assert host.namespace.works
    assert host.landlock_abi > 0
    assert isinstance(host.landlock, Trial)
    assert host.cgroup in ("v1", "v2", "hybrid", "none")
