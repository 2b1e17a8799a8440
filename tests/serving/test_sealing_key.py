"""The sealing key: one for each user, the same after a restart, and nobody else's."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from sandgate.errors import ApprovalsUnusable, ConfigError
from sandgate.serving.sealing_key import KEY_BYTES, KEY_NAME, sealing_key

STATE = ".local/state/sandgate"
ASKERS = 8


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_it_is_made_once_in_a_home_that_has_nothing_yet_and_kept(environ: dict[str, str], tmp_path: Path) -> None:
    key = sealing_key(environ)
    file = tmp_path / STATE / KEY_NAME
    assert (len(key), sealing_key(environ), file.read_bytes()) == (KEY_BYTES, key, key)
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)


def test_every_home_has_another(tmp_path: Path) -> None:
    assert len({sealing_key({"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / name)}) for name in "abc"}) == 3


def test_servers_that_start_together_have_the_same(environ: dict[str, str]) -> None:
    begin, found = threading.Barrier(ASKERS), list[bytes]()

    def ask() -> None:
        begin.wait(10)
        found.append(sealing_key(environ))

    threads = [threading.Thread(target=ask) for _ in range(ASKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert (len(found), len(set(found))) == (ASKERS, 1)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_key_of_another_length_is_replaced(environ: dict[str, str], tmp_path: Path, content: bytes) -> None:
    """Required: nothing is ever sealed with a key that could be guessed."""
    sealing_key(environ)
    (tmp_path / STATE / KEY_NAME).write_bytes(content)
    key = sealing_key(environ)
    assert (len(key), key != content, sealing_key(environ)) == (KEY_BYTES, True, key)


@pytest.mark.parametrize("how", ["link", "open to others", "directory"])
def test_a_file_that_somebody_else_may_have_made_is_refused(environ: dict[str, str], tmp_path: Path, how: str) -> None:
    sealing_key(environ)
    file = tmp_path / STATE / KEY_NAME
    if how == "open to others":
        file.chmod(0o666)
    else:
        known = file.read_bytes()
        file.unlink()
        if how == "link":
            (tmp_path / "known").write_bytes(known)
            file.symlink_to(tmp_path / "known")
        else:
            file.mkdir()
    with pytest.raises(ApprovalsUnusable, match=KEY_NAME):
        sealing_key(environ)


def test_a_place_that_others_can_write_to_is_refused(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / STATE).mkdir(parents=True)
    (tmp_path / STATE).chmod(0o777)
    with pytest.raises(ConfigError, match="other users can write"):
        sealing_key(environ)


def test_no_place_at_all_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot make"):
        sealing_key({"HOME": str(tmp_path / "file")})
