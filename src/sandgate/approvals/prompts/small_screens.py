"""A question on a screen that is smaller than it.

All of it is printed as always, and scrolls by. What must be in sight when an answer is given then stands at the end in
short: the command, the risk, what a yes does, and every key with a word for what it means. One more key leafs through
everything. Pure text, as in `prompt.py`.
"""

from __future__ import annotations

from sandgate.approvals.prompts.prompt import (
    CHANGING,
    choice_lines,
    choices,
    command_lines,
    prompt_lines,
    what_a_yes_does,
    wrapped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest

# The choices where there is no room for what they mean in full.
IN_SHORT = {
    "approve": "once",
    "approve-session": "for this session",
    CHANGING: "for this session, also when files change",
    "approve-always": "always",
    "approve-unsandboxed": "once, WITHOUT the sandbox",
    "deny": "no",
    "abort": "stop everything",
}
COMMAND_MARK = "  $ "  # in front of the command in a prompt, `prompt.py`
GAP = "  "
COMMAND_PIECES_MAX = 2  # lines of the command in short


def is_small(above: list[str], below: list[str], rows: int) -> bool:
    """Whether the command is out of sight once the question stands under `below`; `above` are the prompt's lines."""
    start = next(at for at, line in enumerate(above) if line.startswith(COMMAND_MARK))
    return len(above) - start + len(below) >= rows


def short_lines(request: ApprovalRequest, columns: int, rows: int) -> list[str]:
    """What stands right above the question: `rows` less one, where the keys leave room for that."""
    keys = [f"[{choice.key}] {IN_SHORT[choice.name]}" for choice in choices(request)]
    answers = _packed([*keys, "[v] see all of it"], columns)
    command = _cut(COMMAND_MARK + command_lines(request)[0].lstrip(), columns, COMMAND_PIECES_MAX)
    about = _cut(f"  a yes: {what_a_yes_does(request)}", columns, 1)
    risk = [f"  Risk: {request.risk.risk_level.upper()}"] if request.risk is not None else []
    room = max(rows - 1 - len(answers), 1)
    while len(shown := [*command, *risk, *about]) > room:
        (risk or about or command).pop()
    return [*shown, *answers]


class Pages:
    """All of a question, a screen at a time, and then in short again."""

    def __init__(self) -> None:
        self._left: list[str] | None = None  # None: nothing is shown yet

    def turned(self, request: ApprovalRequest, columns: int, rows: int) -> list[str]:
        """The lines that come next."""
        if self._left is None:
            self._left = [
                *prompt_lines(request, colour=False, columns=columns, whole=True),
                *choice_lines(request, columns),
            ]
        if not self._left:
            self._left = None
            return ["", *short_lines(request, columns, rows)]
        size = max(rows - 2, 1)
        page, self._left = self._left[:size], self._left[size:]
        return ["", *page]


def _packed(words: list[str], columns: int) -> list[str]:
    """As many on a line as it takes; a key stays with its meaning."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(GAP) + len(word) < columns:
            lines[-1] += GAP + word
        else:
            lines.append(word)
    return [piece for line in lines for piece in wrapped(line, columns)]


def _cut(line: str, columns: int, pieces: int) -> list[str]:
    whole = wrapped(line, columns)
    if len(whole) <= pieces:
        return whole
    return [*whole[: pieces - 1], f"{whole[pieces - 1][: columns - 2].rstrip()} …"]
