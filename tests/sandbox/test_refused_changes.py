"""The small grants of what was refused and did not wait."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.denials import Refused
from sandgate.protocol.permissions import EffectivePermissions, Grant
from sandgate.sandbox.refused_changes import RefusedChanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "x").write_text("x")
    return tmp_path


def changes(home: Path, script: str, *given: Grant) -> RefusedChanges:
    permissions = EffectivePermissions(writable=(f"{home}/ws",))
    plan = ConfinedCommand("namespace", ("sh", "-c", script), f"{home}/ws", {"HOME": str(home)}, permissions)
    return RefusedChanges(plan.but(supervised_grants=given))


def refused(operation: Any, path: Path, **more: Any) -> Refused:
    return Refused(operation, "call", str(path), **more)


def test_a_move_takes_both_names(home: Path) -> None:
    found = changes(home, "cd /; mv ~/x ~/y && ls ~/z").grants(refused("rename", home / "x"))
    assert found == (Grant("remove", f"{home}/x"), Grant("new_entry", f"{home}/y"))


def test_a_move_out_of_the_workspace_takes_the_new_name(home: Path) -> None:
    assert changes(home, "mv f ~/y").grants(refused("rename", home / "y")) == (Grant("new_entry", f"{home}/y"),)
    assert changes(home, "mv f ~/x").grants(refused("rename", home / "x")) == (Grant("write_path", f"{home}/x"),)


def test_a_tree_is_removed_as_one(home: Path) -> None:
    assert changes(home, "rm -r ~/d").grants(refused("delete", home / "d/e/f")) == (Grant("remove", f"{home}/d"),)


def test_no_home_is_removed_as_one(home: Path) -> None:
    assert changes(home, "rm -r ~").grants(refused("delete", home / "x")) == (Grant("remove", f"{home}/x"),)


def test_a_random_name_among_scratch_files_would_be_another_one_the_next_time(home: Path) -> None:
    found = changes(home, "mktemp /var/tmp/XXXX").grants(Refused("create", "openat", "/var/tmp/a8Gh", exclusive=True))
    assert found == (Grant("write_root", "/var/tmp"),)


def test_a_bare_repository_is_opened_by_a_view_in_which_its_code_stays_closed(home: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(home / "bare")], check=True)
    push = changes(home, "git push ../bare")
    assert push.grants(refused("create", home / "bare/objects/new")) == (Grant("write_root", f"{home}/bare"),)
    hook = home / "bare/hooks/post-receive"
    assert push.grants(refused("create", hook)) == (Grant("new_entry", str(hook)),)


def test_what_takes_a_view_is_left_to_it(home: Path) -> None:
    assert changes(home, "x").grants(refused("create", home / "ws/.git/index.lock")) is None
    assert changes(home, "x").grants(Refused("connect", "connect", address="192.0.2.1:1")) is None


def test_names_that_were_given_one_by_one_become_their_directory(home: Path) -> None:
    (home / "out").mkdir()
    given = tuple(Grant("new_entry", f"{home}/out/{number}") for number in (1, 2))
    assert changes(home, "x", *given).grants(refused("create", home / "out/3")) == (Grant("write_root", f"{home}/out"),)
    assert changes(home, "x").grants(refused("create", home / "out/3")) == (Grant("new_entry", f"{home}/out/3"),)
