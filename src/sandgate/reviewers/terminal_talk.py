"""What a terminal says by itself, and how it is put back to showing plainly what is written to it.

A command that ran before a question may have left the terminal in any state, and may have asked it for reports. A
report arrives as if it had been typed, and may hold any letter: `ESC [ M C y !` is the pointer moving over column 89,
`ESC P > | kitty(0.32) ESC \\` is a name, and the answer to `ESC [ c` ends in one. None of that is a key. What the forms
are: ECMA-48 section 5.4 and 5.6, and XTerm Control Sequences.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[int], int]  # the next byte, waiting so many milliseconds for it; below 0 when none came

KEY_GAP_MS = 40  # within a key's own sequence; it is sent in one piece, and a connection may split it
REPORT_GAP_MS = 1_000  # within a report, which the terminal sends: over a slow connection it may come in pieces
SEQUENCE_BYTES_MAX = 65_536  # of one that never ends
NOTHING = -1

_C1 = range(0x80, 0xA0)  # one byte for ESC and a byte 0x40 lower, as a terminal sends that was told to (S8C1T)
_C1_IN_UTF_8 = 0xC2  # before such a byte
_ENDS_TEXT = 0x9C  # ST, of these
_ESCAPE, _BELL, _CANCEL, _SUBSTITUTE = 0x1B, 0x07, 0x18, 0x1A
_REPORTS = frozenset(b"]PX^_")  # OSC, DCS, SOS, PM, APC: text up to BEL, or ESC and a backslash
_CONTROL, _SINGLE, _MOUSE = ord("["), ord("O"), ord("M")
_MOUSE_BYTES = 3  # behind `ESC [ M` without parameters: button, column and row, each one byte or one character of UTF-8
_TWO_BYTES = range(0xC2, 0xE0)  # the first of a character of two, RFC 3629

_MODES_OFF = (
    *(9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016),  # pointer and focus are reported
    *(2004, 2026, 2048),  # pastes are marked, what is shown is held back, sizes are reported
    *(69,),  # side margins
)
# In this order: end whatever text is open, then state by state. A terminal ignores what it does not know.
PLAIN = (
    "\x18\x1b\\"  # no half sequence swallows what comes
    + "\x1b%G"  # UTF-8
    + "".join(f"\x1b[?{mode}l" for mode in _MODES_OFF)
    + "\x1b[=0u\x1b[>4;0m"  # keys are sent as letters
    + "\x1b7\x1b[r\x1b8"  # the whole screen scrolls, and the cursor stays; what it restores beside it comes below
    + "\x1b[4l\x1b[?7h\x1b[?25h"  # nothing is inserted, lines wrap, the cursor is seen
    + "\x1b(B\x1b)B\x1b*B\x1b+B\x0f"  # letters are letters
    + "\x1b[0m\x1b]110\x1b\\\x1b]111\x1b\\"  # nothing is concealed, nor drawn in the colour it stands on
    + "\x1b[J"  # nothing foreign stands below
)
DUMB = ("", "dumb")  # TERM of what would show these as text


def begins_sequence(byte: int) -> bool:
    """Whether it may be the first of several that are one key, or a report."""
    return byte in (_ESCAPE, _C1_IN_UTF_8) or byte in _C1


def skip_sequence(first: int, read: Read) -> None:
    """Reads what follows `first`, which begins one, up to its end: a key that is no letter, or a report."""
    if first == _ESCAPE:
        byte = read(KEY_GAP_MS)
        while byte == _ESCAPE:  # Alt and a key that has a sequence
            byte = read(KEY_GAP_MS)
        _skip_after(byte, read)
        return
    control = read(REPORT_GAP_MS) if first == _C1_IN_UTF_8 else first
    if control in _C1:
        _skip_after(control - 0x40, read, before_end=_C1_IN_UTF_8 if first == _C1_IN_UTF_8 else None)


def _skip_after(byte: int, read: Read, before_end: int | None = _ESCAPE) -> None:
    """`byte` as behind an ESC. `before_end`: what stands before the last byte of a text; None: nothing does."""
    if byte in _REPORTS:
        _skip_text(read, before_end)
    elif byte == _CONTROL:
        _skip_control(read)
    elif byte == _SINGLE:
        _skip_parameters(read)


def _skip_control(read: Read) -> None:
    first = read(KEY_GAP_MS)
    if first == _MOUSE:
        for _ in range(_MOUSE_BYTES):
            if read(REPORT_GAP_MS) in _TWO_BYTES:
                read(KEY_GAP_MS)
    elif first == _CONTROL:  # function keys of the Linux console
        read(KEY_GAP_MS)
    elif not _is_final(first):
        _skip_parameters(read)


def _skip_parameters(read: Read) -> None:
    """Up to the final byte."""
    for _ in range(SEQUENCE_BYTES_MAX):
        if _is_final(read(REPORT_GAP_MS)):
            return


def _is_final(byte: int) -> bool:
    return byte < 0 or 0x40 <= byte <= 0x7E or byte in (_CANCEL, _SUBSTITUTE)


def _skip_text(read: Read, before_end: int | None) -> None:
    end = ord("\\") if before_end == _ESCAPE else _ENDS_TEXT
    before = NOTHING
    for _ in range(SEQUENCE_BYTES_MAX):
        byte = read(REPORT_GAP_MS)
        if byte < 0 or byte in (_BELL, _CANCEL, _SUBSTITUTE) or (byte == end and before_end in (None, before)):
            return
        before = byte
