"""Whatever stands below a `<<` that may begin a here-document is found, by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline import segments
from sandgate.commandline.heredocs import BODIES_MAX, bodies, without_here_document
from sandgate.commandline.invocation import everything_run


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls", []),
        ("cat <<< x\nls", []),
        ("cat <<E", []),
        ("cat <<E\na\nb\nE\nls", ["a\nb\n"]),
        ("cat <<-\t'E F'\na\n\tE F\nls", ["a\n\tE F\nls"]),
        ("cat <<-'E'\na\n\tE\nls", ["a\n"]),
        ('cat << \\E"F"\na\nEF\nls', ["a\n"]),
        ("cat <<A <<B\n1\nA\n2\nB\n3", ["1\n", "2\n"]),
        ("sh <<A\nsh <<B\n1\nB\nA\n2", ["sh <<B\n1\nB\n", "1\n"]),
        ("sh <<A\n1\n2", ["1\n2"]),
        ("echo $((1 << 2))\nsh <<A\n1\nA", ["sh <<A\n1\nA", "1\n"]),
        ("echo $((1 << 2)) $((1 << 3))\nls\nls $((1 << 4))\n5", ["ls\nls $((1 << 4))\n5"]),
    ],
)
def test_each_body_goes_to_its_delimiter(text: str, expected: list[str]) -> None:
    assert list(bodies(text)) == expected


IN_FRONT = st.lists(
    st.sampled_from(
        ["echo '<<X'", "# <<E", "cat <<A\nit's\nA", "echo $((1 << 2))", 'echo "', "cat <<'B' <<C\nB\nC", "cat <<'", "X"]
    ),
    max_size=5,
)


@given(IN_FRONT)
def test_nothing_in_front_hides_a_here_document(lines: list[str]) -> None:
    script = "\n".join([*lines, "bash <<E", "rm -rf y", "E"])
    assert any("rm -rf y" in body.splitlines() for body in bodies(script))


def test_many_are_found_up_to_a_limit() -> None:
    assert len(list(bodies("cat <<E\nx\nE\n" * (BODIES_MAX + 5)))) == BODIES_MAX


def test_what_is_read_again_does_not_grow_with_their_number() -> None:
    """Ours: once the whole rest was read again for each, and each rest had its own rests."""
    script = 'eval "$x"\n' + "\n".join(f"cat <<E{number}\nline {number} of text\nE{number}" for number in range(40))
    found = everything_run(segments(("bash", "-c", script)))
    assert sum(map(len, found.scripts)) < 2 * len(script)


@pytest.mark.parametrize(
    ("script", "rest"),
    [
        ("cat <<'E' | wc\na\nE\nls", "cat </dev/null | wc\nls"),
        ("cat <<-E\n\ta\n\tE", "cat </dev/null"),
        ("cat <<E\n$USER\nE", "cat </dev/null"),
    ],
)
def test_a_document_that_surely_begins_and_ends_can_be_left_out(script: str, rest: str) -> None:
    assert without_here_document(script) == rest


@pytest.mark.parametrize(
    "script",
    [
        "ls",
        "cat <<E\na",
        "# <<E\na\nE",
        "echo '<<E\na\nE",
        "cat <<E\n$(a)\nE",
        "cat <<E\n`a`\nE",
        "cat <<E\na\\\nE\nb\nE",
        "cat <<E <<F\na\nE\nb\nF",
        "cat <<<a",
        "cat <<E'\na\nE",
        "cat <<E #'\na\nE",
        "((1<<E))\na\nE",
    ],
)
def test_any_other_stays(script: str) -> None:
    assert without_here_document(script) is None
