"""From an argv to the simple commands it stands for."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from support.suite.rows import every

PLAIN: dict[str, tuple[tuple[str, ...], ...]] = {
    "ls && pwd; echo 'hi' | wc -l": (("ls",), ("pwd",), ("echo", "hi"), ("wc", "-l")),
    "ls\npwd": (("ls",), ("pwd",)),
    "ls;": (("ls",),),
    "ls\r\n": (("ls",),),
    "ls *": (("ls", "*"),),
    "echo {a,b}": (("echo", "{a,b}"),),
    "cat ~/x": (("cat", "~/x"),),
    'echo "/usr"\'/\'"local"/bin': (("echo", "/usr/local/bin"),),
    "rm -r''f x": (("rm", "-rf", "x"),),
    'rg -g"*.py" x': (("rg", "-g*.py", "x"),),
    'git commit -m "l1\nl2"': (("git", "commit", "-m", "l1\nl2"),),
    'echo ""': (("echo", ""),),
    'echo "a\\"b" "c\\n" "d\\$"': (("echo", 'a"b', "c\\n", "d$"),),
    "head -5 12": (("head", "-5", "12"),),
    "time ls": (("time", "ls"),),
    "git show HEAD@{1} @{u}": (("git", "show", "HEAD@{1}", "@{u}"),),
    "ls \\\n -la": (("ls", "-la"),),
    "echo '$x `y` ;&|'": (("echo", "$x `y` ;&|"),),
    "ls\u00a0-la": (("ls\u00a0-la",),),
    "echo caf\u00e9 \u2603": (("echo", "caf\u00e9", "\u2603"),),
}

NOT_PLAIN = [
    "",
    "  \n ",
    "'git status'",
    '"ls" x',
    "r''m -rf x",
    "head -20\n'rm' x",
    "a | head -20\n'rm' x\nls",
    "\\rm -rf x",
    "/b?n/rm -rf x",
    "~/x y",
    "{rm,-rf,x}",
    "a{1..3}",
    "=ls x",
    "echo a\\ b",
    "(ls)",
    "{ ls; }",
    "ls || (pwd && echo hi)",
    "! ls",
    "ls |& cat",
    "ls &",
    "ls # c",
    "[ -f x ]",
    "[[ -f x ]]",
    "if ls; then pwd; fi",
    "for x in a; do ls; done",
    "while ls; do pwd; done",
    "case x in x) ls;; esac",
    "f() { ls; }",
    "export A=1",
    "A=1",
    "FOO=1 ls",
    "ls > f",
    "ls -l>x",
    "ls 2>/dev/null > f",
    "cat < f",
    "cat <<< x",
    "echo $HOME",
    'echo "hi $USER"',
    'echo "${X}"',
    "echo $(pwd)",
    "echo `pwd`",
    "cat <(ls)",
    "echo $'x'",
    'echo $"x"',
    "echo a{1..3}",
    "echo $((1+1))",
    "ls &&",
    "ls |",
    "ls 'open",
    "ls\x0b-la",
    "ls\x0c-la",
    "ls \r -la",
    "l\\\ns",
    "ls\0pwd",
    "ls *(e:x:)",
    "ls ?(a)",
    "coproc { ls; }",
    "coproc ls",
    "ls; }",
]


@pytest.mark.parametrize("shell", ["bash", "/bin/bash", "zsh", "sh"])
@pytest.mark.parametrize("flag", ["-c", "-lc"])
def test_a_plain_script_is_the_commands_it_runs(shell: str, flag: str) -> None:
    seen = {script: segments((shell, flag, script)) for script in PLAIN}
    assert {script: found.commands for script, found in seen.items()} == PLAIN
    assert all(found.plain and not found.complex and not found.unparsed for found in seen.values())


@pytest.mark.parametrize(
    ("script", "plain"),
    [
        ("make 2>&1 | head -5", True),
        ("make >/dev/null 2>&1 && ls", True),
        ("make &>/dev/null", True),
        ('make "a b" < /dev/null', True),
        ("make > /dev/null2", False),
        ("make 2>/dev/tcp/x/1", False),
        ("make >/dev/nul*", False),
        ('make > "$X"', False),
        ("make 2>&$X", False),
        ("make >&f", False),
        ("make <> /dev/null", False),
        ("make <&- 2>&1", False),
    ],
)
def test_a_rule_speaks_about_commands_whose_output_only_goes_together_or_nowhere(script: str, plain: bool) -> None:
    assert segments(("bash", "-lc", script)).plain is plain


@every("script", NOT_PLAIN)
def test_any_other_script_stands_for_itself(script: str) -> None:
    found = segments(("bash", "-lc", script))
    assert (found.commands, found.plain, found.complex) == ((("bash", "-lc", script),), False, False)
    assert found.unparsed


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("python3 <<'EOF'\nprint(1)\nEOF", ("python3",)),
        ("python3 - a <<EOF\nprint($x)\nEOF\n", ("python3", "-", "a")),
        ("# note\ncat <<EOF > out.txt\nhi\nEOF", ("cat",)),
        ("A=1 python3 <<EOF\nx\nEOF", ("python3",)),
        ("cat <<-EOF more\n\thi\n\tEOF", ("cat", "more")),
    ],
)
def test_a_here_document_feeds_one_literal_command(script: str, words: tuple[str, ...]) -> None:
    found = segments(("bash", "-lc", script))
    assert (found.commands, found.plain, found.complex) == ((words,), False, True)


@pytest.mark.parametrize(
    "script",
    [
        "cat <<EOF\n$(rm x)\nEOF",
        "cat <<EOF\n`rm x`\nEOF",
        "cat <<EOF | sh\nx\nEOF",
        "cat <<EOF; rm x\nx\nEOF",
        "cat $x <<EOF\nx\nEOF",
        "r\\m <<EOF\nx\nEOF",
        "(cat <<EOF\nx\nEOF\n)",
        "cat <<EOF\n$((a[$(id)]))\nEOF",
        "cat <<EOF\n${x:-y}\nEOF",
    ],
)
def test_a_here_document_with_more_than_that_is_unparsed(script: str) -> None:
    found = segments(("bash", "-lc", script))
    assert (found.plain, found.complex) == (False, False)


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("",),
        ("ls", "-la"),
        ("bash", "-lc", "git", "status"),
        ("bash", "-lc"),
        ("bash", "-x", "ls"),
        ("fish", "-c", "ls"),
        ("bash", "script.sh", "-c"),
        ("python", "-c", "print(1)"),
    ],
)
def test_what_is_no_shell_wrapper_is_one_command(argv: tuple[str, ...]) -> None:
    found = segments(argv)
    assert (found.commands, found.plain, found.script) == ((argv,), True, None)
