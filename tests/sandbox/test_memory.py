"""An answer is used again for exactly as long as what it rests on stands."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.sandbox import looking, memory
from sandgate.sandbox.looking import Look
from sandgate.sandbox.memory import Memory
from waiting import until_the_clock_of_files_moves


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing counts as just changed."""
    monkeypatch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
    monkeypatch.setattr(looking, "UNSETTLED_WHOLE_SECONDS_NS", -time.time_ns())


class Asked:
    """Counts how often the disk was really asked."""

    def __init__(self, ask: Callable[[Look], object]) -> None:
        self.times = 0
        self._ask = ask

    def __call__(self, look: Look) -> object:
        self.times += 1
        return self._ask(look)


Remembering = Callable[[Callable[[Look], object]], tuple[Memory, Asked]]


@pytest.fixture
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Remembering:
    elsewhere = tmp_path_factory.mktemp("clock")
    return lambda ask: _remembering(ask, elsewhere)


def _remembering(ask: Callable[[Look], object], elsewhere: Path) -> tuple[Memory, Asked]:
    """A memory that knows the answer already, at a time when a change would show."""
    known, asked = Memory(), Asked(ask)
    for _ in range(2):
        known.now().recall("key", asked)
    known.now().recall("key", asked)
    assert asked.times == 2  # the first of a session is not kept
    until_the_clock_of_files_moves(elsewhere)
    return known, asked


def test_the_same_moment_gives_the_same_answer(tmp_path: Path, remembering: Remembering) -> None:
    known, asked = remembering(lambda look: look.exists(f"{tmp_path}/x"))
    assert known.now().recall("key", asked) is False
    assert asked.times == 2


CHANGES: dict[str, Callable[[Path], object]] = {
    "a name is made": lambda at: (at / "new").touch(),
    "a name is removed": lambda at: (at / "file").unlink(),
    "a file is written": lambda at: (at / "file").write_text("other"),
    "a file gets a second name": lambda at: os.link(at / "file", at.parent / "outside"),
    "a file gets another mode": lambda at: (at / "file").chmod(0o600),
    "a file is replaced": lambda at: (at.parent / "other").replace(at / "file"),
    "a link is turned": lambda at: turned(at / "link"),
    "a directory becomes a link": lambda at: linked(at),
    "a directory above becomes a link": lambda at: linked(at.parent),
    "it all goes": lambda at: at.rename(at.parent / "moved"),
    "a text is rewritten in place": lambda at: rewritten(at / "text"),
}


def turned(link: Path) -> None:
    link.unlink()
    link.symlink_to("elsewhere")


def linked(directory: Path) -> None:
    directory.rename(directory.parent / "moved")
    directory.symlink_to("moved")


def rewritten(path: Path) -> None:
    """With the times of the file and its directory as they were, as far as anybody can set them."""
    before = path.stat()
    path.write_text("later")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    at = tmp_path / "above" / "place"
    at.mkdir(parents=True)
    (at / "file").touch()
    (at / "text").write_text("early")
    (at / "link").symlink_to("file")
    (at.parent / "other").touch()
    return at


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_is_noticed(place: Path, what: str, remembering: Remembering) -> None:
    def ask(look: Look) -> object:
        names = look.names(str(place))
        about = [look.lstat(f"{place}/{name}") for name in ("file", "link", "gone")]
        return names, about, look.real(f"{place}/link"), look.text(f"{place}/text", 99)

    known, asked = remembering(ask)
    CHANGES[what](place)
    fresh = ask(Look())
    assert known.now().recall("key", asked) == fresh
    assert asked.times == 3


def test_a_name_that_appears_behind_a_link_is_noticed(tmp_path: Path, remembering: Remembering) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    known, asked = remembering(lambda look: look.exists(f"{tmp_path}/link/x"))
    (tmp_path / "d" / "x").touch()
    assert known.now().recall("key", asked) is True


def test_what_happens_beside_it_is_not_its_business(tmp_path: Path, remembering: Remembering) -> None:
    (tmp_path / "d").mkdir()
    known, asked = remembering(lambda look: look.exists(f"{tmp_path}/d/x"))
    (tmp_path / "beside").touch()
    known.now().recall("key", asked)
    assert asked.times == 2


def test_within_one_moment_a_path_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remembering: Remembering
) -> None:
    known, asked = remembering(lambda look: look.exists(f"{tmp_path}/x"))
    known.keep("other", "same grounds", known.answers["key"][1])
    moment = known.now()
    moment.recall("key", asked)
    monkeypatch.setattr(os, "lstat", None)
    assert moment.recall("other", asked) == "same grounds"


def test_an_answer_without_grounds_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remembering: Remembering
) -> None:
    known, asked = remembering(lambda look: look.exists(f"{tmp_path}/x"))
    monkeypatch.setattr(looking, "UNSETTLED_NS", 10**18)
    (tmp_path / "x").touch()
    for count in (3, 4):
        assert known.now().recall("key", asked) is True
        assert asked.times == count


def test_an_error_is_no_answer(tmp_path: Path) -> None:
    known = Memory()

    def fails(_look: Look) -> object:
        raise ValueError(str(tmp_path))

    for _ in range(3):
        with pytest.raises(ValueError, match="pytest"):
            known.now().recall("key", fails)
    assert known.answers == {}


def test_what_is_remembered_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "ANSWERS_MAX", 3)
    known = Memory()
    known.now()
    for number in range(9):
        known.now().recall(number, lambda look: look.exists(str(tmp_path)))
    assert list(known.answers) == [6, 7, 8]
    monkeypatch.setattr(memory, "LISTINGS_MAX", 0)
    known.now().recall("listing", lambda look: look.listing(str(tmp_path)))
    assert known.listings
    known.now()
    assert known.listings == {}


def test_what_follows_from_the_same_answers_is_made_once(tmp_path: Path) -> None:
    known = Memory()
    one, other = (str(tmp_path),), (str(tmp_path),)
    made = [known.now().derive("key", (one,), lambda: object()) for _ in range(2)]
    assert made[0] is made[1]
    assert known.now().derive("key", (other,), lambda: "new") == "new"  # equal, but somebody looked again
    assert known.now().derive("key", (other, other), lambda: "newer") == "newer"


def test_the_marks_are_those_of_what_is_known(tmp_path: Path, remembering: Remembering) -> None:
    known, _asked = remembering(lambda look: look.names(str(tmp_path)))
    found = os.lstat(tmp_path)
    assert known.marks() == {str(tmp_path): (found.st_dev, found.st_ino, found.st_ctime_ns)}
    assert Memory().marks() == {}
