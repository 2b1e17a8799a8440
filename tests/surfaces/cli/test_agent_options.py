"""What was asked for, checked. The rest of it shows in test_agent.py, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.cli.agent_options import IMAGES_MAX, PastChoice, past_and_prompt, require_known_place, user_input
from sandgate.surfaces.cli.parse import parse


@pytest.mark.parametrize(
    ("arguments", "past", "prompt"),
    [
        ((), PastChoice(), None),
        (("-",), PastChoice(), "-"),
        (("--", "resume"), PastChoice(), "resume"),
        (("resume", "id"), PastChoice("id"), None),
        (("resume", "--last"), PastChoice("last"), None),
        (("fork", "id", "--before", "2", "p"), PastChoice("id", fork=True, fork_before=2), "p"),
        (("undo", "--last"), PastChoice("last"), None),
        (("undo", "id"), PastChoice("id"), None),
    ],
)
def test_a_past_session_and_a_prompt_are_told_apart(
    arguments: tuple[str, ...], past: PastChoice, prompt: str | None
) -> None:
    assert past_and_prompt(parse(["agent", *arguments])) == (past, prompt)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "x", "٣", "9" * 5000])
def test_a_message_s_number_is_a_number(text: str) -> None:
    with pytest.raises(RequestError, match="no number"):
        past_and_prompt(parse(["agent", "fork", "id", f"--before={text}"]))


@pytest.mark.parametrize(
    ("content", "says"), [("{", "not JSON"), ("[]", "no JSON object"), ("[" * 200_000, "not JSON")]
)
def test_a_schema_that_cannot_be_used_is_said_at_once(tmp_path: Path, content: str, says: str) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(content)
    with pytest.raises(RequestError, match=says):
        user_input(parse(["agent", "--output-schema", str(schema), "p"]), "p")


def test_a_schema_and_pictures_have_limits(tmp_path: Path) -> None:
    schema, picture = tmp_path / "schema.json", tmp_path / "p.png"
    schema.write_bytes(b" " * ((1 << 20) + 1))
    picture.touch()
    with pytest.raises(RequestError, match="longer than"):
        user_input(parse(["agent", "--output-schema", str(schema), "p"]), "p")
    with pytest.raises(RequestError, match="more than"):
        user_input(parse(["agent", *["-i", str(picture)] * (IMAGES_MAX + 1), "p"]), "p")


def test_a_directory_below_a_repository_is_a_known_place(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    with pytest.raises(RequestError, match="Not inside a trusted directory"):
        require_known_place(parse(["agent"]), str(below), trusted=lambda: False)
    (tmp_path / ".git").touch()  # a linked worktree
    require_known_place(parse(["agent"]), str(below), trusted=lambda: False)
