"""The last few scripts are read once, and no more is kept than the limits say."""

from __future__ import annotations

from sandgate.commandline.recent import CHARACTERS_MAX, TEXTS_MAX, Recent


def test_what_was_kept_is_found_by_an_equal_text() -> None:
    recent = Recent()
    assert recent.get("ls") is None
    assert recent.keep("ls", "answer") == "answer"
    assert recent.get("".join(["l", "s"])) == "answer"


def test_no_more_texts_and_characters_are_kept_than_the_limits_say() -> None:
    recent = Recent()
    for number in range(10 * TEXTS_MAX):
        recent.keep(f"ls {number}", number)
    assert len(recent._kept) <= TEXTS_MAX
    for number in range(5):
        recent.keep(str(number) * CHARACTERS_MAX, number)
    assert list(recent._kept.values()) == [4]


def test_the_last_text_is_kept_however_long_it_is() -> None:
    recent = Recent()
    recent.keep("x" * (3 * CHARACTERS_MAX), "long")
    assert recent.get("x" * (3 * CHARACTERS_MAX)) == "long"
