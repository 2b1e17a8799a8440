"""A script in plainer spelling still means the same to bash."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.respelling import respelled


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
    assert respelled(script) == plainer


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
        for each in (script, respelled(script))
    ]
    assert said[0] == said[1]
