"""A sandbox that cannot be built is its own outcome: nothing runs, nothing is called denied (threat table, row 35)."""

import pytest

from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace")


@pytest.mark.parametrize("content", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n"])
def test_a_broken_helper_never_means_an_unconfined_run(stage: Stage, content: str) -> None:
    broken = stage.folder / "broken-helper"
    broken.write_text(content)
    broken.chmod(0o755)
    ran = stage.confined(["sh", "-c", "echo escaped > file"], helper=str(broken))
    assert not (stage.repo / "file").exists()
    assert ran.verdict != "denied"
    assert ran.stdout == ""


def test_a_helper_that_does_not_exist_is_an_error(stage: Stage) -> None:
    attack = ["sh", "-c", "echo escaped > file"]
    with pytest.raises(AssertionError, match="FileNotFoundError"):
        stage.confined(attack, helper="/nowhere/sandgate-exec")
    assert not (stage.repo / "file").exists()


def test_a_program_that_does_not_exist_is_no_denial(stage: Stage) -> None:
    ran = stage.confined(["no-such-program"])
    assert (ran.verdict, ran.failure) == ("not_denied", "ExecFailure(what='program', errno='ENOENT')")
