"""`sandgate mcp`: what is said before anything is served. What it serves is in tests/journeys/test_mcp.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sandgate.surfaces.cli import mcp
from sandgate.surfaces.cli.parse import parse
from support.terminal.live_sessions import NOT_ALL_OF_TMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--port", "8000"), "`--port` and `--token-file` belong to `--http`"),
        (("--token-file", "x"), "`--port` and `--token-file` belong to `--http`"),
        (("--http", "--port", "65536"), "`--port 65536` is not a port"),
        (("--http", "--port", "\u0661"), "is not a port"),
        (("--http", "--port", "-1"), "is not a port"),
        (("--approval-timeout", "0"), "`--approval-timeout 0` is not a time"),
        (("--approval-timeout", "soon"), "`--approval-timeout soon` is not a time"),
        (("--approval-timeout", "nan"), "is not a time"),
        (("--approval-timeout", "86401"), "is not a time"),
        (("--ask", "everybody"), "use one of: forms, approvals, both"),
        (("--ask", "forms", "--wait-for-approvals"), "contradict each other"),
        (("-C", "/nowhere/at/all"), "cannot work in the directory"),
    ],
)
def test_wrong_usage_is_one_clear_error(program: Any, arguments: tuple[str, ...], said: str) -> None:
    assert program("mcp", *arguments) == 2
    assert said in program.err
    assert program.out == ""


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((), (True, False)),
        (("--ask", "forms"), (True, False)),
        (("--ask", "both"), (True, True)),
        (("--wait-for-approvals",), (True, True)),
        (("--ask", "approvals"), (False, True)),
        (("--ask", "approvals", "--wait-for-approvals"), (False, True)),
    ],
)
def test_the_channel_that_is_asked_is_chosen(
    arguments: tuple[str, ...], wanted: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def serve(_environment: object, wishes: object) -> int:
        seen.append(wishes)
        return 0

    monkeypatch.setattr("sandgate.surfaces.mcp.command.serve_clients", serve)
    assert mcp.main(parse(["mcp", *arguments])) == 0
    assert [(wishes.forms, wishes.waits_elsewhere) for wishes in seen] == [wanted]


def test_a_broken_configuration_is_told_before_anything_is_served(program: Any) -> None:
    assert program("mcp", "-c", "sandbox_mode=loose") == 78
    assert "sandbox_mode" in program.err


def test_a_token_file_that_others_may_read_is_refused(program: Any, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("me 0123456789012345678901234567890123456789\n")
    (tmp_path / "tokens").chmod(0o644)
    assert program("mcp", "--http", "-c", NOT_ALL_OF_TMP, "--token-file", str(tmp_path / "tokens")) == 2
    assert "others may reach it" in program.err
    assert "0123456789" not in program.err


def test_without_the_sdk_it_says_what_to_install(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("mcp", "mcp_types")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("sandgate.surfaces.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert program("mcp") == 2
    assert "pip install '.[mcp]'" in program.err
