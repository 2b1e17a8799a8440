"""The words a tool call is answered with.

Models have learned to read these forms, so they are kept to the letter (`docs/explanation/tool-answers.md`). A
program that calls the same tools gets the facts as a dictionary instead, where there is room for what the text
does not say: in which state a command is, what the sandbox refused, which pattern was found. Pure.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.protocol.wire import denial_json
from sandgate.record import Record
from sandgate.tools.truncation import TruncationPolicy, cut, header_form, line_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.denials import Denial

    Json = dict[str, Any]


ANSWER_POLICY = TruncationPolicy("tokens", 10_000)  # where no model says otherwise
MILLISECONDS = 3  # digits of a second
# What stands first is read even where the rest is cut.
IN_ORDER = (
    "refused",
    "notices",
    "exit_code",
    "session_id",
    "state",
    "wall_time_seconds",
    "denials",
    "matched",
    "omitted_bytes",
    "original_token_count",
    "chunk_id",
    "output",
)


class ExecAnswer(Record):
    """The answer of `exec_command` and `write_stdin`. `output` is cut already (`truncation.unified_form`)."""

    wall_time_seconds: float  # of waiting for output, not of starting, asking or pausing
    output: str
    chunk_id: str | None = None  # six hexadecimal digits
    exit_code: int | None = None  # None: not known, usually because it still runs
    session_id: int | None = None  # None: nothing is left to write to
    original_token_count: int | None = None  # before the cut
    state: str | None = None  # what the command is doing
    denials: tuple[Denial, ...] = ()
    notices: tuple[str, ...] = ()  # what the model has to know; a line each in the text, too
    matched: str | None = None  # what a wait for a pattern found
    omitted_bytes: int = 0  # output that no buffer had room for
    refused: str = ""  # nothing ran, or was typed, and this is why

    def text(self) -> str:
        """What a model reads."""
        if self.refused:
            return self.refused
        lines = [f"Chunk ID: {self.chunk_id}"] if self.chunk_id is not None else []
        lines.append(f"Wall time: {self.wall_time_seconds:.4f} seconds")
        if self.exit_code is not None:
            lines.append(f"Process exited with code {self.exit_code}")
        if self.session_id is not None:
            lines.append(f"Process running with session ID {self.session_id}")
        if self.original_token_count is not None:
            lines.append(f"Original token count: {self.original_token_count}")
        # A notice quotes what others chose, such as a path; it must not be able to fake a line of ours.
        lines += [f"Notice: {visible(notice)}" for notice in self.notices]
        return "\n".join([*lines, "Output:", self.output])

    def structured(self) -> Json:
        """What a program reads, and a model whose client passes on nothing else: what happened, the output last.

        Only what there is to say; a call that was refused has no time and no output.
        """
        told: Json = self.fields() | {
            "wall_time_seconds": None if self.refused else round(self.wall_time_seconds, MILLISECONDS),
            "denials": [denial_json(denial) for denial in self.denials],
            "notices": list(self.notices),
            "omitted_bytes": self.omitted_bytes or None,
        }
        return slim({name: told[name] for name in IN_ORDER})


def slim(found: Json) -> Json:
    """The same without fields that say nothing: empty ones, and further in null and "".

    An empty list further in says something, such as that nothing may be written.
    """
    return {name: _slimmed(value) for name, value in found.items() if value not in (None, "", [], {})}


def _slimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _slimmed(each) for name, each in value.items() if each not in (None, "")}
    return [_slimmed(each) for each in value] if isinstance(value, list) else value


class ShellAnswer(Record):
    """The answer of a tool that runs one command to its end (`shell`, `shell_command`, a patch)."""

    output: str  # both streams in order of arrival, not cut yet
    exit_code: int
    duration_ms: int
    timed_out: bool = False
    notices: tuple[str, ...] = ()  # what the model has to know beside the output

    def structured_text(self, policy: TruncationPolicy) -> str:
        """One JSON object, for `shell` and `local_shell`."""
        import json

        metadata: Json = {"exit_code": self.exit_code, "duration_seconds": _tenths(self.duration_ms) / 10}
        if self.notices:
            metadata["notices"] = [visible(notice) for notice in self.notices]
        shown = header_form(self._body(), policy)
        return json.dumps({"output": shown, "metadata": metadata}, ensure_ascii=False)

    def freeform_text(self, policy: TruncationPolicy) -> str:
        """Lines, for `shell_command` and patches."""
        body = self._body()
        shown = cut(body, policy)
        lines = [f"Exit code: {self.exit_code}", f"Wall time: {_seconds(self.duration_ms)} seconds"]
        if line_count(shown) != line_count(body):
            lines.append(f"Total output lines: {line_count(body)}")
        lines += [f"Notice: {visible(notice)}" for notice in self.notices]
        return "\n".join([*lines, "Output:", shown])

    def _body(self) -> str:
        if not self.timed_out:
            return self.output
        return f"command timed out after {self.duration_ms} milliseconds\n{self.output}"


def _tenths(duration_ms: int) -> int:
    return (duration_ms + 50) // 100


def _seconds(duration_ms: int) -> str:
    whole, tenth = divmod(_tenths(duration_ms), 10)
    return f"{whole}.{tenth}" if tenth else str(whole)
