"""The program of the child process that evaluates one rule file: source on stdin, JSON on stdout.

It is run by its path, without the package, and imports nothing of ours: what evaluates other people's code should have
little to lose. The limits are set before the file is looked at, and from then on nothing can be opened. The library is
written for files one trusts: memory it cannot get, and nesting it has no room for, end the process. That is this
process, and the caller says so.
"""

from __future__ import annotations

import json
import sys
from resource import RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, setrlimit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODULE = "rules"  # how the library calls the file in its messages
REPORT = "_sandgate_call"
CALL_LIMIT = "more rules than one file may have"
# The library does not tell a function who called it; its own call stack does.
PRELUDE = "".join(
    f"def {name}(*positional, **named):\n    {REPORT}({name!r}, call_stack(strip_frames=1), positional, named)\n"
    for name in ("prefix_rule", "host_executable", "network_rule", "place_rule")
)


def main() -> None:
    """Answers `{"calls": [[name, positional, named, line], ...]}`, or `{"error": text, "line": number}`."""
    limits = json.loads(sys.argv[1])
    sys.path[:] = limits["import_path"]
    try:
        import starlark
    except ImportError as missing:
        _answer({"missing": str(missing)})
        return
    source = sys.stdin.buffer.read().decode()
    for which, limit in (
        (RLIMIT_AS, limits["memory_bytes"]),
        (RLIMIT_CPU, limits["processor_s"]),
        (RLIMIT_CORE, 0),
        (RLIMIT_FSIZE, 0),
        (RLIMIT_NPROC, 0),
        (RLIMIT_NOFILE, 3),
    ):
        setrlimit(which, (limit, limit))
    try:
        text = json.dumps({"calls": _calls(starlark, source, limits["rules"])})
    except starlark.StarlarkError as wrong:
        _answer(_explained(str(wrong)))
        return
    _answer_text(text if len(text) <= limits["answer_bytes"] else json.dumps({"error": "its rules are too long"}))


def _calls(starlark: Any, source: str, rules_max: int) -> list[list[Any]]:
    dialect = starlark.Dialect.extended()
    dialect.enable_f_strings = True
    dialect.enable_load = False
    known = starlark.Globals.extended_by([starlark.LibraryExtension.CallStack])
    calls: list[list[Any]] = []

    def report(name: str, stack: str, positional: list[Any], named: dict[str, Any]) -> None:
        if len(calls) >= rules_max:
            raise ValueError(CALL_LIMIT)
        calls.append([name, positional, named, _line(stack, f"* {MODULE}:")])

    module = starlark.Module()
    module.add_callable(REPORT, report)
    starlark.eval(module, starlark.parse("prelude", PRELUDE, dialect), known)
    starlark.eval(module, starlark.parse(MODULE, source, dialect), known)
    return calls


def _line(text: str, mark: str) -> int:
    """The number after the last mark; 0 when there is none."""
    digits = text.rpartition(mark)[2] if mark in text else ""
    number = digits[: len(digits) - len(digits.lstrip("0123456789"))]
    return int(number) if number else 0


def _explained(message: str) -> dict[str, Any]:
    """The library's message without its drawing of the place."""
    cause = message.rpartition("error: ")[2].partition("\n")[0]
    line = _line(message, f"--> {MODULE}:") or _line(message, f"* {MODULE}:")
    return {"error": cause.removeprefix("ValueError: "), "line": line}


def _answer(value: dict[str, Any]) -> None:
    _answer_text(json.dumps(value))


def _answer_text(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
