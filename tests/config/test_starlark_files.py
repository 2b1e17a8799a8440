"""Rule files that compute: what they may say, and that none of them can keep or take what the machine has."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from sandgate.config import starlark_files
from sandgate.config.starlark_files import MEMORY_BYTES_MAX, TIME_LIMIT_S, evaluated_calls
from sandgate.errors import RuleError
from sandgate.policy.rules.entries import RULES_MAX
from sandgate.policy.rules.literal import RuleCall

GRACE_S = 8  # over the limit, on a machine with other work
ENDLESS = "def f():\n    for i in range(1000000):\n        for j in range(1000000):\n            pass\nf()\n"
DOUBLING = 'def f(x):\n    for i in range(60):\n        x = x + x\n    return x\nprefix_rule([f("a")])\n'


def refusal(text: str) -> RuleError:
    with pytest.raises(RuleError) as caught:
        evaluated_calls(text, "a.rules")
    return caught.value


def test_variables_loops_functions_and_f_strings_make_calls_with_their_lines() -> None:
    text = (
        'tools = ["cargo", "npm"]\n'
        "def for_tool(tool, *words):\n"
        '    prefix_rule([tool, list(words)], justification = f"{tool} only reads")\n'
        "for tool in tools:\n"
        '    for_tool(tool, "list", "tree")\n'
        'network_rule("a.example", "https", decision = "deny")\n'
    )
    assert evaluated_calls(text, "a.rules") == (
        RuleCall("prefix_rule", (["cargo", ["list", "tree"]],), {"justification": "cargo only reads"}, 3),
        RuleCall("prefix_rule", (["npm", ["list", "tree"]],), {"justification": "npm only reads"}, 3),
        RuleCall("network_rule", ("a.example", "https"), {"decision": "deny"}, 6),
    )


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("x = 1\ny = \n", 2, "unexpected new line"),
        ("\nprefix_rule(nothing)", 2, "`nothing` not found"),
        ('x = 1\nload("//x", "y")', 2, "`load` is not allowed"),
        ('x = 1\nload("/etc/passwd", "y")', 2, "`load` is not allowed"),
        ("while True:\n    pass", 1, "reserved keyword `while`"),
        ('x = open("/etc/passwd")', 1, "`open` not found"),
        ("x = 1\nimport os", 2, "reserved keyword `import`"),
        ('x = 1\n\nfail("not today")', 3, "not today"),
        ("\ufeffprefix_rule(['a'])", 1, "invalid input"),
        ("def r(n):\n    return r(n + 1)\nr(1)", 2, "call stack overflow"),
        ("x = 1 // 0", 1, "division by zero"),
        ("x = prefix_rule\nx(x)", 2, ""),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, why: str) -> None:
    found = refusal(text)
    assert found.what == f"cannot use the rules in a.rules:{line}"
    assert why in found.why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ENDLESS, f"takes longer than {TIME_LIMIT_S} s"),
        ("x = [0] * 1000000000", "memory"),
        (DOUBLING, "memory"),
        ("x = " + "[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("x = " + "(" * 500_000, ""),
        ("x = " + "-" * 200_000 + "1", "nested too deeply"),
        ("x = 1" + " + 1" * 200_000, "nested too deeply"),
    ],
    ids=["loop", "list", "doubling", "lists", "brackets", "signs", "sum"],
)
def test_a_file_that_wants_all_time_or_memory_gets_neither(text: str, why: str) -> None:
    """Required: the limits are the machine's, not the library's."""
    began = time.monotonic()
    assert why in refusal(text).why
    assert time.monotonic() - began < TIME_LIMIT_S + GRACE_S


def test_more_rules_than_a_file_may_have_are_refused() -> None:
    found = refusal(f'for i in range({RULES_MAX + 1}):\n    prefix_rule(["a"])\n')
    assert (found.what, "more rules than one file may have" in found.why) == (
        "cannot use the rules in a.rules:2",
        True,
    )


def test_a_million_rules_written_out_are_refused() -> None:
    found = refusal('x = 1\n[prefix_rule(["a"]) for i in range(1000000)]')
    assert "more rules than one file may have" in found.why


def test_rules_that_are_too_long_to_send_back_are_refused() -> None:
    """A megabyte of text, a hundred times."""
    assert "too long" in refusal('x = "a" * 1000000\n[prefix_rule([x]) for i in range(5)]').why


def test_odd_characters_arrive_as_they_are() -> None:
    text = 'x = "é😀"\r\nprefix_rule([x, "a\0b", "\\n\u202e"])\r\n'
    assert evaluated_calls(text, "a.rules")[0].positional == (["é😀", "a\0b", "\n\u202e"],)


def test_it_sees_no_variable_of_ours_and_can_open_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: what evaluates the file has no environment and, once it evaluates, no free descriptor."""
    monkeypatch.setenv("SECRET", "hunter2")
    spy = tmp_path / "starlark.py"
    spy.write_text(
        "import os\nclass StarlarkError(Exception): pass\n"
        "class Dialect:\n    extended = staticmethod(lambda: Dialect())\n"
        "class LibraryExtension: CallStack = 1\n"
        "class Globals:\n    extended_by = staticmethod(lambda _: 0)\n"
        "class Module:\n    def add_callable(self, name, function): self.report = function\n"
        "def parse(*_): return 0\n"
        "def eval(module, *_):\n"
        "    try: os.open('/dev/null', os.O_RDONLY)\n"
        "    except OSError as wrong: found = wrong.errno\n"
        "    else: found = 0\n"
        "    module.report('prefix_rule', '', [found, sorted(os.environ)], {})\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    errno, environ = evaluated_calls("x = 1", "a.rules")[0].positional
    assert (errno, [name for name in environ if name != "LC_CTYPE"]) == (24, [])


def test_without_the_library_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if "site-packages" not in entry])
    with pytest.raises(RuleError) as caught:
        evaluated_calls("x = 1", "a.rules", since=1)
    assert caught.value.what == "cannot use the rules in a.rules:1"
    assert "is missing" in caught.value.why
    assert "pip install 'sandgate[starlark]'" in caught.value.hint


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"{}", b'{"calls": 1}', b'{"calls": [["os.system", [], {}, 1]]}', b"[" * 100_000, b'{"calls": [[]]}'],
)
def test_an_answer_that_is_none_is_a_refusal(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: what comes back is as foreign as the file."""
    monkeypatch.setattr(starlark_files, "_asked", lambda _text: (answer, 0))
    assert refusal("x = 1").what == "cannot use the rules in a.rules"


def test_a_child_that_cannot_start_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert "no process can be started" in refusal("x = 1").why


def test_the_limits_are_what_the_text_says() -> None:
    assert (TIME_LIMIT_S, MEMORY_BYTES_MAX) == (2, 256 << 20)


def test_where_a_child_cannot_be_watched_it_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    def unwatched(child: int) -> int:
        started.append(child)
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", unwatched)
    assert "Function not implemented" in refusal("x = 1").why
    assert not os.path.exists(f"/proc/{started[0]}")
