"""What version managers, watchers, terminals and benchmarks start, and where it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.launcher_rows import LAUNCHERS
from sandgate.commandline.launchers import Launched, command_at, launched
from sandgate.commandline.words import joined, split
from support.suite.rows import every


def started(line: str) -> list[str]:
    """The commands and scripts of a line, as text."""
    argv = split(line)
    assert argv is not None
    return [joined(command_at(argv, each)) if each.script is None else each.script for each in launched(argv[0], argv)]


@every(
    "line, inner",
    [
        ("npx -c 'rm x'", ["rm x"]),
        ("npm exec --call='rm x'", ["rm x"]),
        ("npm run exec", []),
        ("pnpm dlx cowsay@1.6 hi", ["cowsay hi"]),
        ("uvx ruff check", ["ruff check"]),
        ("nix develop -c make test", ["make test"]),
        ("nix develop", []),
        ("nix-shell -p jq --run 'jq . x'", ["jq . x"]),
        ("mise exec node@20 -- node x.js", ["node x.js"]),
        ("conda run -n base python x.py", ["python x.py"]),
        ("nvm exec 20 npm test", ["npm test"]),
        ("concurrently -n a,b 'npm run a' 'npm run b'", ["npm run a", "npm run b"]),
        ("hyperfine -p 'make clean' -r 3 'make'", ["make", "make clean"]),
        ("tmux new -d -s work 'npm start'", ["npm start"]),
        ("tmux send-keys -t work 'ls src' Enter", ["ls src"]),
        ("screen -dmS work make all", ["make all"]),
        ("xterm -e top -d 1", ["top -d 1"]),
        ("gnome-terminal -- bash -c 'ls; read'", ["bash -c 'ls; read'"]),
        ("cargo watch -x test -s 'make all'", ["make all"]),
        ("cargo test", []),
        ("perf stat -- ./bench", ["./bench"]),
        ("adb shell rm -rf /sdcard/x", ["rm -rf /sdcard/x"]),
        ("corepack npm publish", ["npm publish"]),
        ("devbox run -- make -- -k", ["make -- -k"]),
    ],
)
def test_what_a_launcher_starts_is_found_where_its_row_says(line: str, inner: list[str]) -> None:
    assert started(line) == inner


def test_a_program_may_be_told_apart_from_its_version_only_by_a_name() -> None:
    argv = ("pnpm", "dlx", "@scope/tool@2", "x")
    assert command_at(argv, Launched(2)) == ("@scope/tool@2", "x")


WORDS = st.lists(st.sampled_from(["-n", "--", "-c", "--run", "-xs", "new", "exec", "a b", "x@1", "-e=1", "--call=ls"]))


@given(st.sampled_from(sorted(LAUNCHERS)), WORDS)
def test_whatever_the_words_are_each_place_is_one_of_them(program: str, words: list[str]) -> None:
    argv = (program, *words)
    for each in launched(program, argv):
        assert 0 < each.at < len(argv)
        assert each.script is not None or command_at(argv, each)
