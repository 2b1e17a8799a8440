"""Compiling the helper: when it happens, where it lands, and what is said when it cannot."""

import os
import shutil
from pathlib import Path

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.kernel import build
from sandgate.kernel import compile as compiling
from sandgate.kernel.helper_sources import PROGRAM

NATIVE = Path(__file__).resolve().parents[2] / "native"

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A state of the sources that compiles in a moment."""
    folder = tmp_path / "native"
    folder.mkdir()
    (folder / "sandbox.h").write_text("/* nothing */\n")
    (folder / "main.c").write_text("void _start(void) { for (;;) {} }\nunsigned long __stack_chk_guard;\n")
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "built" / "sandgate-exec"


@needs_compiler
def test_compiled_program_is_current_until_its_sources_change(sources: Path, program: Path) -> None:
    assert not build.is_current(str(program), str(sources))
    compiling.compile_helper(str(sources), str(program))
    assert build.is_current(str(program), str(sources))
    (sources / "sandbox.h").write_text("/* something */\n")
    assert not build.is_current(str(program), str(sources))


@needs_compiler
def test_touching_a_source_does_not_make_the_program_stale(sources: Path, program: Path) -> None:
    compiling.compile_helper(str(sources), str(program))
    os.utime(sources / "main.c", (1, 1))
    assert build.is_current(str(program), str(sources))


@needs_compiler
def test_touched_sources_are_read_once_and_not_at_every_start(
    sources: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling.compile_helper(str(sources), str(program))
    os.utime(sources / "main.c", (1, 1))
    assert build.is_current(str(program), str(sources))
    monkeypatch.setattr(compiling, "content_of", lambda _sources: pytest.fail("read again"))
    assert build.is_current(str(program), str(sources))


@needs_compiler
def test_failed_compilation_names_the_error_and_leaves_the_old_program(sources: Path, program: Path) -> None:
    compiling.compile_helper(str(sources), str(program))
    before = program.read_bytes()
    (sources / "main.c").write_text("this is not C\n")
    with pytest.raises(BackendUnavailable, match=r"failed: .*main\.c:1:1: error"):
        compiling.compile_helper(str(sources), str(program))
    assert program.read_bytes() == before
    assert sorted(os.listdir(program.parent)) == ["sandgate-exec", "sandgate-exec.built-from"]


def test_directory_that_others_can_write_is_refused(
    sources: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "find_compiler", lambda: "/bin/false")
    program.parent.mkdir()
    program.parent.chmod(0o777)
    with pytest.raises(BackendUnavailable, match="other users can write"):
        compiling.compile_helper(str(sources), str(program))


def test_missing_compiler_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendUnavailable) as caught:
        compiling.find_compiler()
    assert str(caught.value) == (
        "cannot build the helper `sandgate-exec`: there is no C compiler (cc, gcc or clang) on PATH"
    )


def test_compiler_in_a_relative_directory_of_path_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cc").write_text("#!/bin/sh\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    with pytest.raises(BackendUnavailable, match="no C compiler"):
        compiling.find_compiler()


@pytest.mark.skipif(shutil.which("cc", path="/usr/bin:/bin") is None, reason="no C compiler of the system")
def test_a_compiler_or_assembler_that_a_project_planted_does_not_run(
    sources: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    planted, canary = tmp_path / "project" / "bin", tmp_path / "canary"
    planted.mkdir(parents=True)
    for name in (*compiling.COMPILERS, "as", "ld", "collect2", "cc1"):
        (planted / name).write_text(f'#!/bin/sh\ntouch {canary}\nexec /usr/bin/{name} "$@"\n')
        (planted / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted}:/usr/bin:/bin")
    for compiler in ("cc", "/usr/bin/cc"):  # the second finds what it starts by PATH, too
        subprocess.run([compiler, *compiling.FLAGS, "-o", tmp_path / "x", sources / "main.c"], check=False)
        assert canary.exists()
        canary.unlink()
    compiling.compile_helper(str(sources), str(program))
    assert program.exists()
    assert not canary.exists()


@pytest.mark.slow
@needs_compiler
def test_real_sources_compile_without_a_warning(tmp_path: Path) -> None:
    import subprocess

    command = [
        "cc",
        *compiling.FLAGS,
        *compiling.MACHINE_FLAGS.get(os.uname().machine, ()),
        "-Werror",
        "-o",
        str(tmp_path / "x"),
    ]
    done = subprocess.run(
        [*command, *map(str, sorted(NATIVE.glob("*.c")))], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


@needs_compiler
@pytest.mark.parametrize("how", ["others may write", "a link", "somebody else's"])
def test_a_program_that_somebody_else_can_have_written_is_compiled_anew(sources: Path, program: Path, how: str) -> None:
    """Required: it confines everything else, so nobody else may have made it."""
    compiling.compile_helper(str(sources), str(program))
    if how == "a link":
        program.rename(program.with_name("elsewhere"))
        program.symlink_to("elsewhere")
    elif how == "others may write":
        program.chmod(0o757)
    elif os.geteuid() == 0:
        os.chown(program, 4242, 4242)
    else:
        pytest.skip("only root can give files away")
    assert not build.is_current(str(program), str(sources))
    compiling.compile_helper(str(sources), str(program))
    assert build.is_current(str(program), str(sources))


def test_a_program_that_a_package_carries_must_be_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried = tmp_path / "_native" / PROGRAM
    carried.parent.mkdir()
    carried.write_text("")
    monkeypatch.setattr(build, "PACKAGE", str(tmp_path))
    monkeypatch.setattr(build, "source_directory", lambda: None)
    carried.chmod(0o755)
    assert build.helper_path() == str(carried)
    carried.chmod(0o777)
    with pytest.raises(BackendUnavailable, match="somebody else can have written"):
        build.helper_path()
