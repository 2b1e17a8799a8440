"""What is read without the grammar is read as the grammar reads it."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandgate.commandline import bash, bashcommands, grammar, walk
from sandgate.commandline.everyday import everyday
from sandgate.commandline.script import Piece, Script, Word
from support.suite.rows import every
from support.suite.searches import examples

TOKENS = st.sampled_from(
    [
        "ls",
        "git",
        "-rf",
        "--flag=x",
        "a.py",
        "src/lib",
        "5",
        "-5",
        "x=y",
        "~",
        "~/x",
        "*.py",
        "a?b",
        "'a b'",
        '"a  b"',
        "''",
        '""',
        "'$x'",
        '"it\'s"',
        "'#'",
        "a:b",
        "@x",
        "%1",
        "+x",
        "=",
        "==",
        "=~",
        "-",
        "--",
        ".",
        "..",
        "/",
        "a,b",
        "1.5",
        "a+b",
        "test",
        "echo",
        "in",
        "do",
        "done",
        "time",
        "export",
        "a=",
        "+=",
        "a+=b",
        "2",
        "'a;b'",
        "'>'",
        '" x"',
        '"\tx"',
        "[",
        "]",
        "{a,b}",
        "$X",
        '"$X"',
        "!",
        "a!b",
        "#",
        "a#b",
        "\\",
        "a\\b",
        "x'y'",
        "`x`",
        "(",
        ")",
        "{",
        "}",
        "&",
        "nul\0l",
        "caf\u00e9",
        "*",
        "**",
        "?",
        "_",
        "__x",
        "0x1f",
        "10#5",
        "^a",
    ]
)
JOINTS = st.sampled_from(
    [
        " ",
        " ",
        " ",
        " ",
        " | ",
        " && ",
        " || ",
        " ; ",
        "; ",
        ";",
        "\n",
        "\n\n",
        "|",
        "&&",
        "  ",
        "\t",
        " \n ",
        " > ",
        " >",
        " >> ",
        " 2>",
        " 2> ",
        " < ",
        " 2>&1 ",
        " >&2 ",
        " 2>/dev/null",
        " &> ",
        " 2>&1",
        ">",
        "2>",
        " 1>",
        "\n# it's $(a comment)\n",
        " # c\n",
        ";;",
        "|&",
        ";\n",
        " |\n",
        " &&\n",
        "\r",
        " <<< ",
        " << ",
    ]
)
SCRIPTS = st.lists(st.tuples(TOKENS, JOINTS), min_size=1, max_size=9).map(
    lambda pairs: "".join(token + joint for token, joint in pairs)
)
# Mostly harmless ones, so that the everyday reader has its say.
EVERYDAY = st.lists(
    st.tuples(
        st.sampled_from(
            ["ls", "git", "-rf", "--flag=x", "a.py", "5", "x=y", "'a b'", '"a  b"', "''", "*.py", "~/x", "/dev/null"]
        ),
        st.sampled_from(
            [
                " ",
                " ",
                " ",
                " | ",
                " && ",
                " || ",
                "; ",
                "\n",
                " > ",
                " 2>&1 ",
                " 2>&1\n",
                " >>",
                "\n#c\n",
                " 2>/dev/null && ",
                " < ",
            ]
        ),
    ),
    min_size=1,
    max_size=12,
).map(lambda pairs: "".join(token + joint for token, joint in pairs).rstrip(" |&;"))


def by_tree(script: str) -> tuple[bashcommands.Script, Script]:
    source = script.encode()
    root = grammar.syntax_tree(source)
    assert root is not None
    return bash._Reader(source).read(root), walk._Walk(source).result(root)


def in_any_order(found: bashcommands.Script) -> bashcommands.Script:
    """The grammar's reader notes the redirections of a whole list before those inside it; nobody asks for the order."""
    return found.but(redirections=tuple(sorted(found.redirections, key=repr)))


def smooth(found: Script) -> Script:
    """Neighbouring pieces of one kind as one: the grammar tears blanks off the beginning of a string."""
    return found.but(
        commands=tuple(
            command.but(
                words=tuple(map(smooth_word, command.words)),
                redirections=tuple(each.but(target=smooth_word(each.target)) for each in command.redirections),
            )
            for command in found.commands
        )
    )


def smooth_word(word: Word) -> Word:
    pieces: list[Piece] = []
    for piece in word.pieces:
        last = pieces[-1] if pieces else None
        if last is not None and last.kind == piece.kind == "text" and last.quoted == piece.quoted:
            pieces[-1] = last.but(text=last.text + piece.text)
        else:
            pieces.append(piece)
    return Word(tuple(pieces))


@settings(max_examples=examples(600))
@given(st.one_of(SCRIPTS, EVERYDAY, EVERYDAY))
def test_an_everyday_script_is_what_the_grammar_says_it_is(script: str) -> None:
    """Required: a shortcut is no second opinion."""
    if everyday(script) is None:
        return
    judged, assessed = by_tree(script)
    assert in_any_order(bash.parse(script)) == in_any_order(judged)
    assert smooth(walk.script(script).but(kinds=())) == smooth(assessed)


def test_steps_of_a_script_are_read_in_order() -> None:
    found = everyday("cd src && grep -rn 'a b' . 2>/dev/null | head -5 > out; ls\n# done\npwd\n")
    assert found is not None
    pipelines, commented = found
    assert [[stage.tokens for stage in pipeline] for pipeline in pipelines] == [
        [["cd", "src"]],
        [["grep", "-rn", "'a b'", "."], ["head", "-5"]],
        [["ls"]],
        [["pwd"]],
    ]
    assert [stage.sent for stage in pipelines[1]] == [[("2", ">", "/dev/null")], [("", ">", "out")]]
    assert commented


@every(
    "script",
    [
        "",
        "\n",
        "# only this",
        "ls $X",
        "ls `x`",
        "ls &",
        "A=b ls",
        "if x; then y; fi",
        "ls\\\nrm",
        "ls a'b'",
        "'ls'",
        "ls > ",
        "ls |",
        "| ls",
        "ls && ",
        "ls # c",
        "echo caf\u00e9",
        "ls\u00a0x",
        "ls\r",
        "ls \x0b",
        "(ls)",
        "{ ls; }",
        "export A=b",
        "ls ;; pwd",
        "> out",
        "ls > out arg",
        "cat <<X\na\nX",
        "! ls",
        "~/x",
        "*",
        "5",
        "ls 3>x",
        "ls &> x",
        '"a',
        "'a",
        'x "a$b"',
        "ls >(x)",
        "ls x>y",
    ],
)
def test_anything_else_is_left_to_the_grammar(script: str) -> None:
    assert everyday(script) is None


@example("x" * 40)
@given(st.text(alphabet="ab |;&<>'\"\n\t#=~*$\\", max_size=40))
def test_no_text_makes_the_reader_fail_or_disagree(script: str) -> None:
    test_an_everyday_script_is_what_the_grammar_says_it_is.hypothesis.inner_test(script)  # type: ignore[attr-defined]
