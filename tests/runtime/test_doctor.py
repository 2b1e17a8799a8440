"""What the doctor concludes from what the host offers. `tests/sandbox/test_probe.py` looks at a real one."""

from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.kernel.call_groups import refused_groups
from sandgate.protocol.confinement import SetupFailure
from sandgate.runtime import Environment, Runtime, open_runtime
from sandgate.runtime.doctor import Diagnosis, diagnose
from sandgate.sandbox import canary
from sandgate.sandbox import diagnosis as host_diagnosis
from sandgate.sandbox.canary import CanaryResult
from sandgate.sandbox.capabilities import HostCapabilities, Trial

NOTHING = HostCapabilities()
NAMESPACES = HostCapabilities(uid=1000, helper="/usr/lib/sandgate-exec", namespace=Trial(("userns", "notify")))
LANDLOCK = HostCapabilities(
    uid=1000,
    helper="/usr/lib/sandgate-exec",
    namespace=Trial(failure=SetupFailure("make namespaces", "EPERM")),
    landlock_abi=7,
    landlock=Trial(("landlock", "notify")),
)


def runtime_at(repo: Path, backend: str | None = None) -> Runtime:
    home = repo.with_name(f"{repo.name}-home")
    home.mkdir(exist_ok=True)
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    return open_runtime(Environment(str(repo), environ, typed=TypedOverrides(backend=backend)))


def diagnosis_of(
    host: HostCapabilities, repo: Path, monkeypatch: pytest.MonkeyPatch, backend: str | None = None
) -> Diagnosis:
    monkeypatch.setattr(host_diagnosis, "probe_host", lambda **_: host)
    return diagnose(runtime_at(repo, backend), attack=False)


def test_a_host_with_everything_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = diagnosis_of(NAMESPACES, tmp_path, monkeypatch)
    expected = Diagnosis(host=NAMESPACES, wish="auto", backend="namespace", why="", hint="")
    closed = (f"{tmp_path}-home/.local",)
    assert diagnosis == expected.but(tmp=diagnosis.tmp, refused_calls=diagnosis.refused_calls, closed_entries=closed)
    assert diagnosis.tmp == f"{tmp_path}-home/.local/state/sandgate/tmp/{str(tmp_path).replace('/', '+')}/tmp"
    assert diagnosis.good


def test_where_no_command_would_run_the_rest_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: a home is where people ask, and no workspace."""
    monkeypatch.setattr(host_diagnosis, "probe_host", lambda **_: NAMESPACES)
    home = open_runtime(Environment(str(tmp_path), {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}))
    diagnosis = diagnose(home, attack=False)
    assert (diagnosis.good, diagnosis.tmp) == (True, None)
    (warning,) = diagnosis.warnings
    assert warning.startswith(f"commands are refused here: `{tmp_path}` as a workspace would be writable")
    assert "--allow-broad-workspace" in warning


def test_every_refused_group_of_system_calls_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: as the filter of the chosen backend answers them; none where nothing can be confined."""
    for host, namespaces in ((NAMESPACES, True), (LANDLOCK, False)):
        named = {group.name: group for group in diagnosis_of(host, tmp_path, monkeypatch).refused_calls}
        for group in refused_groups(namespaces=namespaces):
            said = named.pop(group.name)
            assert (said.error, said.calls, said.why) == (group.answer, group.calls, group.why)
        assert not named
    assert not diagnosis_of(NOTHING, tmp_path, monkeypatch).refused_calls


def test_a_host_without_namespaces_says_why_and_what_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = diagnosis_of(LANDLOCK, tmp_path, monkeypatch)
    assert (diagnosis.backend, diagnosis.good) == ("landlock", True)
    assert "make namespaces" in diagnosis.why
    assert "other processes stay visible (their command lines, not their memory)" in diagnosis.lost


def test_a_host_that_cannot_confine_is_no_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = diagnosis_of(NOTHING, tmp_path, monkeypatch)
    assert (diagnosis.backend, diagnosis.good, diagnosis.broken) == (None, False, False)
    assert "Landlock: the kernel has none" in diagnosis.why


def test_a_wish_that_cannot_be_met_is_not_met_by_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert diagnosis_of(LANDLOCK, tmp_path, monkeypatch, backend="namespace").backend is None


def test_real_root_is_warned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = NAMESPACES.but(uid=0)
    assert diagnosis_of(host, tmp_path, monkeypatch).warnings == (host_diagnosis.ROOT_WARNING,)


@pytest.mark.parametrize("held", [True, False])
def test_one_attack_that_gets_through_makes_it_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    results = (CanaryResult("write", True, True, "EROFS"), CanaryResult("network", held, True, "EPERM"))
    monkeypatch.setattr(host_diagnosis, "probe_host", lambda **_: NAMESPACES)
    monkeypatch.setattr(canary, "run_canaries", lambda *_, **__: results)
    diagnosis = diagnose(runtime_at(tmp_path), attack=True)
    assert (diagnosis.canaries, diagnosis.broken, diagnosis.good) == (results, not held, held)
