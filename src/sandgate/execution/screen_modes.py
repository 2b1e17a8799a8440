"""What a program has made of the terminal that shows its output: its second screen, and how the terminal behaves.

A question in the middle takes all of that away, and a program that is told to paint anew paints, but says none of it
again. So it is followed here, in what passes on its way to the terminal. XTerm Control Sequences: `CSI ? n h`, `CSI > 4
; n m`, `CSI > n u`. What is painted is not kept: that is the program's to do.
"""

from __future__ import annotations

import re

ALTERNATES = (b"47", b"1047", b"1049")  # private modes that switch to the second screen, as in terminals/emulator.py
MODES_MAX = 64  # private modes of one program that are remembered; no terminal has so many
SEQUENCE_BYTES_MAX = 64  # of one that is understood; a longer one sets nothing that is followed here
_AT_ONCE = (b"3", b"6", b"1048")  # they clear the screen or move the cursor when they are set
_ON_FIRST = (b"7", b"25")  # lines wrap, the cursor is seen: set in a terminal that nobody has touched
_SAID = re.compile(rb"\x1b(?:c|\[\?([0-9;]+)([hl])|\[(>4(?:;[0-9]*)?m)|\[([<>=])([0-9]*)(?:;[0-9]*)?u)")
_HALF = re.compile(rb"\x1b(?:\[[?<>=0-9;]*)?\Z")


class ScreenModes:
    """Shown all that a program writes, piece by piece."""

    __slots__ = ("_alternate", "_half", "_keys", "_modes", "_other_keys", "ended_line")

    def __init__(self) -> None:
        self._half = b""
        self._reset()
        self.ended_line = True

    @property
    def is_alternate(self) -> bool:
        return bool(self._alternate)

    def show(self, data: bytes) -> None:
        self.ended_line = data.endswith((b"\n", b"\r"))
        data = self._half + data
        for said in _SAID.finditer(data):
            self._follow(said)
        half = _HALF.search(data, max(0, len(data) - SEQUENCE_BYTES_MAX))
        self._half = half[0] if half else b""

    def left(self) -> bytes:
        """Shows the first screen, from the start of a line, once the terminal itself makes lines of what it is sent."""
        away = b"\x1b[?%bl" % self._alternate if self._alternate else b""
        return away if away or self.ended_line else b"\n"

    def entered_again(self) -> bytes:
        """As the program had it; its screen is empty."""
        again = [b"\x1b[?%bh" % self._alternate] if self._alternate else []
        again += [b"\x1b[?%b%b" % (mode, how) for mode, how in self._modes.items()]
        return b"".join([*again, self._other_keys, self._keys])

    def undone(self) -> bytes:
        """What a program that is gone has left: the first screen, as plain as it was."""
        plain = [b"\x1b[?%b%b" % (mode, b"h" if mode in _ON_FIRST else b"l") for mode in self._modes]
        keys = [b"\x1b[>4;0m"] if self._other_keys else []
        keys += [b"\x1b[=0u"] if self._keys else []
        return b"".join([*plain, *keys, self.left() if self._alternate else b""])

    def _follow(self, said: re.Match[bytes]) -> None:
        modes, how, other_keys, keys, flags = said.groups()
        if modes is not None:
            for mode in modes.split(b";"):
                self._set(mode.lstrip(b"0"), how)
        elif other_keys is not None:
            self._other_keys = said[0]
        elif keys is not None:
            self._keys = b"" if keys == b"<" else b"\x1b[=%bu" % flags
        else:
            self._reset()

    def _set(self, mode: bytes, how: bytes) -> None:
        if mode in ALTERNATES:
            self._alternate = mode if how == b"h" else b""
        elif mode not in _AT_ONCE and (mode in self._modes or len(self._modes) < MODES_MAX):
            self._modes[mode] = how

    def _reset(self) -> None:
        self._alternate = b""
        self._modes: dict[bytes, bytes] = {}
        self._other_keys = self._keys = b""
