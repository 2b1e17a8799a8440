"""Where programs lie on a real disk: links, directories that are links, what is no program."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from sandgate.sandbox.program_facts import program_at, programs_on_disk


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`ws`, the workspace, and `opt`, another place; nothing of the machine's temporary directories counts."""
    monkeypatch.setattr("sandgate.policy.program_places.SHARED", ())
    place = tmp_path_factory.mktemp("machine")
    program(place / "opt" / "tool")
    program(place / "ws" / "planted" / "tool")
    (place / "ws" / "data").mkdir()
    (place / "ws" / "data" / "tool").write_text("no program")
    (place / "ws" / "folder" / "tool").mkdir(parents=True)
    (place / "inwards").mkdir()
    (place / "inwards" / "tool").symlink_to(place / "ws" / "planted" / "tool")
    (place / "ws" / "outwards").symlink_to(place / "opt")
    (place / "whole").symlink_to(place / "ws" / "planted")
    (place / "alias").symlink_to(place / "ws")
    return place


@pytest.mark.parametrize(
    ("path", "planted"),
    [
        ("opt", False),
        ("ws/planted:opt", True),
        ("opt:ws/planted", False),
        ("ws/data:opt", False),  # may not be executed
        ("ws/folder:opt", False),
        ("ws/missing:opt", False),
        ("inwards:opt", True),
        ("ws/outwards:opt", True),
        ("whole:opt", True),
        ("alias/planted:opt", True),
    ],
)
@pytest.mark.parametrize("sandbox", [WorkspaceWrite(), ReadOnly()])
def test_the_program_that_would_run_is_found(
    machine: Path, path: str, planted: bool, sandbox: WorkspaceWrite | ReadOnly
) -> None:
    entries = ":".join(str(machine / entry) for entry in path.split(":"))
    command = CommandRequest(("tool",), str(machine / "ws"), {"PATH": entries})
    assert bool(programs_on_disk(sandbox, str(machine / "ws"))(command).planted("tool")) is planted
    assert bool(programs_on_disk(sandbox, str(machine / "alias"))(command).planted("tool")) is planted


def test_relative_entries_are_below_the_directory_of_the_command(machine: Path) -> None:
    places = programs_on_disk(WorkspaceWrite(), str(machine / "ws"))
    for cwd, path in (("ws/planted", "."), ("ws/planted", ""), ("ws", "planted"), ("opt", "../ws/planted")):
        assert places(CommandRequest(("tool",), str(machine / cwd), {"PATH": path})).planted("tool")
    assert not places(CommandRequest(("tool",), str(machine / "opt"), {"PATH": "."})).planted("tool")


def test_names_no_file_can_have_lead_nowhere() -> None:
    assert program_at("/usr/bin/\0") is None
    assert program_at("/" + "x" * 5000) is None
