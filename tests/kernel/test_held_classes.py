"""Held calls that are about more than a path: files without a name, and questions about rights."""

import os
import stat
import sys
from pathlib import Path

import pytest

from sandgate.kernel import helper as helper_module
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import HeldOutcome, HeldRun, run_held
from support.kernel.helper_runs import attend, plan_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GrantKind

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Not writable, as `work` beside it is."""
    for name in ("outside", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "work/mine").write_text("mine")
    (tmp_path / "outside/file").write_text("text")
    return tmp_path / "outside"


def plan_in(outside: Path, script: str) -> ConfinedCommand:
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + script)
    return plan_for(*argv, write=(str(outside.parent / "work"),), cwd=str(outside))


def given(helper: str, outside: Path, script: str, *grants: tuple["GrantKind", str]) -> HeldOutcome:
    """Runs with grants that hold from the start, where nobody answers."""
    whole = tuple(Grant(kind, str(outside / name).rstrip("/")) for kind, name in grants)
    return HeldRun(helper, plan_in(outside, script).but(supervised_grants=whole)).finish()


def answered(helper: str, outside: Path, script: str, *grants: tuple["GrantKind", str]) -> HeldOutcome:
    """Runs with these grants as the answer to whatever is held."""
    whole = tuple(Grant(kind, str(outside / name).rstrip("/")) for kind, name in grants)
    return run_held(helper, plan_in(outside, script), lambda _held: whole)


LINK = """
import ctypes
def name(fd, new, flags=0x400):
    old = b"" if flags == 0x1000 else b"/proc/self/fd/%d" % fd
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.linkat(fd if flags == 0x1000 else -100, old, -100, os.fsencode(new), flags):
        print(os.strerror(ctypes.get_errno()))
"""


@pytest.mark.parametrize(
    ("kind", "name"), [("write_root", ""), ("new_entry", "made"), ("write_path", "made")], ids=["tree", "new", "path"]
)
@pytest.mark.parametrize("flags", [0x400, 0x1000], ids=["by its link", "by descriptor"])
def test_a_file_without_a_name_gets_one_that_was_granted(
    helper: str, outside: Path, kind: "GrantKind", name: str, flags: int
) -> None:
    script = f"""
os.umask(0o027)
fd = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o666)
os.write(fd, b"whole")
name(fd, "made", {flags})
print(open("made").read())
"""
    outcome = given(helper, outside, LINK + script, (kind, name))
    assert (outcome.output, outcome.refused) == ("whole\n", [])
    assert stat.S_IMODE((outside / "made").stat().st_mode) == 0o640


def test_a_file_without_a_name_gets_no_other(helper: str, outside: Path) -> None:
    """Required: neither a neighbour's nor one that exists, and nobody else's file gets one."""
    script = """
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
for new in ("other", "file"):
    name(fd, new)
name(os.open("../work", os.O_TMPFILE | os.O_RDWR, 0o600), "made")
name(os.open("file", os.O_RDONLY), "made")
"""
    outcome = given(helper, outside, LINK + script, ("new_entry", "made"))
    assert outcome.output.splitlines() == [
        "Read-only file system",
        "File exists",
        "Invalid cross-device link",
        "Read-only file system",
    ]
    assert os.listdir(outside) == ["file"]


def test_where_somebody_answers_a_file_is_asked_about_by_its_name(helper: str, outside: Path) -> None:
    """Required: a file without a name cannot be shown to anybody; programs take a named one where there are none."""
    script = """
try:
    os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
except OSError as problem:
    print(problem.errno)
"""
    assert answered(helper, outside, script).output == "95\n"
    plain = given(helper, outside, script)
    assert (plain.output, [each.operation for each in plain.refused]) == ("30\n", ["create"])


def test_naming_a_file_without_a_name_is_asked_about(helper: str, outside: Path) -> None:
    script = 'fd = os.open("full", os.O_TMPFILE | os.O_RDWR, 0o600); name(fd, "made")'
    (outside / "full").mkdir()
    plan = plan_in(outside, LINK + script).but(supervised_grants=(Grant("write_root", str(outside / "full")),))
    outcome = run_held(helper, plan, lambda _held: (Grant("new_entry", str(outside / "made")),))
    assert [(held.refused.operation, held.refused.path) for held in outcome.held] == [("create", str(outside / "made"))]
    assert (outside / "made").is_file()


ASKS = """
for name in ("file", ".", "full", "full/in", "other", "missing", "closed"):
    print(name, os.access(name, os.W_OK), os.access(name, os.R_OK), os.access(name, os.W_OK, effective_ids=True))
"""


def test_whoever_asks_before_writing_hears_what_was_granted(helper: str, outside: Path) -> None:
    """Required: as the write itself would be answered, permission bits included."""
    (outside / "full").mkdir()
    for name in ("full/in", "other", "closed"):
        (outside / name).write_text("text")
    (outside / "closed").chmod(0o444)
    grants: tuple[tuple[GrantKind, str], ...] = (
        ("write_path", "file"),
        ("write_path", "closed"),
        ("write_root", "full"),
    )
    outcome = given(helper, outside, ASKS, *grants)
    assert outcome.output.splitlines() == [
        "file True True True",
        ". False True False",
        "full True True True",
        "full/in True True True",
        "other False True False",
        "missing False False False",
        "closed False True False",
    ]
    assert outcome.refused == []


def test_a_hard_link_from_the_workspace_becomes_a_copy(helper: str, outside: Path) -> None:
    """Required: into a granted place it fails as between two disks, which programs answer by copying."""
    script = """
for new in ("made", "other"):
    try:
        os.link("../work/mine", new)
    except OSError as problem:
        print(problem.errno)
"""
    outcome = given(helper, outside, script, ("new_entry", "made"))
    assert outcome.output == "18\n30\n"
    assert [each.path for each in outcome.refused] == [str(outside / "other")]
    copied = given(
        helper, outside, 'os.system("cp -l ../work/mine made || cp ../work/mine made")', ("new_entry", "made")
    )
    assert copied.refused == []
    assert (outside / "made").read_text() == "mine"


def test_a_file_of_somebody_elses_without_a_name_gets_none(helper: str, outside: Path) -> None:
    """Required: what was handed in as its output is not the command's to keep, though it may write to it."""
    fd = os.open(outside, os.O_TMPFILE | os.O_RDWR, 0o600)
    os.link(f"/proc/self/fd/{fd}", outside / "real", src_dir_fd=fd)  # whoever has one could; the number makes it follow
    (outside / "real").unlink()
    output = os.open(outside, os.O_TMPFILE | os.O_RDWR, 0o600)
    plan = plan_in(outside, LINK + 'name(1, "made")').but(
        supervised_grants=(Grant("new_entry", str(outside / "made")),)
    )
    child = helper_module.start(plan, stdin=fd, stdout=output, stderr=output, helper=helper)
    attend(child)
    assert os.pread(output, 100, 0) == b"Invalid cross-device link\n"
    assert not (outside / "made").exists()
    for each in (fd, output):
        os.close(each)
