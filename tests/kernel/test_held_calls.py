"""Calls that wait for an answer, and what the supervisor carries out for a yes."""

import os
import stat
import sys
from pathlib import Path

import pytest

from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.held_calls import HeldCall
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import HeldOutcome, HeldRun, run_held
from support.kernel.helper_runs import plan_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GrantKind

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def grounds(tmp_path: Path) -> Path:
    """`work` is writable, `outside` not, `outside/keys` hidden."""
    for folder in ("work", "outside/keys", "outside/full"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("work/mine", "outside/file", "outside/keys/key", "outside/full/inner"):
        (tmp_path / file).write_text("text\n")
    return tmp_path


class Answers:
    """Says yes with these grants, whatever is asked; remembers what was."""

    def __init__(self, *grants: Grant) -> None:
        self.grants = grants
        self.asked: list[HeldCall] = []

    def __call__(self, held: HeldCall) -> tuple[Grant, ...]:
        self.asked.append(held)
        return self.grants


def plan_in(grounds: Path, *argv: str, grants: tuple[Grant, ...] = ()) -> ConfinedCommand:
    work = str(grounds / "work")
    mounts = (Mount("hide_directory", str(grounds / "outside/keys")),)
    return plan_for(*argv, write=(work,), mounts=mounts, cwd=str(grounds / "outside")).but(supervised_grants=grants)


def run_script(helper: str, grounds: Path, script: str, answer: Answers) -> HeldOutcome:
    return run_held(helper, plan_in(grounds, "sh", "-c", script), answer)


def run_python(helper: str, grounds: Path, script: str, answer: Answers) -> HeldOutcome:
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + script)
    return run_held(helper, plan_in(grounds, *argv), answer)


def within(kind: "GrantKind", path: Path) -> Answers:
    return Answers(Grant(kind, str(path)))


def test_a_yes_writes_the_file_and_the_command_goes_on(helper: str, grounds: Path) -> None:
    """Required: asked once, carried out once, nothing on record as refused; its neighbours stay closed."""
    answer = within("write_path", grounds / "outside/file")
    outcome = run_script(helper, grounds, "echo begun; echo more >> file && cat file", answer)
    assert outcome.output == "begun\ntext\nmore\n"
    assert [(held.number, held.refused.operation, held.refused.path) for held in answer.asked] == [
        (1, "write", str(grounds / "outside/file"))
    ]
    assert outcome.refused == []
    assert [(call.number, call.operation, call.error) for call in outcome.performed] == [(1, "write", 0)]


def test_a_no_is_the_refusal_of_ever(helper: str, grounds: Path) -> None:
    outcome = run_script(helper, grounds, "echo more >> file", Answers())
    assert "Read-only file system" in outcome.output
    assert [(each.operation, each.path, each.errno) for each in outcome.refused] == [
        ("write", str(grounds / "outside/file"), "EROFS")
    ]
    assert (grounds / "outside/file").read_text() == "text\n"
    assert outcome.performed == []


def test_a_new_file_has_the_mode_and_the_mask_of_its_maker(helper: str, grounds: Path) -> None:
    new = grounds / "outside/new"
    outcome = run_script(helper, grounds, "umask 027; echo hello > new; cat new", within("new_entry", new))
    assert outcome.output == "hello\n"
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


def test_a_file_is_made_exclusively_too(helper: str, grounds: Path) -> None:
    """Required: what insists on a new name gets it, and a second time learns that it exists."""
    script = """
for attempt in range(2):
    try:
        os.write(os.open("new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), b"made")
    except FileExistsError:
        print("exists", open("new").read())
"""
    outcome = run_python(helper, grounds, script, within("new_entry", grounds / "outside/new"))
    assert outcome.output == "exists made\n"
    assert outcome.held[0].refused.exclusive


def test_a_descriptor_handed_in_is_a_real_one(helper: str, grounds: Path) -> None:
    """Required: mapping, locking, cutting, syncing and its times work as on any file; it closes on exec, as asked."""
    script = """
import fcntl, mmap
fd = os.open("file", os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
os.ftruncate(fd, 8); os.fsync(fd); os.fchmod(fd, 0o600); os.utime(fd, (7, 7))
print(os.get_inheritable(fd), os.stat("file").st_mtime)
mmap.mmap(fd, 8)[:4] = b"mine"
"""
    outcome = run_python(helper, grounds, script, within("write_path", grounds / "outside/file"))
    assert outcome.output == "False 7.0\n"
    assert (grounds / "outside/file").read_bytes() == b"mine\n\0\0\0"
    assert outcome.refused == []


def test_a_yes_for_one_does_not_open_its_neighbour(helper: str, grounds: Path) -> None:
    (grounds / "outside/other").write_text("text\n")
    answer = within("write_path", grounds / "outside/file")
    outcome = run_script(helper, grounds, "echo a > file; echo a > other; echo b > file", answer)
    assert [held.refused.path for held in answer.asked] == [
        str(grounds / "outside/file"),
        str(grounds / "outside/other"),
    ]
    assert [each.path for each in outcome.refused] == [str(grounds / "outside/other")]
    assert (grounds / "outside/other").read_text() == "text\n"
    assert (grounds / "outside/file").read_text() == "b\n"


def test_after_the_stop_nothing_waits(helper: str, grounds: Path) -> None:
    """Required: what waits then, and what comes later, is refused and on record."""
    plan = plan_in(grounds, "sh", "-c", "echo a > file; echo b > other")
    run = HeldRun(helper, plan.but(holds_calls=True))
    run.serve(until=lambda: run.child.held)
    run.child.stop_holding()
    outcome = run.finish()
    assert len(outcome.held) == 1
    assert [Path(each.path or "").name for each in outcome.refused] == ["file", "other"]


def test_a_caller_that_is_killed_is_let_go(helper: str, grounds: Path) -> None:
    script = """
sh -c 'echo $$ > ../work/pid; echo a > file' &
read line < ../work/go; kill -9 $(cat ../work/pid); wait; cat ../work/gone
"""
    os.mkfifo(grounds / "work/go")
    os.mkfifo(grounds / "work/gone")
    run = HeldRun(helper, plan_in(grounds, "sh", "-c", script).but(holds_calls=True))
    run.serve(until=lambda: run.child.held)
    (grounds / "work/go").write_text("go\n")
    run.serve(until=lambda: run.child.let_go)
    (grounds / "work/gone").write_text("gone\n")
    outcome = run.finish()
    assert outcome.let_go == [1]
    assert "gone" in outcome.output
    assert (grounds / "outside/file").read_text() == "text\n"


def test_without_the_flag_nothing_is_held(helper: str, grounds: Path) -> None:
    outcome = HeldRun(helper, plan_in(grounds, "sh", "-c", "echo a > file")).finish()
    assert outcome.held == []
    assert [each.operation for each in outcome.refused] == ["write"]
