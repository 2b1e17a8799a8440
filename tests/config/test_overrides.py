"""`-c key=value`: values of every type on the command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.config.overrides import table_of
from sandgate.errors import ConfigError
from support.config.config_machine import Machine
from support.suite.rows import every


@every(
    "override, table",
    [
        ("n=42", {"n": 42}),
        ("n=042", {"n": "042"}),
        ("n=0", {"n": 0}),
        ("n = -1.5", {"n": -1.5}),
        ("on=true", {"on": True}),
        ("list=[1, 2]", {"list": [1, 2]}),
        ("inline={x = 1}", {"inline": {"x": 1}}),
        ("model=o3", {"model": "o3"}),
        ("word=read-only", {"word": "read-only"}),
        ('quoted="a b"', {"quoted": "a b"}),
        ("broken='a", {"broken": "a"}),
        ("empty=", {"empty": ""}),
        ("path=/a=b", {"path": "/a=b"}),
        (" spaced . key = v ", {"spaced": {"key": "v"}}),
        ("a.b.c=1", {"a": {"b": {"c": 1}}}),
        ('projects."/a.b=c".trust_level=trusted', {"projects": {"/a.b=c": {"trust_level": "trusted"}}}),
        (r'"a\"b"=1', {'a"b': 1}),
        (r"'a\b'.c=1", {r"a\b": {"c": 1}}),
        ("no=inf", {"no": float("inf")}),
        ("two=1\nother = 2", {"two": "1\nother = 2"}),
    ],
)
def test_an_override_means_its_toml_value_or_its_text(override: str, table: dict[str, object]) -> None:
    assert table_of([override]) == table


def test_later_overrides_win_and_a_scalar_in_the_way_becomes_a_table() -> None:
    assert table_of(["a=1", "a=2"]) == {"a": 2}
    assert table_of(["a=1", "a.b=2"]) == {"a": {"b": 2}}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("sandbox_mode", "Invalid override (missing '='): sandbox_mode"),
        ("", "Invalid override (missing '='): "),
        (" = 1", "Empty key in override:  = 1"),
        ("a..b=1", "Empty key in override: a..b=1"),
        ('"a=1', 'Invalid override (unclosed quote): "a=1'),
        ('"a"b=1', 'Invalid override (text after a quoted segment): "a"b=1'),
    ],
)
def test_an_override_that_sets_nothing_is_an_error(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        table_of([override])
    assert caught.value.what == message


@given(st.text())
def test_any_text_is_an_override_or_a_clear_error(text: str) -> None:
    message = ""
    try:
        table_of([text])
    except ConfigError as wrong:
        message = str(wrong)
    assert "\n" not in message


def test_a_deeply_nested_value_is_text(machine: Machine) -> None:
    """It would overflow the parser; as text it is a plain wrong value."""
    with pytest.raises(ConfigError, match=r"cannot use `exec\.timeout_ms` in -c"):
        machine.load("exec.timeout_ms=" + "[" * 100_000)


def test_overrides_are_checked_like_a_file(machine: Machine) -> None:
    with pytest.raises(ConfigError) as caught:
        machine.load("sandbox_mode=read-write")
    assert (str(caught.value), caught.value.hint) == (
        "cannot use `sandbox_mode` in -c: `read-write` is not one of them",
        "allowed: read-only, workspace-write, external-sandbox, danger-full-access",
    )


def test_relative_paths_of_overrides_start_at_the_working_directory(machine: Machine) -> None:
    loaded = machine.load('sandbox_workspace_write.writable_roots=["x"]')
    assert loaded.settings.workspace.writable_roots == (f"{machine.project}/x",)
