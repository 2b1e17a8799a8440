"""Drafts of git directories carried over: real repositories, and files as a command in a draft leaves them.

A second clone plays the command: what differs in its git directory is the draft.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from sandgate.execution import carrying
from sandgate.execution.carrying import Carried, carry_over
from sandgate.execution.draft_judgement import Circumstances
from sandgate.execution.held_tree import HeldTree
from sandgate.execution.planted_files import FILES_CLOCK

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="real repositories")


class Scene:
    def __init__(self, place: Path) -> None:
        self.real, self.inside, self.upper = place / "real", place / "inside", place / "upper"
        self.alone = True
        self.real.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "n")
        self.git("config", "user.email", "e")
        (self.real / "file").write_text("one")
        self.commit("one")
        self.begin()

    def git(self, *words: str, at: Path | None = None) -> str:
        ran = subprocess.run(["git", "-C", str(at or self.real), *words], check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def commit(self, message: str, at: Path | None = None) -> None:
        (place := at or self.real).joinpath(message).write_text(message)
        self.git("add", "-A", at=place)
        self.git("commit", "-qm", message, at=place)

    def begin(self) -> None:
        """From here on the command writes, in its copy."""
        shutil.rmtree(self.inside, ignore_errors=True)
        shutil.copytree(self.real, self.inside, symlinks=True)
        self.wait_for_the_clock()
        self.began_ns = time.clock_gettime_ns(FILES_CLOCK)
        self.wait_for_the_clock()

    @staticmethod
    def wait_for_the_clock() -> None:
        """Until files get a later time: a tick of some milliseconds."""
        now = time.clock_gettime_ns(FILES_CLOCK)
        while time.clock_gettime_ns(FILES_CLOCK) == now:
            pass

    def carry(self) -> Carried:
        """What is new or changed in the copy becomes the draft."""
        shutil.rmtree(self.upper, ignore_errors=True)
        self.upper.mkdir()
        for path in (self.inside / ".git").rglob("*"):
            name = path.relative_to(self.inside / ".git")
            there = self.real / ".git" / name
            if path.is_file() and not (there.is_file() and there.read_bytes() == path.read_bytes()):
                (self.upper / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, self.upper / name)
        return self.carried()

    def carried(self) -> Carried:
        held = os.open(self.real / ".git", os.O_RDONLY | os.O_DIRECTORY)
        try:
            known = Circumstances(self.began_ns, (str(self.real),), lambda: self.alone)
            return carry_over(str(self.upper), HeldTree(held, str(self.real / ".git")), known)
        finally:
            os.close(held)

    def subjects(self) -> list[str]:
        return self.git("log", "--format=%s").split()

    def is_whole(self) -> bool:
        self.git("fsck", "--full")
        return not [
            path for path in (self.real / ".git").rglob("*") if path.name.endswith(".lock") or "tmp_" in path.name
        ]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_a_commit_is_carried_over(scene: Scene) -> None:
    scene.commit("two", scene.inside)
    scene.git("tag", "v1", at=scene.inside)
    assert scene.carry() == Carried()
    assert scene.subjects() == ["two", "one"]
    assert scene.git("reflog", "--format=%gs").split("\n")[0] == "commit: two"
    assert scene.git("diff", "--cached") == ""
    assert scene.git("tag") == "v1"
    assert scene.is_whole()


def test_packs_are_carried_over(scene: Scene) -> None:
    scene.commit("two", scene.inside)
    scene.git("repack", "-adq", at=scene.inside)
    assert not (scene.inside / ".git/objects" / scene.git("rev-parse", "HEAD", at=scene.inside)[:2]).exists()
    assert scene.carry().lost == ""
    assert scene.subjects() == ["two", "one"]
    assert scene.is_whole()


def test_a_pack_that_is_none_stops_all(scene: Scene) -> None:
    scene.commit("two", scene.inside)
    scene.git("gc", "-q", at=scene.inside)
    pack = next((scene.inside / ".git/objects/pack").glob("*.pack"))
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:-30])
    assert "the pack is not what its index says" in scene.carry().lost
    assert scene.subjects() == ["one"]


@pytest.mark.parametrize("name", ["main", "HEAD", "index"])
def test_what_somebody_else_changed_meanwhile_stays(scene: Scene, name: str) -> None:
    """Required: two writers, and nobody's work is overwritten; the command's commit can still be found."""
    scene.commit("two", scene.inside)
    other = {"main": ("commit", "-q", "--allow-empty", "-m", "other"), "HEAD": ("switch", "-qc", "other")}
    scene.git(*other.get(name, ("update-index", "--chmod=+x", "file")))
    before = scene.git("rev-parse", "HEAD")
    lost = scene.carry().lost
    assert lost.startswith("somebody else changed")
    assert scene.git("rev-parse", "HEAD") == before
    commit = scene.git("rev-parse", "HEAD", at=scene.inside)
    assert commit[:12] in lost
    assert scene.git("cat-file", "-t", commit) == "commit"
    assert scene.is_whole()


def test_a_git_that_works_there_at_this_moment_is_waited_for_and_then_left_alone(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrying, "LOCK_WAIT_MS", 0)
    scene.commit("two", scene.inside)
    lock = scene.real / ".git/index.lock"
    lock.write_text("theirs")
    assert "index" in scene.carry().lost
    assert (scene.subjects(), lock.read_text()) == (["one"], "theirs")
    lock.unlink()
    assert scene.carried() == Carried()
    assert scene.subjects() == ["two", "one"]


def test_a_look_at_the_index_is_not_worth_a_word(scene: Scene) -> None:
    """`git status` writes down when it looked."""
    os.utime(scene.inside / "file")
    scene.git("status", at=scene.inside)
    os.utime(scene.real / "file")
    scene.git("status")
    assert scene.carry() == Carried()


@pytest.mark.parametrize("fails", range(6))
def test_whenever_it_breaks_off_nothing_is_half_done(scene: Scene, monkeypatch: pytest.MonkeyPatch, fails: int) -> None:
    """Required: a crash between two steps leaves a repository that git takes."""
    scene.commit("two", scene.inside)
    left = [fails]
    rename = HeldTree.rename

    def breaks(tree: HeldTree, path: str, name: str) -> None:
        if "tmp_obj" not in path:
            left[0] -= 1
        if left[0] < 0:
            raise OSError(5, "broken")
        rename(tree, path, name)

    monkeypatch.setattr(HeldTree, "rename", breaks)
    scene.carry()
    monkeypatch.undo()
    assert scene.is_whole()
    assert scene.subjects() in (["one"], ["two", "one"])
    scene.git("status")


def test_settings_that_run_nothing_are_carried_over_and_others_told(scene: Scene) -> None:
    scene.git("config", "user.name", "m", at=scene.inside)
    assert scene.carry() == Carried()
    assert scene.git("config", "user.name") == "m"
    scene.git("config", "core.fsmonitor", "evil", at=scene.inside)
    scene.commit("two", scene.inside)
    carried = scene.carry()
    assert [(each.operation, each.path) for each in carried.unwanted] == [("write", "config")]
    assert carried.lost == ""
    assert scene.subjects() == ["two", "one"]
    assert "evil" not in (scene.real / ".git/config").read_text()


def test_a_reference_makes_room_for_another(scene: Scene) -> None:
    if os.geteuid() != 0:
        pytest.skip("outside of a user namespace only root makes whiteouts")
    scene.git("branch", "a")
    scene.begin()
    (scene.upper / "refs/heads/a").mkdir(parents=True)
    (scene.upper / "refs/heads/a/b").write_text(scene.git("rev-parse", "HEAD") + "\n")
    assert scene.carried() == Carried()
    assert scene.git("branch", "--format=%(refname:short)").split() == ["a/b", "main"]


def test_a_tree_with_a_new_submodule_goes_over_with_its_index_or_not_at_all(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: what one command leaves as objects, another one could name."""
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub", at=scene.inside)
    tree = scene.git("write-tree", at=scene.inside)
    place = scene.real / ".git/objects" / tree[:2] / tree[2:]
    scene.alone = False
    assert scene.carry().lost != ""
    assert not place.exists()
    scene.alone = True
    (lock := scene.real / ".git/index.lock").write_text("")
    monkeypatch.setattr(carrying, "LOCK_WAIT_MS", 0)
    assert scene.carried().lost != ""
    assert not place.exists()
    lock.unlink()
    assert scene.carried() == Carried()
    assert place.exists()


def test_a_submodule_needs_the_repository_for_itself(scene: Scene) -> None:
    """Required: another command that runs would not find it closed."""
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub", at=scene.inside)
    scene.alone = False
    assert "while another command runs" in scene.carry().lost
    scene.alone = True
    assert scene.carry() == Carried()
    assert "160000" in scene.git("ls-files", "-s")
