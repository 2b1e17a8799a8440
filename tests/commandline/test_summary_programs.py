from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.summary_programs import classify, formats, short_path
from sandgate.commandline.words import split, words_of
from sandgate.protocol.summaries import ListFiles, Read, Search, Summary, Unknown
from support.suite.rows import every


def words(line: str) -> tuple[str, ...]:
    found = split(line)
    assert found
    return found


def without_cmd(summary: Summary) -> Summary:
    return summary.but(cmd="")


@every(
    "line, path",
    [
        ("ls", None),
        ("ls -la", None),
        ("ls -la webview/src", "webview"),
        ("ls -I '*.test.js'", None),
        ("ls -w 80 -- dir", "dir"),
        ("/bin/ls a b", "a"),
        ("eza -L 2 dir", "dir"),
        ("exa --sort size dir", "dir"),
        ("tree -L 2 lib", "lib"),
        ("du -d1 /var/log/", "log"),
        ("rg --files", None),
        ("rg --files packages/app/node_modules/", "app"),
        ("rg -g '*.py' --files src", "src"),
        ("git ls-files", None),
        ("git ls-files -x '*.o' lib", "lib"),
        ("fd", None),
        ("fd -t f", None),
        ("fd ./lib", "lib"),
        ("fd --search-path lib -e py", "lib"),
        ("find", None),
        ("find . -type f", "."),
        ("find -L a/b -maxdepth 2 -type d", "b"),
        ("find ! -newer x", None),
        ("python -c 'import os; print(os.listdir(\".\"))'", None),
        ("python3.12 -c 'import pathlib; print(list(pathlib.Path(\".\").iterdir()))'", None),
    ],
)
def test_listing(line: str, path: str | None) -> None:
    """Required."""
    assert without_cmd(classify(words(line))) == ListFiles("", path)


@every(
    "line, query, path",
    [
        ("rg foo", "foo", None),
        ("rg -n 'a b|c' -S webview/src", "a b|c", "webview"),
        ("rg -C3 -e foo lib", "foo", "lib"),
        ("rg --regexp=foo lib", "foo", "lib"),
        ("rg -f patterns lib", "patterns", "lib"),
        ("rg -t py --max-count 3 foo .", "foo", "."),
        ("rg -nt py foo", "foo", None),
        ("rga foo", "foo", None),
        ("ripgrep-all foo a", "foo", "a"),
        ("grep -rn 'x y' lib", "x y", "lib"),
        ("grep -rne x lib", "x", "lib"),
        ("grep -A 3 --include '*.py' x lib other", "x", "lib"),
        ("egrep x", "x", None),
        ("fgrep -- -x lib", "-x", "lib"),
        ("git grep -n x lib", "x", "lib"),
        ("ag -G py x lib", "x", "lib"),
        ("ack x", "x", None),
        ("pt x lib", "x", "lib"),
        ("fd main", "main", None),
        ("fd -t f main src/lib", "main", "lib"),
        ("find . -name '*.rs'", "*.rs", "."),
        ("find a b -type f -iname '*.md'", "*.md", "a"),
        ("find -regex x", "x", None),
        ("find . -path './a*'", "./a*", "."),
    ],
)
def test_searching(line: str, query: str, path: str | None) -> None:
    """Required."""
    assert without_cmd(classify(words(line))) == Search("", query, path)


@every(
    "line, name, path",
    [
        ("cat a.txt", "a.txt", "a.txt"),
        ("cat -- -a", "-a", "-a"),
        ("cat -n src/lib/a.py", "a.py", "src/lib/a.py"),
        ("bat --theme dark -r 1:5 a", "a", "a"),
        ("batcat a", "a", "a"),
        ("less -p x a", "a", "a"),
        ("more a", "a", "a"),
        ("head -n 50 a", "a", "a"),
        ("head -n50 a", "a", "a"),
        ("head -50 a", "a", "a"),
        ("head a", "a", "a"),
        ("tail -n +10 a", "a", "a"),
        ("tail -n 10 a", "a", "a"),
        ("tail a", "a", "a"),
        ("nl -ba a", "a", "a"),
        ("nl -b a -w 3 f", "f", "f"),
        ("awk '{print $1}' a", "a", "a"),
        ("awk -F , '{print $1}' a", "a", "a"),
        ("awk -f prog a", "a", "a"),
        ("sed -n 1,200p dist/a", "a", "dist/a"),
        ("sed -n 5p a", "a", "a"),
        ("cat build/", "build", "build/"),
    ],
)
def test_reading(line: str, name: str, path: str) -> None:
    """Required."""
    assert without_cmd(classify(words(line))) == Read("", name, path)


@every(
    "line",
    [
        *("git status", "git", "git -C x grep y", "make", "rm -rf /", "wc -l a", "echo x", "xargs ls"),
        *("cat", "cat a b", "cat -n", "less a b", "head", "head -n x a", "head -n 5 a b", "head -c 5 a"),
        *("tail -n ++5 a", "tail -n 5", "nl", "nl a b", "awk '{print}'", "awk '{print}' a b"),
        *("sed s/a/b/ f", "sed -n 1,5p", "sed -n x f", "sed -n 1,p f", "sed -n ,5p f", "sed -n 1,5p a b"),
        *("sed -n 1,5d f", "sed -n p f", "sed -n 1p -i"),
        *("find . -delete", "find . -name x -exec rm '{}' ';'", "find . -fprint out", "fd x -x rm", "fd --exec=rm x"),
        *("python script.py", "python -c", "python -c 'print(1)'", "python3 -c 'pathlib.Path(\"x\").unlink()'"),
    ],
)
def test_everything_else_is_unknown(line: str) -> None:
    assert classify(words(line)) == Unknown(classify(words(line)).cmd)


@every(
    "line, small",
    [
        *[(f"{name} x", True) for name in ["wc", "tr", "cut", "sort", "uniq", "tee", "column", "yes", "printf"]],
        *[(line, True) for line in ("head", "head -n 5", "head -50", "head -c 5", "tail -f", "tail -n +5")],
        *[(line, False) for line in ("head f", "head -n 5 f", "tail -n 5 f", "tail -f f")],
        *[(line, True) for line in ("awk '{print}'", "awk -F: '{print}'", "awk -f prog")],
        *[(line, False) for line in ("awk '{print}' f", "awk -f prog f")],
        *[(line, True) for line in ("sed s/a/b/", "sed -n 1,5p", "sed -e x -e y", "sed -n x f")],
        *[(line, False) for line in ("sed -n 1,5p f", "sed -i s/a/b/ f", "sed -i.bak x f", "sed -n -i x f")],
        *[(line, False) for line in ("sed --in-place=.b x f", "sed -ni x f")],
        *[(line, True) for line in ("xargs", "xargs ls", "xargs -0 -n 1 grep x", "xargs -I {} cat {}")],
        *[(line, True) for line in ("xargs sed -n 1p", "xargs rg x", "xargs perl -ne print")],
        *[(line, False) for line in ("xargs perl -pi -e x", "xargs ruby -i x", "xargs sed -i x", "xargs rg -r y x")],
        *[(line, False) for line in ("xargs rg x --replace y", "xargs rm", "xargs -0 -n1 rm -rf", "xargs sh -c x")],
        *[(line, False) for line in ("xargs -I {} mv {} x", "ls", "cat f", "rm x", "nl")],
    ],
)
def test_formatting_is_told_from_acting(line: str, small: bool) -> None:
    """Required: what edits in place is never left out of a summary."""
    assert formats(words(line)) is small


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("webview/src", "webview"),
        ("packages/app/node_modules/", "app"),
        ("a/build/dist/", "a"),
        ("src", "src"),
        ("src/dist", "dist"),
        ("/", "/"),
        (".", "."),
        ("", ""),
        ("a\\b\\src", "b"),
        ("a//b//", "b"),
    ],
)
def test_a_short_path_is_the_last_component_that_says_something(path: str, short: str) -> None:
    """Required."""
    assert short_path(path) == short


PROGRAMS = sorted(words_of("ls rg grep git find fd cat head tail sed awk nl python3 xargs less du cd"))
ARGUMENTS = sorted(
    words_of("-n -e -c -i -- - --files --regexp= -name 5 1,5p ls-files grep f a/b src {} ! ( -exec os.walk -é")
)


@given(st.sampled_from(PROGRAMS), st.lists(st.sampled_from([*ARGUMENTS, ""]) | st.text(max_size=4), max_size=6))
def test_no_command_is_too_odd(program: str, rest: list[str]) -> None:
    assert classify((program, *rest)).cmd
    assert formats((program, *rest)) in (True, False)
