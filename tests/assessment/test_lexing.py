"""Program text falls into names, strings and marks, whatever the language."""

from __future__ import annotations

from sandgate.assessment.lexing import as_calls, tokens


def kinds(code: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(code)]


def test_a_call_falls_into_its_name_a_bracket_and_its_text() -> None:
    assert kinds("os.remove('a b')") == [
        ("name", "os.remove"), ("mark", "("), ("string", "a b"), ("mark", ")"),
    ]  # fmt: skip


def test_a_string_of_three_quotes_is_one() -> None:
    assert kinds('"""a "b" c"""') == [("string", 'a "b" c')]


def test_a_text_in_backticks_is_told_apart() -> None:
    assert kinds("`ls`") == [("backtick", "ls")]


def test_lisp_reads_like_calls_outside_its_strings() -> None:
    assert as_calls('(delete-file "(x-y)")') == 'delete_file( "(x-y)")'
