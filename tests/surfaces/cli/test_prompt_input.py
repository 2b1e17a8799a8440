"""Where the prompt comes from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError
from sandgate.surfaces.cli.prompt_input import HINT, piped_block, prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    Piped = Callable[[bytes], None]


@pytest.fixture
def piped() -> Iterator[Piped]:
    """Puts bytes on standard input."""
    before = os.dup(0)

    def put(content: bytes) -> None:
        reader, writer = os.pipe()
        os.write(writer, content)
        os.close(writer)
        os.dup2(reader, 0)
        os.close(reader)

    yield put
    os.dup2(before, 0)
    os.close(before)


@pytest.mark.parametrize(
    ("argument", "content", "prompt"),
    [
        (None, b"fix it\n", "fix it\n"),
        ("-", b"fix it", "fix it"),
        ("-", b"\xef\xbb\xbffix \xff", "fix \ufffd"),
        ("fix this", b"", "fix this"),
        ("fix this", b" \n", "fix this"),
        ("fix this", b"Traceback\n", "fix this\n\n<stdin>\nTraceback\n</stdin>"),
        ("fix this", b"no end", "fix this\n\n<stdin>\nno end\n</stdin>"),
        ("fix \udcff", b"", "fix \\udcff"),
    ],
)
def test_a_prompt_is_the_argument_or_standard_input_or_both(
    piped: Piped, argument: str | None, content: bytes, prompt: str
) -> None:
    piped(content)
    assert prompt_text(argument) == prompt


@pytest.mark.parametrize(("argument", "content"), [(None, b" \n"), ("-", b""), ("  ", b"something")])
def test_a_blank_prompt_is_an_error(piped: Piped, argument: str | None, content: bytes) -> None:
    piped(content)
    with pytest.raises(RequestError, match="there is no prompt"):
        prompt_text(argument)


def test_standard_input_that_is_not_open_is_none(piped: Piped) -> None:
    piped(b"")
    os.close(0)
    assert prompt_text("fix this") == "fix this"


def test_a_person_who_gave_no_prompt_is_told_so_at_once(piped: Piped, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(b"never read")
    monkeypatch.setattr(os, "isatty", lambda _descriptor: True)
    with pytest.raises(RequestError, match="there is no prompt: a session has no screen of its own") as caught:
        prompt_text(None)
    assert [line.split("`")[0] for line in caught.value.hint.splitlines()] == [HINT, ""]
    assert prompt_text("fix this") == "fix this"


def test_what_never_ends_has_a_limit(piped: Piped, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandgate.surfaces.cli.prompt_input.PROMPT_BYTES_MAX", 10)
    piped(b"x" * 11)
    with pytest.raises(RequestError, match="longer than"):
        prompt_text("-")


@given(st.lists(st.sampled_from(["<stdin>", "</stdin>", "</ STDIN >", "<\n/stdin>", "a", "\n", "<", ">"]), max_size=8))
def test_piped_text_cannot_end_its_block(parts: list[str]) -> None:
    """Required: a log that is piped in must not be able to speak as the person."""
    from re import IGNORECASE, findall

    shown = piped_block("".join(parts))
    assert findall(r"<\s*/?\s*stdin\s*>", shown, flags=IGNORECASE) == ["<stdin>", "</stdin>"]
    assert shown.endswith("\n</stdin>")
