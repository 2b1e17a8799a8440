"""Words and commands made without the grammar."""

from __future__ import annotations

from sandgate.commandline.script import Piece, Word, loose_word, rough_commands


def test_rough_commands_find_too_much_rather_than_too_little() -> None:
    found = [[word.literal for word in each.words] for each in rough_commands("if x; then 'rm' -rf y")]
    assert ["rm", "-rf", "y"] in found


def test_a_loose_word_keeps_variables() -> None:
    assert loose_word("~/$A/${B}c").pieces == (
        Piece("text", "~/"),
        Piece("variable", "A"),
        Piece("text", "/"),
        Piece("variable", "B"),
        Piece("text", "c"),
    )


def test_a_word_is_literal_only_when_the_shell_adds_nothing() -> None:
    assert Word((Piece("text", "a"), Piece("text", "b", quoted=True))).literal == "ab"
    assert Word((Piece("text", "a"), Piece("variable", "X"))).literal is None
