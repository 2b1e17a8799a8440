"""Calls that wait for an answer, and what the supervisor carries out for a yes."""

import os
import stat
import sys
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.held_calls import HeldCall
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldOutcome, HeldRun, refused_as, run_held
from support.kernel.helper_runs import plan_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GrantKind


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    """Both backends hold calls, and carry them out alike."""
    return LANDLOCK if request.param == LANDLOCK else helper_path()


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
    assert refused_as(helper) in outcome.output
    assert [(each.operation, each.path) for each in outcome.refused] == [("write", str(grounds / "outside/file"))]
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


REPLACERS = {
    "sed in place": "sed -i s/text/changed/ file",
    "git": "git config -f file user.name changed",
    "an atomic writer": """python3 -I -S -c '
import os
with open(".file.tmp1", "x") as new: new.write("changed")
os.replace(".file.tmp1", "file")'""",
    "a backup first": "mv file file~ && echo changed > file && rm file~",
    "a journal": """python3 -I -c '
import sqlite3
base = sqlite3.connect("file.db"); base.execute("create table changed (x)"); base.commit(); base.close()'""",
}


@pytest.mark.parametrize("name", REPLACERS)
def test_one_yes_is_enough_to_replace_a_file(helper: str, grounds: Path, name: str) -> None:
    """Required: whatever names a program takes to change one file safely, it is asked once, and they are gone after."""
    target = grounds / "outside" / ("file.db" if name == "a journal" else "file")
    if name == "git":
        target.write_text("")
    before = set(os.listdir(grounds / "outside")) | {target.name}
    answer = within("write_path", target)
    outcome = run_script(helper, grounds, REPLACERS[name], answer)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert len(answer.asked) == 1
    assert b"changed" in target.read_bytes()
    assert set(os.listdir(grounds / "outside")) == before
    assert outcome.refused == []


NEW = """
mkdir -p new/a/b && echo one > new/a/file && ln -s file new/a/link && ln new/a/file new/a/second && mkfifo new/pipe &&
mv new/a/file new/a/b/moved && echo two >> new/a/b/moved && chmod 600 new/a/b/moved && truncate -s 1 new/a/second &&
touch -d @7 new/a/b/moved && rm new/a/second && mkdir new/gone && rmdir new/gone && cp -a new/a new/copy && rm -r new/a
"""


def test_everything_below_a_new_directory_is_the_commands(helper: str, grounds: Path) -> None:
    """Required: one question for the directory, and none for what happens in it."""
    answer = within("new_entry", grounds / "outside/new")
    outcome = run_script(helper, grounds, NEW, answer)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert len(answer.asked) == 1
    moved = grounds / "outside/new/copy/b/moved"
    assert (moved.read_text(), stat.S_IMODE(moved.stat().st_mode), moved.stat().st_mtime) == ("o", 0o600, 7)
    assert sorted(os.listdir(grounds / "outside/new")) == ["copy", "pipe"]
    assert outcome.refused == []
    assert outcome.performed_omitted > 0


def test_a_new_directory_may_change_its_name(helper: str, grounds: Path) -> None:
    """Required: what was made below it stays the command's under the new name, and the old name is nothing any more."""
    answer = Answers(
        Grant("new_entry", str(grounds / "outside/new")), Grant("new_entry", str(grounds / "outside/final"))
    )
    script = "mkdir new && echo a > new/one && mv new final && echo b > final/two && mkdir new; echo c > new/x"
    outcome = run_script(helper, grounds, script, answer)
    assert outcome.output == ""
    assert len(answer.asked) == 1
    assert (grounds / "outside/final/two").read_text() == "b\n"


OPERATIONS = {
    "removing": ("remove", "file", "rm file", "file"),
    "removing a directory with all in it": ("remove", "full", "rm -r full", "full"),
    "a mode": ("metadata", "file", "chmod 640 file", ""),
    "a time": ("metadata", "file", "touch -c -d @9 file", ""),
    "a time of now": ("metadata", "file", "touch -c file", ""),
    "a directory's mode": ("metadata", "full", "chmod 700 full", ""),
    "a tree": ("write_root", "full", "echo a > full/new && mv full/inner full/b && mkdir full/c && rm full/new", ""),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_grant_gives_its_operation(helper: str, grounds: Path, name: str) -> None:
    kind, target, script, gone = OPERATIONS[name]
    answer = Answers(Grant(kind, str(grounds / "outside" / target)))  # type: ignore[arg-type]
    outcome = run_script(helper, grounds, script, answer)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert len(answer.asked) == 1
    assert outcome.refused == []
    assert not gone or not (grounds / "outside" / gone).exists()


OTHER_OPERATIONS = {
    "removing does not write": ("remove", "echo a > file"),
    "metadata does not write": ("metadata", "echo a > file"),
    "metadata does not remove": ("metadata", "rm file"),
    "writing does not remove": ("write_path", "rm file"),
    "a new entry does not write what is there": ("new_entry", "echo a >> file"),
    "writing does not replace its neighbour": ("write_path", "echo a > t1 && mv -f t1 other"),
    "writing does not remove its neighbour": ("write_path", "rm other"),
    "writing does not link its neighbour": ("write_path", "ln other t1"),
    "writing does not move its neighbour": ("write_path", "mv other t1"),
    "writing makes nothing below": ("write_path", "echo a > full/new"),
    "names that are obeyed are not made beside": ("write_path", "set -C; echo a > .profile"),
    "other names are not made beside": ("write_path", "echo a > t1"),
    "a file of its own is not given another name beside": ("write_path", "echo a > file.x; mv file.x .profile"),
    "no directory is made beside": ("write_path", "mkdir t1"),
}


@pytest.mark.parametrize("name", OTHER_OPERATIONS)
def test_a_grant_gives_nothing_else(helper: str, grounds: Path, name: str) -> None:
    """Required: what does not lie within the answer is refused, and changed nothing."""
    (grounds / "outside/other").write_text("other\n")
    kind, script = OTHER_OPERATIONS[name]
    answer = Answers(Grant(kind, str(grounds / "outside/file")))  # type: ignore[arg-type]
    outcome = run_script(helper, grounds, script, answer)
    assert outcome.exit_code != 0
    assert len(outcome.refused) == 1
    assert (grounds / "outside/file").read_text() == "text\n"
    assert (grounds / "outside/other").read_text() == "other\n"
    assert not (grounds / "outside/.profile").exists()


def test_grants_of_the_plan_need_no_question(helper: str, grounds: Path) -> None:
    """Required: they hold from the start, also where nobody answers."""
    grants = (Grant("new_entry", str(grounds / "outside/new")), Grant("remove", str(grounds / "outside/file")))
    plan = plan_in(grounds, "sh", "-c", "mkdir new && echo a > new/x && rm file; echo b > other", grants=grants)
    outcome = HeldRun(helper, plan).finish()
    assert (grounds / "outside/new/x").read_text() == "a\n"
    assert not (grounds / "outside/file").exists()
    assert outcome.held == []
    assert [Path(each.path or "").name for each in outcome.refused] == ["other"]
    assert {call.operation for call in outcome.performed} == {"create", "delete"}
    assert {call.number for call in outcome.performed} == {0}


def test_a_hidden_place_takes_new_names_and_shows_nothing(helper: str, grounds: Path) -> None:
    """Required: a key can be made there and read while it is open; one that was there is never handed out."""
    key = grounds / "outside/keys/key"
    script = """
fd = os.open("keys/fresh", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
os.write(fd, b"made"); print(os.pread(fd, 9, 0))
for flags in (os.O_RDWR, os.O_WRONLY, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_TRUNC):
    try:
        print(os.open("keys/key", flags))
    except OSError as problem:
        print(problem.errno)
try:
    os.rename("keys/key", "shown")
except OSError as problem:
    print(problem.errno)
"""
    answer = Answers(
        Grant("new_entry", str(grounds / "outside/keys/fresh")),
        Grant("write_path", str(key)),
        Grant("remove", str(key)),
        Grant("new_entry", str(grounds / "outside/shown")),
    )
    outcome = run_python(helper, grounds, script, answer)
    errors = "13\n" * 5 if helper == LANDLOCK else "2\n2\n2\n2\n18\n"
    assert outcome.output == "b'made'\n" + errors
    assert (grounds / "outside/keys/fresh").read_text() == "made"
    assert key.read_text() == "text\n"


def test_a_tree_that_was_granted_does_not_open_what_is_protected_in_it(helper: str, grounds: Path) -> None:
    """Required: hidden and protected names below it stay as they are, the workspace's included; a grant that names one
    exactly gives it."""
    (grounds / "work/.git").mkdir()
    (grounds / "work/.git/config").write_text("text\n")
    mounts = (Mount("read", str(grounds / "work/.git")), Mount("hide_directory", str(grounds / "outside/keys")))
    script = (
        "for name in outside/free outside/keys/new work/.git/config work/.git/hook; do echo a > $name; done; mv work w2"
    )
    plan = plan_for("sh", "-c", script, write=(str(grounds / "work"),), mounts=mounts, cwd=str(grounds))
    answer = Answers(Grant("write_root", str(grounds)), Grant("new_entry", str(grounds / "work/.git/hook")))
    outcome = run_held(helper, plan, answer)
    assert (grounds / "outside/free").read_text() == "a\n"
    assert not (grounds / "outside/keys/new").exists()
    assert (grounds / "work/.git/config").read_text() == "text\n"
    assert (grounds / "work/.git/hook").read_text() == "a\n"
    assert [Path(each.path or "").name for each in outcome.refused] == ["new", "config", "work"]


def test_a_temporary_file_is_gone_with_the_command(helper: str, grounds: Path) -> None:
    """Required: a yes for one file leaves no other behind, but what somebody else has put there by then."""
    code = """
for name in ("tmp1", "tmp2", "file.kept"):
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
os.close(os.open("../work/seen", os.O_WRONLY))
"""
    os.mkfifo(grounds / "work/seen")
    target = grounds / "outside/file"
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + code)
    run = HeldRun(helper, plan_in(grounds, *argv, grants=(Grant("write_path", str(target)),)))
    with open(grounds / "work/seen"):
        (grounds / "outside/theirs").write_text("theirs")
        (grounds / "outside/theirs").rename(grounds / "outside/tmp2")
    outcome = run.finish()
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert sorted(os.listdir(grounds / "outside")) == ["file", "file.kept", "full", "keys", "tmp2"]


def test_carrying_out_leaves_no_descriptor_open(helper: str, grounds: Path) -> None:
    """Required: as many after a thousand calls as after the first ones."""
    code = """
def work(rounds):
    for n in range(rounds):
        os.close(os.open("full/x", os.O_CREAT | os.O_WRONLY))
        os.link("full/x", "full/y"); os.rename("full/y", "full/z")
        os.chmod("full/z", 0o600); os.truncate("full/z", 3); os.unlink("full/z"); os.unlink("full/x")
        os.mkdir("full/d"); os.rmdir("full/d")
for rounds in (3, 100):
    work(rounds)
    open(f"../work/go{rounds}").read()
"""
    for rounds in (3, 100):
        os.mkfifo(grounds / f"work/go{rounds}")
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + code)
    run = HeldRun(helper, plan_in(grounds, *argv, grants=(Grant("write_root", str(grounds / "outside/full")),)))
    counts = []
    for rounds in (3, 100):
        with open(grounds / f"work/go{rounds}", "w"):
            supervisor = os.getpid() if helper == LANDLOCK else run.child.pid
            counts.append(len(os.listdir(f"/proc/{supervisor}/fd")))
    assert run.finish().exit_code == 0
    assert counts[0] == counts[1]


def test_the_supervisors_death_is_the_commands(helper: str, grounds: Path) -> None:
    """Required: what was held is not done, and the command is killed."""
    if helper == LANDLOCK:
        pytest.skip("its supervisor is a thread of ours")
    run = HeldRun(helper, plan_in(grounds, "sh", "-c", "echo a > file; echo b > file").but(holds_calls=True))
    run.serve(until=lambda: run.child.held)
    os.kill(run.child.pid, 9)
    outcome = run.finish()
    assert outcome.exit_code == 137
    assert (grounds / "outside/file").read_text() == "text\n"


def test_nobody_is_asked_about_a_change_that_no_answer_allows(helper: str, grounds: Path) -> None:
    """Required: another owner, set-id bits, attributes with a meaning, and the mode of a link are refused at once."""
    (grounds / "outside/link").symlink_to("file")
    script = """
import ctypes
libc = ctypes.CDLL(None)
print(libc.chown(b"file", 7, 7), libc.chmod(b"file", 0o4755), libc.setxattr(b"file", b"security.x", b"1", 1, 0))
print(libc.setxattr(b"file", b"trusted.x", b"1", 1, 0), libc.lsetxattr(b"link", b"user.x", b"1", 1, 0))
"""
    answer = within("metadata", grounds / "outside/file")
    outcome = run_python(helper, grounds, script, answer)
    assert outcome.output == "-1 -1 -1\n-1 -1\n"
    assert answer.asked == []


def test_what_a_descriptor_stands_for_is_changed_and_not_what_took_its_name(helper: str, grounds: Path) -> None:
    """Required: a mode given through an open file is that file's, whatever has its name by then."""
    os.mkfifo(grounds / "work/opened")
    os.mkfifo(grounds / "work/exchanged")
    script = """
fd = os.open("file", os.O_WRONLY)
os.close(os.open("../work/opened", os.O_WRONLY)); open("../work/exchanged").close()
try:
    os.fchmod(fd, 0o777)
except OSError:
    pass
"""
    target, theirs = grounds / "outside/file", grounds / "outside/theirs"
    theirs.write_text("theirs")
    theirs.chmod(0o600)
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + script)
    run = HeldRun(helper, plan_in(grounds, *argv, grants=(Grant("write_path", str(target)),)))
    with open(grounds / "work/opened"):
        theirs.rename(target)
    with open(grounds / "work/exchanged", "w"):
        pass
    assert run.finish().exit_code == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
