"""A run gets its helper while it is being planned; what is started for nothing goes away."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.errors import SetupFailed
from sandgate.gate import launch as launch_module
from sandgate.kernel import helper as helper_module
from sandgate.runtime import Environment, Runtime, open_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

pytestmark = pytest.mark.host("namespace")


class Preparations:
    """Counts how often a helper was prepared, and for what network."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.networks: list[str] = []
        self._real = helper_module.prepare
        monkeypatch.setattr(helper_module, "prepare", self._prepare)

    def _prepare(self, helper: str, *, network: str, **named: Any) -> helper_module.Prepared:
        self.networks.append(network)
        return self._real(helper, network=network, **named)  # type: ignore[arg-type] # passed on as it came


@pytest.fixture
def preparations(monkeypatch: pytest.MonkeyPatch) -> Preparations:
    return Preparations(monkeypatch)


def session(directory: Path, *overrides: str, **typed: Any) -> Runtime:
    home = directory.parent / "home"
    home.mkdir(exist_ok=True)
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    return open_runtime(
        Environment(cwd=str(directory), environ=environ, overrides=overrides, typed=TypedOverrides(**typed))
    )


def children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text()


@pytest.mark.parametrize("network", ["off", "on"])
def test_one_helper_is_prepared_for_one_run(tmp_path: Path, preparations: Preparations, network: str) -> None:
    runtime = session(tmp_path, approval_policy="never", network=network)
    passage = runtime.run(runtime.request(("true",)))
    assert [attempt.final.exit_code for attempt in passage.attempts] == [0]
    assert preparations.networks == [network]


@pytest.mark.parametrize("typed", [{"sandbox_mode": "danger-full-access"}, {"backend": "landlock"}])
def test_run_without_namespaces_prepares_no_helper(
    tmp_path: Path, preparations: Preparations, typed: dict[str, str]
) -> None:
    runtime = session(tmp_path, approval_policy="never", **typed)
    passage = runtime.run(runtime.request(("true",)))
    assert [attempt.final.exit_code for attempt in passage.attempts] == [0]
    assert preparations.networks == []


def test_forecast_and_first_refusal_prepare_nothing(tmp_path: Path, preparations: Preparations) -> None:
    runtime = session(tmp_path, approval_policy="untrusted")
    command = runtime.request(("touch", "file"))
    assert runtime.run(command).refusal is not None
    runtime.forecast(command)
    assert preparations.networks == []


def test_refusal_leaves_nothing_of_what_was_expected(tmp_path: Path, preparations: Preparations) -> None:
    """A session that has run a command expects the next one to run as well."""
    runtime = session(tmp_path, approval_policy="untrusted")
    assert runtime.run(runtime.request(("true",))).refusal is None
    assert runtime.run(runtime.request(("touch", "file"))).refusal is not None
    assert (preparations.networks, children()) == (["off", "off"], "")


def test_planning_that_fails_leaves_no_helper(
    tmp_path: Path, preparations: Preparations, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: object) -> None:
        raise SetupFailed("cannot confine")

    runtime = session(tmp_path, approval_policy="never")
    monkeypatch.setattr(runtime.confinement, "permissions", fails)
    with pytest.raises(SetupFailed):
        runtime.run(runtime.request(("true",)))
    assert (preparations.networks, children()) == (["off"], "")


def test_a_folder_cannot_bring_a_protected_name_along(tmp_path: Path) -> None:
    """Required: such a name is not seen by itself, so what would hold it cannot come to be either."""
    (tmp_path / "repo").mkdir()
    runtime = session(tmp_path / "repo", 'sandbox.protected_names=[".github/workflows"]', approval_policy="never")
    passage = runtime.run(runtime.request(("sh", "-c", "mkdir -p x/workflows; mv x .github")))
    assert [denial.path for denial in passage.attempts[0].denial.denials] == [f"{tmp_path}/repo/.github"]
    assert os.listdir(tmp_path / "repo") == ["x"]


@pytest.mark.parametrize("abandoned", [False, True])
def test_what_nobody_refused_is_found_and_moved_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abandoned: bool
) -> None:
    """The name is made behind the back of the supervisor; the command ends by itself, or is given up."""
    real = launch_module.run

    def behind_its_back(*arguments: Any, on_ended: Callable[[], None], **named: Any) -> Any:
        def ended() -> None:
            (tmp_path / "repo" / ".envrc").touch()
            if not abandoned:
                on_ended()

        return real(*arguments, on_ended=ended, **named)

    monkeypatch.setattr(launch_module, "run", behind_its_back)
    (tmp_path / "repo").mkdir()
    runtime = session(tmp_path / "repo", approval_policy="never")
    runtime.run(runtime.request(("true",)))
    assert list((tmp_path / "repo").iterdir()) == []


def test_it_is_moved_away_after_an_interruption_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: Any, **_named: Any) -> Any:
        (tmp_path / "repo" / ".envrc").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(launch_module, "run", interrupted)
    (tmp_path / "repo").mkdir()
    runtime = session(tmp_path / "repo", approval_policy="never")
    with pytest.raises(KeyboardInterrupt):
        runtime.run(runtime.request(("true",)))
    assert list((tmp_path / "repo").iterdir()) == []
