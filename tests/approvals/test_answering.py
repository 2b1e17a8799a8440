"""What answers questions is made with the first question, and once."""

import threading

from sandgate.approvals.answering import SessionAnswers
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import Grant

COMMAND = CommandRequest(("true",), "/", {})


def test_nothing_is_made_for_a_command_that_asks_nothing() -> None:
    answering = SessionAnswers()
    assert answering.nothing_approved
    assert answering.keys_for(COMMAND, ()) == ()
    assert (answering._store, answering._chain) == (None, None)


def test_what_is_approved_is_found_by_its_command() -> None:
    answering = SessionAnswers()
    answering.store.remember(("other",), (Grant("host", "*"),))  # type: ignore[arg-type] # a key like any other
    (key,) = answering.keys_for(COMMAND, ())
    answering.store.remember(key, (Grant("host", "*"),))
    assert not answering.nothing_approved
    assert answering.store.recall_all((key,), "call", None) == (Grant("host", "*"),)


def test_threads_that_come_at_once_share_one_store_and_one_queue() -> None:
    answering = SessionAnswers()
    together = threading.Barrier(8)
    made = []

    def come() -> None:
        together.wait()
        made.append((answering.store, answering.chain))

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1
