"""`sandgate config show`."""

from __future__ import annotations

import json

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
