"""Layers as they lie on the disk: made, measured, listed, removed."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

from sandgate.protocol.confinement import Overlay
from sandgate.sandbox import cache_layers
from sandgate.sandbox.cache_layers import (
    LAYERS_NAME,
    MEASURE_EVERY_S,
    STAMP,
    Layers,
    Size,
    kept_layers,
    remove,
    size_of,
)
from sandgate.sandbox.private_tmp import private_directory
from sandgate.sandbox.sweeping import sweep
from support.machine.ordinary_user import OrdinaryUser


class Project:
    """One with a place that has a layer."""

    def __init__(self, folder: Path) -> None:
        self.state, self.place = folder / "state", folder / "home/.cache"
        self.place.mkdir(parents=True)
        self.place.chmod(0o750)
        self.tmp = private_directory(str(self.state), "/ws")
        assert self.tmp is not None
        self.layers = Layers(self.tmp.path)

    def layer(self) -> Overlay:
        (made,) = self.layers.over([str(self.place)])
        return made

    @property
    def above(self) -> Path:
        return self.state / "tmp"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_layer_is_closed_to_others_and_shows_the_mode_of_the_place(project: Project) -> None:
    layer = project.layer()
    assert layer == project.layer()
    assert layer.lower == str(project.place)
    assert [os.stat(path).st_mode & 0o777 for path in (layer.upper, layer.work)] == [0o750, 0o700]
    assert Path(layer.upper).is_relative_to(project.above / "+ws" / LAYERS_NAME)
    os.chmod(layer.upper, 0)  # as a command may, from inside
    assert os.stat(project.layer().upper).st_mode & 0o777 == 0o750


def test_a_layer_of_another_version_is_not_used_and_goes_with_its_project(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be laid out in any way: nothing of it is shown to a command, measured or listed."""
    with monkeypatch.context() as earlier:
        earlier.setattr(cache_layers, "LAYERS_NAME", "caches-0")
        old = Path(Layers(project.layers.path.replace(LAYERS_NAME, "tmp")).over([str(project.place)])[0].upper)
    (old / "poison").write_text("of another version")
    layer = project.layer()
    assert not Path(layer.upper, "poison").exists()
    assert [one.path for one in kept_layers(str(project.state))] == [str(Path(layer.upper).parent)]
    assert project.tmp is not None
    project.tmp.close()
    os.utime(project.above / "+ws", (0, 0))  # unused since long
    assert sweep(str(project.state)) > 0
    assert not old.exists()


@pytest.mark.parametrize("part", ["upper", "work"])
def test_what_is_no_directory_any_more_is_made_anew(project: Project, part: str) -> None:
    directory = Path(getattr(project.layer(), part))
    directory.rmdir()
    directory.symlink_to("/etc")
    assert Path(getattr(project.layer(), part)).is_dir()
    assert not directory.is_symlink()
    assert sorted(path.name for path in project.above.iterdir()) == ["+ws"]


def test_everything_in_a_layer_counts_and_what_cannot_be_counted_is_said(project: Project) -> None:
    upper = Path(project.layer().upper)
    (upper / "a/b").mkdir(parents=True)
    (upper / "a/b/file").write_bytes(bytes(100_000))
    (upper / "link").symlink_to("/")
    size = size_of(str(upper))
    assert (size.files, size.known, 100_000 <= size.bytes < 200_000) == (4, True, True)
    assert size_of(str(upper / "none")) == Size()
    nest(upper)
    size = size_of(str(upper))
    assert (size.known, size.is_too_large) == (False, False)


def nest(directory: Path) -> None:
    """Deeper than anybody counts."""
    for _ in range(cache_layers.DEPTH_MAX + 1):
        directory = directory / "d"
        directory.mkdir()


def test_a_directory_that_its_owner_may_not_enter_is_not_counted(as_user: OrdinaryUser) -> None:
    closed = as_user.home / "layer/closed"
    closed.mkdir(parents=True)
    closed.chmod(0o000)
    os.chown(closed, as_user.uid, as_user.gid)
    told = as_user.run_python(
        "from sandgate.sandbox.cache_layers import size_of\nsize = size_of(sys.argv[1])\n"
        "print(size.files, size.known, size.is_too_large)",
        str(closed.parent),
    )
    closed.rmdir()
    assert told.stdout == "1 False False\n", told


def test_what_is_removed_while_it_is_counted_hides_nothing_else(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that makes and removes files all the time would never be found too large."""
    upper = Path(project.layer().upper)
    for name in ("a", "b", "c"):
        (upper / name).write_text("x")
    scandir = os.scandir

    class OneGone(list["os.DirEntry[str]"]):
        """What was there, one of which is there no longer."""

        def __enter__(self) -> OneGone:
            os.unlink(self[0].path)
            return self

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", lambda directory: OneGone(scandir(directory)))
    size = size_of(str(upper))
    assert (size.files, size.known) == (2, True)


@pytest.mark.parametrize("limit", ["LAYER_BYTES_MAX", "LAYER_FILES_MAX"])
def test_a_layer_above_a_limit_is_gone_before_the_next_command(
    project: Project, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_layers, limit, 2)
    for name in ("a", "b", "c"):
        (Path(project.layer().upper) / name).write_text("x")
    assert project.layers.look() == ""  # the first look is due later
    past = time.time() - 3 * MEASURE_EVERY_S  # nobody came to an end of it meanwhile: it is looked at now
    os.utime(Path(project.layers.path) / STAMP, (past, past))
    assert "had grown above" in project.layers.look()
    assert os.listdir(project.layer().upper) == []
    assert project.layers.look() == ""


def test_a_layer_that_cannot_be_counted_is_not_said_to_have_grown(project: Project) -> None:
    nest(Path(project.layer().upper))
    assert project.layers.look() == ""
    project.layers.measure()
    said = project.layers.look()
    assert "held directories that cannot be looked into" in said
    assert "grown" not in said
    assert os.listdir(project.layer().upper) == []
    assert project.layers.look() == ""


def test_a_layer_within_the_limits_stays(project: Project) -> None:
    (Path(project.layer().upper) / "a").write_text("x")
    assert project.layers.look() == ""
    past = time.time() - 3 * MEASURE_EVERY_S
    stamp = Path(project.layers.path) / STAMP
    os.utime(stamp, (past, past))
    assert project.layers.look() == ""
    assert stamp.stat().st_mtime > past
    assert os.listdir(project.layer().upper) == ["a"]


def test_a_disk_without_room_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert project.layers.has_room()
    monkeypatch.setattr(cache_layers, "FREE_BYTES_MIN", 1 << 62)
    assert not project.layers.has_room()


def test_what_is_kept_is_listed_and_removed_unless_a_command_uses_it(project: Project) -> None:
    layer = project.layer()
    (Path(layer.upper) / "a").write_text("x")
    (found,) = kept_layers(str(project.state))
    assert (found.project, found.size.files) == ("+ws", 1)
    work = os.open(layer.work, os.O_RDONLY)
    fcntl.flock(work, fcntl.LOCK_EX)
    assert remove(project.layers.path) == "used"
    assert os.listdir(layer.upper) == ["a"]
    os.close(work)
    assert remove(project.layers.path) == "removed"
    assert kept_layers(str(project.state)) == ()
    assert sorted(os.listdir(project.above)) == ["+ws"]


def test_what_a_session_claims_is_removed_between_its_commands(project: Project) -> None:
    """Required: of a claim with several names nothing is left, and while a command shares it nothing is removed."""
    (project.place.parent / "other").mkdir()
    both = project.layers.over([str(project.place), str(project.place.parent / "other")])
    claims = [Path(layer.work) / "claim" for layer in both]
    claims[0].write_text("mounted\n")
    claims[1].hardlink_to(claims[0])
    shared = os.open(claims[1], os.O_RDONLY)
    fcntl.flock(shared, fcntl.LOCK_SH)
    for path in (project.layers.path, os.path.dirname(both[0].upper)):
        assert remove(path) == "used"
    assert os.read(shared, 8) == b"mounted\n"
    fcntl.flock(shared, fcntl.LOCK_UN)
    assert remove(os.path.dirname(both[0].upper)) == "removed"
    assert (os.fstat(shared).st_size, os.path.lexists(both[0].work), os.path.lexists(both[1].work)) == (0, False, True)
    assert remove(project.layers.path) == "removed"
    os.close(shared)


def test_nothing_else_is_ever_removed(project: Project) -> None:
    with pytest.raises(ValueError, match="home"):
        remove(str(project.place))
    assert project.place.is_dir()
