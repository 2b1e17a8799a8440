"""The assessment of a command as it stands in a real workspace."""

from pathlib import Path

from sandgate.config import TypedOverrides
from sandgate.gate.risk import assessed
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.risk import RiskAssessment
from sandgate.runtime import Environment, Runtime, open_runtime
from sandgate.runtime.foresight import risk_lines


def runtime_in(repo: Path) -> tuple[Runtime, Environment]:
    home = repo.parent / "home"
    for place in (repo, home):
        place.mkdir()
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    environment = Environment(str(repo), environ, typed=TypedOverrides(sandbox_mode="workspace-write"))
    return open_runtime(environment), environment


def test_what_is_really_there_decides_the_level(tmp_path: Path) -> None:
    runtime, environment = runtime_in(tmp_path / "repo")
    command = CommandRequest(("rm", "-rf", "notes"), environment.cwd, environment.environ)
    absent = assessed(command, None, runtime.confinement, environment)
    (tmp_path / "repo" / "notes").mkdir()
    (tmp_path / "repo" / "notes" / "only-copy").touch()
    present = assessed(command, None, runtime.confinement, environment)
    assert absent is not None
    assert present is not None
    assert (absent.risk_level, present.risk_level) != ("high", "high")
    assert present.risk_level == "high"


def test_assessing_runs_nothing(tmp_path: Path) -> None:
    runtime, environment = runtime_in(tmp_path / "repo")
    assessed(
        CommandRequest(("touch", "made"), environment.cwd, environment.environ), None, runtime.confinement, environment
    )
    assert list((tmp_path / "repo").iterdir()) == []


def test_the_lines_of_a_prompt_are_plain_text() -> None:
    risk = RiskAssessment("Makes a file.", "low", reasons=("writes in the workspace",))
    assert risk_lines(risk) == ("Summary: Makes a file.", "Risk: LOW", "  - writes in the workspace")
