"""`sandgate sessions`, with sessions that somebody else keeps."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import pytest

from sandgate.config.prices import Price
from sandgate.errors import SessionNotFound
from sandgate.protocol import events as told
from sandgate.protocol.events import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

ITEM = SimpleNamespace(
    id="0192",
    created_at="2026-01-01T00:00:00Z",
    updated_at="2026-01-02T00:00:00Z",
    cwd="/repo",
    model="gpt",
    preview="fix\n0193  forged\x1b[2J",
    source="cli",
    parent_id=None,
    state="done",
    tokens=1100,
    cost=0.0123,
    currency="USD",
)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Stands in for `agent.past_sessions`; what was asked of it."""
    asked: list[Any] = []
    module = ModuleType("sandgate.agent.past_sessions")

    def find(_environ: object, session: str) -> list[str | Event]:
        if session != "0192":
            raise SessionNotFound(f"there is no session `{session}`")
        return ["user: hi\x1b[2J", Event("t", 1, told.Warned("x"))]

    def listed(_environ: object, **given: Any) -> SimpleNamespace:
        asked.append(given)
        return SimpleNamespace(items=[ITEM], next_cursor="a|b")

    module.list_sessions = listed  # type: ignore[attr-defined]
    module.show_session = find  # type: ignore[attr-defined]
    module.archive_session = lambda _environ, session: asked.append(("archive", session))  # type: ignore[attr-defined]
    module.unarchive_session = lambda _environ, session: asked.append(("unarchive", session))  # type: ignore[attr-defined]
    module.delete_session = lambda _environ, session: asked.append(("delete", session))  # type: ignore[attr-defined]
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    monkeypatch.setattr("sandgate.agent.past_sessions", module, raising=False)
    yield asked
    del sys.modules[module.__name__]
    if before is not None:
        sys.modules[module.__name__] = before


@pytest.fixture(autouse=True)
def _an_hour_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "EAST-1")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_sessions_are_listed_and_cannot_forge_others(program: Any, kept: list[Any]) -> None:
    assert program("sessions", "list") == 0
    assert (
        program.out
        == "0192  2026-01-02 01:00  done  1100 tokens  about 0.01 USD  gpt  /repo\n  | fix 0193 forged\\x1b[2J\n"
    )
    assert "--cursor 'a|b'" in program.err
    assert kept == [{"limit": 20, "cursor": None, "archived": False, "subagents": False, "prices": {}}]


def test_prices_of_the_users_own_are_taken_and_wrong_ones_hide_nothing(
    program: Any, kept: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "prices"
    (home / ".sandgate").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    config = home / ".sandgate/config.toml"
    config.write_text('[model_prices]\n"gpt-5.5" = "1 0.1 10 EUR"\n')
    assert program("sessions", "list") == 0
    assert kept[-1]["prices"] == {"gpt-5.5": Price(1.0, 0.1, 10.0, "EUR")}
    config.write_text('[model_prices]\ngpt = "cheap"\n')
    monkeypatch.setattr(ITEM, "cost", None)
    assert program("sessions", "list") == 0
    assert ("no costs are shown" in program.err, "about" in program.out, "0192" in program.out) == (True, False, True)


def test_a_list_as_json_has_every_field(program: Any, kept: list[Any]) -> None:
    assert program("sessions", "list", "--json", "--archived", "--limit", "5", "--cursor", "x") == 0
    assert json.loads(program.out) == {"sessions": [vars(ITEM)], "next_cursor": "a|b"}
    assert kept == [{"limit": 5, "cursor": "x", "archived": True, "subagents": False, "prices": {}}]


def test_all_of_them_are_those_of_sub_agents_too_and_these_are_marked(
    program: Any, kept: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ITEM, "parent_id", "0191\x1b")
    assert program("sessions", "list", "--all") == 0
    assert program.out.startswith(
        "0192  2026-01-02 01:00  done  1100 tokens  about 0.01 USD  gpt  /repo  sub-agent of 0191\\x1b\n"
    )
    assert kept == [{"limit": 20, "cursor": None, "archived": False, "subagents": True, "prices": {}}]
    monkeypatch.setattr(ITEM, "parent_id", "")
    assert program("sessions", "list", "--all") == 0
    assert "sub-agent of another session\n" in program.out


def test_a_session_is_shown_line_by_line(program: Any, kept: list[Any]) -> None:
    assert program("sessions", "show", "0192") == 0
    first, second = program.out.splitlines()
    assert first == "user: hi\\x1b[2J"
    assert json.loads(second)["msg"] == {"type": "warning", "message": "x"}
    assert kept == []


def test_a_session_is_put_away_or_deleted_by_name(program: Any, kept: list[Any]) -> None:
    assert [program("sessions", deed, "0192") for deed in ("archive", "unarchive", "delete")] == [0, 0, 0]
    assert kept == [("archive", "0192"), ("unarchive", "0192"), ("delete", "0192")]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "none"), "there is no session `none`"),
        (("show", "0192", "--json"), "means nothing"),
        (("list", "--limit", "0"), "is no number"),
        (("list", "--limit", "x"), "is no number"),
        ((), "`sandgate sessions` what?"),
    ],
)
def test_bad_usage_is_said(program: Any, kept: list[Any], arguments: tuple[str, ...], says: str) -> None:
    assert program("sessions", *arguments) == 2
    assert says in program.err
    assert kept == []
