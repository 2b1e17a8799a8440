"""Keys by name, because a model that means Ctrl-C often sends the two letters `^C`.

A terminal has no keys, only characters; these are the ones that xterm sends. Arrows are those of a terminal whose
cursor keys are in their normal mode, which every program that switches the mode understands as well.
"""

from __future__ import annotations

ESCAPE = "\x1b"

KEYS: dict[str, str] = {
    "enter": "\r",
    "tab": "\t",
    "shift-tab": f"{ESCAPE}[Z",
    "space": " ",
    "backspace": "\x7f",
    "escape": ESCAPE,
    "up": f"{ESCAPE}[A",
    "down": f"{ESCAPE}[B",
    "right": f"{ESCAPE}[C",
    "left": f"{ESCAPE}[D",
    "home": f"{ESCAPE}[H",
    "end": f"{ESCAPE}[F",
    "insert": f"{ESCAPE}[2~",
    "delete": f"{ESCAPE}[3~",
    "page-up": f"{ESCAPE}[5~",
    "page-down": f"{ESCAPE}[6~",
    "f1": f"{ESCAPE}OP",
    "f2": f"{ESCAPE}OQ",
    "f3": f"{ESCAPE}OR",
    "f4": f"{ESCAPE}OS",
    "f5": f"{ESCAPE}[15~",
    "f6": f"{ESCAPE}[17~",
    "f7": f"{ESCAPE}[18~",
    "f8": f"{ESCAPE}[19~",
    "f9": f"{ESCAPE}[20~",
    "f10": f"{ESCAPE}[21~",
    "f11": f"{ESCAPE}[23~",
    "f12": f"{ESCAPE}[24~",
    "ctrl-space": "\x00",
    **{f"ctrl-{letter}": chr(ord(letter) & 0x1F) for letter in "abcdefghijklmnopqrstuvwxyz"},
    "ctrl-backslash": "\x1c",
}


def typed(keys: tuple[str, ...]) -> str:
    """The characters those keys send. Each has to be a name in `KEYS`."""
    return "".join([KEYS[key] for key in keys])
