"""Held calls and what goes wrong around them: disks, mounts, descriptors, namespaces, and whoever should answer."""

import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from support.escape import held_attacks
from support.escape.escape_stage import Stage
from support.suite import sampling

pytestmark = pytest.mark.host("namespace", "notify")
attack = partial(held_attacks.attack, "namespace")

MAKE = "import sys; open(sys.argv[1], 'w').write('escaped')"


@pytest.fixture
def disk(stage: Stage) -> Path:
    """A file system of 64 KB and eight names, in a mount namespace of the test's own."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    place = stage.outside / "disk"
    place.mkdir()
    stage.own()
    kept = () if stage.uid == 0 else ("--user", "--map-current-user", "--keep-caps")
    mounting = f"mount -t tmpfs -o size=64k,nr_inodes=8,mode=777 none '{place}' && exec \"$@\""
    stage.machine = ("unshare", *kept, "--mount", "--propagation", "private", "sh", "-c", mounting, "sh")
    if stage.unconfined(["true"]).exit_code != 0:
        pytest.skip("no file system can be mounted here")
    return place


FILL = """
import os, sys
said = []
def attempt(what):
    try:
        what()
    except OSError as problem:
        said.append(problem.errno)
def write():
    with open(sys.argv[1] + "/large", "wb", buffering=0) as file:
        for _ in range(100):
            file.write(bytes(4096))
attempt(write)
for number in range(12):
    attempt(lambda: os.mkdir(f"{sys.argv[1]}/{number}"))
print(sorted(set(said)), len(said) > 3)
"""


@pytest.mark.parametrize("kind", ["write_root", "new_entry"])
def test_a_full_disk_is_the_commands_error(stage: Stage, disk: Path, kind: str) -> None:
    """Required: below what was granted the command hears what the disk says, as it would outside."""
    inside = disk if kind == "write_root" else disk / "new"
    script = stage.script(f"import os, sys; os.makedirs(sys.argv[1], exist_ok=True)\n{FILL}", inside)
    assert stage.unconfined(script).stdout == "[28] True\n"
    ran = attack(stage, script, given=[(kind, inside)])
    assert (ran.exit_code, ran.output) == (0, "[28] True\n")
    assert ran.refused == []


def test_a_disk_that_became_read_only_while_asked_about_stays_so(stage: Stage, disk: Path) -> None:
    script = stage.script(MAKE, disk / "file")
    closing = "os.system(f\"mount -o remount,ro '{stage}/outside/disk'\")"
    granted = {disk / "file": [("new_entry", disk / "file")]}
    assert attack(stage, script, answers=granted).exit_code == 0  # type: ignore[arg-type]
    ran = attack(stage, script, answers=granted, meanwhile=closing)  # type: ignore[arg-type]
    assert "Read-only file system" in ran.output
    assert ran.performed == [[1, "create", 30]]


def test_nobody_is_asked_about_a_disk_that_is_read_only_anyway(stage: Stage, disk: Path) -> None:
    stage.machine = (*stage.machine, "sh", "-c", f"mount -o remount,ro '{disk}' && exec \"$@\"", "sh")
    script = stage.script(MAKE, disk / "file")
    assert "Read-only" in stage.unconfined(script).said
    ran = attack(stage, script)
    assert (ran.held, ran.exit_code) == ([], 1)
    assert "Read-only file system" in attack(stage, script, given=[("new_entry", disk / "file")]).output


def test_a_mount_that_came_over_the_directory_gets_nothing(stage: Stage, disk: Path) -> None:
    """Required: what lies under the name by then is another directory than was shown."""
    (stage.outside / "dir").mkdir()
    stage.own()
    file = stage.outside / "dir/file"
    covering = "os.system(f\"mount --bind '{stage}/outside/disk' '{stage}/outside/dir'\")"
    look = "; print(__import__('os').listdir(sys.argv[2]))"
    moved = stage.script(
        "import os, sys; stage = sys.argv[3]; " + covering + "; " + MAKE + look, file, disk, stage.folder
    )
    assert "['file']" in stage.unconfined(moved).stdout
    granted = {file: [("new_entry", file)]}
    telling = covering + "; file = stage + '/outside/disk/file'; import atexit; atexit.register(lambda: 1)"
    ran = attack(stage, stage.script(MAKE, file), answers=granted, meanwhile=telling)  # type: ignore[arg-type]
    assert "Permission denied" in ran.output
    assert ran.performed == [[1, "create", 13]]
    assert not file.exists()


CLOSING = """
import os, sys, threading
folder, go, done = sys.argv[1:]
place = os.open(folder, os.O_RDONLY)
made = []
def wait():
    made.append(os.open("file", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, dir_fd=place))
waiting = threading.Thread(target=wait)
waiting.start()
os.close(os.open(go, os.O_RDONLY))
os.closerange(3, 1000)
again = os.open("/dev/null", os.O_RDONLY)
os.close(os.open(done, os.O_RDONLY))
waiting.join()
os.write(made[0], b"whole")
print(made[0] != again, os.readlink(f"/proc/self/fd/{again}"))
"""


def test_whoever_closes_its_descriptors_while_a_call_waits_gets_a_new_one(stage: Stage) -> None:
    """Required: the directory that was meant is the one that was open, and no number in use is taken."""
    turns = [stage.repo / name for name in ("go", "done")]
    for turn in turns:
        os.mkfifo(turn)
    stage.own()
    meanwhile = "[os.close(os.open(f'{stage}/repo/{turn}', os.O_WRONLY)) for turn in ('go', 'done')]"
    file = stage.outside / "file"
    script = stage.script(CLOSING, stage.outside, *turns)
    ran = attack(stage, script, answers={file: [("new_entry", file)]}, meanwhile=meanwhile)
    assert (ran.exit_code, ran.output) == (0, "True /dev/null\n")
    assert file.read_text() == "whole"


NESTED = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x10000000, 0x20000, 0x10020000):  # CLONE_NEWUSER, CLONE_NEWNS
    pid = os.fork()
    if not pid:
        os._exit(libc.unshare(flags) == 0)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), end=" ")
print(libc.mount(b"none", os.fsencode(sys.argv[1]), b"tmpfs", 0, None), end=" ", flush=True)
open(sys.argv[1] + "/file", "w").write("made")
print(os.listdir(sys.argv[1]))
"""


def test_namespaces_inside_make_no_other_place_of_what_was_shown(stage: Stage, disk: Path) -> None:
    """Required: no namespace and no mount is made inside, held calls or not, so a path means what it meant."""
    script = stage.script(NESTED, disk)
    outside = stage.unconfined(script).stdout.split()
    assert outside[0] == outside[2] == "1"
    assert outside[3] == "0"
    ran = attack(stage, script, answers={disk / "file": [("new_entry", disk / "file")]})
    assert ran.output == "0 0 0 -1 ['file']\n"


OTHER_DOORS = {
    "openat2": "print(libc.syscall(437, -100, sys.argv[1].encode(), bytes([66] + [0] * 23), 24), ctypes.get_errno())",
    "creat": "print(libc.creat(sys.argv[1].encode(), 0o600) >= 0, ctypes.get_errno())",
    "io_uring": "print(libc.syscall(425, 8, ctypes.create_string_buffer(120)), ctypes.get_errno())",
    "file handles": "print(libc.syscall(304, -100, ctypes.create_string_buffer(128), 0), ctypes.get_errno())",
}
HEARD = {"openat2": "-1 38\n", "creat": "True 0\n", "io_uring": "-1 38\n", "file handles": "-1 1\n"}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of calls")
@pytest.mark.parametrize("name", OTHER_DOORS)
def test_other_doors_to_the_same_are_as_they_were(stage: Stage, name: str) -> None:
    """Required: a command that is asked about has no other calls than any other; `creat` is held as `open` is."""
    file = stage.outside / "file"
    code = "import ctypes, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n" + OTHER_DOORS[name]
    ran = attack(stage, stage.script(code, file), answers={file: [("new_entry", file)]})
    assert ran.output == HEARD[name]
    assert file.exists() == (name == "creat")


ODD_ANSWERS = {
    "twice": ("child.answer(held.number, grants); child.answer(held.number, ())", True),
    "first a no": ("child.answer(held.number, ()); child.answer(held.number, grants)", False),
    "under another number": ("child.answer(held.number + 7, grants)", True),
    "after the stop": ("child.stop_holding(); child.answer(held.number, grants)", False),
    "with a path that is none": ("child.answer(held.number, (Grant('new_entry', 'outside/file'),))", False),
    "with too many": (
        "child.answer(held.number, tuple(Grant('remove', f'/{n}') for n in range(3000)) + grants)",
        False,
    ),
}


@pytest.mark.parametrize("how", ODD_ANSWERS)
def test_whoever_answers_oddly_gives_no_more(stage: Stage, how: str) -> None:
    """Required: the first answer counts, each call gets one, and what cannot be understood or kept is a no."""
    file = stage.outside / "file"
    answering, made = ODD_ANSWERS[how]
    meanwhile = f"grants = (Grant('new_entry', {str(file)!r}),); {answering}"
    ran = attack(stage, stage.script(MAKE, file), meanwhile=meanwhile, otherwise_no=False)
    assert (ran.exit_code == 0) == file.exists() == made
    assert len(ran.held) == 1


def test_without_an_answer_the_end_is_a_no(stage: Stage) -> None:
    """Required: who should answer may go away; then nothing is done, and nothing of the command is left."""
    file = stage.outside / "file"
    ran = attack(stage, stage.script(MAKE, file), meanwhile="child.close()", otherwise_no=False)
    assert ran.exit_code == 137
    assert not file.exists()
    gone = attack(stage, stage.script(MAKE, file), meanwhile="child.kill_tree()", otherwise_no=False)
    assert gone.exit_code == 137
    assert not file.exists()


FLOOD = """
import os, sys, threading
folder, tree, waiting, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
threading.stack_size(64 << 10)
def wait(number):
    try:
        os.mkdir(f"{folder}/w{number}")
    except OSError:
        pass
for number in range(waiting):
    threading.Thread(target=wait, args=(number,), daemon=True).start()
refused = 0
while refused < calls:
    try:
        os.mkdir(f"{folder}/{refused}")
    except OSError:
        refused += 1
        if refused % 100 == 0:
            os.mkdir(f"{tree}/{refused}")
os.write(1, b"%d\\n" % len(os.listdir(tree)))
os._exit(0)
"""
HELD_MAX = 1024  # native/held.h


def test_a_flood_of_refused_calls_starves_nobody(stage: Stage) -> None:
    """Required: while as many calls wait as may, ten thousand more are refused, and what was granted goes on."""
    tree = stage.outside / "tree"
    tree.mkdir()
    stage.own()
    script = stage.script(FLOOD, stage.outside, tree, str(HELD_MAX + 8), "10000")
    ran = attack(stage, script, given=[("write_root", tree)], together=HELD_MAX + 1)
    assert (ran.exit_code, ran.output) == (0, "100\n")
    assert len(ran.held) == HELD_MAX
    assert sorted(os.listdir(stage.outside)) == ["tree"]
    assert len(ran.refused) + ran.refused_omitted >= 10_000


ONE_BY_ONE = """
import os, sys, threading
folder, count = sys.argv[1], int(sys.argv[2])
threading.stack_size(64 << 10)
order, guard = [], threading.Lock()
def make(number):
    os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with guard:
        order.append(number)
threads = [threading.Thread(target=make, args=(number,)) for number in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(order))
"""


def test_a_thousand_waiting_calls_answered_one_by_one_end_in_their_turn(stage: Stage) -> None:
    """Required: while all of them wait each answer lets its own caller go, and none of the others. What that costs
    grows with the square of their number, so that only `full` has so many."""
    count = 1000 if sampling.full() else 300
    meanwhile = """
if seen > 1:
    made = len(os.listdir(stage + "/outside"))
    assert made == seen - 1, (made, seen)
one = (Grant("new_entry", path),)
child.answer(held.number, one)
while len(child.performed_calls) < seen and child.descriptors():
    child.handle(child.descriptors()[0]) if waiting.poll(20000) else sys.exit("starved")
"""
    ran = attack(
        stage,
        stage.script(ONE_BY_ONE, stage.outside, str(count)),
        meanwhile=meanwhile,
        together=count,
        otherwise_no=False,
    )
    assert (ran.exit_code, ran.output) == (0, f"{count}\n")
    assert sorted(each[0] for each in ran.performed) == list(range(1, count + 1))
