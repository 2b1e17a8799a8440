"""`sandgate caches`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sandgate.config.paths import state_directory
from sandgate.sandbox.cache_layers import Layers
from sandgate.sandbox.private_tmp import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.fixture
def kept(program: Any, tmp_path: Path) -> Path:  # noqa: ARG001 - it sets the home and the directory
    """A layer of the project that the program is started in, and one of another."""
    place = tmp_path / "cache"
    place.mkdir()
    for project in (os.path.realpath(os.getcwd()), "/another"):
        held = private_directory(str(state_directory(os.environ)), project)
        assert held is not None
        (layer,) = Layers(held.path).over([str(place)])
        (Path(layer.upper) / "file").write_text("x")
    return place


def test_the_list_says_whose_where_how_much_and_when(program: Any, kept: Path) -> None:
    assert program("caches") == 0
    assert [line.split("  ")[:2] for line in program.out.splitlines()] == sorted(
        [[os.path.realpath(os.getcwd()), str(kept)], ["/another", str(kept)]]
    )
    assert "MiB in 1 files  used 20" in program.out
    assert program("caches", "list", "--json") == 0
    assert {one["project"] for one in json.loads(program.out)["caches"]} == {os.path.realpath(os.getcwd()), "/another"}


def test_clearing_is_about_this_project_unless_it_says_all(program: Any, kept: Path) -> None:
    assert program("caches", "clear") == 0
    assert program("caches", "list") == 0
    assert program.out.split("  ")[:2] == ["/another", str(kept)]
    assert program("caches", "clear", "--all") == 0
    assert program("caches") == 0
    assert program.out == ""
    assert program("caches", "clear") == 0
    assert "nothing to clear" in program.err


@pytest.mark.parametrize("words", [("caches", "--all"), ("caches", "clear", "--json")])
def test_an_option_that_means_nothing_is_refused(program: Any, words: tuple[str, ...]) -> None:
    assert program(*words) != 0
    assert "means nothing" in program.err
