"""Tells where one command of a live shell ends, and with which exit code.

The shell says so itself, in its prompt, with the marks that terminals know as shell integration: `OSC 133 ; A` before
a prompt, `C` before a command's output, `D ; <exit code>` after it. Each of ours ends in a nonce, a secret of this
session. A mark with it is taken out of the output and reported; everything else, marks of others included, passes
through untouched, so what a program prints is never taken for the end of a command.

The nonce is typed, never put into the environment or the arguments, where every program could read it, and the shell
keeps it in a variable that is not exported. That stops programs, not commands: what the live shell itself executes
(`set`, a sourced file) can read the nonce, and so can a debugger of the same user.
"""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Shell = Literal["bash", "sh", "zsh"]
    MarkKind = Literal["prompt", "output", "done"]

NONCE_BYTES = 16  # of randomness, written as twice as many hexadecimal digits
LINE_BYTES_MAX = 4_000  # of one typed line; a terminal's line discipline drops what is beyond 4095, termios(3)
EXIT_DIGITS_MAX = 3

_VARIABLE = "__sandgate_mark"  # of the shell; holds the nonce
_INTRODUCER, _END = b"\x1b]133;", b"\x07"
_KINDS: dict[bytes, MarkKind] = {b"A": "prompt", b"C": "output", b"D": "done"}


class Mark(Record):
    """`at` counts bytes of clean output from the first one on: what lies between two marks is exact."""

    kind: MarkKind
    at: int
    exit_code: int | None = None  # of "done" only


class MarkReader:
    """Takes the marks with our nonce out of a stream, however it is cut. Holds back less than one mark."""

    def __init__(self, nonce: str) -> None:
        _check(nonce)
        self._nonce = nonce.encode()
        self._held = b""
        self.clean_bytes = 0  # given back so far

    def feed(self, data: bytes) -> tuple[bytes, list[Mark]]:
        """(output without our marks, the marks); an unfinished mark stays here until it is finished, or is none."""
        data = self._held + data
        clean, marks = bytearray(), list[Mark]()
        start = 0
        while True:
            escape = data.find(_INTRODUCER[:1], start)
            if escape < 0:
                break
            clean += data[start:escape]
            verdict = self._mark_at(data, escape, self.clean_bytes + len(clean))
            if verdict is None:
                clean += data[escape : escape + 1]
                start = escape + 1
            elif isinstance(verdict, tuple):
                mark, start = verdict
                marks.append(mark)
            else:
                start = escape
                break
        unfinished = start < len(data) and data[start : start + 1] == _INTRODUCER[:1]
        self._held = data[start:] if unfinished else b""
        clean += b"" if unfinished else data[start:]
        self.clean_bytes += len(clean)
        return bytes(clean), marks

    def flush(self) -> bytes:
        """What was held back, when nothing follows any more."""
        held, self._held = self._held, b""
        self.clean_bytes += len(held)
        return held

    def _mark_at(self, data: bytes, start: int, at: int) -> tuple[Mark, int] | Literal["unfinished"] | None:
        """The mark that begins at `start` and where it ends; None when there is none of ours."""
        longest = len(_INTRODUCER) + len(b"D;") + EXIT_DIGITS_MAX + len(b";") + len(self._nonce) + len(_END)
        piece = data[start : start + longest]
        head = _INTRODUCER + piece[len(_INTRODUCER) : len(_INTRODUCER) + 1] + b";"
        if len(piece) < len(head):
            return "unfinished" if _INTRODUCER.startswith(piece) or piece[len(_INTRODUCER) :] in _KINDS else None
        kind = _KINDS.get(head[-2:-1])
        if kind is None or not piece.startswith(head):
            return None
        digits, rest = b"", piece[len(head) :]
        if kind == "done":
            digits, semicolon, rest = rest.partition(b";")
            if digits and (not digits.isdigit() or len(digits) > EXIT_DIGITS_MAX):
                return None
            if not semicolon:
                return "unfinished"
            if not digits:
                return None
        tail = self._nonce + _END
        if rest.startswith(tail):
            length = len(piece) - len(rest) + len(tail)
            return Mark(kind, at, int(digits) if digits else None), start + length
        return "unfinished" if tail.startswith(rest) else None


class Integration(Record):
    """How to start a shell that marks its commands, and what to type into it first.

    Before the first "prompt" mark the shell prints its usual prompt and shows what is typed: nothing of a command.
    """

    arguments: tuple[str, ...]  # behind the program
    environment: tuple[tuple[str, str], ...]  # beside the usual one
    first_input: bytes


def integration(shell: Shell, nonce: str) -> Integration:
    """For a live `shell` on a terminal of its own; it reads no start-up file and keeps no history."""
    _check(nonce)
    # Single quotes keep `$?` as it is until the prompt is shown. No escape character is typed, so nothing that is
    # shown while it is typed looks like a mark.
    prompt = f"PS1=\"$(printf '\\033]133;D;$?;${_VARIABLE}\\007\\033]133;A;${_VARIABLE}\\007')\"\n"
    # Unset first: what came exported would stay so. The prompt itself may: dash cannot take that back.
    quiet = f"unset {_VARIABLE}; {_VARIABLE}={nonce}; PS2= PS4=\n"
    match shell:
        case "bash":
            first = "set +o history +o histexpand; unset PS0 PROMPT_COMMAND MAIL MAILCHECK MAILPATH TMOUT\n"
            return Integration(("--noprofile", "--norc", "--noediting", "-i"), (), (first + quiet + prompt).encode())
        case "zsh":
            first = "setopt no_bang_hist no_notify; unset RPROMPT TMOUT; HISTSIZE=0\n"
            options = ("no_zle", "prompt_subst", "no_prompt_cr", "no_prompt_sp", "no_prompt_percent")
            arguments = ("-f", "-i", *(word for option in options for word in ("-o", option)))
            return Integration(arguments, (), (first + quiet + prompt).encode())
        case "sh":
            return Integration(("-i",), (("ENV", ""),), (quiet + prompt).encode())


def command_input(command: str) -> bytes:
    """What to type at a prompt so that `command` runs in the live shell itself and its output has marks around it.

    The shell reads it as a quoted word and only then as a command, so that a syntax error is part of the output
    and ends the command like any other. `$?` is 0 at its beginning. RequestError for what a terminal cannot take.
    """
    quoted = command.replace("'", "'\\''")
    typed = f"printf '\\033]133;C;%s\\007' \"${_VARIABLE}\"; eval '{quoted}\n'\n".encode("utf-8", "surrogateescape")
    if any((char < " " and char not in "\n\t") or char == "\x7f" for char in command):
        raise RequestError(
            "cannot type this command into a live shell",
            why="it contains a control character, which the terminal would take for a key",
            hint="write it as an escape, such as `$'\\x1b'` in bash, or use `printf`",
        )
    if max(map(len, typed.split(b"\n"))) > LINE_BYTES_MAX:
        raise RequestError(
            "cannot type this command into a live shell",
            why=f"it has a line of more than {LINE_BYTES_MAX} bytes, and a terminal cuts such lines",
            hint="break the line, or write the command to a file and run that",
        )
    return typed


def _check(nonce: str) -> None:
    if len(nonce) != 2 * NONCE_BYTES or not all(digit in "0123456789abcdef" for digit in nonce):
        raise ValueError(f"a nonce is {2 * NONCE_BYTES} hexadecimal digits")
