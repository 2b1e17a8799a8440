"""Types a tab into a real zsh, where there is one."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandgate.surfaces.cli.completions.zsh import completion_script
from sandgate.surfaces.cli.options import COMMANDS

LIMIT_S = 60
SHELL = shutil.which("zsh")
PREPARE = (
    "PS1='<>' ; unsetopt beep zle_bracketed_paste ; autoload -Uz compinit && compinit -u -D ; source ./_sandgate\r"
)
EXPANDED = "\x18a"  # ^X a: prints the line as it is now

needs_zsh = pytest.mark.skipif(SHELL is None, reason="no zsh here")


class Typing:
    """A zsh at a terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._seen = ""

    def types(self, text: str, until: str) -> str:
        """Type, and wait until that is printed; what was printed up to there."""
        os.write(self._terminal, text.encode())
        deadline = time.monotonic() + LIMIT_S
        while until not in self._seen:
            ready, _, _ = select.select([self._terminal], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"{until!r} did not come; there was {self._seen!r}"
            self._seen += os.read(self._terminal, 4096).decode(errors="replace")
        before, _, self._seen = self._seen.partition(until)
        return before


@contextmanager
def zsh(place: Path) -> Iterator[Typing]:
    (place / "_sandgate").write_text(completion_script())
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(place), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], cwd=place, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    try:
        typing = Typing(ours)
        typing.types(PREPARE, "_sandgate")
        tell = "tell() { print -r -- \"[[$BUFFER]]\"; BUFFER= }; zle -N tell; bindkey '^Xa' tell; print rea''dy\r"
        typing.types(tell, "ready")
        yield typing
    finally:
        shell.kill()
        shell.wait(timeout=LIMIT_S)
        os.close(ours)


@pytest.fixture(scope="module")
def typing() -> Iterator[Typing]:
    with tempfile.TemporaryDirectory() as place:
        Path(place, "folder").mkdir()
        with zsh(Path(place)) as started:
            yield started


@needs_zsh
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("sandgate agen", "sandgate agent "),
        ("sandgate run --sand", "sandgate run --sandbox="),
        ("sandgate run --sandbox=re", "sandgate run --sandbox=read-only "),
        ("sandgate run -s read", "sandgate run -s read-only "),
        ("sandgate rules im", "sandgate rules import "),
        ("sandgate rules import cl", "sandgate rules import claude-settings "),
        ("sandgate patch --stri", "sandgate patch --strict-unique "),
        ("sandgate run -C fo", "sandgate run -C folder/"),
        ("sandgate run -- mkfif", "sandgate run -- mkfifo "),
        ("sandgate completion fi", "sandgate completion fish "),
    ],
)
def test_a_tab_completes_the_word(typed: str, line: str, typing: Typing) -> None:
    typing.types(typed + "\t" + EXPANDED, "[[")
    assert typing.types("", "]]") == line


@needs_zsh
def test_the_file_is_valid(tmp_path: Path) -> None:
    (tmp_path / "_sandgate").write_text(completion_script())
    assert subprocess.run(["zsh", "-f", "-n", tmp_path / "_sandgate"], timeout=LIMIT_S).returncode == 0


def test_every_option_of_every_command_has_its_specification() -> None:
    """What can be said without a zsh."""
    parts = dict(zip((command.name for command in COMMANDS), completion_script().split("_arguments ")[1:], strict=True))
    for command in COMMANDS:
        for flag in (flag for option in command.options for flag in option.flags):
            assert any(f"{flag}{end}[" in parts[command.name] for end in ("", "=", "+")), (command.name, flag)
