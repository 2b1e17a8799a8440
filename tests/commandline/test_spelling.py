"""Words with their quotes taken off and their expansions kept apart."""

from __future__ import annotations

from sandgate.commandline.script import Piece, Word
from sandgate.commandline.walk import script


def only_word(text: str) -> Word:
    """The second word of a command."""
    (command,) = script(f"echo {text}").commands[-1:]
    return command.words[1]


def test_quoted_and_bare_text_stay_apart() -> None:
    assert only_word("~/'a b'*\"c\"").pieces == (
        Piece("text", "~/"),
        Piece("text", "a b", quoted=True),
        Piece("text", "*"),
        Piece("text", "c", quoted=True),
    )


def test_variables_keep_their_fallback_and_whether_they_are_quoted() -> None:
    assert only_word('"${X:-/}"').pieces == (Piece("variable", "X", quoted=True, fallback="/"),)
    assert only_word("${x[0]}").pieces == (Piece("variable", "x"),)
    assert only_word("${X%y}").pieces == (Piece("opaque", "${X%y}"),)


def test_blanks_between_expansions_in_quotes_are_kept() -> None:
    assert only_word('"$A  $B"').pieces == (
        Piece("variable", "A", quoted=True),
        Piece("text", "  ", quoted=True),
        Piece("variable", "B", quoted=True),
    )


def test_a_substitution_is_a_piece_and_a_command_of_its_own() -> None:
    assert only_word("$(pwd)/x").pieces == (Piece("command", "pwd"), Piece("text", "/x"))
    assert [each.words[0].literal for each in script("echo $(pwd)").commands] == ["pwd", "echo"]


def test_escaped_characters_in_double_quotes_are_decoded() -> None:
    assert only_word(r'"a\"b\$c"').literal == 'a"b$c'
