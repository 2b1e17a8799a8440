from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import ToolArgumentsError
from sandgate.tools.arguments import SHELL_TIMEOUT_MS, SHELL_TIMEOUT_MS_MAX, ShellArguments
from sandgate.tools.builtin.shell import local_shell_arguments, shell_arguments


def said(text: str) -> str:
    with pytest.raises(ToolArgumentsError, match="failed to parse function arguments: ") as raised:
        shell_arguments(text)
    return str(raised.value)


def test_a_command_is_read_with_both_spellings_of_its_fields() -> None:
    """Required: models of both ages call it."""
    newer = '{"command": ["ls", "-l"], "workdir": "a", "timeout_ms": 5, "sandbox_permissions": "require_escalated"}'
    older = '{"command": ["ls", "-l"], "workdir": "a", "timeout": 5.0, "with_escalated_permissions": true}'
    wanted = ShellArguments(("ls", "-l"), "a", 5, "require_escalated")
    assert (shell_arguments(newer), shell_arguments(older)) == (wanted, wanted)
    plain = shell_arguments('{"command": ["ls"], "workdir": "", "with_escalated_permissions": false}')
    assert plain == ShellArguments(("ls",))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"command": "ls"}', 'invalid type: string "ls", expected a sequence'),
        ('{"command": []}', "no program"),
        ('{"command": [""]}', "no program"),
        ('{"command": ["a\\u0000b"]}', "NUL"),
        ('{"workdir": "a"}', "missing field `command`"),
        ('{"command": ["a"], "env": {}}', "unknown field `env`"),
        ('{"command": ["a"], "timeout": 1, "timeout_ms": 2}', "contradict"),
        (
            '{"command": ["a"], "sandbox_permissions": "use_default", "with_escalated_permissions": true}',
            "contradict",
        ),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(text: str, fault: str) -> None:
    assert fault in said(text)


def test_a_call_has_a_time_limit_whatever_it_says_and_is_told_when_it_was_cut() -> None:
    """Required: no command of this tool runs without a limit."""
    assert ShellArguments(("a",)).bounded_timeout_ms == SHELL_TIMEOUT_MS
    long = ShellArguments(("a",), timeout_ms=SHELL_TIMEOUT_MS_MAX + 1)
    assert long.bounded_timeout_ms == SHELL_TIMEOUT_MS_MAX
    assert long.notices == (f"the time limit was cut to {SHELL_TIMEOUT_MS_MAX} milliseconds",)
    assert ShellArguments(("a",), timeout_ms=SHELL_TIMEOUT_MS_MAX).notices == ()


def test_an_action_of_the_provider_becomes_the_same() -> None:
    action = {"type": "exec", "command": ["ls"], "timeout_ms": 7, "working_directory": "a", "env": {}, "user": None}
    assert local_shell_arguments(action) == ShellArguments(("ls",), "a", 7)


@pytest.mark.parametrize("more", [{"env": {"PATH": "/x"}}, {"user": "root"}, {"type": "other"}, {"command": None}])
def test_what_an_action_asks_for_beyond_that_is_refused_and_not_ignored(more: dict[str, object]) -> None:
    """Required: no reviewer would have seen it."""
    with pytest.raises(ToolArgumentsError):
        local_shell_arguments({"type": "exec", "command": ["ls"], **more})


@given(st.text())
def test_no_text_of_a_model_makes_the_reader_fail_otherwise(text: str) -> None:
    for candidate in (text, json.dumps({"command": [text], "workdir": text})):
        try:
            shell_arguments(candidate)
        except ToolArgumentsError:
            continue
