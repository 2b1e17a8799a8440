from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.summary import CHARS_MAX, summarize, summary_json
from sandgate.commandline.words import words_of
from sandgate.protocol.summaries import ListFiles, Read, Search, Summary, Unknown
from support.suite.rows import every


def of(script: str) -> tuple[Summary, ...]:
    return summarize(("bash", "-lc", script))


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("rg --files | head -50", (ListFiles("rg --files"),)),
        ("cd foo && cat foo.txt", (Read("cat foo.txt", "foo.txt", "foo/foo.txt"),)),
        ("cat a | sed -n 1,20p", (Read("cat a | sed -n 1,20p", "a", "a"),)),
        ("git status | wc -l", (Unknown("git status | wc -l"),)),
        ("cat a > b", (Unknown("cat a > b"),)),
        ("cat a; make", (Unknown("cat a; make"),)),
    ],
)
def test_the_examples_of_the_specification_hold(script: str, found: tuple[Summary, ...]) -> None:
    """Required."""
    assert of(script) == found


@every(
    "script, found",
    [
        ("ls -la", (ListFiles("ls -la"),)),
        ("  ls   'a b' ", (ListFiles("ls 'a b'", "a b"),)),
        ("rg -n 'foo bar' src | head -n 40", (Search("rg -n 'foo bar' src", "foo bar", "src"),)),
        ("sed -n '1,20p' a/b", (Read("sed -n 1,20p a/b", "b", "a/b"),)),
        ("nl -ba a | sed -n '1,5p'", (Read("nl -ba a | sed -n '1,5p'", "a", "a"),)),
        ("cat a | nl -ba", (Read("cat a", "a", "a"),)),
        ("cat a | nl -ba | sed -n 1,5p", (Read("cat a | nl -ba | sed -n 1,5p", "a", "a"),)),
        ("ls | sed -n 1,5p", (ListFiles("ls"),)),
        ("ls && cat a", (ListFiles("ls"), Read("cat a", "a", "a"))),
        ("cat a; cat a; cat b; cat a", tuple(Read(f"cat {name}", name, name) for name in "aba")),
        ("cat a\ncat b", (Read("cat a", "a", "a"), Read("cat b", "b", "b"))),
        ("rg --files | rg foo | sort | uniq", (ListFiles("rg --files"), Search("rg foo", "foo"))),
        ("echo hi && ls", (ListFiles("ls"),)),
        ("echo a; echo b; ls", (ListFiles("ls"),)),
        ("ls || true", (ListFiles("ls"),)),
        ("true && ls", (ListFiles("ls"),)),
        ("yes | ls", (ListFiles("ls"),)),
        ("find . -name x | xargs grep y", (Search("find . -name x", "x", "."),)),
        ("cd a && cd b && cat c", (Read("cat c", "c", "a/b/c"),)),
        ("cd a; cat b; cd /x; cat c", (Read("cat b", "b", "a/b"), Read("cat c", "c", "/x/c"))),
        ("cd -P -- -a && cat c", (Read("cat c", "c", "-a/c"),)),
        ("cd -L a && cat /abs/c", (Read("cat /abs/c", "c", "/abs/c"),)),
        ("cd && cat c", (Read("cat c", "c", "c"),)),
        ("cd a && ls b && rg x b", (ListFiles("ls b", "b"), Search("rg x b", "x", "b"))),
        ('cat "a b"', (Read("cat 'a b'", "a b", "a b"),)),
        ("ls *.py", (ListFiles("ls '*.py'", "*.py"),)),
    ],
)
def test_plain_scripts_are_summed_up(script: str, found: tuple[Summary, ...]) -> None:
    """Required."""
    assert of(script) == found


@every(
    "script",
    [
        *("", "   ", "# nothing", "cd a", "cd a && cd b", "true", "echo hi", "true; true", "wc -l", "sort a"),
        *(
            "ls $HOME",
            "ls $(pwd)",
            "ls `pwd`",
            "(ls)",
            "ls &",
            "X=1 ls",
            "if true; then ls; fi",
            "for x in a; do ls; done",
        ),
        *("cat <<EOF\nx\nEOF", "ls 2>&1 > f", "ls; echo hi", "ls && make && ls", "ls | xargs rm", "cat a; sed -i x b"),
        *("ls 'a", "ls |", "\0", "\udc80", "ls \ud800", "find . -delete", "{ ls; }", "! ls", "ls \\a"),
    ],
)
def test_what_is_not_wholly_understood_is_shown_as_it_is(script: str) -> None:
    """Required: one unknown command makes the whole script unknown."""
    assert of(script) == (Unknown(script),)


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        ((), (Unknown(""),)),
        (("",), (Unknown("''"),)),
        (("ls", "-l", "a b"), (ListFiles("ls -l 'a b'", "a b"),)),
        (("git", "commit", "-m", "a b"), (Unknown("git commit -m 'a b'"),)),
        (("cd", "a", "&&", "cat", "b"), (Read("cat b", "b", "a/b"),)),
        (("cd", "a"), (Unknown("cd a"),)),
        (("yes", "|", "ls"), (ListFiles("ls"),)),
        (("n", "|", "cat", "a"), (Read("cat a", "a", "a"),)),
        (("ls", "|", "head", "-5"), (Unknown("ls '|' head -5"),)),
        (("|", ";"), (Unknown("'|' ';'"),)),
        (("bash", "-x", "ls"), (Unknown("bash -x ls"),)),
        (("bash", "-lc", "ls", "x"), (Unknown("bash -lc ls x"),)),
        (("/bin/zsh", "-c", "ls"), (ListFiles("ls"),)),
        (("sh", "-lc", "cat a"), (Read("cat a", "a", "a"),)),
        (("pwsh", "-NoProfile", "-Command", "Get-ChildItem | x"), (Unknown("Get-ChildItem | x"),)),
        (("powershell.exe", "-NoLogo", "-NoProfile", "-c", "ls"), (Unknown("ls"),)),
        (("pwsh", "-File", "ls"), (Unknown("pwsh -File ls"),)),
    ],
)
def test_an_argv_is_summed_up_like_a_script(argv: tuple[str, ...], found: tuple[Summary, ...]) -> None:
    assert summarize(argv) == found


def test_the_wire_form_has_a_tag_and_nulls() -> None:
    """Required."""
    assert [summary_json(each) for each in (Read("c", "n", "p"), ListFiles("c"), Search("c", "q"), Unknown("c"))] == [
        {"type": "read", "cmd": "c", "name": "n", "path": "p"},
        {"type": "list_files", "cmd": "c", "path": None},
        {"type": "search", "cmd": "c", "query": "q", "path": None},
        {"type": "unknown", "cmd": "c"},
    ]


PIECES = sorted(
    words_of("ls cat rg sed -n 1,5p cd a/b head xargs rm nl echo true && || | ; > $x $( ) ' \" \\ { } EOF << - --")
)
TEXT = st.lists(st.sampled_from([*PIECES, "\n"]) | st.text(st.characters(exclude_categories=()), max_size=5)).map(
    " ".join
)
ARGV = st.lists(TEXT, max_size=6).map(tuple) | TEXT.map(lambda script: ("bash", "-lc", script))


@given(ARGV | TEXT.map(lambda text: tuple(text.split())))
def test_every_argv_has_a_summary(argv: tuple[str, ...]) -> None:
    """Required: a display must not fail, and doubt is told by one unknown."""
    found = summarize(argv)
    assert len(found) >= 1
    assert len(found) == 1 or not any(isinstance(each, Unknown) for each in found)
    assert [json.dumps(summary_json(each)) for each in found]


def test_a_huge_script_is_not_read() -> None:
    script = "ls (" * 100_000
    assert of(script) == (Unknown(script),)


@pytest.mark.parametrize("argv", [("bash", "-c", "true;" * 3_000 + "ls"), ("true", "|") * 3_000 + ("ls",)])
def test_many_commands_are_summed_up(argv: tuple[str, ...]) -> None:
    assert summarize(argv) == (ListFiles("ls"),)


def test_more_than_anybody_reads_is_not_summed_up() -> None:
    """Required: a prompt and an event do not wait for the summary of a program."""
    script = "true;" * (CHARS_MAX // 5) + "ls x"
    assert of(script) == (Unknown(script),)
    assert summarize(("true", "|") * CHARS_MAX + ("ls",)) == (Unknown("true '|' " * CHARS_MAX + "ls"),)
