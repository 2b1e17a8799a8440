"""From what a command printed and did to the answer of one call."""

from __future__ import annotations

import pytest

from sandgate.errors import TerminalFailed, UnknownTerminal
from sandgate.protocol.denials import Denial
from sandgate.terminals.output import Taken
from sandgate.terminals.table import Tombstone
from sandgate.tools.answering import answer, denied_notices, last_words, new_chunk_id, text_within_budget
from sandgate.tools.truncation import TruncationPolicy
from support.process.waiting import wait_until
from support.terminal.terminal_stage import LIMIT_MS, sees
from support.tool.tool_host import ToolHost

STONE = Tombstone(1_000, "call", 7, b"the end of it", 0)


def test_a_living_command_keeps_its_number_and_its_unfinished_character(host: ToolHost) -> None:
    """Required: the rest of the character comes with the next answer, and both are whole."""
    terminal = host.begin(
        "stty -echo; printf 'a\\342\\202'; read x; printf '\\254b'; exec sleep 1000", tty=True
    ).terminal
    assert wait_until(lambda: terminal.total_bytes == 3)
    first = answer(host, terminal, waited_s=0.5, max_output_tokens=None)
    assert (first.output, first.session_id, first.exit_code) == ("a", terminal.identity.terminal_id, None)
    assert first.wall_time_seconds == 0.5
    terminal.write(b"\n")
    sees(terminal, "b")
    assert answer(host, terminal, waited_s=0, max_output_tokens=None).output.endswith("€b")


def test_a_command_that_is_over_gives_all_it_has_and_its_number_back(host: ToolHost) -> None:
    terminal = host.begin("printf 'a\\342\\202'; exit 2").terminal
    assert terminal.wait_exit(LIMIT_MS) == 2
    told = answer(host, terminal, waited_s=0, max_output_tokens=None)
    assert (told.output, told.session_id, told.exit_code, told.state) == ("a\ufffd", None, 2, "exited")
    assert told.original_token_count == 1
    with pytest.raises(UnknownTerminal):
        host.table.get(terminal.identity.terminal_id)


def test_bytes_that_are_no_text_are_shown_as_replaced(host: ToolHost) -> None:
    terminal = host.begin("head -c 300000 /dev/zero | tr '\\0' '\\377'").terminal
    assert terminal.wait_exit(LIMIT_MS) == 0
    told = answer(host, terminal, waited_s=0, max_output_tokens=1_000_000)
    assert set(told.output.rpartition("\n\n")[2]) >= {"\ufffd"}
    assert told.original_token_count == 75_000


def test_what_the_sandbox_refused_is_in_the_answer(host: ToolHost) -> None:
    host.denials = (Denial("create", "/usr/x"),)
    terminal = host.begin("exit 1").terminal
    terminal.wait_exit(LIMIT_MS)
    assert answer(host, terminal, waited_s=0, max_output_tokens=None).denials == host.denials


def test_what_was_refused_since_the_last_answer_is_in_the_next(host: ToolHost) -> None:
    """Required: told while the command runs, and each thing once; at the end all of it is in the list."""
    first, second = Denial("connect", address="registry.example.test"), Denial("create", "/usr/x")
    terminal = host.begin("read x; exit 1", tty=True).terminal
    host.denials = (first,)
    told = answer(host, terminal, waited_s=0, max_output_tokens=None)
    assert (told.denials, told.notices) == ((first,), ("the sandbox refused: connect registry.example.test",))
    assert answer(host, terminal, waited_s=0, max_output_tokens=None).denials == ()
    host.denials = (first, second)
    told = answer(host, terminal, waited_s=0, max_output_tokens=None)
    assert (told.denials, told.notices) == ((second,), ("the sandbox refused: create /usr/x",))
    terminal.kill()
    terminal.wait_exit(LIMIT_MS)


def test_what_was_done_and_not_kept_is_not_called_refused() -> None:
    hook = Denial("create", path="/repo/.git/hooks/pre-commit", syscall="")
    assert denied_notices((hook,)) == ("the sandbox did not keep: create /repo/.git/hooks/pre-commit",)


def test_what_nothing_allows_is_told_with_the_reason() -> None:
    denial = Denial("other", path="/x", program="chmod", what="set-id bits on", why="it would run as its owner")
    assert denied_notices((denial,)) == (
        "the sandbox refused: set-id bits on /x by chmod (it would run as its owner, whatever is granted)",
    )


def test_what_was_waited_for_and_what_is_to_be_known_are_passed_on(host: ToolHost) -> None:
    terminal = host.begin("exec sleep 1000").terminal
    told = answer(host, terminal, waited_s=0, max_output_tokens=None, notices=("note",), matched="found")
    assert (told.notices, told.matched, told.state) == (("note",), "found", "running")


def test_a_command_that_sandgate_ended_is_an_error_and_is_forgotten(host: ToolHost) -> None:
    terminal = host.begin("exec sleep 1000").terminal
    terminal.fail("the reason")
    terminal.wait_exit(LIMIT_MS)
    with pytest.raises(TerminalFailed, match=r"^Unified exec process failed: the reason$"):
        answer(host, terminal, waited_s=0, max_output_tokens=None)
    assert len(host.table.terminals()) == 0


@pytest.mark.parametrize(
    ("wanted", "turn", "kept"),
    [
        (None, TruncationPolicy("tokens", 10_000), 40_000),
        (100, TruncationPolicy("tokens", 10_000), 400),
        (70_000, TruncationPolicy("tokens", 50), 200),
        (70_000, TruncationPolicy("bytes", 60), 60),
        (0, TruncationPolicy("tokens", 10_000), 0),
    ],
)
def test_the_smaller_budget_counts_for_answers_and_for_last_words(
    host: ToolHost, wanted: int | None, turn: TruncationPolicy, kept: int
) -> None:
    """Required: the smaller budget holds; none at all is a budget, too."""
    host.truncation = turn
    output = b"x" * 100_000
    for text in (
        text_within_budget(host, Taken(output), wanted),
        last_words(host, STONE.but(output=output), max_output_tokens=wanted).output,
    ):
        assert text.rpartition("\n\n")[2].count("x") == kept


def test_a_gap_is_said_at_its_place(host: ToolHost) -> None:
    text = text_within_budget(host, Taken(b"head", b"tail", 50), None)
    assert text.index("head") < text.rindex("... 50 bytes omitted ...") < text.index("tail")


def test_a_gap_inside_a_character_is_found_by_the_characters_before_it(host: ToolHost) -> None:
    """The head ends in half a character, which is one sign in the text."""
    text = text_within_budget(host, Taken("ä€".encode()[:-1], b"\x82tail", 9), None)
    assert "ä\ufffd" in text
    assert text.index("ä\ufffd") < text.rindex("... 9 bytes omitted ...") < text.index("tail")


def test_last_words_have_the_exit_code_and_what_was_left(host: ToolHost) -> None:
    told = last_words(host, STONE.but(omitted_bytes=11), max_output_tokens=None)
    assert (told.exit_code, told.session_id, told.state, told.omitted_bytes) == (7, None, "exited", 11)
    assert told.output.endswith("the end of it")
    assert "... 11 bytes omitted ..." in told.output
    assert told.original_token_count == 6


def test_every_answer_has_a_name_of_its_own() -> None:
    names = {new_chunk_id() for _ in range(100)}
    assert len(names) > 95
    assert all(len(name) == 6 and int(name, 16) >= 0 for name in names)
