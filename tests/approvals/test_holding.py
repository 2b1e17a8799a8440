"""What a question is about, seen on the disk: the same as long as nothing changed, and a word for what did."""

import subprocess
from pathlib import Path

import pytest

from sandgate.approvals import holding
from sandgate.approvals.holding import Held, binding_of
from sandgate.protocol.bindings import ABSENT
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.permissions import EffectivePermissions, Grant, PrivateTmp
from support.process.waiting import none_left_open, open_descriptors


def command(place: Path, *argv: str) -> CommandRequest:
    return CommandRequest(argv or ("sh", "x.sh"), str(place), {"PATH": "/usr/bin:/bin"})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "x.sh").write_text("echo one\n")
    return work


CHANGES = {
    "written": "echo echo two > x.sh",
    "same length": "echo echo 1ne > x.sh",
    "gone": "rm x.sh",
    "a directory": "rm x.sh; mkdir x.sh",
    "a pipe": "rm x.sh; mkfifo x.sh",
    "what opens and does not read": "ln -sf /proc/self/mem x.sh",
    "another directory": "cd ..; mv work old; mkdir work",
    "a link": "cd ..; mv work old; ln -s old work",
}
HARMLESS = {
    "another file": "echo x > other",
    "its times": "touch x.sh",
    "its mode": "chmod 700 x.sh",
    "the same content in another file": "echo echo one > y; mv y x.sh",
    "another name": "ln x.sh y",
}


def do(place: Path, script: str) -> None:
    subprocess.run(["sh", "-c", script], cwd=place, check=True)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_and_named(place: Path, change: str) -> None:
    held = Held(command(place), ())
    assert held.changed() == ""
    do(place, CHANGES[change])
    assert ("x.sh" in held.changed()) or (str(place) in held.changed())
    held.close()


@pytest.mark.parametrize("harmless", HARMLESS)
def test_what_runs_the_same_is_no_change(place: Path, harmless: str) -> None:
    held = Held(command(place), ())
    do(place, HARMLESS[harmless])
    assert held.changed() == ""
    held.close()


def test_a_file_that_would_come_first_is_a_change(place: Path) -> None:
    (place / "Makefile").write_text("all:\n")
    held = Held(command(place, "make"), ())
    (place / "GNUmakefile").write_text("all:\n")
    assert "GNUmakefile" in held.changed()
    held.close()


def test_a_program_planted_earlier_on_the_path_is_a_change(place: Path, tmp_path: Path) -> None:
    early = tmp_path / "bin"
    early.mkdir()
    asked = command(place, "ls").but(env={"PATH": f"{early}:/usr/bin:/bin"})
    held = Held(asked, ())
    (early / "ls").write_text("#!/bin/sh\n")
    (early / "ls").chmod(0o755)
    assert "ls" in held.changed()
    held.close()


def test_a_granted_directory_that_is_another_one_is_a_change(place: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    held = Held(command(place, "ls"), (Grant("write_root", str(root)),))
    root.rmdir()
    root.mkdir()
    assert str(root) in held.changed()
    held.close()


def test_a_granted_directory_that_is_missing_is_made_after_the_answer(place: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    held = Held(command(place), (Grant("write_root", str(root)),))
    assert not root.exists()
    assert held.make_roots() == ""
    assert root.is_dir()
    assert (held.make_roots(), held.changed()) == ("", "")
    root.rmdir()
    root.mkdir()
    assert str(root) in held.changed()
    held.close()


def test_nothing_is_made_where_anything_else_is_not_as_it_was(place: Path, tmp_path: Path) -> None:
    held = Held(command(place), (Grant("write_root", str(tmp_path / "root")),))
    (place / "x.sh").write_text("echo two\n")
    assert "x.sh" in held.make_roots()
    assert not (tmp_path / "root").exists()
    held.close()


def test_no_directory_is_made_behind_a_link(place: Path, tmp_path: Path) -> None:
    """Required: what was approved is a place, and not whatever somebody has it lead to meanwhile."""
    above, elsewhere = tmp_path / "above", tmp_path / "elsewhere"
    above.mkdir()
    elsewhere.mkdir()
    held = Held(command(place), (Grant("write_root", str(above / "root")),))
    above.rmdir()
    above.symlink_to(elsewhere)
    assert held.make_roots() == ""
    assert not (elsewhere / "root").exists()
    held.close()


def test_the_system_s_own_programs_are_not_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "_digest", lambda *_: pytest.fail("something was read"))
    assert all(not seen.read for seen in binding_of(command(place, "ls", "-l")).places)


def test_too_large_a_file_is_known_by_its_last_change(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "FILE_BYTES_MAX", 4)
    held = Held(command(place), ())
    assert not any(seen.read for seen in held.binding.places)
    (place / "x.sh").write_text("echo two\n")
    assert "x.sh" in held.changed()
    held.close()


def test_what_the_view_covers_is_not_compared_inside_it(place: Path) -> None:
    held = Held(command(place), ())
    assert held.changed() == ""
    plan = ConfinedCommand("namespace", ("sh", "x.sh"), str(place), {}, EffectivePermissions())
    assert held.bound(plan).directory is not None
    covered = plan.but(mounts=(Mount("hide_directory", str(place.resolve().parent)),))
    assert (held.bound(covered).directory, held.bound(covered).files) == (None, ())
    held.close()


def test_nothing_there_is_a_state_like_any_other(tmp_path: Path) -> None:
    asked = command(tmp_path / "missing")
    assert all(seen.state == ABSENT for seen in binding_of(asked).places if seen.kind != "program")


def test_closing_leaves_no_descriptor(place: Path) -> None:
    before = open_descriptors()
    held = Held(command(place), (Grant("write_root", str(place)),))
    held.close()
    held.close()
    assert none_left_open(before)


def test_a_program_inside_a_script_that_is_planted_earlier_on_the_path_is_a_change(place: Path, tmp_path: Path) -> None:
    early = tmp_path / "bin"
    early.mkdir()
    asked = command(place, "bash", "-c", "true && ls").but(env={"PATH": f"{early}:/usr/bin:/bin"})
    held = Held(asked, ())
    (early / "ls").write_text("#!/bin/sh\n")
    (early / "ls").chmod(0o755)
    assert "ls" in held.changed()
    held.close()


@pytest.mark.parametrize("argv", [("./tool", "x"), ("bash", "-c", "./tool x"), ("bash", "-c", "true; ./tool")])
def test_a_link_to_a_program_of_the_system_that_leads_elsewhere_is_a_change(place: Path, argv: tuple[str, ...]) -> None:
    (place / "tool").symlink_to("/usr/bin/env")
    held = Held(command(place, *argv), ())
    assert held.binding.files == ()
    (place / "tool").unlink()
    (place / "tool").write_text("#!/bin/sh\n")
    (place / "tool").chmod(0o755)
    assert "tool" in held.changed()
    held.close()


def test_what_is_private_to_commands_is_not_compared_with_the_host_s(place: Path) -> None:
    held = Held(command(place), ())
    assert held.changed() == ""
    above = str(place.resolve().parent)
    private = EffectivePermissions(private_tmp=PrivateTmp(above, ""))
    plan = ConfinedCommand("namespace", ("sh", "x.sh"), str(place), {}, private)
    assert (held.bound(plan).directory, held.bound(plan).files) == (None, ())
    named = plan.but(permissions=private.but(private_tmp=PrivateTmp(above, "", shown=(str(place.resolve()),))))
    assert held.bound(named).directory is not None
    held.close()


def test_a_long_line_hides_no_file_from_the_look(place: Path) -> None:
    """Required: what comes behind many other things to execute, absent ones too, is tied like the first."""
    before = "; ".join(f"cd d{number} && npm test && make -C x" for number in range(20))
    held = Held(command(place, "bash", "-c", f"{before}; bash x.sh"), ())
    assert str(place / "x.sh") in held.binding.files
    assert held.changed() == ""
    do(place, CHANGES["written"])
    assert "x.sh" in held.changed()
    held.close()


def test_more_than_can_be_looked_at_is_never_as_it_was(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: an approval that could not be tied to all it was about holds for nothing, and says why."""
    monkeypatch.setattr(holding, "FILES_MAX", 4)
    for number in range(4):
        (place / f"y{number}.sh").write_text("")
    script = "; ".join(f". ./y{number}.sh" for number in range(4))
    enough, more = (Held(command(place, "bash", "-c", f"{script}{end}"), ()) for end in ("", "; . ./x.sh"))
    assert enough.changed() == ""
    assert "too many to be held to what was approved" in more.changed()
    assert not more.binding.lasting(changing=False).holds(
        binding_of(command(place, "bash", "-c", f"{script}; . ./x.sh"))
    )
    enough.close()
    more.close()
