"""Numbers for live commands: who gets one, who makes room, and what is known of those that are gone."""

from __future__ import annotations

import threading
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import TerminalLimitReached, UnknownTerminal
from sandgate.protocol.commands import NS_PER_S
from sandgate.terminals.awaiting import Awaiting
from sandgate.terminals.limits import DEFAULT_LIMITS
from sandgate.terminals.table import (
    EXITED_RETENTION_S,
    TOMBSTONE_BYTES,
    TOMBSTONES_MAX,
    TerminalTable,
    TerminalUse,
    Tombstone,
    victim,
)
from support.terminal.terminal_stage import LIMIT_MS, Stage, program, sees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.terminal import Terminal

SMALL = DEFAULT_LIMITS.but(max_processes=4, warn_processes=3, protected_recent=2, min_process_id=10, end_process_id=20)
FULL = 64
RECENT = 8


def in_order() -> Callable[[int], int]:
    numbers = count()
    return lambda size: next(numbers) % size


def table_of(limits: ExecLimits = SMALL) -> TerminalTable:
    return TerminalTable(limits, draw=in_order())


def alive(stage: Stage, table: TerminalTable) -> Terminal:
    """A command that lives until it is ended, under the next number."""
    return stage.start("exec cat", tty=True, number=table.reserve())


def over(stage: Stage, table: TerminalTable, script: str = "exit 3") -> Terminal:
    """A command that is over, under the next number."""
    terminal = stage.start(script, number=table.reserve())
    assert terminal.wait_exit(LIMIT_MS) is not None
    return terminal


def long_ago(terminal: Terminal) -> None:
    """As if nobody had asked for it since the retention."""
    past = (EXITED_RETENTION_S + 1) * NS_PER_S
    terminal.last_used_ns -= past
    terminal.ended_ns -= past


def numbers(table: TerminalTable) -> list[int]:
    return [each.identity.terminal_id for each in table.terminals()]


# Who makes room


def crowd(*exited: int, size: int = FULL) -> list[TerminalUse]:
    """`size` commands, number 0 used longest ago."""
    return [TerminalUse(number, number, number in exited) for number in range(size)]


@pytest.mark.parametrize(
    ("exited", "chosen"),
    [
        ((30,), 30),  # one that is over goes first
        ((30, 40), 30),
        ((), 0),  # 10: else the one used longest ago
        ((FULL - 1, FULL - RECENT), 0),  # 11: but none of those used last, even when it is over
        ((FULL - RECENT - 1,), FULL - RECENT - 1),
    ],
)
def test_the_one_to_go_is_over_if_possible_and_never_among_the_recent(exited: tuple[int, ...], chosen: int) -> None:
    """Required."""
    assert victim(crowd(*exited), protected=RECENT) == chosen


def test_nobody_goes_when_all_are_recent() -> None:
    assert victim(crowd(size=RECENT), protected=RECENT) is None
    assert victim([], protected=RECENT) is None
    assert victim(crowd(size=2), protected=0) == 0


@given(st.lists(st.tuples(st.integers(0, 50), st.booleans(), st.booleans()), max_size=20), st.integers(0, 20))
def test_the_choice_is_the_rule_of_the_specification(uses: list[tuple[int, bool, bool]], protected: int) -> None:
    standings = [TerminalUse(number, *each) for number, each in enumerate(uses)]
    chosen = victim(standings, protected=protected)
    free = sorted(standings, key=lambda each: each.last_used_ns)[: max(0, len(standings) - protected)]
    free = [each for each in free if not each.awaited]
    if chosen is None:
        assert free == []
        return
    chosen_one = standings[chosen]
    assert chosen_one in free
    assert chosen_one.exited == any(each.exited for each in free)
    assert all(each.last_used_ns >= chosen_one.last_used_ns for each in free if each.exited == chosen_one.exited)


# Numbers


def test_numbers_are_drawn_from_the_range_and_given_once() -> None:
    table = table_of()
    given_out = [table.reserve() for _ in range(10)]
    assert sorted(given_out) == list(range(10, 20))
    with pytest.raises(TerminalLimitReached, match="no number is left"):
        table.reserve()


def test_a_number_that_came_to_nothing_is_free_again() -> None:
    """Required: a start that failed must not cost one."""
    table = table_of()
    for _ in range(100):
        table.release(table.reserve())
    assert len({table.reserve() for _ in range(10)}) == 10


def test_numbers_cannot_be_foreseen_and_lie_in_the_range_of_the_specification() -> None:
    table = TerminalTable(DEFAULT_LIMITS)
    drawn = [table.reserve() for _ in range(200)]
    assert all(1_000 <= each < 100_000 for each in drawn)
    assert len(set(drawn)) == 200
    assert drawn != [TerminalTable(DEFAULT_LIMITS).reserve() for _ in range(200)]


def test_a_drawn_number_that_is_taken_is_drawn_again_and_at_last_looked_for() -> None:
    table = TerminalTable(SMALL, draw=lambda _size: 3)
    assert [table.reserve() for _ in range(3)] == [13, 10, 11]


def test_many_threads_never_get_the_same_number() -> None:
    table = TerminalTable(DEFAULT_LIMITS.but(end_process_id=1_000 + 400), draw=None)
    got: list[int] = []

    def take() -> None:
        for _ in range(100):
            got.append(table.reserve())

    threads = [threading.Thread(target=take) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(got) == list(range(1_000, 1_400))


def test_giving_back_a_number_in_use_does_nothing(stage: Stage) -> None:
    """Required: whoever reserved gives back in the end, also when the command was kept."""
    table = table_of()
    kept = alive(stage, table)
    table.add(kept)
    table.release(kept.identity.terminal_id)
    assert table.get(kept.identity.terminal_id) is kept
    assert kept.identity.terminal_id not in [table.reserve() for _ in range(9)]


# Commands


def test_a_command_is_found_by_its_number_until_it_is_removed(stage: Stage) -> None:
    table = table_of()
    kept = alive(stage, table)
    number = kept.identity.terminal_id
    assert table.add(kept) is None
    assert (len(table.terminals()), table.get(number), table.terminals()) == (1, kept, (kept,))
    assert table.remove(number) is kept
    assert table.remove(number) is None
    assert len(table.terminals()) == 0
    with pytest.raises(UnknownTerminal, match=rf"^Unknown process id {number}$"):
        table.get(number)


def test_asking_for_a_command_counts_as_using_it(stage: Stage) -> None:
    table = table_of()
    first, *others = [alive(stage, table) for _ in range(4)]
    for each in (first, *others):
        table.add(each)
    table.get(first.identity.terminal_id)
    removed = table.add(alive(stage, table))
    assert removed is others[0]


def test_a_full_table_lets_the_one_go_that_was_used_longest_ago(stage: Stage) -> None:
    table = table_of()
    kept = [alive(stage, table) for _ in range(5)]
    assert [table.add(each) for each in kept] == [None, None, None, None, kept[0]]
    assert numbers(table) == [each.identity.terminal_id for each in kept[1:]]
    assert table.tombstone(kept[0].identity.terminal_id) is None, "it is not over, so nothing is known of its end"


def test_of_sixty_four_the_one_that_is_over_goes_first(stage: Stage) -> None:
    """Required: the oldest live one survives as long as one that is over can make room."""
    table = table_of(DEFAULT_LIMITS)
    oldest = alive(stage, table)
    table.add(oldest)
    finished = over(stage, table)
    table.add(finished)
    for _ in range(FULL - 2):
        table.add(stage.start("exec sleep 1000", number=table.reserve()))
    assert len(table.terminals()) == FULL
    assert table.add(stage.start("exec sleep 1000", number=table.reserve())) is finished
    assert oldest in table.terminals()
    assert table.add(stage.start("exec sleep 1000", number=table.reserve())) is oldest


def test_one_that_is_over_but_recent_stays(stage: Stage) -> None:
    table = table_of()
    kept = [alive(stage, table), alive(stage, table), over(stage, table), alive(stage, table)]
    for each in kept:
        table.add(each)
    for each in kept[2:]:
        table.get(each.identity.terminal_id)
    assert table.add(alive(stage, table)) is kept[0]


# Calls that wait


def test_none_that_a_call_waits_for_makes_room_be_it_over_or_not(stage: Stage) -> None:
    table = table_of()
    kept = [over(stage, table), *(alive(stage, table) for _ in range(5))]
    calls = [Awaiting(each) for each in kept]
    assert [table.add(each) for each in kept] == [None] * 6
    assert table.prune() == ()
    assert table.terminals() == tuple(kept)
    assert len(calls) == 6


def test_what_is_too_much_goes_as_soon_as_no_call_waits_for_it(stage: Stage) -> None:
    table = table_of()
    kept = [alive(stage, table) for _ in range(7)]
    calls = [Awaiting(each) for each in kept]
    for each in kept:
        table.add(each)
    calls[3].end()
    assert table.prune() == (), "it is among those used last"
    for call in (calls[0], calls[5], calls[6]):
        call.end()
    assert table.prune() == (kept[3], kept[0])
    for call in calls:
        call.end()
    assert table.prune() == (kept[5],)
    assert table.prune() == ()
    assert len(table.terminals()) == SMALL.max_processes


def test_a_call_can_wait_for_what_the_table_has_and_keeps_it(stage: Stage) -> None:
    table = table_of()
    kept = [alive(stage, table) for _ in range(5)]
    for each in kept[:4]:
        table.add(each)
    _terminal, call = table.wait_on(kept[0].identity.terminal_id)
    long_ago(kept[0])
    assert table.add(kept[4]) is kept[1]
    assert call.terminal is kept[0]
    with pytest.raises(UnknownTerminal):
        table.wait_on(kept[1].identity.terminal_id)


def test_the_output_that_a_call_is_about_to_take_is_not_buried(stage: Stage) -> None:
    """Required: the call would find no output and no reason."""
    table = table_of()
    finished = over(stage, table, "printf 'what it said'; exit 3")
    table.add(finished)
    call = Awaiting(finished)
    long_ago(finished)
    table.sweep()
    assert (table.terminals(), finished.output.pending_bytes) == ((finished,), 12)
    call.end()
    long_ago(finished)
    table.sweep()
    assert table.terminals() == ()


# Ends that are told later


def test_an_end_that_nobody_asked_about_is_told_once_after_the_sweep(stage: Stage) -> None:
    table = table_of()
    finished = over(stage, table, "printf 'what it said'; exit 3")
    number = finished.identity.terminal_id
    table.add(finished)
    table.sweep()
    assert table.get(number) is finished, "it was used only now"
    long_ago(finished)
    table.sweep()
    with pytest.raises(UnknownTerminal):
        table.get(number)
    assert table.tombstone(number) == Tombstone(number, "call", 3, b"what it said", 0)
    assert table.tombstone(number) is None


def test_the_sweep_leaves_alone_what_lives_however_old_it_is(stage: Stage) -> None:
    table = table_of()
    kept = alive(stage, table)
    table.add(kept)
    long_ago(kept)
    table.sweep()
    assert table.terminals() == (kept,)


def test_what_made_room_while_it_was_over_is_still_told(stage: Stage) -> None:
    table = table_of()
    finished = over(stage, table, "printf bye; exit 9")
    table.add(finished)
    for _ in range(4):
        table.add(alive(stage, table))
    number = finished.identity.terminal_id
    assert table.tombstone(number) == Tombstone(number, "call", 9, b"bye", 0)


def test_of_a_long_output_the_end_is_kept_and_the_rest_counted(stage: Stage) -> None:
    table = table_of()
    finished = over(stage, table, f"head -c {TOMBSTONE_BYTES} /dev/zero; printf tail")
    table.add(finished)
    long_ago(finished)
    table.sweep()
    stone = table.tombstone(finished.identity.terminal_id)
    assert stone is not None
    assert (len(stone.output), stone.output[-5:], stone.omitted_bytes) == (TOMBSTONE_BYTES, b"\0tail", 4)


def test_a_number_whose_end_was_not_told_is_not_given_to_another(stage: Stage) -> None:
    """Required: the answer about the old command must not be taken for the new one's."""
    table = table_of()
    finished = over(stage, table)
    table.add(finished)
    long_ago(finished)
    table.sweep()
    assert finished.identity.terminal_id not in [table.reserve() for _ in range(9)]


def test_where_only_such_numbers_are_left_the_oldest_end_gives_way(stage: Stage) -> None:
    """Required: commands that nobody asks about must not use the numbers up."""
    table = table_of()
    buried = []
    for _ in range(10):
        finished = over(stage, table)
        buried.append(finished.identity.terminal_id)
        table.add(finished)
        long_ago(finished)
        table.sweep()
    assert table.reserve() == buried[0]
    assert table.tombstone(buried[0]) is None
    assert table.tombstone(buried[1]) is not None


def test_only_so_many_ends_are_kept(stage: Stage) -> None:
    table = TerminalTable(DEFAULT_LIMITS, draw=in_order())
    finished = over(stage, table)
    first = finished.identity.terminal_id
    for number in range(first, first + TOMBSTONES_MAX + 1):
        table._keep_end(number, finished)
    assert table.tombstone(first) is None
    assert table.tombstone(first + 1) is not None
    assert table.tombstone(first + TOMBSTONES_MAX) is not None


def test_a_command_that_never_started_is_told_without_an_exit_code(stage: Stage) -> None:
    """There is none; -1 is what events say as well."""
    table = table_of()
    failed = stage.start(program("/no/such/program"), number=table.reserve())
    assert failed.wait_exit(LIMIT_MS) is None
    assert failed.over
    table.add(failed)
    long_ago(failed)
    table.sweep()
    stone = table.tombstone(failed.identity.terminal_id)
    assert stone is not None
    assert stone.exit_code == -1


def test_what_was_taken_before_is_not_told_again(stage: Stage) -> None:
    table = table_of()
    finished = stage.start("echo first; read x; echo second", tty=True, number=table.reserve())
    table.add(finished)
    sees(finished, "first\r\n")
    finished.output.take()
    finished.write(b"\n")
    assert finished.wait_exit(LIMIT_MS) == 0
    long_ago(finished)
    table.sweep()
    stone = table.tombstone(finished.identity.terminal_id)
    assert stone is not None
    assert b"first" not in stone.output
    assert stone.output.endswith(b"second\r\n")
