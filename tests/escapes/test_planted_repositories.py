"""What a command leaves behind does not run when the person next types `git status`.

Each attack plants a repository, a hook or a program where git finds it by itself; the victim then runs git outside. The
victim's git runs the planted program when the attack was not confined, and does not when it was.
"""

from __future__ import annotations

import shutil

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the victim's git is the judge")

# A repository with one commit whose settings run a program; whatever fails is passed over, as an attacker would.
PLANT = """
import os, sys
mark = sys.argv[1]
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        pass
def put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
def repository(git, worktree="", program="touch " + mark + "; false"):
    lines = ["[core]", "repositoryformatversion = 0", "bare = false", 'fsmonitor = "%s"' % program]
    lines += ["worktree = " + worktree] if worktree else []
    attempt(put, git + "/config", "\\n".join(lines) + "\\n")
    attempt(put, git + "/HEAD", "ref: refs/heads/main\\n")
    attempt(os.makedirs, git + "/objects")
    attempt(os.makedirs, git + "/refs/heads")
    attempt(put, git + "/refs/heads/main", "%s\\n")
script = "#!/bin/sh\\ntouch " + mark + "\\n"
"""


class Victim:
    """A person's repository `repo` with the submodule `deep/a/b/sub`, which was never fetched."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.mark = stage.outside / "mark"
        self.git("init", "-q", "-b", "main", ".")
        self.git("config", "user.name", "n")
        self.git("config", "user.email", "e")
        (stage.repo / "file").write_text("x\n")
        stage.own()
        self.git("add", "file")
        self.git("commit", "-qm", "one")

    def git(self, *words: str, at: str = ".") -> str:
        ran = self.stage.unconfined(["git", "-C", str(self.stage.repo / at), *words])
        assert ran.exit_code == 0, ran
        return ran.stdout.strip()

    def works(self, *where: str) -> bool:
        """Runs what a person types, in the repository and in `where`; says whether the planted program ran."""
        self.mark.unlink(missing_ok=True)
        for place in (".", *where):
            for words in (["status"], ["diff"], ["add", "-A", "--dry-run"], ["log", "-1"]):
                self.stage.unconfined(["git", "-C", str(self.stage.repo / place), *words])
        return self.mark.exists()

    def attack(self, code: str) -> list[str]:
        head = self.git("rev-parse", "HEAD")
        return self.stage.script(PLANT.replace("%s\\n", f"{head}\\n") + code, self.mark)


@pytest.fixture
def victim(stage: Stage) -> Victim:
    return Victim(stage)


def make_submodule(victim: Victim, at: str, *, exists: bool = True) -> None:
    victim.git("update-index", "--add", "--cacheinfo", f"160000,{victim.git('rev-parse', 'HEAD')},{at}")
    victim.git("commit", "-qm", "a submodule")
    if exists:
        (victim.stage.repo / at).mkdir(parents=True)
        victim.stage.own()


ROUTES = {
    "a directory": "repository('{at}/.git')",
    "a pointer": "repository('elsewhere'); attempt(put, '{at}/.git', 'gitdir: ' + os.path.abspath('elsewhere'))",
    "a link": "repository('elsewhere'); attempt(os.symlink, os.path.abspath('elsewhere'), '{at}/.git')",
    "a renamed directory": "repository('prepared/.git'); attempt(os.rename, 'prepared/.git', '{at}/.git')",
    "a renamed parent": "repository('prepared/.git'); attempt(os.rmdir, '{at}'); "
    "attempt(os.rename, 'prepared', '{at}')",
}
"""Ways to get a repository into a submodule's place."""


@BOTH_BACKENDS
@pytest.mark.parametrize(("route", "at"), [("a directory", "sub"), *((route, "deep/a/b/c/d/sub") for route in ROUTES)])
def test_a_submodule_that_was_never_fetched_takes_no_repository(
    victim: Victim, backend: str, route: str, at: str
) -> None:
    """Required: `git status` goes into every submodule and obeys the settings it finds there."""
    make_submodule(victim, at)
    attack = victim.attack(ROUTES[route].format(at=at))
    ran = victim.stage.confined(attack, backend=backend)
    assert ran.error is None, ran
    assert not victim.works()
    victim.stage.unconfined(attack)
    assert victim.works()


@BOTH_BACKENDS
@pytest.mark.parametrize("route", ["a directory", "a renamed parent"])
def test_nor_does_one_whose_directory_is_missing(victim: Victim, backend: str, route: str) -> None:
    make_submodule(victim, "sub", exists=False)
    attack = victim.attack(ROUTES[route].format(at="sub"))
    victim.stage.confined(attack, backend=backend)
    assert not victim.works()
    victim.stage.unconfined(attack)
    assert victim.works()


@BOTH_BACKENDS
def test_a_fetched_submodule_deep_down_keeps_its_settings(victim: Victim, backend: str) -> None:
    make_submodule(victim, "a/b/c/d/sub")
    victim.git("init", "-q", "-b", "main", "a/b/c/d/sub")
    attack = victim.attack("attempt(put, 'a/b/c/d/sub/.git/config', open('a/b/c/d/sub/.git/config').read() + "
                           "'[core]\\nfsmonitor = \"touch ' + mark + '; false\"\\n')")  # fmt: skip
    victim.stage.confined(attack, backend=backend)
    assert not victim.works()
    victim.stage.unconfined(attack)
    assert victim.works()


@BOTH_BACKENDS
def test_a_submodule_of_a_submodule_is_found_too(victim: Victim, backend: str) -> None:
    make_submodule(victim, "a/b/c/one")
    inner = "a/b/c/one"
    victim.git("init", "-q", "-b", "main", inner)
    victim.git("update-index", "--add", "--cacheinfo", f"160000,{victim.git('rev-parse', 'HEAD')},x/two", at=inner)
    (victim.stage.repo / inner / "x/two").mkdir(parents=True)
    victim.stage.own()
    attack = victim.attack(f"repository('{inner}/x/two/.git')")
    victim.stage.confined(attack, backend=backend)
    assert not victim.works()
    victim.stage.unconfined(attack)
    assert victim.works()


@BOTH_BACKENDS
@pytest.mark.parametrize("deep", [False, True])
def test_a_workspace_inside_a_repository_is_looked_at_from_there(victim: Victim, backend: str, deep: bool) -> None:
    """The index lies outside the workspace, the submodule inside."""
    at = "work/x/y/z/sub" if deep else "work/sub"
    make_submodule(victim, at)
    repo = victim.stage.repo
    attack = victim.attack(f"repository('{at.removeprefix('work/')}/.git')")
    victim.stage.confined(attack, backend=backend, cwd=repo / "work", policy_cwd=repo / "work")
    assert not victim.works()
    victim.stage.unconfined(attack, cwd=repo / "work")
    assert victim.works()


@BOTH_BACKENDS
def test_the_pointer_of_a_linked_worktree_cannot_be_exchanged_or_made_again(victim: Victim, backend: str) -> None:
    victim.git("worktree", "add", "-q", "w/o/r/k/tree")
    victim.git("worktree", "add", "-q", "w/o/r/k/gone")
    (victim.stage.repo / "w/o/r/k/gone/.git").unlink()
    attack = victim.attack(
        "repository('elsewhere', os.path.abspath('w/o/r/k/tree'))\n"
        "attempt(put, 'w/o/r/k/tree/.git', 'gitdir: ' + os.path.abspath('elsewhere'))\n"
        "repository('w/o/r/k/gone/.git')"
    )
    victim.stage.confined(attack, backend=backend)
    assert not victim.works("w/o/r/k/tree", "w/o/r/k/gone")
    victim.stage.unconfined(attack)
    assert victim.works("w/o/r/k/tree", "w/o/r/k/gone")


@BOTH_BACKENDS
def test_a_bare_repository_in_the_workspace_keeps_its_settings(victim: Victim, backend: str) -> None:
    victim.git("init", "-q", "--bare", "a/lib.git")
    attack = victim.attack("repository('a/lib.git', os.getcwd())")
    victim.stage.confined(attack, backend=backend)
    assert not victim.works("a/lib.git")
    victim.stage.unconfined(attack)
    assert victim.works("a/lib.git")


@BOTH_BACKENDS
def test_a_file_called_head_is_not_completed_to_a_repository_and_stays(victim: Victim, backend: str) -> None:
    """Required: git takes a directory with HEAD, objects and refs for a repository, whoever made the first of them."""
    work = victim.stage.repo / "work"
    work.mkdir()
    (work / "HEAD").write_text("ref: refs/heads/main\n")
    victim.stage.own()
    attack = victim.attack("repository(os.getcwd(), os.getcwd())")
    victim.stage.confined(attack, backend=backend, cwd=work, policy_cwd=work)
    assert not victim.works("work")
    assert (work / "HEAD").read_text() == "ref: refs/heads/main\n"
    victim.stage.unconfined(attack, cwd=work)
    assert victim.works("work")
