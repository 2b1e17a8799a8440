"""Finding a program by the command's own PATH."""

from __future__ import annotations

import errno
from pathlib import Path

from sandgate.kernel.program import FoundProgram, find_program


def executable(path: Path, mode: int = 0o755) -> str:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    path.chmod(mode)
    return str(path)


def test_the_first_executable_of_the_commands_path_is_found(tmp_path: Path) -> None:
    executable(tmp_path / "a" / "tool", 0o644)
    wanted = executable(tmp_path / "b" / "tool")
    env = {"PATH": f"{tmp_path}/none:{tmp_path}/a:{tmp_path}/b"}
    assert find_program("tool", env=env, cwd="/") == FoundProgram(wanted)


def test_relative_entries_start_from_the_commands_directory(tmp_path: Path) -> None:
    wanted = executable(tmp_path / "bin" / "tool")
    assert find_program("tool", env={"PATH": "bin"}, cwd=str(tmp_path)) == FoundProgram(wanted)


def test_why_there_is_none_is_told_as_execvp_would(tmp_path: Path) -> None:
    executable(tmp_path / "a" / "tool", 0o644)
    (tmp_path / "a" / "folder").mkdir()
    env = {"PATH": f"{tmp_path}/a"}
    found = [find_program(name, env=env, cwd="/").errno for name in ("tool", "folder", "missing")]
    assert found == [errno.EACCES, errno.EACCES, errno.ENOENT]


def test_a_word_with_a_slash_is_a_path() -> None:
    assert find_program("./x", env={}, cwd="/") == FoundProgram("./x")
