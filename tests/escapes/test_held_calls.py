"""Calls that wait for an answer, and grants that the supervisor carries out, give nothing but what was shown."""

import os
import stat
from functools import partial
from pathlib import Path

import pytest

from support.escape import held_attacks
from support.escape.escape_stage import BOTH_BACKENDS, Stage
from support.escape.held_attacks import FLIP, Attack
from support.suite import sampling

pytestmark = [BOTH_BACKENDS, pytest.mark.host("notify")]

ROUNDS = 10_000 if sampling.full() else 1_000
THREADS = 1_000 if sampling.full() else 300


@pytest.fixture
def attack(backend: str) -> Attack:
    """In each backend: both carry calls out from outside."""
    return partial(held_attacks.attack, backend)


REWRITE = """
import ctypes, mmap, os, signal, sys
shown, other, rounds = os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2]), int(sys.argv[3])
libc, memory = ctypes.CDLL(None), mmap.mmap(-1, 4096)  # shared with whoever is born of us
memory[: len(shown)] = shown
path = (ctypes.c_char * 4096).from_buffer(memory)
reading, writing = os.pipe()
pid = os.fork()
if not pid:
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nothing is left of a run that was ended
while not pid:
    memory[: len(other)] = other
    if writing:
        os.write(writing, b"x")
        writing = 0
    memory[: len(shown)] = shown
os.read(reading, 1)
for _ in range(rounds):
    fd = libc.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if fd >= 0:
        os.write(fd, b"x")
        os.close(fd)
os.kill(pid, signal.SIGKILL)
"""


def test_a_path_that_changes_while_it_is_asked_about_opens_nothing_else(stage: Stage, attack: Attack) -> None:
    """Required: however often the text in memory changes, what was not allowed is never written."""
    shown, other = stage.outside / "shown", stage.outside / "other"
    stage.unconfined(stage.script(REWRITE, shown, other, "200000"))  # quick, so that both get their turns
    assert other.stat().st_size > 0
    for path in (shown, other):
        path.write_text("")
    stage.own()
    ran = attack(stage, stage.script(REWRITE, shown, other, str(ROUNDS)), answers={shown: [("write_path", shown)]})
    assert (ran.exit_code, ran.output) == (0, "")
    assert shown.stat().st_size > 0
    assert other.stat().st_size == 0
    assert repr(str(other)) in ran.held


EXCHANGES = {
    "by a link": "os.rename(stage + '/outside/dir', stage + '/outside/gone');"
    " os.symlink('victim', stage + '/outside/dir')",
    "by another directory": "os.rename(stage + '/outside/dir', stage + '/outside/gone');"
    " os.rename(stage + '/outside/victim', stage + '/outside/dir')",
}


@pytest.mark.parametrize("how", EXCHANGES)
def test_a_directory_that_is_exchanged_while_asked_about_gets_nothing(stage: Stage, attack: Attack, how: str) -> None:
    """Required: what happens is what was shown, or nothing."""
    directory, victim, gone = (stage.outside / name for name in ("dir", "victim", "gone"))
    for path in (directory, victim):
        path.mkdir()
    stage.own()
    script = stage.script("import sys; open(sys.argv[1], 'w').write('escaped')", directory / "file")
    target = (directory if how == "by another directory" else victim) / "file"
    stage.unconfined(stage.script("import os, sys; stage = sys.argv[1]; " + EXCHANGES[how], stage.folder))
    stage.unconfined(script)
    assert target.read_text() == "escaped"
    target.unlink()
    if how == "by a link":
        directory.unlink()
    else:
        directory.rename(victim)
    gone.rename(directory)
    file = directory / "file"
    ran = attack(stage, script, answers={file: [("write_path", file)]}, meanwhile=EXCHANGES[how])
    assert ran.held == [repr(str(file))]
    assert ran.exit_code != 0
    assert not target.exists()
    assert not (gone / "file").exists()


OFTEN = """
import os, sys
file = sys.argv[1]
for _ in range(int(sys.argv[2])):
    try:
        {}
    except OSError:
        pass
"""
IN_A_FLIPPING_PLACE = {
    "written": "os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)); os.unlink(file)",
    "renamed": "os.mkdir(file); os.rename(file, file + '.2'); os.rmdir(file + '.2')",
    "linked": "os.symlink('x', file); os.link(file, file + '.2', follow_symlinks=False)",
    "made without a name": "os.mkfifo(file); os.unlink(file);"
    " os.close(os.open(os.path.dirname(file), os.O_TMPFILE | os.O_RDWR))",
}


@pytest.mark.parametrize("how", IN_A_FLIPPING_PLACE)
def test_a_directory_that_flips_to_a_link_is_never_followed(stage: Stage, attack: Attack, how: str) -> None:
    """Required: as often as somebody outside turns a granted directory into a link, nothing lands behind the link."""
    import subprocess

    for name in ("dir", "victim"):
        (stage.outside / name).mkdir()
    stage.own()
    file = stage.outside / "dir/file"
    watch = stage.outside / "victim"
    (stage.outside / "dir").rename(stage.outside / "aside")
    (stage.outside / "dir").symlink_to("victim")
    stage.unconfined(stage.script("import sys; open(sys.argv[1], 'w')", file))
    assert (watch / "file").exists()
    (watch / "file").unlink()
    (stage.outside / "dir").unlink()
    (stage.outside / "aside").rename(stage.outside / "dir")
    before = watch.stat().st_mtime_ns
    flipper = subprocess.Popen(stage.script(FLIP, stage.outside), stdout=subprocess.PIPE, text=True)
    try:
        assert flipper.stdout is not None
        assert flipper.stdout.readline() == "flipping\n"
        given = [("write_path", file), ("remove", file), ("write_root", stage.outside / "dir")]
        often = stage.script(OFTEN.format(IN_A_FLIPPING_PLACE[how]), file, str(ROUNDS))
        ran = attack(stage, often, given=given)
    finally:
        flipper.kill()
        flipper.communicate()
    assert ran.exit_code == 0
    assert ran.performed or ran.held
    assert (os.listdir(watch), watch.stat().st_mtime_ns) == ([], before)


KILLED = """
import os, signal, sys, threading
folder, rounds = sys.argv[1], int(sys.argv[2])
for number in range(rounds):
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(writing, b"x")
        os.open(f"{folder}/{number}", os.O_WRONLY | os.O_CREAT, 0o600)
        os._exit(0)
    os.read(reading, 1)
    os.close(reading); os.close(writing)
    if number % 2:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
"""


KILLED_AT_ONCE = 1_000 if sampling.full() else 100  # callers of one command, whose grants are bounded


@pytest.mark.parametrize("turn", range(ROUNDS // 1_000))
def test_callers_that_are_killed_take_no_answer_from_another(stage: Stage, attack: Attack, turn: int) -> None:
    """Required: killed at any moment, a call is done or not, and every other one gets its own answer."""
    asked = set(range(KILLED_AT_ONCE))
    refused = {number for number in asked if number % 3 == turn % 3}
    answers = {stage.outside / str(n): [("new_entry", stage.outside / str(n))] for n in asked - refused}
    script = stage.script(KILLED, stage.outside, str(KILLED_AT_ONCE))
    ran = attack(stage, script, answers=answers)  # type: ignore[arg-type]
    assert ran.exit_code == 0
    made = {int(name) for name in os.listdir(stage.outside)}
    assert made >= {number for number in asked - refused if not number % 2}
    assert not made & refused


LEAVING = {
    "exec": "os.execv('/bin/echo', ['echo', 'over'])",
    "exit": "os.write(1, b'over\\n'); os._exit(0)",
    "fork": "os.fork() and os._exit(os.wait()[1]); os.execv('/bin/echo', ['echo', 'over'])",
}


@pytest.mark.parametrize("how", LEAVING)
def test_whoever_leaves_while_a_thread_waits_is_gone(stage: Stage, attack: Attack, how: str) -> None:
    """Required: a held call keeps nobody from ending or becoming another program, and does nothing afterwards."""
    code = """
import os, sys, threading
def wait():
    os.open(sys.argv[1] + "/file", os.O_WRONLY | os.O_CREAT)
threading.Thread(target=wait, daemon=True).start()
os.open(sys.argv[2], os.O_RDONLY)
"""
    go = stage.repo / "go"
    os.mkfifo(go)
    stage.own()
    meanwhile = "os.close(os.open(stage + '/repo/go', os.O_WRONLY))"
    script = stage.script(code + LEAVING[how], stage.outside, go)
    ran = attack(stage, script, meanwhile=meanwhile, otherwise_no=False)
    assert (ran.exit_code, ran.output) == (0, "over\n")
    assert os.listdir(stage.outside) == []


PASSED_OFF = {
    "written": "open(own, 'w').write('escaped')",
    "removed": "os.unlink(own)",
    "moved onto the file": "os.rename(own, file)",
    "given another mode": "os.chmod(own, 0o777)",
    "linked": "os.link(own, own + '.2')",
}


@pytest.mark.parametrize("how", PASSED_OFF)
def test_what_somebody_else_put_in_place_of_its_own_is_not_the_commands(stage: Stage, attack: Attack, how: str) -> None:
    """Required: a name that the command made is its own as long as the object under it is the one it made."""
    file, own, theirs = (stage.outside / name for name in ("file", "file.new", "theirs"))
    code = """
import os, sys
file, own, asked = sys.argv[1:]
with open(own, "w") as made:
    made.write("mine")
try:
    open(asked, "w").close()
except OSError:
    pass
"""
    for path in (file, theirs):
        path.write_text("theirs")
    theirs.chmod(0o600)
    stage.own()
    script = stage.script(code + PASSED_OFF[how], file, own, stage.home / "asked")
    stage.unconfined(script)
    assert not own.exists() or own.read_text() != "mine" or stat.S_IMODE(own.stat().st_mode) == 0o777 or how == "linked"
    for path in list(stage.outside.iterdir()):
        if path not in (file, theirs):
            path.unlink()
    file.write_text("theirs")
    stage.own()
    before = theirs.stat()
    meanwhile = "path.endswith('/asked') and os.rename(stage + '/outside/theirs', stage + '/outside/file.new')"
    ran = attack(stage, script, given=[("write_path", file)], meanwhile=meanwhile)
    assert ran.exit_code != 0
    assert file.read_text() == "theirs"
    after = own.stat()
    assert (after.st_ino, after.st_mode, after.st_nlink) == (before.st_ino, before.st_mode, 1)
    assert own.read_text() == "theirs"


NEVER = {
    "a link to a file outside": "os.link(outside + '/secret', tree + '/x'); open(tree + '/x', 'w').write('escaped')",
    "a link of a granted file elsewhere": "os.link(tree + '/file', outside + '/x')",
    "a file moved in": "os.rename(outside + '/secret', tree + '/x')",
    "a symbolic link written through": "os.symlink('../secret', tree + '/x'); open(tree + '/x', 'w').write('escaped')",
    "dots": "open(tree + '/../secret', 'w').write('escaped')",
    "a set-id bit": "os.chmod(tree + '/file', 0o4755)",
    "a set-id bit from birth": "os.close(os.open(tree + '/x', os.O_CREAT | os.O_WRONLY, 0o4755))",
    "the tree itself removed": "os.unlink(tree + '/file'); os.rmdir(tree)",
}


@pytest.mark.parametrize("how", NEVER)
def test_a_granted_tree_is_no_way_out_of_it(stage: Stage, attack: Attack, how: str) -> None:
    tree, secret = stage.outside / "tree", stage.outside / "secret"
    code = "import os, sys; outside = sys.argv[1]; tree = outside + '/tree'; "

    def furnish() -> None:
        tree.mkdir(exist_ok=True)
        for name in ("x", "../x"):
            (tree / name).unlink(missing_ok=True)
        (tree / "file").write_text("text")
        (tree / "file").chmod(0o644)
        secret.write_text("text")
        stage.own()

    furnish()
    assert stage.unconfined(stage.script(code + NEVER[how], stage.outside)).exit_code == 0
    furnish()
    ran = attack(stage, stage.script(code + NEVER[how], stage.outside), given=[("write_root", tree)])
    assert ran.exit_code != 0
    assert secret.read_text() == "text"
    assert secret.stat().st_nlink == (tree / "../secret").stat().st_nlink == 1
    assert not (stage.outside / "x").exists()
    assert tree.is_dir()
    assert not [path for path in tree.iterdir() if path.stat().st_mode & 0o6000]


@pytest.mark.parametrize(("given", "made"), [("profile", ".profile"), ("bash", ".bash_profile"), (".zsh", ".zsh_x")])
def test_a_file_that_may_be_replaced_gives_no_start_file_named_after_it(
    stage: Stage, attack: Attack, given: str, made: str
) -> None:
    """Required: what serves to replace a file is named after it, and nothing that a shell reads is."""
    file, start = stage.home / given, stage.home / made
    file.write_text("text")
    stage.own()
    script = stage.script("import sys; open(sys.argv[1], 'w').write('escaped')", start)
    assert stage.unconfined(script).exit_code == 0
    start.unlink()
    ran = attack(stage, script, given=[("write_path", file)])
    assert ran.exit_code != 0
    assert not start.exists()
    swap = stage.home / f".{given.lstrip('.')}.swp"
    script = stage.script("import sys; open(sys.argv[1], 'w').write('text')", swap)
    assert attack(stage, script, given=[("write_path", file)]).exit_code == 0
    assert swap.exists()


BEHIND_A_DOT = {
    "a hook": "open(tree + '/.git/hooks/post-checkout', 'w').write('escaped')",
    "the settings of a repository": "open(tree + '/.git/config', 'w').write('escaped')",
    "a start file": "open(tree + '/.envrc', 'w').write('escaped')",
    "a file exchanged for one": "open(tree + '/x', 'w').write('escaped'); os.rename(tree + '/x', tree + '/.envrc')",
    "a directory exchanged for one": "os.makedirs(tree + '/x/y'); os.rename(tree + '/x', tree + '/.vscode')",
    "a repository set aside": "os.rename(tree + '/.git', tree + '/x')",
}


@pytest.mark.parametrize("how", BEHIND_A_DOT)
def test_a_granted_tree_gives_nothing_behind_a_dot(stage: Stage, attack: Attack, how: str) -> None:
    """Required: nobody looked for repositories and start files there, so each of them is asked about by its name."""
    import shutil

    tree = stage.outside / "tree"

    def furnish() -> set[Path]:
        shutil.rmtree(tree, ignore_errors=True)
        (tree / ".git/hooks").mkdir(parents=True)
        (tree / ".git/config").write_text("text")
        stage.own()
        return set(tree.rglob("*"))

    furnish()
    script = stage.script("import os, sys; tree = sys.argv[1]; " + BEHIND_A_DOT[how], tree)
    assert stage.unconfined(script).exit_code == 0
    before = furnish()
    ran = attack(stage, script, given=[("write_root", tree)])
    assert ran.exit_code != 0
    assert {path for path in tree.rglob("*") if "/." in str(path)} == {path for path in before if "/." in str(path)}
    assert (tree / ".git/config").read_text() == "text"
    assert ran.held


def test_a_device_is_never_made(stage: Stage, attack: Attack) -> None:
    """Required: refused for whoever could make one on the host, which is root."""
    code = "import os, stat, sys; os.mknod(sys.argv[1], 0o600 | stat.S_IFCHR, os.makedev(1, 3))"
    device = stage.outside / "null"
    could = stage.unconfined(stage.script(code, device)).exit_code == 0
    assert could == (stage.uid == 0)
    device.unlink(missing_ok=True)
    ran = attack(stage, stage.script(code, device), given=[("write_root", stage.outside), ("new_entry", device)])
    assert "Operation not permitted" in ran.output
    assert not device.exists()


def test_the_directory_of_its_own_that_became_a_link_leads_nowhere(stage: Stage, attack: Attack) -> None:
    """Required: what was allowed below a new directory is not allowed below what took its place."""
    victim, new, asked = stage.outside / "victim", stage.outside / "new", stage.outside / "asked"
    victim.mkdir()
    stage.own()
    code = """
import os, sys
outside, = sys.argv[1:]
os.mkdir(outside + "/new")
open(outside + "/new/mine", "w").close()
try:
    open(outside + "/asked", "w").close()
except OSError:
    pass
open(outside + "/new/file", "w").write("escaped")
"""
    exchange = (
        "os.rename(stage + '/outside/new', stage + '/outside/aside'); os.symlink('victim', stage + '/outside/new')"
    )
    meanwhile = f"if path.endswith('/asked'): {exchange}"
    ran = attack(stage, stage.script(code, stage.outside), given=[("new_entry", new)], meanwhile=meanwhile)
    assert repr(str(asked)) in ran.held
    assert (stage.outside / "aside/mine").exists()
    assert ran.exit_code != 0
    assert os.listdir(victim) == []
    stage.unconfined(stage.script("import sys; open(sys.argv[1], 'w')", new / "file"))
    assert os.listdir(victim) == ["file"]


def test_root_gets_no_more_than_the_command_has(stage: Stage, attack: Attack) -> None:
    """Required: a file that only capabilities open stays closed, though it was granted."""
    if stage.uid != 0:
        pytest.skip("an ordinary user has no capabilities")
    theirs = stage.outside / "theirs"
    theirs.write_text("text")
    os.chown(theirs, 4242, 4242)
    theirs.chmod(0o600)
    script = stage.script("import sys; open(sys.argv[1], 'r+').write('escaped')", theirs)
    assert stage.unconfined(script).exit_code == 0
    theirs.write_text("text")
    given = [(kind, theirs) for kind in ("write_path", "metadata")]
    ran = attack(stage, script, given=given)
    assert "Permission denied" in ran.output
    assert theirs.read_text() == "text"


def long_path(folder: Path) -> bytes:
    """A file's of 4 095 bytes, all of whose directories are there."""
    path = bytes(folder)
    while len(path) < 4095 - 256:
        path += b"/" + b"d" * 200
    os.makedirs(path)
    return path + b"/" + b"f" * (4095 - len(path) - 1)


@pytest.mark.parametrize("name", ["bytes that are no text", "a line end", "4095 bytes"])
def test_odd_names_are_shown_and_made_as_they_are(stage: Stage, attack: Attack, name: str) -> None:
    """Required: made under exactly that name, and nothing beside it."""
    names = {"bytes that are no text": b"\xff\xfe name", "a line end": b"a\nb"}
    path = long_path(stage.outside) if name == "4095 bytes" else bytes(stage.outside / "x")[:-1] + names[name]
    stage.own()
    code = "import os, sys; os.close(os.open(bytes.fromhex(sys.argv[1]), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))"
    ran = attack(stage, stage.script(code, path.hex()), answers={path: [("new_entry", path)]})
    assert (ran.exit_code, ran.output) == (0, "")
    assert ran.held == [ascii(os.fsdecode(path))]
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


MANY = """
import os, sys, threading
folder, count = sys.argv[1], int(sys.argv[2])
threading.stack_size(64 << 10)
refused = []
def make(number):
    try:
        os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as problem:
        refused.append(problem.errno)
threads = [threading.Thread(target=make, args=(number,)) for number in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(refused))
"""


def test_hundreds_of_callers_each_get_their_answer(stage: Stage, attack: Attack) -> None:
    """Required: answered one by one when all of them wait, none is lost."""
    paths = [stage.outside / str(number) for number in range(THREADS)]
    answers = {path: [("new_entry", path)] for path in paths if int(path.name) % 4}
    ran = attack(
        stage,
        stage.script(MANY, stage.outside, str(THREADS)),
        answers=answers,  # type: ignore[arg-type]
        together=THREADS,
    )
    assert len(ran.held) == THREADS
    allowed = {path.name for path in answers}
    assert len(allowed & set(os.listdir(stage.outside))) == len(allowed)
    assert not set(os.listdir(stage.outside)) - allowed
    assert ran.output == f"{THREADS - len(allowed)}\n"


def test_more_callers_than_may_wait_are_refused_at_once(stage: Stage, attack: Attack) -> None:
    """Required: the command goes on, and what was not asked about is refused and counted."""
    count = HELD_MAX + 100
    ran = attack(stage, stage.script(MANY, stage.outside, str(count)), together=HELD_MAX)
    assert len(ran.held) >= HELD_MAX
    assert ran.output == f"{count}\n"
    assert os.listdir(stage.outside) == []
    assert len(ran.refused) + ran.refused_omitted == count


HELD_MAX = 1024  # native/held.h
