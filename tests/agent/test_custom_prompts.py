"""Prompts that the person keeps in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.agent import custom_prompts as prompts
from sandgate.agent.custom_prompts import custom_prompts
from sandgate.protocol.events import CustomPrompt, ListCustomPromptsResponse
from sandgate.protocol.operations import ListCustomPrompts
from support.agent.agent_places import AgentPlace, until
from support.agent.session_doubles import ModelDouble, SessionDesk
from support.process.loops import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".sandgate" / "prompts"
    made.mkdir(parents=True)
    return made


def found(folder: Path) -> tuple[CustomPrompt, ...]:
    return custom_prompts({"HOME": str(folder.parent.parent)})


def test_each_file_is_a_prompt_with_what_it_says_of_itself(folder: Path) -> None:
    (folder / "tidy.md").write_text("---\ndescription: Tidies up\nargument-hint: 'FILE'\n---\nTidy $1.\n")
    (folder / "plain.md").write_text("Look around.")
    (folder / "half.md").write_text("---\nno end\n")
    (folder / "notes.txt").write_text("no prompt")
    assert found(folder) == (
        CustomPrompt("half", str(folder / "half.md"), "---\nno end\n"),
        CustomPrompt("plain", str(folder / "plain.md"), "Look around."),
        CustomPrompt("tidy", str(folder / "tidy.md"), "Tidy $1.\n", "Tidies up", "FILE"),
    )


def test_what_cannot_be_read_is_left_out_and_so_is_too_much(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.md").mkdir()
    (folder / "b.md").write_bytes(b"\xff\xfe")
    (folder / "c.md").write_text("x" * 11)
    (folder / "d.md").symlink_to("/nonexistent")
    (folder / "e.md").write_text("good")
    (folder / "f.md").write_text("one more")
    monkeypatch.setattr(prompts, "PROMPT_CHARS_MAX", 10)
    monkeypatch.setattr(prompts, "PROMPTS_MAX", 5)
    assert [each.name for each in found(folder)] == ["e"]


def test_without_the_directory_there_are_none(tmp_path: Path) -> None:
    assert custom_prompts({"HOME": str(tmp_path)}) == ()
    assert custom_prompts({}) == ()


def test_they_are_listed_on_request_in_one_event() -> None:
    async def work() -> None:
        async with SessionDesk(ModelDouble()) as desk:
            name = desk.session.submit(ListCustomPrompts())
            events = await desk.until(ListCustomPromptsResponse, turn=name)
            assert events[-1].msg == ListCustomPromptsResponse((CustomPrompt("tidy", "/tidy.md", "Tidy up."),))

    run(work())


@pytest.mark.host("namespace", "notify")
def test_a_session_lists_those_of_its_person(tmp_path: Path) -> None:
    async def work() -> None:
        place = AgentPlace(tmp_path, "http://127.0.0.1:9")
        kept = place.home / ".sandgate" / "prompts"
        kept.mkdir(parents=True)
        (kept / "look.md").write_text("Look.")
        async with place.opened() as agent:
            told = await until(agent, ListCustomPromptsResponse, of=agent.submit(ListCustomPrompts()))
            assert [each.name for each in told[-1].custom_prompts] == ["look"]

    run(work())
