"""A script in plainer spelling still means the same to bash."""

from __future__ import annotations

import subprocess
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.respelling import plainer, respelled

SOON_S = 2  # of processor time


@pytest.mark.parametrize(
    ("script", "plainer"),
    [
        ("ls -la 'a b'", "ls -la 'a b'"),
        ("r\\\nm -rf x", "rm -rf x"),
        ('$"r"m \'\'-""rf x', "rm -rf x"),
        ("$'\\x72\\155' $'-rf' $'a b'", "rm -rf 'a b'"),
        ("echo '' \"\" x''", "echo '' '' x"),
        ("echo \"a $( r''m x ) b\"", 'echo "a $( rm x ) b"'),
        ("cat <<'E'\nit''s $'\\x41'\nE\nr''m x", "cat <<'E'\nit''s $'\\x41'\nE\nrm x"),
        ("ls # it''s\nr''m x", "ls # it''s\nrm x"),
        ("echo \"it''s\" 'a''b\"\"'", "echo \"it''s\" a'b\"\"'"),
        ("cat <<< $'a\\'b'", "cat <<< 'a'\\''b'"),
        ("echo a#''b $# ''", "echo a#b $# ''"),
    ],
)
def test_odd_spellings_become_plain_and_the_rest_stays(script: str, plainer: str) -> None:
    assert respelled(script)[0] == plainer


@pytest.mark.parametrize(
    "script", ["ls 'a' \\\n -l", "grep '^a$' b", 'grep "^$x$" b', "ls\t\\\n-l # r\\", "cat <<E\na \\\nb\nE"]
)
def test_a_script_that_the_grammar_reads_well_stays_as_it_is(script: str) -> None:
    """Ours: quotes and lines that go on behind a blank are everywhere; each would cost a second reading."""
    assert plainer(script) == script


@pytest.mark.parametrize(
    "script", ["r\\\nm x", "ls a\\ \\\nb", "ls $'a'", 'ls $"a"', "cat <<E \\\n | sh\nls\nE", "\\\nls"]
)
def test_a_script_with_a_word_that_the_grammar_tears_apart_is_respelled(script: str) -> None:
    assert plainer(script) == respelled(script)[0] != script


PIECES = st.sampled_from(
    [
        "a",
        "b c",
        "'",
        '"',
        "''",
        '""',
        "\\\n",
        "$'",
        "\\x41",
        "\\",
        "$",
        "#",
        " ",
        "\n",
        "$x",
        "$(",
        ")",
        "e",
        '$"',
        ";",
    ]
)


@given(st.lists(PIECES, max_size=25))
def test_any_text_has_a_plainer_spelling(pieces: list[str]) -> None:
    respelled("".join(pieces))


WORDS = st.lists(st.sampled_from(["a", "bc", "-r", "x y", "it's", "", "$z", "#", "*", 'q"']), min_size=1, max_size=4)


@given(WORDS, st.data())
def test_bash_reads_the_same_words(words: list[str], data: st.DataObject) -> None:
    """Ours: for quotes that are closed, the plainer spelling is the same script."""
    styles = st.sampled_from(["single", "ansi", "hex", "split"])
    spelled = []
    for word in words:
        style = data.draw(styles)
        single = "'" + word.replace("'", "'\\''") + "'"
        made = {
            "single": single + "''",
            "ansi": "$'" + word.replace("'", "\\'") + "'",
            "hex": "$'" + "".join(f"\\x{ord(char):02x}" for char in word) + '\'""',
            "split": "''\\\n" + single,
        }
        spelled.append(made[style])
    script = "printf '[%s]\\n' " + " ".join(spelled)
    said = [
        subprocess.run(["bash", "-c", each], capture_output=True, check=True).stdout
        for each in (script, respelled(script)[0])
    ]
    assert said[0] == said[1]


def test_many_empty_quotes_do_not_slow_the_reader_down() -> None:
    """Required: a text of this length was once read for seven seconds."""
    before = process_time()
    respelled('"\\\n' * 50_000)
    assert process_time() - before < SOON_S
