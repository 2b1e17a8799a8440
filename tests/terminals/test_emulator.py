"""A terminal played by pyte, with what pyte lacks."""

from sandgate.terminals.emulator import ALTERNATES, CELL_CHARS_MAX, Emulator


def played(*data: bytes) -> Emulator:
    emulator = Emulator(10, 3)
    for one in data:
        emulator.feed(one)
    return emulator


def test_every_way_to_the_second_screen_leads_back_too() -> None:
    for mode in ALTERNATES:
        emulator = played(b"one\x1b[?%dhtwo" % mode)
        assert emulator.screen.is_alternate
        emulator.feed(b"\x1b[?%dl!" % mode)
        assert not emulator.screen.is_alternate
        assert emulator.screen.display[0].rstrip() == "one!"
    assert not played(b"\x1b[?1049h", b"\x1bc").screen.is_alternate


def test_a_cell_holds_few_accents() -> None:
    screen = played(b"a" + "\u0301\u0302".encode() * 500).screen
    assert 2 <= len(screen.buffer[0][0].data) <= CELL_CHARS_MAX + 1


def test_a_sequence_that_pyte_cannot_take_leaves_the_rest_alone() -> None:
    assert played(b"\x1b[?31m", b"\x1b[" + b"9" * 5_000 + b"m", b"ok").screen.display[0].rstrip() == "ok"


def test_the_program_does_not_set_the_size() -> None:
    assert played(b"\x1b[?3h").screen.columns == 10


def test_what_is_erased_is_gone_and_nothing_else() -> None:
    full = b"\x1b[Haaaa\r\nbbbb\r\ncccc\x1b[2;3H"
    for how, rows in (
        (b"\x1b[J", ["aaaa", "bb", ""]),
        (b"\x1b[1J", ["", "   b", "cccc"]),
        (b"\x1b[2J", ["", "", ""]),
        (b"\x1b[K", ["aaaa", "bb", "cccc"]),
        (b"\x1b[1K", ["aaaa", "   b", "cccc"]),
        (b"\x1b[2K", ["aaaa", "", "cccc"]),
    ):
        assert [line.rstrip() for line in played(full + how).screen.display] == rows
