"""Names that a program takes beside the one that was allowed: what it needs to write safely, and no other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldOutcome, HeldRun, refused_as
from support.kernel.helper_runs import plan_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GrantKind


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    """Names mean the same in both backends."""
    return LANDLOCK if request.param == LANDLOCK else helper_path()


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    place.mkdir()
    (place / "file").write_text("text\n")
    return place


def run(helper: str, outside: Path, kind: "GrantKind", name: str, script: str) -> HeldOutcome:
    work = outside.parent / "work"
    work.mkdir()
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + script)
    plan = plan_for(*argv, write=(str(work),), cwd=str(outside))
    return HeldRun(helper, plan.but(supervised_grants=(Grant(kind, str(outside / name)),))).finish()


SAFE_WRITES = {
    "a journal": ("new_entry", "base", 'new("base"); new("base-journal"); os.unlink("base-journal")', {"base"}),
    "its compressed form": ("new_entry", "base", 'new("base"); new("base.gz"); os.unlink("base")', {"base.gz"}),
    "prepared first": ("write_path", "base", 'new("base.part"); os.rename("base.part", "base")', {"base"}),
    "a link in its place": ("write_path", "file", 'os.symlink("x", "CuXYZ"); os.rename("CuXYZ", "file")', {"file"}),
    "a link that is left": ("write_path", "file", 'os.symlink("x", "CuXYZ")', {"file"}),
}
NEW = "def new(name): os.close(os.open(name, os.O_CREAT | os.O_RDWR, 0o600))\n"


@pytest.mark.parametrize("case", SAFE_WRITES)
def test_one_grant_is_enough_to_write_safely(helper: str, outside: Path, case: str) -> None:
    """Required: nothing is refused, and what only served to write is gone with the command."""
    kind, name, script, left = SAFE_WRITES[case]
    outcome = run(helper, outside, kind, name, NEW + script)  # type: ignore[arg-type] # kinds by name
    assert (outcome.exit_code, outcome.output, outcome.refused) == (0, "", [])
    assert set(os.listdir(outside)) == {"file"} | left


PASSING = {  # how a name that is to go with the command could be kept
    "in the place of another": "new('Makefile'); new('x1'); os.rename('x1', 'Makefile')",
    "named once more": "new('Makefile'); os.link('Makefile', 'file.x'); os.rename('Makefile', 'file.x')",
    "moved onto itself": "new('Makefile'); os.rename('Makefile', 'Makefile')",
    "moved there and back": "new('Makefile'); new('x1'); os.rename('Makefile', 'file.x'); os.rename('file.x', 'x1')",
}
ONLY_NEW = "def new(name): os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))\n"


@pytest.mark.parametrize("how", PASSING)
def test_what_serves_to_write_goes_whatever_it_is_called_meanwhile(helper: str, outside: Path, how: str) -> None:
    """Required: a yes for one file leaves no other name behind than those that look like its own."""
    outcome = run(helper, outside, "write_path", "file", ONLY_NEW + PASSING[how])
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert set(os.listdir(outside)) <= {"file", "file.x"}


@pytest.mark.parametrize("how", PASSING)
def test_without_a_sandbox_it_stays(outside: Path, how: str) -> None:
    code = "import os\n" + ONLY_NEW + PASSING[how]
    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=outside, check=True)
    assert set(os.listdir(outside)) & {"Makefile", "x1"}


OTHERS = {
    "before it is made": ("new_entry", "base", 'new("base-journal")'),
    "when it was removed": ("new_entry", "base", 'new("base"); os.unlink("base"); new("base-journal")'),
    "another word": ("new_entry", "base", 'new("base"); new("baseline")'),
    "another number": ("new_entry", "base1", 'new("base1"); new("base10")'),
    "behind a dot": ("new_entry", "base", 'new("base"); new(".base.swp")'),
    "of a start file": ("new_entry", ".bash", 'new(".bash"); new(".bash_profile")'),
    "beside a directory": ("new_entry", "base", 'os.mkdir("base"); new("base-journal")'),
    "what is there": ("new_entry", "fil", 'new("fil"); os.rename("file", "fil.x")'),
    "a link that is obeyed": ("write_path", "file", 'os.symlink("x", ".profile")'),
    "a directory": ("write_path", "file", 'os.mkdir("CuXYZ")'),
}


@pytest.mark.parametrize("case", OTHERS)
def test_no_other_name_comes_with_it(helper: str, outside: Path, case: str) -> None:
    kind, name, script = OTHERS[case]
    outcome = run(helper, outside, kind, name, NEW + script)  # type: ignore[arg-type] # kinds by name
    assert refused_as(helper) in outcome.output
    assert len(outcome.refused) == 1
    assert set(os.listdir(outside)) <= {"file", name}
    assert (outside / "file").read_text() == "text\n"
