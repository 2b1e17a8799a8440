"""`sandgate config show`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def test_every_setting_stands_on_its_line(program: Any) -> None:
    assert program("config", "show", "-c", "sandbox.nested_depth=2") == 0
    lines = program.out.splitlines()
    assert "sandbox.nested_depth = 2" in lines
    assert all(" = " in line for line in lines)


def test_the_origin_is_named_on_request(program: Any) -> None:
    config = program.home / ".sandgate" / "config.toml"
    config.parent.mkdir()
    config.write_text('approval_policy = "untrusted"\n')
    config.chmod(0o600)
    assert program("config", "show", "--origin") == 0
    (line,) = (line for line in program.out.splitlines() if line.startswith("approval_policy = "))
    assert line.startswith('approval_policy = "untrusted"  # ')
    assert str(config) in line


def test_json_has_a_value_and_an_origin_for_each(program: Any) -> None:
    assert program("config", "show", "--json", "-s", "read-only") == 0
    told = json.loads(program.out)
    assert told["sandbox_mode"]["value"] == "read-only"
    assert all(sorted(entry) == ["origin", "value"] for entry in told.values())


def test_a_broken_file_is_named_and_nothing_is_shown(program: Any) -> None:
    config = program.home / ".sandgate" / "config.toml"
    config.parent.mkdir()
    config.write_text("approval_policy =\n")
    assert program("config", "show") == 78
    assert program.out == ""
    assert str(config) in program.err


def test_what_is_closed_of_the_home_and_where_tmp_lies_is_said_beside_the_settings(program: Any) -> None:
    for name in (".foo", ".bar", ".bashrc", "plain"):
        (program.home / name).mkdir()
    assert program("config", "show") == 0
    assert (
        "sandgate: home: closed unless known to be harmless; 3 entries are closed now" in program.err
    )  # `.local` has our state
    assert program("config", "show", "-c", f'secrets.opened=["{program.home}/.foo"]') == 0
    assert "; 2 entries are closed now (to open one: secrets.opened = " in program.err
    assert "sandgate: commands here have as " in program.err
    assert f": {program.home}/.local/state/sandgate/tmp/" in program.err


def test_what_the_settings_come_to_is_said_in_full(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: defaults that a program adds are no less in force than what a file says."""
    (program.home / ".foo").mkdir()
    Path(".vscode").mkdir()
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    options = ("--network", "on", "-c", 'sandbox.protected_names=["build.lock"]')
    assert program("config", "show", *options) == 0
    said = {
        line.partition(": ")[0]: line.partition(": ")[2] for line in program.err.replace("sandgate: ", "").splitlines()
    }
    assert said["in force"].endswith(", the network on")
    assert os.getcwd() in said["commands may write"].split(", ")
    assert {".vscode", ".envrc", "build.lock"} <= set(said["protected there"].split(", "))
    assert f"{program.home}/.foo" in said["hidden"].split(", ")
    assert "MY_TOKEN" in said["variables not passed on"].split(", ")
    assert "s3cret" not in program.err


def test_where_nothing_is_confined_nothing_is_said_of_the_home(program: Any) -> None:
    assert program("config", "show", "-s", "danger-full-access") == 0
    assert program.err == ""


def test_the_hosts_tmp_is_said_to_be_the_hosts(program: Any) -> None:
    assert program("config", "show", "-c", 'sandbox.tmp="shared"') == 0
    assert "sandgate: commands here have as /tmp: the host's\n" in program.err
