"""Programs that feed the helper's parsers, compiled with the sanitizers of this machine's compiler."""

import subprocess
from pathlib import Path

import pytest

SANITIZERS = "-fsanitize=address,undefined"
FLAGS = ("-std=gnu11", "-g", "-O1", SANITIZERS, "-fno-sanitize-recover=all")


def compiled(source: Path, folder: Path) -> Path:
    """The program of `source`, made in `folder`. Skips the test where there are no compiler and sanitizers."""
    empty, program = folder / "empty.c", folder / source.stem
    empty.write_text("int main(void) { return 0; }\n")
    try:
        trial = subprocess.run(["cc", SANITIZERS, "-o", str(program), str(empty)], capture_output=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    if trial.returncode != 0:
        pytest.skip("the compiler has no sanitizers")
    command = ["cc", *FLAGS, "-o", str(program), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return program
