"""An answer is used again for exactly as long as what it rests on stands."""

from __future__ import annotations

import errno
import os
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sandgate.sandbox import looking, memory
from sandgate.sandbox.grounds import Grounds
from sandgate.sandbox.looking import Look
from sandgate.sandbox.memory import LaterLook, Memory, Moment
from support.process.waiting import LIMIT_S, until_the_clock_of_files_moves


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


def without_access(about: os.stat_result | None) -> object:
    """The kernel notes an access, such as our own look behind a link, when it likes (relatime in mount(8))."""
    return about and (about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_is_noticed(place: Path, what: str, remembering: Remembering) -> None:
    def ask(look: Look) -> object:
        names = look.names(str(place))
        about = [without_access(look.lstat(f"{place}/{name}")) for name in ("file", "link", "gone")]
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
        with pytest.raises(ValueError, match=tmp_path.name):
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


def test_the_same_answer_is_the_same_object_also_where_it_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "UNSETTLED_NS", 1 << 62)  # everything has just changed
    monkeypatch.setattr(looking, "UNSETTLED_WHOLE_SECONDS_NS", 1 << 62)
    known = expecting_more()
    first, again = (known.now().recall("key", lambda look: list(look.names(str(tmp_path)))) for _ in range(2))
    assert first is again
    (tmp_path / "new").touch()
    assert known.now().recall("key", lambda look: list(look.names(str(tmp_path)))) == ["new"] != first


def test_the_marks_are_those_of_what_is_known(tmp_path: Path, remembering: Remembering) -> None:
    known, _asked = remembering(lambda look: look.names(str(tmp_path)))
    found = os.lstat(tmp_path)
    assert known.marks() == {str(tmp_path): (found.st_dev, found.st_ino, found.st_ctime_ns)}
    assert Memory().marks() == {}


# Several at once


AT_ONCE = 8


class Question:
    """A key that knows how many threads have asked with it."""

    def __init__(self) -> None:
        self._threads: dict[int, None] = {}
        self._changed = threading.Condition()

    def __hash__(self) -> int:
        with self._changed:
            self._threads[threading.get_ident()] = None
            self._changed.notify_all()
        return 1

    def until_asked_by(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._threads) >= count, LIMIT_S)


def asked_at_once(known: Memory, ask: Callable[[Look], object]) -> list[object]:
    """What as many threads are told whose first looks only once all of them have asked."""
    question = Question()

    def first(look: Look) -> object:
        question.until_asked_by(AT_ONCE)
        return ask(look)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        told = [threads.submit(lambda: known.now().recall(question, first)) for _ in range(AT_ONCE)]
        return [each.result(LIMIT_S) for each in told]


def expecting_more() -> Memory:
    known = Memory()
    known.expects_more = True
    return known


def test_of_many_at_once_one_looks(tmp_path: Path) -> None:
    """Required: the first commands of a session that come together do not each read the whole home."""
    asked = Asked(lambda look: look.names(str(tmp_path)))
    assert asked_at_once(expecting_more(), asked) == [[]] * AT_ONCE
    assert asked.times == 1


def test_what_cannot_be_kept_each_looks_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "UNSETTLED_NS", 10**18)
    asked = Asked(lambda look: look.names(str(tmp_path)))
    assert asked_at_once(expecting_more(), asked) == [[]] * AT_ONCE
    assert asked.times == AT_ONCE


def test_who_waited_uses_only_what_still_stands(tmp_path: Path) -> None:
    class Moving(Memory):
        """In which the disk changes as soon as an answer is kept."""

        __slots__ = ()

        def keep(self, key: object, answer: object, grounds: Grounds | None) -> None:
            super().keep(key, answer, grounds)
            with moving:
                until_the_clock_of_files_moves(tmp_path.parent)
                (tmp_path / "new").touch()

    moving = threading.Lock()
    known = Moving()
    known.expects_more = True
    told = asked_at_once(known, lambda look: tuple(look.names(str(tmp_path))))
    assert told.count(()) == 1
    assert told.count(("new",)) == AT_ONCE - 1


def test_a_look_that_fails_is_nobody_elses_answer(tmp_path: Path) -> None:
    def fails_once(look: Look) -> object:
        if asked.times == 1:
            raise ValueError(str(tmp_path))
        return look.exists(str(tmp_path))

    known, question = expecting_more(), Question()
    asked = Asked(fails_once)
    with pytest.raises(ValueError, match=tmp_path.name):
        known.now().recall(question, asked)
    assert known.looking == {}
    assert known.now().recall(question, asked) is True


def test_nobody_waits_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at a disk that does not answer holds up its own command alone."""
    monkeypatch.setattr(memory, "AHEAD_WAIT_S", 0.01)
    known, begun, done = expecting_more(), threading.Event(), threading.Event()

    def stuck(_look: Look) -> object:
        begun.set()
        assert done.wait(LIMIT_S)
        return "late"

    with ThreadPoolExecutor(1) as threads:
        first: Future[object] = threads.submit(lambda: known.now().recall("key", stuck))
        assert begun.wait(LIMIT_S)
        assert known.now().recall("key", lambda look: look.exists(str(tmp_path))) is True
        done.set()
        wait([first])
        assert first.result() == "late"


def test_the_first_is_kept_where_more_are_expected(tmp_path: Path) -> None:
    known, asked = expecting_more(), Asked(lambda look: look.names(str(tmp_path)))
    for _ in range(2):
        known.now().recall("key", asked)
    assert asked.times == 1


# Everything of a command together


PLACES = ("one", "two", "three")


def told(known: Memory, place: Path, asked: dict[str, Asked], *names: str) -> Moment:
    moment = known.now()
    for name in names:
        moment.recall((str(place), name), asked[name])
    return moment


@pytest.fixture
def three(tmp_path: Path) -> dict[str, Asked]:
    for name in PLACES:
        (tmp_path / name).mkdir()
    return {name: Asked(partial(Look.names, directory=f"{tmp_path}/{name}")) for name in PLACES}


def test_what_stands_together_is_looked_at_in_one_go(
    tmp_path: Path, three: dict[str, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: a command in a session asks for each known directory once, and for nothing else."""
    seen: list[str] = []
    known, lstat = expecting_more(), os.lstat
    told(known, tmp_path, three, *PLACES)

    def counted(path: bytes | str) -> os.stat_result:
        seen.append(os.fsdecode(path))
        return lstat(path)

    monkeypatch.setattr(os, "lstat", counted)
    told(known, tmp_path, three, *PLACES)
    assert [asked.times for asked in three.values()] == [1, 1, 1]
    assert sorted(seen) == sorted(set(seen))
    assert {f"{tmp_path}/{name}" for name in PLACES} <= set(seen)


def test_only_what_rests_on_a_change_is_looked_at_again(tmp_path: Path, three: dict[str, Asked]) -> None:
    known = expecting_more()
    for _ in range(2):
        told(known, tmp_path, three, *PLACES)
    until_the_clock_of_files_moves(tmp_path.parent)
    (tmp_path / "two/new").touch()
    moment = told(known, tmp_path, three, *PLACES)
    assert moment.recall((str(tmp_path), "two"), three["two"]) == ["new"]
    (tmp_path / "three").rmdir()  # nothing is known of the others where one is missing
    assert told(known, tmp_path, three, *PLACES).recall((str(tmp_path), "three"), three["three"]) == []
    assert three["one"].times == 1


def test_a_conclusion_holds_while_all_that_was_recalled_for_it_stands(tmp_path: Path, three: dict[str, Asked]) -> None:
    known = expecting_more()
    told(known, tmp_path, three, *PLACES).conclude("question", "answer")
    assert known.now().conclusion("question") == "answer"
    assert known.now().conclusion("another") is None
    until_the_clock_of_files_moves(tmp_path.parent)
    (tmp_path / "two/new").touch()
    assert known.now().conclusion("question") is None


@pytest.fixture
def concluded(tmp_path: Path, three: dict[str, Asked]) -> Memory:
    known = expecting_more()
    told(known, tmp_path, three, *PLACES).conclude("question", "answer")
    assert known.now().conclusion("question") == "answer"
    until_the_clock_of_files_moves(tmp_path.parent)
    return known


def test_a_look_that_is_left_for_later_is_taken_then(
    concluded: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, looks, look = LaterLook(), list[int](), memory._Together.look

    def counted(together: memory._Together) -> Any:
        looks.append(0)
        return look(together)

    monkeypatch.setattr(memory._Together, "look", counted)
    assert concluded.now(later).conclusion("question") == "answer"
    assert (later.is_owed, looks) == (True, [])
    assert (later.stands(), later.is_owed, looks) == (True, False, [0])
    assert concluded.now(later).conclusion("question") == "answer"
    (tmp_path / "two/new").touch()  # after the plan
    assert not later.stands()
    assert concluded.now(later).conclusion("question") is None
    assert later.stands()  # nothing is owed, as nothing was concluded


def test_only_a_conclusion_leaves_a_look_for_later(concluded: Memory, tmp_path: Path, three: dict[str, Asked]) -> None:
    later = LaterLook()
    assert concluded.now(later).conclusion("another") is None
    (tmp_path / "two/new").touch()
    moment = concluded.now(later)
    assert moment.recall((str(tmp_path), "two"), three["two"]) == ["new"]
    assert (later.is_owed, moment.conclusion("question")) == (False, None)


def test_what_was_told_for_another_question_vouches_for_nothing(tmp_path: Path, three: dict[str, Asked]) -> None:
    """An attack test: the second question is broken off, as by an error, and rests on less than the first."""
    known = expecting_more()
    told(known, tmp_path, three, "one", "two").conclude("question", "answer")
    told(known, tmp_path, three, "one", "three")
    until_the_clock_of_files_moves(tmp_path.parent)
    (tmp_path / "two/new").touch()
    assert known.now().conclusion("question") is None
    assert known.now().conclusion("question") is None


def test_nothing_is_concluded_from_what_could_not_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_text("early")
    known = expecting_more()
    moment = known.now()
    moment.recall("text", lambda look: look.text(f"{tmp_path}/text", 99))
    moment.conclude("question", "answer")
    assert known.now().conclusion("question") is None  # no mark tells of a text
    monkeypatch.setattr(looking, "UNSETTLED_NS", 10**18)
    (tmp_path / "new").touch()
    moment = known.now()
    moment.recall("names", lambda look: look.names(str(tmp_path)))
    moment.conclude("question", "answer")
    assert known.now().conclusion("question") is None


def test_a_memory_that_nobody_needs_is_gone_at_once(tmp_path: Path, three: dict[str, Asked]) -> None:
    """Nothing of it waits for a collection of garbage."""

    class Held(Memory):
        """One that can be pointed to."""

    known = Held()
    told(known, tmp_path, three, *PLACES).conclude("question", "answer")
    told(known, tmp_path, three, *PLACES)
    held = weakref.ref(known)
    del known
    assert held() is None


def asked_for(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are looked at from now on."""
    paths: list[str] = []
    really = os.lstat

    def lstat(path: str) -> os.stat_result:
        paths.append(path)
        return really(path)

    monkeypatch.setattr(os, "lstat", lstat)
    return paths


def test_answers_that_are_not_kept_share_what_was_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, moment = str(tmp_path), Memory().now()
    paths = asked_for(monkeypatch)
    answers = [moment.recall(key, lambda look: look.is_directory(place)) for key in ("one", "other")]
    assert (answers, paths.count(place)) == ([True, True], 1)
    assert Memory().now().recall("one", lambda look: look.is_directory(place)) is True
    assert paths.count(place) == 2  # the next moment looks anew


def test_a_look_that_shares_what_was_seen_vouches_for_nothing(tmp_path: Path) -> None:
    first = Look()
    assert first.exists(str(tmp_path))
    assert first.grounds() is not None
    assert Look(before=first).grounds() is None


def test_each_look_meets_by_itself_what_is_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o000)
    really = os.lstat

    def lstat(path: str) -> os.stat_result:
        if path.startswith(f"{locked}/"):
            raise PermissionError(errno.EACCES, "kept out", path)  # as anybody but root is told
        return really(path)

    monkeypatch.setattr(os, "lstat", lstat)
    moment = Memory().now()

    def ask(look: Look) -> list[str]:
        assert not look.exists(f"{locked}/inside")
        return [*look.locked]

    assert [moment.recall(key, ask) for key in ("one", "other")] == [[str(locked)], [str(locked)]]
