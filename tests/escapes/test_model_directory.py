"""The directory a model chooses for its command changes nothing about what is writable (threat table, row 34)."""

from support.escape.escape_stage import BOTH_BACKENDS, Stage


@BOTH_BACKENDS
def test_a_command_that_starts_outside_cannot_write_there(stage: Stage, backend: str) -> None:
    """Required: CVE-2025-59532 was exactly this."""
    attack = ["sh", "-c", "echo escaped > file"]
    assert stage.unconfined(attack, cwd=stage.outside).exit_code == 0
    (stage.outside / "file").unlink()
    ran = stage.confined(attack, backend=backend, cwd=stage.outside, policy_cwd=stage.repo)
    assert list(stage.outside.iterdir()) == []
    assert ran.denied("create", stage.outside / "file"), ran


@BOTH_BACKENDS
def test_the_policys_directory_stays_writable_meanwhile(stage: Stage, backend: str) -> None:
    attack = ["sh", "-c", 'echo good > "$1"', "sh", str(stage.repo / "file")]
    ran = stage.confined(attack, backend=backend, cwd=stage.outside, policy_cwd=stage.repo)
    assert (stage.repo / "file").read_text() == "good\n", ran


@BOTH_BACKENDS
def test_starting_in_a_git_directory_does_not_open_it(stage: Stage, backend: str) -> None:
    git = stage.repository()
    attack = ["sh", "-c", "echo evil > pre-commit"]
    stage.confined(attack, backend=backend, cwd=git / "hooks", policy_cwd=git / "hooks")
    assert list((git / "hooks").iterdir()) == []
