"""A denial names the smallest grant, and that grant makes the same command work; its neighbour stays closed."""

import shutil
from pathlib import Path

import pytest

from sandgate.policy.targets import ChangedTargets, widened
from sandgate.protocol.denials import Denial
from sandgate.protocol.permissions import Grant
from support.escape.escape_stage import BOTH_BACKENDS, Ran, Stage


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
    assert first.denials == [["create", str(target), ["new_entry", str(target)]]]
    assert (second.exit_code, second.verdict) == (0, "not_denied"), second
    assert target.read_text() == "after\n"
    stage.confined(shell('echo after > "$1"', neighbour), backend=backend, grants=[("new_entry", str(target))])
    assert not neighbour.exists()


@BOTH_BACKENDS
def test_a_new_directory(stage: Stage, backend: str) -> None:
    new = stage.outside / "new"
    first, second = retried(stage, shell('mkdir "$1"', new), backend)
    assert first.denials == [["create", str(new), ["new_entry", str(new)]]]
    assert (second.exit_code, (stage.outside / "new").is_dir()) == (0, True), second


@BOTH_BACKENDS
def test_a_deletion(stage: Stage, backend: str) -> None:
    (stage.outside / "old").write_text("")
    stage.own()
    first, second = retried(stage, shell('rm -f "$1"', stage.outside / "old"), backend)
    old = str(stage.outside / "old")
    assert first.denials == [["delete", old, ["remove", old]]]
    assert (second.exit_code, (stage.outside / "old").exists()) == (0, False), second


@BOTH_BACKENDS
def test_a_changed_mode(stage: Stage, backend: str) -> None:
    target = stage.outside / "file"
    target.write_text("")
    target.chmod(0o600)
    stage.own()
    first, second = retried(stage, shell('chmod 640 "$1"', target), backend)
    assert first.denials == [["metadata", str(target), ["metadata", str(target)]]]
    assert (second.exit_code, target.stat().st_mode & 0o777) == (0, 0o640), second


@BOTH_BACKENDS
@pytest.mark.parametrize("exists", [True, False])
def test_a_protected_name(stage: Stage, backend: str, exists: bool) -> None:
    place = stage.repo / ".vscode"
    if exists:
        place.mkdir()
        stage.own()
    script = "mkdir -p .vscode && echo after > .vscode/settings.json"
    first, second = retried(stage, shell(script), backend)
    made = place / "settings.json" if exists else place
    assert [grant for _operation, _place, grant in first.denials] == [["new_entry", str(made)]]
    assert (place / "settings.json").read_text() == "after\n", second


@BOTH_BACKENDS
def test_a_commit(stage: Stage, backend: str) -> None:
    """The grant opens `.git` and still not its hooks."""
    stage.unconfined(["git", "init", "-q", "."])
    commit = "echo x > file && git add file && git -c user.name=n -c user.email=e commit -qm message"
    first = stage.confined(shell(commit), backend=backend)
    (grant,) = {tuple(grant) for _operation, _place, grant in first.denials}
    assert grant == ("write_path", str(stage.repo / ".git"))
    attack = shell(commit + "; echo evil > .git/hooks/pre-push")
    second = stage.confined(attack, backend=backend, grants=[grant])
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


GIT_WORK = {
    "a commit in a linked worktree": ("inner", "git commit --allow-empty -qm i"),
    "a branch from a linked worktree": ("inner", "git branch other"),
    "a setting": (".", "git config user.name x"),
    "a setting from a linked worktree": ("inner", "git config user.name x"),
    "a commit": (".", "git commit --allow-empty -qm i"),
    "a branch in a submodule": ("sub", "git branch other"),
    "a setting in a submodule": ("sub", "git config user.name x"),
}


@BOTH_BACKENDS
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("work", GIT_WORK)
def test_what_git_does_in_steps_is_opened_at_once(stage: Stage, backend: str, work: str) -> None:
    """Required: the options work as they are typed, and open no code of the repository but what they name."""
    make = (
        "git init -q . && git config user.name n && git config user.email e && git commit -q --allow-empty -m one && "
        "git worktree add -q inner && git init -q ../lib && git -C ../lib -c user.name=n -c user.email=e commit -q "
        "--allow-empty -m l && git -c protocol.file.allow=always submodule --quiet add ../lib sub && "
        "git commit -qm s && git -C sub config user.name n && git -C sub config user.email e"
    )
    assert stage.unconfined(["sh", "-c", make]).exit_code == 0
    place, line = GIT_WORK[work]
    closed = ("--backend", backend, "-c", "sandbox.protect_git=all")
    program = ("run", *closed)
    first = stage.sandgate(*program, "--", "sh", "-c", line, cwd=stage.repo / place)
    hints = [said.partition("grant it once with: ")[2] for said in first.stderr.splitlines() if "grant it once" in said]
    assert first.exit_code != 0
    (options,) = hints
    again = stage.sandgate(*program, *options.split(), "--", "sh", "-c", line, cwd=stage.repo / place)
    assert (again.exit_code, again.stderr) == (0, ""), again
    plant = (
        "for f in hooks/x info/attributes objects/info/alternates commondir; do echo x > ../.git/$f && echo $f; done"
    )
    planted = stage.sandgate(*program, *options.split(), "--", "sh", "-c", plant, cwd=stage.repo / "inner")
    assert planted.stdout == "", planted


@BOTH_BACKENDS
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("place", [".", "inner"])
def test_an_answer_opens_a_git_directory_without_what_is_code_in_it(stage: Stage, backend: str, place: str) -> None:
    """Required: one yes to the first step of a commit is enough for it, and for no hook."""
    make = (
        "git init -q . && git config user.name n && git config user.email e && git commit -q --allow-empty -m one && "
        "git worktree add -q inner"
    )
    assert stage.unconfined(["sh", "-c", make]).exit_code == 0
    cwd, own = stage.repo / place, stage.repo / ".git/worktrees/inner"
    commit = ["git", "commit", "--allow-empty", "-qm", "two"]
    first = stage.confined(commit, backend=backend, cwd=cwd, policy_cwd=cwd)
    denials = tuple(
        Denial(operation, path=path, grant=Grant(*grant)) for operation, path, grant in first.denials if grant
    )
    grants = [(grant.kind, grant.value) for grant in widened(denials, ChangedTargets())]
    again = stage.confined(commit, backend=backend, cwd=cwd, policy_cwd=cwd, grants=grants)
    assert again.exit_code == 0, (grants, again)
    names = [f"{stage.repo}/.git/{name}" for name in ("hooks/x", "config", "objects/info/alternates", "commondir")]
    plant = 'for f in "$@"; do echo x >> "$f" && echo "$f"; done'
    planted = stage.confined(
        ["sh", "-c", plant, "sh", *names, f"{own}/commondir"], backend=backend, cwd=cwd, policy_cwd=cwd, grants=grants
    )
    assert planted.stdout == "", planted
