"""A file for what a model said, in a directory its commands may change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.cli.last_message import LastMessageFile


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    repo, outside = tmp_path / "repo", tmp_path / "home"
    repo.mkdir()
    outside.mkdir()
    (outside / ".bashrc").write_text("mine")
    return repo, outside


def test_a_link_put_in_its_place_meanwhile_leads_nothing_anywhere(places: tuple[Path, Path]) -> None:
    """Required: the text is the model's, and the directory is its commands'."""
    repo, outside = places
    file = LastMessageFile(str(repo / "last.md"), (str(repo),))
    (repo / "last.md").unlink()
    (repo / "last.md").symlink_to(outside / ".bashrc")
    file.write("rm -rf ~")
    file.close()
    assert (outside / ".bashrc").read_text() == "mine"


@pytest.mark.parametrize("way", ["file", "directory"])
def test_a_link_an_earlier_run_left_is_not_followed_out(places: tuple[Path, Path], way: str) -> None:
    repo, outside = places
    if way == "file":
        (repo / "out").symlink_to(outside / ".bashrc")
        path = repo / "out"
    else:
        (repo / "out").symlink_to(outside)
        path = repo / "out" / ".bashrc"
    with pytest.raises(RequestError, match="leads out of a place"):
        LastMessageFile(str(path), (str(repo),))
    assert (outside / ".bashrc").read_text() == "mine"


def test_a_file_elsewhere_is_the_person_s_choice(places: tuple[Path, Path]) -> None:
    repo, outside = places
    (outside / "link").symlink_to(outside / "real")
    file = LastMessageFile(str(outside / "link"), (str(repo),))
    file.write("done \udcff")
    file.close()
    assert (outside / "real").read_bytes() == b"done \\udcff"


def test_without_a_message_the_file_keeps_what_it_held(places: tuple[Path, Path]) -> None:
    repo, _ = places
    (repo / "last.md").write_text("before")
    LastMessageFile(str(repo / "last.md"), (str(repo),)).close()
    assert (repo / "last.md").read_text() == "before"


def test_a_pipe_that_nobody_reads_does_not_hold_us(places: tuple[Path, Path]) -> None:
    repo, _ = places
    os.mkfifo(repo / "pipe")
    with pytest.raises(RequestError, match="cannot write"):
        LastMessageFile(str(repo / "pipe"), (str(repo),))


def test_a_pipe_that_somebody_reads_gets_the_text(places: tuple[Path, Path]) -> None:
    repo, _ = places
    reader, writer = os.pipe()
    file = LastMessageFile(f"/proc/self/fd/{writer}", (str(repo),))
    file.write("done")
    file.close()
    assert os.read(reader, 100) == b"done"
    os.close(reader)
    os.close(writer)
