"""A link in the workspace that leads outside gives no way to write there (threat table, row 1)."""

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

ATTACK = ["sh", "-c", 'ln -s "$1" link && echo escaped > link/file', "sh"]


@BOTH_BACKENDS
def test_a_link_made_by_the_command_does_not_lead_out(stage: Stage, backend: str) -> None:
    attack = [*ATTACK, str(stage.outside)]
    assert stage.unconfined(attack).exit_code == 0
    (stage.outside / "file").unlink()
    (stage.repo / "link").unlink()
    ran = stage.confined(attack, backend=backend)
    assert list(stage.outside.iterdir()) == []
    assert ran.exit_code != 0, ran


@BOTH_BACKENDS
def test_a_link_placed_before_does_not_lead_out(stage: Stage, backend: str) -> None:
    (stage.repo / "link").symlink_to(stage.outside)
    attack = ["sh", "-c", "echo escaped > link/file"]
    assert stage.unconfined(attack).exit_code == 0
    (stage.outside / "file").unlink()
    stage.confined(attack, backend=backend)
    assert list(stage.outside.iterdir()) == []


@pytest.mark.host("namespace")
def test_a_relative_path_does_not_lead_out(stage: Stage) -> None:
    attack = ["sh", "-c", "echo escaped > ../outside/file"]
    assert stage.unconfined(attack).exit_code == 0
    (stage.outside / "file").unlink()
    stage.confined(attack)
    assert list(stage.outside.iterdir()) == []
