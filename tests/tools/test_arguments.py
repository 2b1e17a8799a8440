from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError, ToolArgumentsError
from sandgate.tools.arguments import ExecCommandArguments, WaitPattern, WriteStdinArguments
from sandgate.tools.builtin.exec_command import exec_command_arguments
from sandgate.tools.builtin.write_stdin import write_stdin_arguments
from sandgate.tools.fields import ENDLESS
from support.suite.rows import every


def said(read: Callable[[], object]) -> str:
    with pytest.raises(ToolArgumentsError) as caught:
        read()
    before, _, fault = str(caught.value).partition("failed to parse function arguments: ")
    assert before == ""
    return fault


def test_a_missing_command_is_said_in_the_words_of_the_wire() -> None:
    """Required: models know this sentence; the column is the length of the text."""
    with pytest.raises(RequestError) as caught:
        exec_command_arguments('{  "workdir": "/tmp",  "tty": true}')
    assert str(caught.value) == "failed to parse function arguments: missing field `cmd` at line 1 column 35"


def test_only_the_command_is_needed() -> None:
    assert exec_command_arguments('{"cmd": "ls"}') == ExecCommandArguments("ls")


def test_every_argument_arrives_with_its_type() -> None:
    sent: dict[str, Any] = {
        "cmd": "make",
        "workdir": "sub",
        "shell": "/bin/bash",
        "login": False,
        "tty": True,
        "yield_time_ms": 1000,
        "max_output_tokens": 0,
        "sandbox_permissions": "require_escalated",
        "justification": "needs the network",
        "prefix_rule": ["make"],
        "rows": 50,
        "columns": 132,
    }
    assert exec_command_arguments(json.dumps(sent), extended=True) == ExecCommandArguments(
        **{**sent, "prefix_rule": ("make",)}
    )


def test_null_and_an_empty_directory_count_as_absent() -> None:
    """Required for the directory; our choice for null, which some models send for every optional argument."""
    sent: dict[str, object] = dict.fromkeys(
        ("shell", "login", "tty", "yield_time_ms", "max_output_tokens", "sandbox_permissions", "prefix_rule")
    )
    assert exec_command_arguments(json.dumps({"cmd": "ls", "workdir": "", **sent})) == ExecCommandArguments("ls")


def test_a_write_has_text_keys_and_patterns() -> None:
    sent = {
        "session_id": 4711,
        "chars": "é\u0003",
        "keys": ["up", "enter"],
        "wait_for": [{"text": "$ "}, {"regex": "^done"}],
        "yield_time_ms": 500.9,
    }
    arguments = write_stdin_arguments(json.dumps(sent), extended=True)
    assert arguments == WriteStdinArguments(
        session_id=4711,
        chars="é\u0003",
        yield_time_ms=500,
        keys=("up", "enter"),
        wait_for=(WaitPattern("$ "), WaitPattern("^done", regex=True)),
    )
    assert arguments.sent == "é\u0003\x1b[A\r"


@every(
    "sent, fault",
    [
        ('{"cmd":1}', "invalid type: integer `1`, expected a string at line 1 column 8"),
        ('{"cmd":null}', "invalid type: null, expected a string at line 1 column 11"),
        ('{"cmd":["ls"]}', "invalid type: sequence, expected a string at line 1 column 13"),
        ('{"cmd":"a\\u0000b"}', "invalid value: string with a NUL character, expected a string at line 1 column 17"),
        (
            '{"cmd":"\\udc80"}',
            "invalid value: string with half a surrogate pair, expected a string at line 1 column 15",
        ),
        ('{"cmd":"a","cmd":"b"}', "duplicate field `cmd` at line 1 column 16"),
        ('{"cmd":"a","tty":"yes"}', 'invalid type: string "yes", expected a boolean at line 1 column 22'),
        ('{"cmd":"a","tty":1}', "invalid type: integer `1`, expected a boolean at line 1 column 18"),
        ('{"cmd":"a","yield_time_ms":"5"}', 'invalid type: string "5", expected u64 at line 1 column 30'),
        ('{"cmd":"a","yield_time_ms":true}', "invalid type: boolean `true`, expected u64 at line 1 column 31"),
        ('{"cmd":"a","yield_time_ms":-1}', "invalid value: integer `-1`, expected u64 at line 1 column 29"),
        (
            '{"cmd":"a","max_output_tokens":-0.5}',
            "invalid value: floating point `-0.5`, expected u64 at line 1 column 35",
        ),
        ('{"cmd":"a","yield_time_ms":NaN}', "expected value at line 1 column 28"),
        ('{"cmd":"a","yield_time_ms":1e999}', "number out of range at line 1 column 28"),
        (
            '{"cmd":"a","sandbox_permissions":"none"}',
            "unknown variant `none`, expected `use_default` or `require_escalated` at line 1 column 39",
        ),
        ('{"cmd":"a","prefix_rule":["git",1]}', "invalid type: integer `1`, expected a string at line 1 column 34"),
        ('{"cmd":"a","prefix_rule":"git"}', 'invalid type: string "git", expected a sequence at line 1 column 30'),
        (
            '{"cmd":"a","rows":9}',
            "unknown field `rows`, expected one of `cmd`, `workdir`, `shell`, `login`, `tty`, `yield_time_ms`, "
            "`max_output_tokens`, `sandbox_permissions`, `justification`, `prefix_rule` at line 1 column 17",
        ),
        ('{"workdir":"/"}\n', "missing field `cmd` at line 1 column 15"),
        ('{"cmd":"a"} x', "trailing characters at line 1 column 13"),
    ],
)
def test_a_misfit_is_named_with_its_place(sent: str, fault: str) -> None:
    assert said(lambda: exec_command_arguments(sent)) == fault


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ("{}", "missing field `session_id` at line 1 column 2"),
        ('{"session_id":"5"}', 'invalid type: string "5", expected i32 at line 1 column 17'),
        ('{"session_id":true}', "invalid type: boolean `true`, expected i32 at line 1 column 18"),
        ('{"session_id":1.5}', "invalid type: floating point `1.5`, expected i32 at line 1 column 17"),
        ('{"session_id":2147483648}', "invalid value: integer `2147483648`, expected i32 at line 1 column 24"),
        ('{"session_id":1,"keys":["up","hyper-x"]}', None),
        ('{"session_id":1,"wait_for":[{}]}', None),
        ('{"session_id":1,"wait_for":["$"]}', None),
        ('{"session_id":1,"wait_for":[{"text":""}]}', None),
        ('{"session_id":1,"wait_for":[{"text":"a","regex":"b"}]}', None),
        ('{"session_id":1,"wait_for":[{"regex":1}]}', None),
        ('{"session_id":1,"wait_for":[' + ",".join(['{"text":"a"}'] * 17) + "]}", None),
    ],
)
def test_a_write_that_does_not_fit_is_refused(sent: str, fault: str | None) -> None:
    answer = said(lambda: write_stdin_arguments(sent, extended=True))
    assert fault in (None, answer)


def test_a_key_that_does_not_exist_is_answered_with_those_that_do() -> None:
    answer = said(lambda: write_stdin_arguments('{"session_id":1,"keys":["^C"]}', extended=True))
    assert answer.startswith("unknown variant `^C`, expected one of `enter`, `tab`,")


@pytest.mark.parametrize(
    ("number", "read"), [("1e308", ENDLESS), ("9" * 300, ENDLESS), ("1000.0", 1000), ("0.9", 0), ("-0.0", 0), ("0", 0)]
)
def test_absurd_numbers_become_the_largest_that_counts(number: str, read: int) -> None:
    arguments = exec_command_arguments(f'{{"cmd":"a","yield_time_ms":{number},"max_output_tokens":{number}}}')
    assert (arguments.yield_time_ms, arguments.max_output_tokens) == (read, read)


def test_a_session_may_be_named_by_a_whole_number_with_a_fraction_of_zero() -> None:
    assert write_stdin_arguments('{"session_id":97729.0}') == WriteStdinArguments(97729)


def test_what_is_quoted_in_an_error_is_short_and_visible() -> None:
    answer = said(lambda: exec_command_arguments('{"a\\u202e\\nb' + "x" * 500 + '":1}'))
    assert answer.startswith("unknown field `a\\u202e\\nbxxx")
    assert len(answer) < 300


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.text(max_size=3))
NAMES = st.sampled_from(
    ["cmd", "session_id", "chars", "keys", "wait_for", "tty", "rows", "yield_time_ms", "input", "?"]
)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.booleans())
def test_whatever_is_sent_there_is_an_answer(sent: dict[str, Any], extended: bool) -> None:
    for read in (exec_command_arguments, write_stdin_arguments):
        try:
            read(json.dumps(sent), extended=extended)
        except ToolArgumentsError as error:
            assert str(error).startswith("failed to parse function arguments: ")  # noqa: PT017 - an answer is fine, too
