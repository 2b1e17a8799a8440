"""The program `apply_patch`: what it says, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.suite.source_tree import SOURCE
from support.tool.patching import tree_of, wrapped

BIN = SOURCE / "sandgate" / "patch" / "bin"
ADD = wrapped("*** Add File: g\n+x")
HEAVY = frozenset(
    {"re", "json", "ctypes", "enum", "typing", "dataclasses", "pathlib", "collections", "signal", "argparse"}
)


def ran(folder: Path, *arguments: str | bytes, stdin: bytes = b"", program: Path | None = None) -> tuple[int, str, str]:
    ended = subprocess.run(
        [program or BIN / "apply_patch", *arguments],
        cwd=folder,
        input=stdin,
        env={"PATH": os.environ["PATH"], "SANDGATE_PATCH_PYTHON": sys.executable},
        capture_output=True,
        timeout=30,
    )
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


def test_success_lists_the_files_on_stdout(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).write_text("a\n")
    patch = wrapped(
        "*** Delete File: one\n*** Update File: ./two\n@@\n-a\n+b\n"
        "*** Update File: three\n*** Move to: four\n*** Add File: n/w\n+x"
    )
    assert ran(tmp_path, patch) == (0, "Success. Updated the following files:\nA n/w\nM ./two\nM four\nD one\n", "")


def test_the_patch_may_come_on_stdin_and_under_the_other_name(tmp_path: Path) -> None:
    assert ran(tmp_path, stdin=ADD.encode(), program=BIN / "applypatch")[0] == 0
    assert tree_of(tmp_path) == {"g": b"x\n"}


def test_it_works_through_a_link_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "applypatch").symlink_to(BIN / "applypatch")
    environment = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "SANDGATE_PATCH_PYTHON": sys.executable}
    subprocess.run(["sh", "-c", 'applypatch "$1"', "sh", ADD], cwd=tmp_path, env=environment, check=True, timeout=30)
    assert (tmp_path / "g").read_text() == "x\n"


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "said"),
    [
        ((), b"", 2, "Usage: apply_patch"),
        ((ADD, "more"), b"", 2, "one argument"),
        ((b"\xff",), b"", 1, "not valid UTF-8"),
        ((), b"\xff", 1, "not valid UTF-8"),
        (("hello",), b"", 1, "Invalid patch: The first line of the patch must be '*** Begin Patch'\n"),
        ((wrapped("*** Nonsense"),), b"", 1, "Invalid patch hunk on line 2: '*** Nonsense' is not"),
        (("*** Begin Patch\n*** End Patch",), b"", 1, "No files were modified.\n"),
        ((wrapped("*** Delete File: none"),), b"", 1, "Failed to delete file {}/none\n"),
    ],
)
def test_failures_have_their_code_and_one_message(
    tmp_path: Path, arguments: tuple[str | bytes, ...], stdin: bytes, code: int, said: str
) -> None:
    """Scenario 40."""
    ended = ran(tmp_path, *arguments, stdin=stdin)
    assert ended[:2] == (code, "")
    assert said.format(tmp_path) in ended[2]
    assert tree_of(tmp_path) == {}


def test_a_closed_stdin_is_told(tmp_path: Path) -> None:
    ended = subprocess.run(
        ["sh", "-c", '"$1" <&-', "sh", str(BIN / "apply_patch")],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "SANDGATE_PATCH_PYTHON": sys.executable},
        capture_output=True,
        timeout=30,
    )
    assert ended.returncode == 1
    assert b"Failed to read the patch" in ended.stderr


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    """Required: also not for an update, which is what it is called for."""
    (tmp_path / "f").write_text("a\n")
    code = (
        "import sys; sys.path.append(sys.argv.pop(1))\n"
        "from sandgate.patch.program import main; main(sys.argv[1:]); print(*sys.modules)"
    )
    patch = wrapped("*** Update File: f\n@@\n-a\n+b\n*** Add File: d/g\n+x\n*** Update File: d/g\n*** Move to: h")
    command = [sys.executable, "-I", "-S", "-c", code, str(SOURCE), patch]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=True)
    assert frozenset(ended.stdout.splitlines()[-1].split()) & HEAVY == set()
    assert tree_of(tmp_path) == {"f": b"b\n", "h": b"x\n"}


def test_a_termination_while_reading_ends_it_at_once(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [BIN / "apply_patch"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "SANDGATE_PATCH_PYTHON": sys.executable},
    )
    child.send_signal(signal.SIGTERM)
    assert child.wait(10) in (143, -signal.SIGTERM)
    assert child.stdin is not None
    child.stdin.close()


def test_what_a_reader_should_know_stands_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "other").hardlink_to(tmp_path / "f")
    patch = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"
    code, out, err = ran(tmp_path, patch)
    assert (code, out) == (0, "Success. Updated the following files:\nM f\n")
    assert err == f"warning: {tmp_path}/f has another name, which keeps the old content\n"
    assert (tmp_path / "other").read_text() == "a\n"
