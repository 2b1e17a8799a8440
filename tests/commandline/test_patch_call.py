from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.patch_call import ImplicitPatch, PatchCall, patch_call
from support.suite.rows import every

PATCH = "*** Begin Patch\n*** Add File: a\n+$HOME `id` $(id) \\ 'x\n*** End Patch"


def heredoc(opening: str, *, word: str = "'EOF'", end: str = "EOF", after: str = "\n") -> str:
    return f"{opening} <<{word}\n{PATCH}\n{end}{after}"


def in_bash(script: str) -> PatchCall | ImplicitPatch | None:
    return patch_call(("bash", "-lc", script))


@pytest.mark.parametrize(
    "argv",
    [
        (PATCH,),
        (f"  \n{PATCH}\n",),
        ("*** Begin Patch  \n*** End Patch",),
        ("bash", "-lc", PATCH),
        ("sh", "-c", f"\n{PATCH}"),
        ("pwsh", "-Command", PATCH),
    ],
)
def test_a_patch_that_nobody_was_told_to_apply_is_noticed(argv: tuple[str, ...]) -> None:
    """Required."""
    assert patch_call(argv) == ImplicitPatch()


@pytest.mark.parametrize("name", ["apply_patch", "applypatch"])
def test_the_command_with_a_patch_is_a_call(name: str) -> None:
    """Required: rule 2; also when the body is none, so that the parser can say why."""
    assert patch_call((name, PATCH)) == PatchCall(PATCH)
    assert patch_call((name, "nonsense")) == PatchCall("nonsense")


@pytest.mark.parametrize(
    ("program", "flags"),
    [
        ("bash", ("-lc",)),
        ("/bin/bash", ("-c",)),
        ("zsh", ("-lc",)),
        ("/usr/bin/sh", ("-c",)),
        ("BASH.exe", ("-c",)),
        ("pwsh", ("-Command",)),
        ("PowerShell.EXE", ("-noprofile", "-COMMAND")),
        ("cmd", ("/c",)),
        ("CMD.exe", ("/C",)),
    ],
)
def test_a_here_document_is_found_in_the_script_of_a_shell(program: str, flags: tuple[str, ...]) -> None:
    """Required: rule 3."""
    assert patch_call((program, *flags, heredoc("apply_patch"))) == PatchCall(PATCH)


@pytest.mark.parametrize(
    "argv",
    [
        ("bash", "-LC", heredoc("apply_patch")),
        ("bash", "-x", "-c", heredoc("apply_patch")),
        ("bash", "-ec", heredoc("apply_patch")),
        ("fish", "-c", heredoc("apply_patch")),
        ("bash", "-c", heredoc("apply_patch"), "more"),
        ("pwsh", "-Command", "-NoProfile", heredoc("apply_patch")),
        ("pwsh", "-c", heredoc("apply_patch")),
        ("cmd", "-c", heredoc("apply_patch")),
        ("./apply_patch", PATCH),
        ("Apply_Patch", PATCH),
        ("apply_patch",),
        ("apply_patch", PATCH, "more"),
        ("echo", PATCH),
        ("*** Begin Patching\n",),
        ("x *** Begin Patch\n",),
        ("",),
        (),
    ],
)
def test_any_other_argv_is_an_ordinary_command(argv: tuple[str, ...]) -> None:
    assert patch_call(argv) is None


@pytest.mark.parametrize(
    ("opening", "directory"),
    [
        ("apply_patch", None),
        ("applypatch", None),
        ("\n  apply_patch  ", None),
        ("cd sub && apply_patch", "sub"),
        ("cd /abs/dir.d && apply_patch", "/abs/dir.d"),
        ("cd 2024 && apply_patch", "2024"),
        ("cd sub &&\n  apply_patch", "sub"),
        ("cd sub && \\\n apply_patch", "sub"),
        ('cd "a b" && apply_patch', "a b"),
        ("cd 'a $HOME b' && applypatch", "a $HOME b"),
        ('cd "a \\"b\\" \\x" && apply_patch', 'a "b" \\x'),
        ("cd grüße && apply_patch", "grüße"),
        ('cd "a<<b" && apply_patch', "a<<b"),
    ],
)
def test_the_two_shapes_are_found(opening: str, directory: str | None) -> None:
    assert in_bash(heredoc(opening)) == PatchCall(PATCH, directory)


@pytest.mark.parametrize(
    ("word", "end"),
    [("EOF", "EOF"), ('"EOF"', "EOF"), ("'END-1.x'", "END-1.x"), ("PATCH", "PATCH"), (" 'EOF'", "EOF"), ("_", "_")],
)
def test_any_delimiter_will_do_and_the_body_stays_literal(word: str, end: str) -> None:
    """Required: nothing is expanded, not even after an unquoted delimiter."""
    assert in_bash(heredoc("apply_patch", word=word, end=end)) == PatchCall(PATCH)


@every(
    "script",
    [
        heredoc("cd sub; apply_patch"),
        heredoc("cd sub || apply_patch"),
        heredoc("cd sub | apply_patch"),
        heredoc("cd sub & apply_patch"),
        heredoc("cd sub\napply_patch"),
        heredoc("cd a && cd b && apply_patch"),
        heredoc("cd a b && apply_patch"),
        heredoc("cd && apply_patch"),
        heredoc("cd -P a && apply_patch"),
        heredoc("cd - && apply_patch"),
        heredoc("cd $X && apply_patch"),
        heredoc('cd "$X" && apply_patch'),
        heredoc('cd "$(id)" && apply_patch'),
        heredoc("cd ~ && apply_patch"),
        heredoc("cd a* && apply_patch"),
        heredoc("cd {a,b} && apply_patch"),
        heredoc("cd a\\ b && apply_patch"),
        heredoc("cd a'b' && apply_patch"),
        heredoc("cd $'a' && apply_patch"),
        heredoc("cd '' && apply_patch"),
        heredoc("X=1 cd a && apply_patch"),
        heredoc("cd a >x && apply_patch"),
        heredoc("cd\u00a0a && apply_patch"),
        heredoc("pushd a && apply_patch"),
        heredoc("echo hi; apply_patch"),
        heredoc("echo hi && apply_patch"),
        heredoc("true && cd a && apply_patch"),
        heredoc("X=1 apply_patch"),
        heredoc("! apply_patch"),
        heredoc("( apply_patch"),
        heredoc("time apply_patch"),
        heredoc("./apply_patch"),
        heredoc("'apply_patch'"),
        heredoc("apply_patch -v"),
        heredoc("apply_patch x"),
        heredoc("cat | apply_patch"),
        heredoc("# apply\napply_patch"),
        heredoc("apply_patch >log"),
        heredoc("apply_patch 3"),
        heredoc("apply_patch", word="-EOF"),
        heredoc("apply_patch", word="<EOF"),
        heredoc("apply_patch", word="'EOF' >log"),
        heredoc("apply_patch", word="EOF | cat"),
        heredoc("apply_patch", word="EOF; id"),
        heredoc("apply_patch", word="EOF && id"),
        heredoc("apply_patch", word="EOF # no"),
        heredoc("apply_patch", word="EOF <<EOF"),
        heredoc("apply_patch", word="E'O'F"),
        heredoc("apply_patch", word="$EOF", end="$EOF"),
        heredoc("apply_patch", word="''", end=""),
        heredoc("apply_patch", after="\nid\n"),
        heredoc("apply_patch", after=" \nid\n"),
        heredoc("apply_patch", after="; id\n"),
        heredoc("apply_patch", end=" EOF"),
        heredoc("apply_patch", end="EOF2"),
        heredoc("apply_patch").replace("\n", "\r\n"),
        f"apply_patch <<'EOF'\n{PATCH}",
        f"apply_patch '{PATCH}'",
        f"apply_patch <<< '{PATCH}'",
        "apply_patch <<EOF",
        "apply_patch < file",
        "apply_patch",
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\napply_patch <<'EOF'\n{PATCH}\nEOF\n",
    ],
)
def test_everything_else_stays_a_script(script: str) -> None:
    """Required: rule 4. What means more than a patch, or something else, is for the shell in its sandbox."""
    assert in_bash(script) is None


def test_newlines_at_the_end_of_the_body_go() -> None:
    assert in_bash("apply_patch <<EOF\nx\n\n\nEOF\n\n \n") == PatchCall("x")
    assert in_bash("apply_patch <<EOF\nEOF") == PatchCall("")


def test_a_body_of_any_size_is_found_in_linear_time() -> None:
    """Required: a patch may be larger than an argument can be, and full of parentheses and here-documents."""
    body = "*** Begin Patch\n" + "+f((((((<<X `$(\n" * 300_000 + "*** End Patch"
    started = time.process_time()
    assert in_bash(f"cd a && apply_patch <<'EOF'\n{body}\nEOF\n") == PatchCall(body, "a")
    assert time.process_time() - started < 2


PIECES = [
    "apply_patch",
    "cd",
    "a",
    "&&",
    "<<EOF",
    "<<'EOF'",
    "\n",
    "EOF",
    " ",
    ";",
    "\0",
    "\udc80",
    "'",
    '"',
    "(",
    "$x",
]


@given(st.lists(st.sampled_from([*PIECES, PATCH])).map(" ".join) | st.text(max_size=30))
def test_no_script_is_too_odd(script: str) -> None:
    found = in_bash(script)
    if isinstance(found, PatchCall):
        assert found.patch in script
