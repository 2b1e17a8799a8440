"""After a kill at any moment: what the next one finds, and what it makes of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sandgate.kernel import renames
from sandgate.patch import entry_changes
from sandgate.patch.apply import apply_plan
from sandgate.patch.journal import recover
from sandgate.patch.plan import PatchPlan
from sandgate.protocol.permissions import EffectivePermissions
from support.tool.patching import planned, tree_of, within

BODY = (
    "*** Add File: n/m\n+x\n*** Update File: f\n@@\n-a\n+b\n*** Delete File: g\n"
    "*** Update File: h\n*** Move to: i\n@@\n-c\n+d\n*** Update File: kept\n@@\n-e\n+a longer text\n"
)
CHANGING = ("open", "write", "mkdir", "rmdir", "link", "rename", "unlink", "fchmod", "ftruncate", "fsync")
MOMENTS_MAX = 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    root.mkdir()
    for name, content in (("f", "a\n"), ("g", "gone\n"), ("h", "c\n"), ("kept", "e\n")):
        (root / name).write_text(content)
    return root


def killed_at(moment: int, plan: PatchPlan, permissions: EffectivePermissions | None, journals: str) -> bool:
    """Applies in another process that dies before its `moment`th change of anything; False when it lived to the end."""
    child = os.fork()
    if child == 0:
        try:
            _die_at(moment)
            apply_plan(plan, permissions, journal_directory=journals, others=_others(permissions))
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _others(permissions: EffectivePermissions | None) -> EffectivePermissions | None:
    """Of commands that may not write `kept`: it is written in place."""
    return permissions and permissions.but(read_only=(f"{permissions.writable[0]}/kept",))


def _die_at(moment: int) -> None:
    left = [moment]

    def dying(name: str, real):  # type: ignore[no-untyped-def] # stands for ten signatures
        def call(*arguments, **named):  # type: ignore[no-untyped-def]
            left[0] -= 1
            if left[0] == 0:
                if name == "write":
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])  # torn
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **named)

        return call

    for name in CHANGING:
        setattr(os, name, dying(name, getattr(os, name)))
    renames.exchange = dying("exchange", renames.exchange)


@pytest.mark.parametrize("exchanging", [True, False])
def test_a_kill_at_any_moment_is_put_right_by_the_next_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanging: bool
) -> None:
    """Required: afterwards all of the patch is there or nothing of it, and nothing else."""
    journals = str(tmp_path / "journals")
    os.mkdir(journals)
    before = tree_of(folder)
    outcomes = []
    for moment in range(1, MOMENTS_MAX):
        permissions = within(folder)
        plan = planned(folder, BODY, permissions)
        with monkeypatch.context() as patching:
            if not exchanging:
                patching.setattr(renames, "exchange", _unsupported)
            died = killed_at(moment, plan, permissions, journals)
        recover(journals)
        now = tree_of(folder)
        if now != before:
            assert now == AFTER
            outcomes.append("finished")
            if not died:
                break
            _restore(folder)
        else:
            outcomes.append("taken back")
        assert os.listdir(journals) == []
    assert not died
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count("taken back") > 30
    assert outcomes.count("finished") > 3


AFTER: dict[str, bytes | str] = {
    "f": b"b\n",
    "i": b"d\n",
    "kept": b"a longer text\n",
    "n/": b"",
    "n/m": b"x\n",
}


def _unsupported(*_: object) -> None:
    raise OSError(22, "Invalid argument")


def _restore(folder: Path) -> None:
    (folder / "n" / "m").unlink()
    (folder / "n").rmdir()
    (folder / "i").unlink()
    for name, content in (("f", "a\n"), ("g", "gone\n"), ("h", "c\n"), ("kept", "e\n")):
        (folder / name).write_text(content)


def test_without_journals_there_is_nothing_to_recover(tmp_path: Path) -> None:
    assert recover(str(tmp_path / "none")) == []


def test_a_journal_whose_writer_is_at_work_is_left_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals = str(tmp_path / "journals")
    plan = planned(folder, "*** Delete File: g")
    seen = []
    real = entry_changes.commit

    def commit(*arguments: object, **named: object) -> None:
        real(*arguments, **named)  # type: ignore[arg-type] # handed through unchanged
        seen.append(recover(journals))
        seen.append(os.listdir(journals))

    monkeypatch.setattr(entry_changes, "commit", commit)
    apply_plan(plan, None, journal_directory=journals)
    assert seen[0] == []
    assert len(seen[1]) == 1
    assert not (folder / "g").exists()


def test_what_somebody_changed_after_the_kill_is_not_touched(folder: Path, tmp_path: Path) -> None:
    """Required: their work comes first; the old text stays beside it, and they are told."""
    journals = str(tmp_path / "journals")
    for moment in range(1, MOMENTS_MAX):
        assert killed_at(
            moment, planned(folder, "*** Update File: f\n@@\n-a\n+b", within(folder)), within(folder), journals
        )
        if (folder / "f").read_text() == "b\n":
            break
        recover(journals)
    (folder / "new").write_text("mine\n")
    (folder / "new").rename(folder / "f")
    told = recover(journals)
    assert (folder / "f").read_text() == "mine\n"
    (spare,) = (path for path in folder.iterdir() if path.name.startswith(entry_changes.SPARE_PREFIX))
    assert spare.read_text() == "a\n"
    assert spare.name in told[0]


def test_a_directory_swapped_after_the_kill_is_not_entered(folder: Path, tmp_path: Path) -> None:
    """The journal speaks of a directory; what lies at its path by now may be a link."""
    journals = str(tmp_path / "journals")
    (folder / "d").mkdir()
    (folder / "d" / "f").write_text("a\n")
    for moment in range(1, MOMENTS_MAX):
        assert killed_at(
            moment, planned(folder, "*** Update File: d/f\n@@\n-a\n+b", within(folder)), within(folder), journals
        )
        if (folder / "d" / "f").read_text() == "b\n":
            break
        recover(journals)
    (folder / "d").rename(folder / "moved")
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "f").write_text("precious\n")
    (folder / "d").symlink_to(victim)
    told = recover(journals)
    assert tree_of(victim) == {"f": b"precious\n"}
    assert "was left as an interrupted patch left it" in told[0]


def test_another_directory_in_its_place_is_left_alone(folder: Path, tmp_path: Path) -> None:
    """Even one that holds the very same files: what was taken note of was another one."""
    journals = str(tmp_path / "journals")
    (folder / "d").mkdir()
    (folder / "d" / "f").write_text("a\n")
    permissions = within(folder)
    for moment in range(1, MOMENTS_MAX):
        assert killed_at(
            moment, planned(folder, "*** Update File: d/f\n@@\n-a\n+b", permissions), permissions, journals
        )
        if (folder / "d" / "f").read_text() == "b\n":
            break
        recover(journals)
    (folder / "d").rename(folder / "moved")
    (folder / "d").mkdir()
    for path in (folder / "moved").iterdir():
        os.link(path, folder / "d" / path.name)
    before = tree_of(folder)
    assert "was left as an interrupted patch left it" in recover(journals)[0]
    assert tree_of(folder) == before
