"""Scripts as flat records: order, pipes, words and what the shell would still change in them."""

from __future__ import annotations

import pytest

from sandgate.assessment.inquiry import MAX_STEPS
from sandgate.commandline.grammar import PARENTHESES_MAX, SCRIPT_BYTES_MAX
from sandgate.commandline.script import Script
from sandgate.commandline.walk import COMMANDS_MAX, script


def spelled(text: str) -> list[list[str]]:
    """Every command's words with variables as `$NAME` and substitutions as `$(…)`."""
    marks = {"text": "{}", "variable": "${}", "command": "$({})", "opaque": "<{}>"}
    return [
        ["".join(marks[piece.kind].format(piece.text) for piece in word.pieces) for word in command.words]
        for command in script(text).commands
    ]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("ls -l; pwd", [["ls", "-l"], ["pwd"]]),
        ("a | b && ! c || (d; e) &", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("rm -rf \"$HOME\"/x ~/'a b'", [["rm", "-rf", "$HOME/x", "~/a b"]]),
        (r"r\m a\ b", [["rm", "a b"]]),
        ('echo "a  $X  b"', [["echo", "a  $X  b"]]),
        ("echo $(date) y", [["date"], ["echo", "$(date)", "y"]]),
        ("export A=b C", [["export", "A=b", "C"]]),
        ("case x in a) b;; esac", [["b"]]),
        ("while a; do b; done < f", [["a"], ["b"], []]),
        ("bash <<EOF -s x\nbody\nEOF", [["bash", "-s", "x"]]),
        ("[[ $(a) ]] && b", [["a"], [], ["b"]]),
        ("f() { a; }; f", [["a"], ["f"]]),
        ("echo ${X:-y} ${Y%z} $1", [["echo", "$X", "<${Y%z}>", "$1"]]),
    ],
)
def test_commands_come_in_the_order_the_shell_meets_them(text: str, commands: list[list[str]]) -> None:
    assert spelled(text) == commands
    assert script(text).complete


def test_pipes_redirections_and_here_documents_are_kept() -> None:
    first, second = script("cat <<'EOF' | sh > out\nrm x\nEOF").commands
    redirections = [(each.operator, each.target.literal) for each in second.redirections]
    assert (first.stdin_text, redirections) == ("rm x\n", [(">", "out")])
    assert [number for number, _ in first.pipes] == [number for number, _ in second.pipes]
    assert first.pipes[0][1] < second.pipes[0][1]


def test_descriptor_copies_are_no_files() -> None:
    (command,) = script("ls > out 2>&1 <&-").commands
    assert [each.target.literal for each in command.redirections] == ["out"]


def test_surroundings_are_told() -> None:
    looped, called = script("f() { for x in a b; do g $x & done; }; f").commands[1:]
    assert (looped.function, looped.looped, looped.background) == ("f", True, True)
    assert (called.function, called.looped, called.background) == ("", False, False)


def test_loop_variables_and_arrays_have_all_their_values() -> None:
    commands = script("for d in a b; do :; done; x=(c d)").commands
    values = [[word.literal for word in each.values] for command in commands for each in command.assignments]
    assert values == [["a", "b"], ["c", "d"]]


def test_what_cannot_be_read_is_said_and_walked_all_the_same() -> None:
    broken = script("rm -rf ~ (")
    assert not broken.complete
    assert ["rm", "-rf", "~"] in spelled("rm -rf ~ (")
    assert script("x" * (SCRIPT_BYTES_MAX + 1)) == Script((), complete=False)
    assert script("(" * (PARENTHESES_MAX + 1)) == Script((), complete=False)


def test_a_line_break_hidden_in_a_word_is_not_trusted() -> None:
    """Required: the grammar joins these two lines into one command; a shell does not."""
    assert not script("ls\n\\rm -rf ~").complete
    assert not script("ls\n\\\nrm -rf ~").complete
    assert script("ls \\\n  -l").complete


def test_deep_nesting_is_cut_without_recursion() -> None:
    deep = script("( " * 3000 + "ls" + " )" * 3000)
    assert not deep.complete


def test_no_more_commands_are_written_down_than_anybody_judges() -> None:
    assert COMMANDS_MAX > MAX_STEPS
    assert len(script("a;" * 3 * COMMANDS_MAX).commands) == COMMANDS_MAX + 1


@pytest.mark.parametrize("nothing", ["$X", "{,}", "x=1", "<a", "\x1c", "''"])
def test_what_may_turn_out_to_run_nothing_does_not_push_the_rest_out_of_sight(nothing: str) -> None:
    assert script(f"{nothing};" * 2 * COMMANDS_MAX + "rm x").commands[-1].words[0].literal == "rm"
