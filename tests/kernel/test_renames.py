"""Names that change hands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.renames import exchange, rename_new


@pytest.fixture
def held(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_two_files_change_names(tmp_path: Path, held: int) -> None:
    exchange(held, "a", "b")
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("B", "A")


def test_nothing_is_exchanged_with_nothing(tmp_path: Path, held: int) -> None:
    with pytest.raises(FileNotFoundError):
        exchange(held, "a", "c")
    assert (tmp_path / "a").read_text() == "A"


def test_a_new_name_is_new(tmp_path: Path, held: int) -> None:
    rename_new(held, "a", "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "c"]
    with pytest.raises(FileExistsError):
        rename_new(held, "c", "b")
    assert (tmp_path / "b").read_text() == "B"
