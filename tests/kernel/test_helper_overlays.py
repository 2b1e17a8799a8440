"""A layer of its own over a directory: written inside, unchanged outside, one command's at a time.

With a mount of the command's own, and with one that its session keeps.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel import helper as helper_module
from sandgate.kernel.layer_mounts import LayerMounts
from sandgate.protocol.confinement import Mount, Overlay
from support.kernel.helper_runs import Outcome, attend, plan_for, run

pytestmark = pytest.mark.host("namespace", "overlay")


class Place:
    """A directory with files, and what is kept over it."""

    def __init__(self, folder: Path, mounts: LayerMounts | None = None) -> None:
        self.mounts = mounts
        self.lower, self.upper, self.work = (folder / name for name in ("lower", "upper", "work"))
        for directory in (self.lower / "cache/old", self.upper, self.work):
            directory.mkdir(parents=True)
        (self.lower / "cache/file").write_text("of the host\n")
        (self.lower / "cache/old/file").write_text("older\n")
        (self.lower / "beside").write_text("beside\n")
        self.cache = self.lower / "cache"

    @property
    def lock(self) -> Path:
        """What is locked while a command uses the layer."""
        return self.work if self.mounts is None else self.work / "claim"

    @property
    def overlay(self) -> Overlay:
        return Overlay(str(self.lower), str(self.upper), str(self.work), lasting=True)

    def run(self, helper: str, script: str, *mounts: Mount, **options: object) -> Outcome:
        layered = (Mount("overlay", str(self.cache)), *mounts)
        plan = plan_for("sh", "-c", script, mounts=layered, cwd=str(self.lower), **options)  # type: ignore[arg-type]
        return run(helper, plan.but(overlays=(self.overlay,)), mounts=self.mounts)


@pytest.fixture(params=["own", "kept"])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    place = Place(tmp_path, LayerMounts() if request.param == "kept" else None)
    yield place
    if place.mounts is not None:
        place.mounts.close()


CHANGE = "echo new > cache/new && echo x >> cache/file && rm -r cache/old && mkdir cache/old && ls cache cache/old"


def test_what_is_written_stays_in_the_layer_and_is_there_the_next_time(helper: str, place: Place) -> None:
    before = sorted((path.relative_to(place.lower), path.stat().st_mtime_ns) for path in place.lower.rglob("*"))
    first = place.run(helper, CHANGE)
    assert first.output == "cache:\nfile\nnew\nold\n\ncache/old:\n"
    assert (first.failure, first.refused, "brief_overlay" in first.layers) == (None, [], False)
    assert place.run(helper, "cat cache/file cache/new; ls cache/old").output == "of the host\nx\nnew\n"
    assert before == sorted((path.relative_to(place.lower), path.stat().st_mtime_ns) for path in place.lower.rglob("*"))


def test_only_the_named_places_of_a_layer_can_be_written(helper: str, place: Place) -> None:
    outcome = place.run(helper, "echo x > beside; echo x > new; cat beside; echo y > cache/new")
    assert outcome.output.endswith("beside\n")
    assert [record.path for record in outcome.refused] == [str(place.lower / name) for name in ("beside", "new")]
    assert sorted(os.listdir(place.upper)) == ["cache"]


def test_covers_hold_on_top_of_a_layer(helper: str, place: Place) -> None:
    """Required: what is hidden below is read, copied and moved by nobody."""
    (place.cache / "token").write_text("secret\n")
    (place.cache / "kept").mkdir()
    (place.cache / "kept/token").write_text("secret\n")
    hidden = (Mount("hide_file", str(place.cache / "token")), Mount("hide_directory", str(place.cache / "kept")))
    script = (
        "cd cache; cat token kept/token; mv token t; mv kept k; cp token t; ln token t; rm -rf token kept; cat t k/*"
    )
    outcome = place.run(helper, f"exec 2>/dev/null; {script}", *hidden)
    assert outcome.output == ""
    copied = [path for path in place.upper.rglob("*") if path.is_file() and b"secret" in path.read_bytes()]
    assert (copied, (place.cache / "token").read_text()) == ([], "secret\n")
    assert place.run(helper, "cat cache/token").output == "secret\n"  # without the covers it would have been read


def test_a_link_in_the_layer_in_place_of_what_is_hidden_stops_nobody(helper: str, place: Place) -> None:
    place.run(helper, "ln -s /etc cache/later")
    (place.cache / "later").mkdir()
    (place.cache / "later/token").write_text("secret\n")
    outcome = place.run(helper, "cat cache/later/token; echo on", Mount("hide_file", str(place.cache / "later/token")))
    assert (outcome.failure, outcome.output.splitlines()[-1], "secret" in outcome.output) == (None, "on", False)


def test_a_file_in_the_layer_in_place_of_a_covered_directory_stops_nobody(helper: str, place: Place) -> None:
    place.run(helper, "echo x > cache/later")
    (place.cache / "later/shown").mkdir(parents=True)
    (place.cache / "later/token").write_text("secret\n")
    mounts = (
        Mount("hide_directory_with_openings", str(place.cache / "later")),
        Mount("read", str(place.cache / "later/shown")),
    )
    outcome = place.run(helper, "cat cache/later/token; echo on", *mounts)
    assert (outcome.failure, outcome.output.splitlines()[-1], "secret" in outcome.output) == (None, "on", False)


def test_two_commands_at_once_do_not_share_a_kept_directory(helper: str, place: Place) -> None:
    """Required: the kernel calls the result undefined. The second has a layer that ends with it."""
    told, tell = os.pipe()
    go_on, go = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    plan = plan_for("sh", "-c", "echo a > cache/first; echo ready; read line", cwd=str(place.lower))
    plan = plan.but(mounts=(Mount("overlay", str(place.cache)),), overlays=(place.overlay,))
    first = helper_module.start(plan, stdin=go_on, stdout=tell, stderr=null, helper=helper)
    try:
        assert os.read(told, 6) == b"ready\n"
        second = place.run(helper, "cat cache/file; echo b > cache/second; ls cache")
        assert second.output == "of the host\nfile\nold\nsecond\n"
        assert (second.failure, "brief_overlay" in second.layers) == (None, True)
        os.write(go, b"\n")
        attend(first)
    finally:
        first.close()
        for fd in (told, tell, go_on, go, null):
            os.close(fd)
    assert "brief_overlay" not in first.layers
    third = place.run(helper, "ls cache")
    assert (third.output, "brief_overlay" in third.layers) == ("file\nfirst\nold\n", False)


def test_the_lock_lasts_as_long_as_anything_inside(helper: str, place: Place) -> None:
    """Also of a command that nobody watches, and one whose calls were answered: both ways the lock is kept."""
    for report in ("report", "off"):
        script = f"echo x > cache/{report}; flock -n {place.lock} true 2>/dev/null || echo locked"
        assert place.run(helper, script, report=report).output == "locked\n"
        assert subprocess.run(["flock", "-n", str(place.lock), "true"], check=False).returncode == 0


@pytest.mark.parametrize("wrong", ["upper", "work"])
def test_a_layer_that_cannot_be_kept_lies_in_memory(helper: str, place: Place, wrong: str) -> None:
    getattr(place, wrong).rmdir()
    outcome = place.run(helper, "echo x > cache/new && cat cache/file cache/new")
    assert (outcome.output, "brief_overlay" in outcome.layers) == ("of the host\nx\n", True)
    assert sorted(os.listdir(place.cache)) == ["file", "old"]


def test_a_layer_that_cannot_be_had_leaves_the_place_read_only(helper: str, place: Place) -> None:
    """What lies below is a file: nothing can lie over it."""
    overlay = place.overlay.but(lower=str(place.lower / "beside"))
    plan = plan_for("sh", "-c", "echo x > cache/new; cat cache/file", cwd=str(place.lower))
    plan = plan.but(mounts=(Mount("overlay", str(place.cache)),), overlays=(overlay,))
    outcome = run(helper, plan)
    assert outcome.output.endswith("of the host\n")
    assert ("no_overlay" in outcome.layers, [record.path for record in outcome.refused]) == (
        True,
        [str(place.cache / "new")],
    )


def test_a_link_in_a_layer_brings_no_protected_name_into_being(helper: str, tmp_path: Path, place: Place) -> None:
    """Required: names are looked up as the command sees them, also where only its layer has the link."""
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (place.cache / "turned").mkdir()
    (workspace / "in").symlink_to(place.cache)
    absent = str(workspace / ".envrc")
    ways = ("cache/link", "cache/turned", "cache/old/../link", "../ws/in/link", "cache/./turned", "../ws/in/turned")
    script = f"cd {place.lower}; ln -s {workspace} cache/link; rmdir cache/turned; ln -s {workspace} cache/turned; "
    script += "".join(f"echo x > {way}/.envrc; mkdir {way}/.envrc; mv cache/file {way}/.envrc; " for way in ways)
    script += "cd cache/turned && echo x > .envrc; cd ../lower/cache/link && echo x > .envrc"
    write = (Mount("write", str(workspace)),)
    outcome = place.run(helper, f"exec 2>/dev/null; {script}", *write, absent=(absent,))
    assert (outcome.failure, os.path.lexists(absent)) == (None, False)
    assert {record.path for record in outcome.refused} == {absent}
    place.run(helper, f"echo x > {workspace}/in/link/.envrc", *write)
    assert os.path.lexists(absent)  # the link leads there; only the protection kept it


def test_sockets_in_a_layer_work(helper: str, place: Place) -> None:
    code = """
import os, socket
server = socket.socket(socket.AF_UNIX)
server.bind("cache/socket")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("cache/socket")
print("met")
"""
    (place.lower / "code.py").write_text(code)
    assert place.run(helper, "python3 -I -S code.py").output == "met\n"
