"""What is hidden stays unread, whatever a yes lets a command do with its names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.confinement import Mount
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldRun
from support.kernel.helper_runs import plan_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GrantKind

SECRET = "the secret"

# How it gets another name, below which grants, and what is then opened.
DETOURS: dict[str, tuple[str, tuple[tuple["GrantKind", str], ...], str]] = {
    "a link beside it": ("os.link('key', 'key~')", (("write_path", "key"),), "key~"),
    "a link under a new name": (
        "os.link('key', 'new')",
        (("write_path", "key"), ("new_entry", "new")),
        "new",
    ),
    "a link in a new directory": (
        "os.mkdir('new'); os.link('key', 'new/key')",
        (("write_path", "key"), ("new_entry", "new")),
        "new/key",
    ),
    "moved into a new directory": (
        "os.mkdir('new'); os.rename('key', 'new/key')",
        (("remove", "key"), ("new_entry", "new")),
        "new/key",
    ),
    "set aside": ("os.rename('key', 'key~')", (("write_path", "key"),), "key~"),
    "set aside, and a link": (
        "os.rename('key', 'key~'); os.link('key~', 'key.2')",
        (("write_path", "key"), ("new_entry", "key.2")),
        "key.2",
    ),
    "its directory moved into a new one": (
        "os.mkdir('new'); os.rename('inner', 'new/inner')",
        (("remove", "inner"), ("new_entry", "new")),
        "new/inner/key",
    ),
}


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    """Both hide, and both carry calls out."""
    return LANDLOCK if request.param == LANDLOCK else helper_path()


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A directory to be hidden; `work` beside it is the workspace."""
    (tmp_path / "keys/inner").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    for key in ("key", "inner/key"):
        (tmp_path / "keys" / key).write_text(SECRET)
    return tmp_path / "keys"


def _script(keys: Path, detour: str, then: str) -> tuple[str, ...]:
    moved = keys.parent / "work"  # a working directory that nobody hides
    names = detour.replace("('", f"('{keys}/").replace(", '", f", '{keys}/")
    code = f"""
import os
os.chdir({str(moved)!r})
try:
    for step in {names.split("; ")!r}:
        exec(step)
except OSError as problem:
    print(problem.errno)
try:
    print(open({f"{keys}/{then}"!r}, "r+").read())
except OSError as problem:
    print(problem.errno)
"""
    return (sys.executable, "-I", "-S", "-c", code)


@pytest.mark.parametrize("how", DETOURS)
def test_what_was_there_is_not_read_under_another_name(helper: str, keys: Path, how: str) -> None:
    """Required: what the command made may be read again; what it only gave another name stays unread."""
    detour, allowed, then = DETOURS[how]
    grants = tuple(Grant(kind, str(keys / name)) for kind, name in allowed)
    plan = plan_for(
        *_script(keys, detour, then),
        write=(str(keys.parent / "work"),),
        mounts=(Mount("hide_directory", str(keys)),),
        cwd=str(keys.parent / "work"),
    )
    outcome = HeldRun(helper, plan.but(supervised_grants=grants)).finish()
    assert outcome.output.strip()
    assert SECRET not in outcome.output


@pytest.mark.parametrize("how", DETOURS)
def test_the_detour_leads_there_without_a_sandbox(keys: Path, how: str) -> None:
    detour, _, then = DETOURS[how]
    ran = subprocess.run(_script(keys, detour, then), capture_output=True, text=True, check=True)
    assert ran.stdout == SECRET + "\n"


def test_what_was_made_is_read_under_its_other_name(helper: str, keys: Path) -> None:
    """Required: a key that is prepared beside its place, linked there, and read once more."""
    code = f"""
import os
os.chdir({str(keys.parent / "work")!r})
with open("{keys}/new", "x") as file:
    file.write("made")
os.link("{keys}/new", "{keys}/new.2")
print(open("{keys}/new.2", "r+").read())
"""
    grants = tuple(Grant("new_entry", str(keys / name)) for name in ("new", "new.2"))
    plan = plan_for(
        *(sys.executable, "-I", "-S", "-c", code),
        write=(str(keys.parent / "work"),),
        mounts=(Mount("hide_directory", str(keys)),),
        cwd=str(keys.parent / "work"),
    )
    assert HeldRun(helper, plan.but(supervised_grants=grants)).finish().output == "made\n"
    assert os.stat(keys / "new").st_nlink == 2
