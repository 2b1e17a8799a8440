"""Tcl, and `expect`, which types into what it has started: made of commands like a shell, so a few of them matter."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry

HARMLESS = frozenset(("puts", "set", "exit", "expr", "interact", "expect", "wait", "close"))


def judge_tcl(code: str, call: Call, inquiry: Inquiry) -> None:
    """Judge what is deleted, started and typed; the rest is doubted."""
    for line in code.replace(";", "\n").split("\n"):
        parts = [part.strip('{}"[]') for part in line.split()]
        if parts[:2] == ["file", "delete"]:
            for part in parts[2:]:
                if part[:1] != "-":
                    inquiry.delete(Arg(part, raw=part), call, recursive="-force" in parts)
        elif parts[:1] in (["exec"], ["spawn"]):
            inquiry.run_script(" ".join(parts[1:]), call)
        elif parts[:1] in (["send"], ["exp_send"]):  # typed into what was spawned
            typed = line.partition("send")[2].strip().strip('"{}').replace("\\r", "").replace("\\n", "")
            inquiry.run(call.inside("sh", [Arg("-c"), Arg(typed)], remote=True))
        elif parts and parts[0] not in HARMLESS:
            inquiry.doubt("runs Tcl code that was not understood", target="Tcl")
