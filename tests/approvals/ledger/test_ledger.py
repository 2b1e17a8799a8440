"""The ledger: what is asked is kept, the first answer stands, and one caller may act on it."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals import private_files
from sandgate.approvals.ledger import ledger as subject
from sandgate.approvals.ledger.ledger import KEPT_S, USABLE_AFTER_S, Ledger
from sandgate.errors import (
    AlreadyDecided,
    ApprovalExpired,
    ApprovalsUnusable,
    ConfigError,
    RequestError,
    UnknownApproval,
)
from support.approval.asking import ASKED_AT, EXPIRES_AT, ID, Clock, question
from support.process.waiting import none_left_open, open_descriptors, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SOURCE = Path(__file__).resolve().parents[3] / "src"
PROCESSES, THREADS = 4, 4
WAIT_SECONDS = 60


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "ledger").mkdir(mode=0o700)
    return tmp_path / "ledger"


@pytest.fixture
def ledger(place: Path, clock: Clock) -> Iterator[Ledger]:
    opened = Ledger(str(place), now=clock)
    yield opened
    opened.close()


def resolve(ledger: Ledger, decision: str = "approve", **more: Any) -> Any:
    return ledger.resolve(ID, decision, **{"by": "terminal", "digest": question().digest, **more})


def test_a_question_is_kept_whole_and_private(ledger: Ledger, place: Path) -> None:
    ledger.ask(question())
    assert (ledger.get(ID), ledger.pending()) == (question(), (question(),))
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in place.iterdir()] == [(f"{ID}.question", 0o600)]


def test_another_process_reads_the_same(ledger: Ledger, place: Path, clock: Clock) -> None:
    ledger.ask(question())
    assert Ledger(str(place), now=clock).pending() == (question(),)


def test_an_id_is_asked_about_once(ledger: Ledger) -> None:
    ledger.ask(question())
    with pytest.raises(RequestError, match="already"):
        ledger.ask(question(message="something else"))
    assert ledger.get(ID) == question()


def test_questions_come_oldest_first_and_only_while_they_are_open(ledger: Ledger, clock: Clock) -> None:
    late, early = question("f" * 16, asked_at=ASKED_AT - 9), question("0" * 16, expires_at=ASKED_AT + 5)
    for asked in (question(), late, early):
        ledger.ask(asked)
    assert ledger.pending() == (late, early, question())
    clock.at = ASKED_AT + 6
    assert ledger.pending() == (late, question())
    resolve(ledger)
    assert ledger.pending() == (late,)


def test_the_first_answer_stands_and_the_same_again_is_fine(ledger: Ledger, clock: Clock) -> None:
    ledger.ask(question())
    assert ledger.resolution(ID) is None
    first = resolve(ledger, reason="because")
    clock.at += 5
    assert (resolve(ledger, by="client", reason="later"), ledger.resolution(ID)) == (first, first)
    assert (first.decision, first.by, first.at, first.reason) == ("approve", "terminal", ASKED_AT + 1, "because")


def test_another_answer_is_told_what_stands(ledger: Ledger) -> None:
    ledger.ask(question())
    resolve(ledger, "deny", by="client")
    with pytest.raises(AlreadyDecided, match="`deny`, by client"):
        resolve(ledger, "approve")
    assert ledger.resolution(ID).decision == "deny"  # type: ignore[union-attr]


def test_an_unknown_question_has_no_answer(ledger: Ledger) -> None:
    with pytest.raises(UnknownApproval, match=ID):
        resolve(ledger)
    for strange in ("", "../x", "0" * 15, "\x00" * 16):
        assert (ledger.get(strange), ledger.resolution(strange), ledger.consume(strange)) == (None, None, False)


def test_an_answer_after_the_end_does_not_count(ledger: Ledger, clock: Clock) -> None:
    ledger.ask(question())
    clock.at = EXPIRES_AT + 1
    with pytest.raises(ApprovalExpired):
        resolve(ledger)
    assert ledger.resolution(ID) is None


def test_an_answer_that_was_not_offered_does_not_count(ledger: Ledger) -> None:
    ledger.ask(question())
    with pytest.raises(RequestError, match="not offered") as caught:
        resolve(ledger, "approve-session")
    assert "approve, deny" in caught.value.hint


def test_an_answer_to_other_words_does_not_count(ledger: Ledger) -> None:
    ledger.ask(question())
    with pytest.raises(RequestError, match="digest"):
        resolve(ledger, digest=question(message="other").digest)
    assert ledger.resolution(ID) is None


@pytest.mark.parametrize("by", ["timeout", "withdrawn"])
def test_the_server_refuses_after_the_end_and_never_approves(ledger: Ledger, clock: Clock, by: str) -> None:
    ledger.ask(question())
    clock.at = EXPIRES_AT + 1
    with pytest.raises(RequestError, match="only ever refuses"):
        resolve(ledger, "approve", by=by)
    assert resolve(ledger, "abort", by=by).by == by
    assert not ledger.consume(ID)


def test_what_was_approved_is_used_once(ledger: Ledger) -> None:
    ledger.ask(question())
    assert not ledger.consume(ID)  # nobody has answered
    resolve(ledger)
    assert [ledger.consume(ID), ledger.consume(ID)] == [True, False]


def test_a_refusal_is_never_used(ledger: Ledger) -> None:
    ledger.ask(question())
    resolve(ledger, "deny")
    assert not ledger.consume(ID)


def test_an_approval_goes_stale(ledger: Ledger, clock: Clock) -> None:
    ledger.ask(question())
    resolve(ledger)
    clock.at = EXPIRES_AT + USABLE_AFTER_S + 1
    assert not ledger.consume(ID)
    clock.at -= 2
    assert ledger.consume(ID)


def test_a_question_is_found_by_the_beginning_of_its_id(ledger: Ledger) -> None:
    ledger.ask(question())
    ledger.ask(question("00c0ffff00000000"))
    assert ledger.find("00c0ffee") == ledger.find("00C0FFEE") == question()
    with pytest.raises(UnknownApproval, match="2 ids") as caught:
        ledger.find("00c0ff")
    assert caught.value.hint == "00c0ffee00c0ffee, 00c0ffff00000000"
    for none in ("ffff", "00c", "", "zzzz", "00c0\x1b[31m", ".."):
        with pytest.raises(UnknownApproval):
            ledger.find(none)


def test_too_many_open_questions_are_refused(ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "PENDING_MAX", 2)
    ledger.ask(question())
    ledger.ask(question("1" * 16, expires_at=ASKED_AT + 9))
    with pytest.raises(RequestError, match="2 questions wait"):
        ledger.ask(question("2" * 16))
    clock.at = ASKED_AT + 10  # the second is over
    ledger.ask(question("2" * 16))


def test_the_directory_does_not_grow_without_end(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "FILES_MAX", 2)
    ledger.ask(question())
    resolve(ledger)
    with pytest.raises(RequestError, match="2 records"):
        ledger.ask(question("1" * 16))


def test_a_question_too_long_for_a_file_is_not_asked(ledger: Ledger) -> None:
    with pytest.raises(RequestError, match="bytes"):
        ledger.ask(question(message="x" * private_files.FILE_BYTES_MAX))


def test_a_record_half_written_is_invisible(ledger: Ledger, place: Path, clock: Clock) -> None:
    """Required: a writer that was killed leaves a draft, which is nothing to anybody, and goes."""
    ledger.ask(question())
    whole = (place / f"{ID}.question").read_bytes()
    draft = place / "new-0123456789abcdef"
    draft.write_bytes(whole[:40])
    assert (ledger.pending(), ledger.survey()) == ((question(),), (frozenset([ID]), frozenset()))
    os.utime(draft, (ASKED_AT, ASKED_AT))
    ledger.sweep()
    assert draft.exists()  # its writer may still be at it
    clock.at += subject.UNFINISHED_KEPT_S + 1
    ledger.sweep()
    assert not draft.exists()
    assert ledger.get(ID) == question()


def test_a_damaged_question_is_named_and_never_open(ledger: Ledger, place: Path) -> None:
    ledger.ask(question())
    ledger.ask(question("1" * 16))
    (place / f"{ID}.question").write_bytes(b"{}")
    assert ledger.pending() == (question("1" * 16),)
    (sentence,) = ledger.damaged()
    assert sentence.startswith(f"{ID}: the question is damaged")
    with pytest.raises(ApprovalsUnusable, match="damaged"):
        resolve(ledger)


def test_a_question_under_another_name_is_damaged(ledger: Ledger, place: Path) -> None:
    ledger.ask(question())
    (place / f"{ID}.question").rename(place / f"{'1' * 16}.question")
    with pytest.raises(ApprovalsUnusable, match="another id"):
        ledger.get("1" * 16)


@pytest.mark.parametrize("damage", ["cut", "link", "other question's", "forged by"])
def test_a_damaged_answer_never_counts_as_approval(ledger: Ledger, place: Path, tmp_path: Path, damage: str) -> None:
    """Required: and nobody else can answer in its place; it has to be asked again."""
    ledger.ask(question())
    resolve(ledger)
    file = place / f"{ID}.answer"
    whole = file.read_bytes()
    file.unlink()
    if damage == "cut":
        file.write_bytes(whole[:-9])
    elif damage == "link":
        (tmp_path / "elsewhere").write_bytes(whole)
        file.symlink_to(tmp_path / "elsewhere")
    elif damage == "forged by":
        file.write_text(json.dumps({**json.loads(whole), "by": "timeout"}))
    else:
        file.write_text(json.dumps({**json.loads(whole), "digest": question(message="else").digest}))
    for use in (ledger.resolution, ledger.consume):
        with pytest.raises(ApprovalsUnusable):
            use(ID)
    with pytest.raises(ApprovalsUnusable):
        resolve(ledger)
    assert not (place / f"{ID}.used").exists()


def test_what_is_long_over_goes_and_nothing_else(ledger: Ledger, place: Path) -> None:
    ledger.ask(question())
    ledger.ask(question("1" * 16, expires_at=EXPIRES_AT + 100))
    resolve(ledger)
    assert ledger.consume(ID)
    assert ledger.sweep(EXPIRES_AT + KEPT_S - 1) == 0
    assert ledger.sweep(EXPIRES_AT + KEPT_S + 1) == 1
    assert [path.name for path in place.iterdir()] == [f"{'1' * 16}.question"]
    assert not ledger.consume(ID)


def test_the_mark_that_an_answer_was_used_goes_last(
    ledger: Ledger, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: whatever stops the sweep, an answer never outlives the mark that it was used."""
    ledger.ask(question())
    resolve(ledger)
    assert ledger.consume(ID)
    removed, seen = private_files.removed, []

    def watched(directory: int, name: str) -> None:
        removed(directory, name)
        seen.append(sorted(path.suffix for path in place.iterdir()))

    monkeypatch.setattr(private_files, "removed", watched)
    ledger.sweep(EXPIRES_AT + KEPT_S + 1)
    assert seen == [[".question", ".used"], [".used"], []]


def test_one_sweep_looks_at_a_bounded_number_and_all_get_their_turn(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: also when those that stay would be the first to be looked at."""
    monkeypatch.setattr(subject, "SWEPT_MAX", 2)
    for number in range(3):
        ledger.ask(question(f"{number:016x}", expires_at=EXPIRES_AT + KEPT_S))
        ledger.ask(question(f"f{number:015x}"))
    over = EXPIRES_AT + KEPT_S + 1
    swept = [ledger.sweep(over) for _ in range(200)]
    assert (max(swept) <= 2, sum(swept)) == (True, 3)
    assert {approval.approval_id[0] for approval in ledger.pending()} == {"0"}


def test_a_full_directory_is_swept_before_a_question_is_refused(
    ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "FILES_MAX", 1)
    ledger.ask(question())
    clock.at = EXPIRES_AT + KEPT_S + 1
    ledger.ask(question("1" * 16, expires_at=clock.at + 9))
    assert ledger.get(ID) is None


def test_damaged_records_go_by_their_age(ledger: Ledger, place: Path) -> None:
    for name in (f"{ID}.question", f"{'1' * 16}.used"):
        (place / name).write_bytes(b"?")
        os.utime(place / name, (ASKED_AT, ASKED_AT))
    assert ledger.sweep(ASKED_AT + KEPT_S - 1) == 0
    assert ledger.sweep(ASKED_AT + KEPT_S + 1) == 2
    assert list(place.iterdir()) == []


def test_a_ledger_others_may_write_to_is_refused(place: Path) -> None:
    place.chmod(0o777)
    with pytest.raises(ConfigError, match="other users can write"):
        Ledger(str(place))


def test_a_waiting_reader_is_told_of_questions_and_answers(ledger: Ledger) -> None:
    watch = ledger.watch()
    try:
        for change in (lambda: ledger.ask(question()), lambda: resolve(ledger), lambda: ledger.consume(ID)):
            change()
            readable(watch.fileno())
            watch.drain()
    finally:
        watch.close()


def test_a_closed_ledger_gives_its_descriptor_back(place: Path) -> None:
    before = open_descriptors()
    opened = Ledger(str(place))
    opened.close()
    opened.close()
    assert none_left_open(before)


RACER = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from sandgate.approvals.ledger.ledger import Ledger
from sandgate.errors import AlreadyDecided
ledger = Ledger(sys.argv[2], now=lambda: float(sys.argv[6]))
said = []
def race(number):
    decision = ("approve", "deny")[number % 2] if sys.argv[5] == "mixed" else "approve"
    starting.wait()
    try:
        ledger.resolve(sys.argv[3], decision, by="client", digest=sys.argv[4])
        told = "won " + decision
    except AlreadyDecided:
        told = "lost " + decision
    said.append(told + " " + str(ledger.consume(sys.argv[3])))
starting = threading.Barrier(4)
threads = [threading.Thread(target=race, args=(number,)) for number in range(4)]
print("ready", flush=True)
sys.stdin.readline()
for thread in threads: thread.start()
for thread in threads: thread.join()
print("\\n".join(said))
"""


@pytest.mark.slow
@pytest.mark.parametrize("decisions", ["mixed", "one"])
@pytest.mark.parametrize("again", range(3))
def test_among_many_processes_one_answer_stands_and_one_caller_uses_it(
    ledger: Ledger, place: Path, decisions: str, again: int
) -> None:
    ledger.ask(question())
    arguments = [str(SOURCE), str(place), ID, question().digest, decisions, str(ASKED_AT + 1 + again)]
    racers = [
        subprocess.Popen(
            [sys.executable, "-I", "-c", RACER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(PROCESSES)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    said = [line for racer in racers for line in racer.communicate("go\n", timeout=WAIT_SECONDS)[0].splitlines()]
    standing = ledger.resolution(ID)
    assert standing is not None
    assert len(said) == PROCESSES * THREADS
    assert {line.split()[1] for line in said if line.startswith("won")} == {standing.decision}
    assert {line.split()[1] for line in said if line.startswith("lost")} <= {"approve", "deny"} - {standing.decision}
    used = [line for line in said if line.endswith("True")]
    assert len(used) == (1 if standing.decision == "approve" else 0)


@given(st.lists(st.sampled_from(["approve", "deny"]), min_size=2, max_size=5), st.data())
def test_among_threads_one_answer_stands_and_one_caller_uses_it(decisions: list[str], data: st.DataObject) -> None:
    approval_id = f"{data.draw(st.integers(0, 2**64 - 1)):016x}"
    asked = question(approval_id)
    with tempfile.TemporaryDirectory() as directory:
        ledger = Ledger(directory, now=Clock())
        ledger.ask(asked)
        starting, won, used = threading.Barrier(len(decisions)), [], []

        def race(decision: str) -> None:
            starting.wait()
            with contextlib.suppress(AlreadyDecided):
                won.append(ledger.resolve(approval_id, decision, by="client", digest=asked.digest).decision)
            used.append(ledger.consume(approval_id))

        threads = [threading.Thread(target=race, args=(decision,)) for decision in decisions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        standing = ledger.resolution(approval_id)
        ledger.close()
    assert standing is not None
    assert won == [standing.decision] * decisions.count(standing.decision)
    assert used.count(True) == (standing.decision == "approve")


def test_a_directory_has_a_key_of_its_own_that_stays(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir(mode=0o700)
    one, again, two = (Ledger(str(tmp_path / name)) for name in ("one", "one", "two"))
    assert (len(one.key), one.key == again.key, one.key != two.key) == (32, True, True)
    (tmp_path / "two" / "digest.key").write_bytes(b"short")
    with pytest.raises(ApprovalsUnusable, match="damaged"):
        assert Ledger(str(tmp_path / "two")).key


def test_threads_that_list_at_the_same_time_each_see_everything(tmp_path: Path) -> None:
    """Required: an answer that one thread overlooks because another was looking is a question that never ends."""
    tmp_path.chmod(0o700)
    ledger, short = Ledger(str(tmp_path)), list[int]()
    for number in range(20):
        ledger.ask(question(f"{number:016x}", asked_at=0.0, expires_at=4e9))

    def look() -> None:
        for _ in range(200):
            if len(ledger.survey()[0]) != 20:
                short.append(1)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert short == []
    ledger.close()


def test_words_beside_a_question_are_kept_once_and_are_no_part_of_what_is_answered(
    ledger: Ledger, clock: Clock
) -> None:
    ledger.advise(ID, ("Risk: HIGH", "x" * 5000))
    ledger.ask(question())
    digest = question().digest
    assert ledger.advised() == {ID}
    assert ledger.advice(ID) == ("Risk: HIGH", "x" * 2000)
    ledger.advise(ID, ("Risk: LOW",))
    assert ledger.advice(ID)[0] == "Risk: HIGH"
    assert ledger.resolve(ID, "approve", by="client", digest=digest).allows
    clock.at = EXPIRES_AT + KEPT_S + 1
    ledger.sweep()
    assert ledger.advised() == frozenset()
    assert ledger.advice(ID) == ()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"format":2,"lines":[]}', b'{"format":1,"lines":[1]}', b"\xff"])
def test_words_that_cannot_be_read_are_none(ledger: Ledger, place: Path, content: bytes) -> None:
    (place / f"{ID}.advice").write_bytes(content)
    (place / f"{ID}.advice").chmod(0o600)
    assert ledger.advice(ID) == ()
    with pytest.raises(UnknownApproval):
        ledger.advise("../evil", ("x",))
