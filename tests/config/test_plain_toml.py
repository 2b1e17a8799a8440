"""The quick reader says what `tomllib` says, or nothing."""

import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sandgate.config.plain_toml import plain_table

ORDINARY = """\
# a comment
sandbox_mode = "read-only"   # another
n = -12
deep.er = true

[projects."/home/me/a.b"]
trust_level = 'trusted'

[shell_environment_policy]
exclude = ["A*", "B*",  # why
  "C*",
]
set.LANG = "C"

[a.b]
[a.c]
[[rule]]
prefix = ["git", ["status", "log"]]
[[rule]]
prefix = []
"""

# Small pieces of TOML, so that most mixtures are nearly valid.
PIECES = (
    *"abc\n\n\n.,#=[]{}'\" \t",
    "[a]", "[b]", "[a.b]", "[a.a]", "[[a]]", "[[b]]", "[[a.b]]", "a = ", "b=", "a.b = ", "b.a =", "a.a.a=", "\na = 1\n",
    "\nb = 2\n", "1", "0", "-1", "01", "+1", "1_0", "1.5", "true", "false", "inf", '""', "''", '"a"', "'b'", '"\\n"',
    '"""', "'''", "[1, 2]", "[[1], []]", "[1,]", "[,]", "{a=1}", "{}", "# x\n", "1979-05-27", "\r\n", "\x00", "\ufeff",
    "é",
)  # fmt: skip


def test_an_ordinary_file_is_plain() -> None:
    assert plain_table(ORDINARY) == tomllib.loads(ORDINARY)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\na = 2", "[a]\n[a]", "a.b = 1\n[a]", "[a]\nb.c = 1\n[a.b]", "a = 1 b = 2", "a = [1", 'a = "x', "a", "[a",
        "a = 01", "a = 1\n[[a]]", "[[a]]\n[a]", "a = []\n[[a]]", "[a]\n[[a]]", "[a.b]\nx = 1\n[a]\nb.y = 2", "= 1",
        "[]",
    ],
)  # fmt: skip
def test_what_is_no_toml_is_left_to_the_other_reader(text: str) -> None:
    """Nor are the rare valid forms a reason to guess."""
    assert plain_table(text) is None


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
@example("a = '''x'''")
@example("a.b = 1\na.c = 2")
@example("[[a]]\n[a.b]\n[[a]]\n[a.b]")
@example("[a]\nb = 1\n[a.c]\n[b]\n[a.d]")
def test_both_readers_agree_on_everything(text: str) -> None:
    """Required: a different reading of a policy would be a hole."""
    table = plain_table(text)
    if table is not None:
        assert table == tomllib.loads(text)
