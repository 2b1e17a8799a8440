"""Resolving a path in one pass."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.sandbox.following import LINKS_MAX, Followed
from sandgate.sandbox.looking import Look


def test_a_plain_path_meets_no_links(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert Look().follow(f"{tmp_path}/./x/../") == Followed(str(tmp_path))
    assert Look().follow("/") == Followed("/")


def test_every_link_on_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "one").symlink_to("real")
    (tmp_path / "real" / "two").symlink_to(tmp_path / "one" / "deep")
    found = Look().follow(f"{tmp_path}/one/two")
    links = (f"{tmp_path}/one", f"{tmp_path}/real/two", f"{tmp_path}/one")
    assert found == Followed(f"{tmp_path}/real/deep", links)


@pytest.mark.parametrize("path", ["gone", "file/below", "dangling"])
def test_what_does_not_exist_leads_nowhere(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to("gone")
    assert Look().follow(f"{tmp_path}/{path}") is None


def test_a_loop_ends(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert Look().follow(f"{tmp_path}/loop") is None


def test_as_many_links_as_the_kernel_follows_are_followed(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    for number in range(1, LINKS_MAX + 2):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    found = Look().follow(f"{tmp_path}/{LINKS_MAX}")
    assert found is not None
    assert found.real == f"{tmp_path}/0"
    assert Look().follow(f"{tmp_path}/{LINKS_MAX + 1}") is None


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/\xff")
    assert Look().follow(f"{tmp_path}/\udcff") == Followed(f"{tmp_path}/\udcff")
