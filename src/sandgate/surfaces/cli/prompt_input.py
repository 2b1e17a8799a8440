"""Where the prompt of `sandgate agent` comes from: the argument, standard input, or both.

What is piped in beside a prompt is material, not the person's own words: it stands in a block of its own, and nothing
in it can end that block.
"""

from __future__ import annotations

import os
import select

from sandgate.errors import RequestError
from sandgate.surfaces.cli import say

STDIN = 0
PROMPT_BYTES_MAX = 16 << 20  # of standard input
NOTICE_AFTER_MS = 500  # of silence on standard input before we say that we wait for its end
_READ_BYTES = 1 << 16
NO_PROMPT = "there is no prompt"
NO_SCREEN = "a session has no screen of its own, so what the model is to do is said when it is started"
TYPED = "`-` in place of the prompt reads it from this terminal, to Ctrl-D at the start of a line"
HINT = "sandgate agent 'fix the failing test', or the prompt on standard input"


def prompt_text(argument: str | None, hint: str = HINT) -> str:
    """The whole prompt; `hint` says how to give one. Raises RequestError when there is none, or it cannot be read."""
    if argument in (None, "-"):
        if argument is None and os.isatty(STDIN):
            raise RequestError(NO_PROMPT, why=NO_SCREEN, hint=f"{hint}\n{TYPED}")
        text = _standard_input()
        if not text.strip():
            raise RequestError(NO_PROMPT, why="standard input is blank", hint=hint)
        return text
    if not argument.strip():
        raise RequestError(NO_PROMPT, why="the argument is blank", hint=hint)
    prompt = encodable(argument)
    beside = "" if os.isatty(STDIN) else _standard_input()
    return f"{prompt}\n\n{piped_block(beside)}" if beside.strip() else prompt


def piped_block(text: str) -> str:
    """Piped text as a block; an end mark inside of it loses its meaning and stays readable."""
    from re import IGNORECASE, sub

    inside = sub(r"<(\s*/?\s*stdin\s*>)", r"&lt;\1", text, flags=IGNORECASE)
    return f"<stdin>\n{inside}{'' if inside.endswith(chr(10)) else chr(10)}</stdin>"


def encodable(text: str) -> str:
    """Bytes of an argument that are no text become visible escapes: a model is asked in UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _standard_input() -> str:
    content = bytearray()
    try:
        _say_if_silent()
        while piece := os.read(STDIN, _READ_BYTES):
            content += piece
            if len(content) > PROMPT_BYTES_MAX:
                raise RequestError(f"standard input is longer than {PROMPT_BYTES_MAX >> 20} MiB")
    except OSError as problem:
        from errno import EBADF

        if problem.errno == EBADF:
            return ""  # we were started without one
        raise RequestError("cannot read standard input", why=str(problem.strerror)) from problem
    return content.decode("utf-8-sig", "replace")


def _say_if_silent() -> None:
    if not select.select([STDIN], [], [], NOTICE_AFTER_MS / 1000)[0]:
        say.fact("reading standard input to its end; `</dev/null` leaves it out")
