"""What was approved is compared as it is entered and executed, without the helper as with it."""

import os
from pathlib import Path

import pytest

from sandgate.kernel.expected import exchanged
from sandgate.protocol.bindings import Bound, Identity
from sandgate.protocol.confinement import EXCHANGED


def identity(path: Path) -> Identity:
    found = path.stat()
    return Identity(found.st_dev, found.st_ino, found.st_ctime_ns)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    return tmp_path / "tool"


def found(bound: Bound, place: Path) -> tuple[str, str] | None:
    directory = os.open(place, os.O_PATH)
    try:
        failure = exchanged(bound, directory, "tool")
    finally:
        os.close(directory)
    return None if failure is None else (failure.what, failure.errno)


def test_what_is_in_its_place_starts(program: Path) -> None:
    directory = identity(program.parent).but(changed_ns=0)
    bound = Bound(directory, identity(program), files=((str(program), identity(program)),))
    assert found(bound, program.parent) is None


def test_another_directory_does_not(program: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert found(Bound(directory=identity(other)), program.parent) == ("directory", EXCHANGED)


def test_another_program_does_not(program: Path) -> None:
    bound = Bound(program=identity(program))
    program.write_text("#!/bin/sh\nexit 1\n")
    os.utime(program)
    assert found(bound.but(program=bound.program and bound.program.but(changed_ns=1)), program.parent) == (
        "program",
        EXCHANGED,
    )
    program.unlink()
    assert found(bound, program.parent) == ("program", EXCHANGED)


def test_another_file_does_not(program: Path) -> None:
    bound = Bound(files=((str(program), Identity(0, 0)),))
    assert found(bound, program.parent) == ("program", EXCHANGED)
