"""Binding to a text that may lead astray."""

from __future__ import annotations

import os
import socket
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.confined_bind import bind_at, bind_below
from sandgate.kernel.path_access import PathAccess
from sandgate.kernel.places import OpenPlace, find_place
from sandgate.kernel.socket_address import SocketAddress
from sandgate.kernel.target import AT_FDCWD, Target
from sandgate.protocol.permissions import EffectivePermissions

pytestmark = pytest.mark.host("landlock")


def raw(path: str) -> bytes:
    return struct.pack("=H", socket.AF_UNIX) + os.fsencode(path) + b"\0"


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sg") as path:  # a socket's path must be short
        yield Path(path)


def test_a_socket_is_bound_to_the_very_text_but_never_beside_the_directory(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "out").mkdir()
    (folder / "way").symlink_to("out")
    directory = os.open(folder / "in", os.O_PATH)
    base = os.open(folder, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX) as fine:
            bind_below(fine.fileno(), raw(f"{folder}/in/s"), directory=directory, base=None)
            assert fine.getsockname() == f"{folder}/in/s"
        with socket.socket(socket.AF_UNIX) as relative:
            bind_below(relative.fileno(), raw("in/r"), directory=directory, base=base)
            assert relative.getsockname() == "in/r"
        with socket.socket(socket.AF_UNIX) as astray, pytest.raises(PermissionError):
            bind_below(astray.fileno(), raw(f"{folder}/way/s"), directory=directory, base=None)
    finally:
        os.close(directory)
        os.close(base)
    assert sorted(path.name for path in folder.rglob("*")) == ["in", "out", "r", "s", "way"]


@pytest.fixture
def project(folder: Path) -> Path:
    """A root with something closed in it, and a directory in which the command may do what it likes."""
    for name in (".git", "src"):
        (folder / name).mkdir()
    return folder


def access_to(project: Path) -> PathAccess:
    closed = (f"{project}/.git",)
    return PathAccess(EffectivePermissions(writable=(str(project),), read_only=closed), {}, {})


def place_of(text: str) -> OpenPlace:
    return find_place(Target(os.getpid()), AT_FDCWD, text, follow=False)


def test_a_link_that_is_turned_after_the_look_leads_nothing_into_what_is_closed_below(project: Path) -> None:
    """Required: Landlock alone would let it through, since what is closed lies below the directory."""
    way = project / "src/way"
    for turned in (False, True):
        way.unlink(missing_ok=True)
        way.symlink_to("..")
        address = SocketAddress(raw(f"{way}/s{turned:d}"))
        with place_of(address.path) as place, socket.socket(socket.AF_UNIX) as made:
            way.unlink()
            way.symlink_to("../.git")
            if turned:
                bind_at(made.fileno(), address, place, access_to(project), cwd=None)
                assert made.getsockname() == f"{project}/s1"
            else:  # so it is without
                bind_below(made.fileno(), address.raw, directory=place.parent, base=None)
    assert [path.name for path in (project / ".git").iterdir()] == ["s0"]
    assert (project / "s1").is_socket()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("s", "s"),
        ("./s", "./s"),
        ("{project}/s", "{project}/s"),
        ("src/way/s", "{project}/s"),  # by a link
        ("src/../s", "{project}/s"),  # `src` may be a link by then
        ("src/down/s", "src/down/s"),  # a link, but nothing is closed there
    ],
)
def test_the_text_is_kept_wherever_that_is_safe(
    project: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    monkeypatch.chdir(project)
    (project / "src/way").symlink_to("..")
    (project / "src/in").mkdir()
    (project / "src/down").symlink_to("in")
    address = SocketAddress(raw(text.format(project=project)))
    cwd = None if address.path.startswith("/") else os.open(".", os.O_PATH)
    with place_of(address.path) as place, socket.socket(socket.AF_UNIX) as made:
        bind_at(made.fileno(), address, place, access_to(project), cwd=cwd)
        assert made.getsockname() == told.format(project=project)
        assert Path(place.path).is_socket()
    if cwd is not None:
        os.close(cwd)


def test_a_path_that_is_too_long_is_bound_by_its_name(project: Path) -> None:
    deep = project / ("d" * 60) / ("e" * 60)
    (deep / ".git").mkdir(parents=True)
    (project / "way").symlink_to(deep)
    address = SocketAddress(raw(f"{project}/way/s"))
    access = PathAccess(EffectivePermissions(writable=(str(project),), read_only=(f"{deep}/.git",)), {}, {})
    with place_of(address.path) as place, socket.socket(socket.AF_UNIX) as made:
        bind_at(made.fileno(), address, place, access, cwd=None)
        assert made.getsockname() == "s"
    assert (deep / "s").is_socket()
