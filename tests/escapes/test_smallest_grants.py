"""A denial names the smallest grant, and that grant makes the same command work; its neighbour stays closed."""

from pathlib import Path

import pytest

from escape_stage import BOTH_BACKENDS, Ran, Stage


def retried(stage: Stage, attack: list[str], backend: str) -> tuple[Ran, Ran]:
    """The denied run, and the run with exactly what its denials offer."""
    first = stage.confined(attack, backend=backend)
    assert first.verdict == "denied", first
    grants = [tuple(grant) for _operation, _place, grant in first.denials if grant is not None]
    return first, stage.confined(attack, backend=backend, grants=grants)


def shell(script: str, *arguments: Path) -> list[str]:
    return ["sh", "-c", script, "sh", *map(str, arguments)]


@BOTH_BACKENDS
def test_an_existing_file(stage: Stage, backend: str) -> None:
    target, neighbour = stage.outside / "file", stage.outside / "neighbour"
    for path in (target, neighbour):
        path.write_text("before")
    stage.own()
    first, second = retried(stage, shell('echo after > "$1"', target), backend)
    assert first.denials == [["write", str(target), ["write_path", str(target)]]]
    assert (second.exit_code, second.verdict) == (0, "not_denied"), second
    assert (target.read_text(), neighbour.read_text()) == ("after\n", "before")
    stage.confined(shell('echo after > "$1"', neighbour), backend=backend, grants=[("write_path", str(target))])
    assert neighbour.read_text() == "before"


@BOTH_BACKENDS
def test_a_new_file(stage: Stage, backend: str) -> None:
    target, neighbour = stage.outside / "new", stage.outside / "neighbour"
    first, second = retried(stage, shell('echo after > "$1"', target), backend)
    assert first.denials == [["create", str(target), ["write_path", str(target)]]]
    assert (second.exit_code, second.verdict) == (0, "not_denied"), second
    assert target.read_text() == "after\n"
    stage.confined(shell('echo after > "$1"', neighbour), backend=backend, grants=[("write_path", str(target))])
    assert not neighbour.exists()


@BOTH_BACKENDS
def test_a_new_directory(stage: Stage, backend: str) -> None:
    first, second = retried(stage, shell('mkdir "$1"', stage.outside / "new"), backend)
    assert first.denials == [["create", str(stage.outside / "new"), ["write_root", str(stage.outside)]]]
    assert (second.exit_code, (stage.outside / "new").is_dir()) == (0, True), second


@BOTH_BACKENDS
def test_a_deletion(stage: Stage, backend: str) -> None:
    (stage.outside / "old").write_text("")
    stage.own()
    first, second = retried(stage, shell('rm -f "$1"', stage.outside / "old"), backend)
    assert first.denials == [["delete", str(stage.outside / "old"), ["write_root", str(stage.outside)]]]
    assert (second.exit_code, (stage.outside / "old").exists()) == (0, False), second


@BOTH_BACKENDS
def test_a_changed_mode(stage: Stage, backend: str) -> None:
    target = stage.outside / "file"
    target.write_text("")
    target.chmod(0o600)
    stage.own()
    first, second = retried(stage, shell('chmod 640 "$1"', target), backend)
    assert first.denials == [["metadata", str(target), ["write_path", str(target)]]]
    assert (second.exit_code, target.stat().st_mode & 0o777) == (0, 0o640), second


@BOTH_BACKENDS
@pytest.mark.parametrize("exists", [True, False])
def test_a_protected_name(stage: Stage, backend: str, exists: bool) -> None:
    if exists:
        (stage.repo / ".vscode").mkdir()
        stage.own()
    script = "mkdir -p .vscode && echo after > .vscode/settings.json && mv .vscode/settings.json .vscode/tasks.json"
    first, second = retried(stage, shell(script), backend)
    assert [grant for _operation, _place, grant in first.denials] == [["write_path", str(stage.repo / ".vscode")]]
    assert (stage.repo / ".vscode" / "tasks.json").read_text() == "after\n", second


@BOTH_BACKENDS
def test_a_commit(stage: Stage, backend: str) -> None:
    """The grant opens `.git` and still not its hooks."""
    stage.unconfined(["git", "init", "-q", "."])
    commit = "echo x > file && git add file && git -c user.name=n -c user.email=e commit -qm message"
    first, second = retried(stage, shell(commit + "; echo evil > .git/hooks/pre-push"), backend)
    assert {tuple(grant) for _operation, _place, grant in first.denials} == {("write_path", str(stage.repo / ".git"))}
    assert stage.unconfined(["git", "log", "--format=%s"]).stdout == "message\n", second
    assert not (stage.repo / ".git" / "hooks" / "pre-push").exists()


@BOTH_BACKENDS
def test_looking_at_a_repository_is_denied_nothing(stage: Stage, backend: str) -> None:
    """Required: `git status` takes an optional lock; nobody must be asked about that."""
    stage.unconfined(["sh", "-c", "git init -q . && echo x > file && git add file && touch -d yesterday file"])
    ran = stage.confined(["git", "status", "--short"], backend=backend)
    assert (ran.stdout, ran.verdict, ran.denials) == ("A  file\n", "not_denied", [])


@BOTH_BACKENDS
def test_what_permission_bits_refuse_anyway_is_no_denial(stage: Stage, backend: str) -> None:
    if stage.uid == 0:
        return  # nothing is refused to root
    ran = stage.confined(["touch", "/etc/sandgate-escape"], backend=backend)
    assert (ran.exit_code, ran.verdict) == (1, "not_denied"), ran
    assert [grant for _operation, _place, grant in ran.denials if grant] == []
