"""What Sandgate's next start loads cannot be changed or planted, also when a writable root contains it.

The interpreter lies in the workspace, as one in a project's `tools/` does. Each attack puts a program where this
interpreter looks before its own library; the victim is the next start of it, outside.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"

PLANT = """
import os, sys, zipfile
mark, prefix, version = sys.argv[1:]
def attempt(what, *arguments):
    try:
        return what(*arguments)
    except OSError:
        pass
def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
evil = "import posix; posix.close(posix.open(%r, posix.O_CREAT | posix.O_WRONLY))\\n" % mark
def library(path):
    attempt(put, path + "/os.py", "")
    attempt(put, path + "/encodings/__init__.py", evil)
def archive(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("encodings/__init__.py", evil)
"""

ROUTES = {
    "an archive of modules": "attempt(archive, f'{prefix}/lib/python{version.replace(chr(46), str())}.zip')",
    "an archive moved there": "archive('a.zip'); "
    "attempt(os.rename, 'a.zip', f'{prefix}/lib/python{version.replace(chr(46), str())}.zip')",
    "settings beside the interpreter": "library(os.path.abspath(f'e/lib/python{version}')); "
    "attempt(put, f'{prefix}/bin/pyvenv.cfg', 'home = ' + os.path.abspath('e/bin'))",
    "settings above it": "library(os.path.abspath(f'e/lib/python{version}')); "
    "attempt(put, f'{prefix}/pyvenv.cfg', 'home = ' + os.path.abspath('e/bin'))",
    "a library beside it": "library(f'{prefix}/bin/lib/python{version}')",
    "another library in its place": "library('e'); attempt(os.rename, f'{prefix}/lib/python{version}', 'old'); "
    "attempt(os.rename, 'e', f'{prefix}/lib/python{version}')",
    "another prefix in its place": "library(f'e/lib/python{version}'); attempt(os.rename, f'{prefix}/lib', 'old'); "
    "attempt(os.rename, 'e/lib', f'{prefix}/lib')",
    "another interpreter": "attempt(put, f'{prefix}/bin/python{version}', '#!/bin/sh\\ntouch ' + mark + '\\n')",
}


def install_python(stage: Stage) -> Path:
    """An interpreter in the workspace, with the library it had."""
    told = stage.unconfined(stage.script("import os, sys; print(os.path.dirname(os.__file__), sys.executable)"))
    library, program = told.stdout.split()
    prefix = stage.repo / "tools" / "python"
    for name in ("bin", "lib"):
        (prefix / name).mkdir(parents=True)
    (prefix / "lib" / f"python{VERSION}").symlink_to(library)
    shutil.copy(os.path.realpath(program), prefix / "bin" / f"python{VERSION}")
    stage.own()
    stage.starts_alone = True  # nothing else holds on to this interpreter
    stage.python = str(prefix / "bin" / f"python{VERSION}")
    return prefix


@BOTH_BACKENDS
@pytest.mark.parametrize("route", ROUTES)
def test_the_next_start_runs_nothing_that_a_command_put_there(stage: Stage, backend: str, route: str) -> None:
    outer = stage.python
    prefix = install_python(stage)
    mark = stage.outside / "mark"
    attack = [outer, "-I", "-S", "-c", PLANT + ROUTES[route], str(mark), str(prefix), VERSION]
    start = stage.script("0")
    assert stage.unconfined(start).exit_code == 0
    ran = stage.confined(attack, backend=backend)
    assert ran.error is None, ran
    assert stage.unconfined(start).exit_code == 0
    assert not mark.exists()
    mark.parent.chmod(0o777)
    stage.unconfined(attack)
    stage.unconfined(start)
    assert mark.exists()


@BOTH_BACKENDS
@pytest.mark.parametrize("exists", [True, False])
def test_environments_in_the_cache_are_closed_in_a_root_that_contains_them(
    stage: Stage, backend: str, exists: bool
) -> None:
    cache = stage.home / ".cache"
    place = cache / "sandgate" / "environments" / "clone" / ".venv" / "bin"
    (place if exists else cache).mkdir(parents=True)
    stage.own()
    attack = ["sh", "-c", f"mkdir -p {place}; echo evil > {place}/python; mkdir -p {cache}/other"]
    stage.confined(attack, backend=backend, roots=[cache])
    assert (cache / "other").is_dir()
    assert not (place / "python").exists()
    stage.unconfined(attack)
    assert (place / "python").exists()


@pytest.mark.host("namespace")
@pytest.mark.parametrize("below", ["", "bin", "lib", "site-packages"])
def test_neither_a_grant_nor_a_root_opens_it(stage: Stage, below: str) -> None:
    prefix = install_python(stage)
    named = {
        "": prefix / "bin" / f"python{VERSION}",
        "bin": prefix / "bin" / "pyvenv.cfg",
        "lib": prefix / "lib",
        "site-packages": Path(os.path.realpath(prefix / "lib" / f"python{VERSION}")) / "site-packages",
    }[below]
    ran = stage.confined(["true"], grants=[("write_path", str(named))])
    assert ran.error is not None, ran
    assert "belongs to Sandgate itself" in ran.error[1]
