"""What the Landlock backend keeps a command from, and what it lets it do. Each attack works without it."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confined_runs import OUTSIDER, Account, confined, plan_for, run_plan, seen
from sandgate.kernel import supervise

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

FLIPS = 12_000
PYTHON = "/usr/bin/python3"


@pytest.fixture
def shelf() -> Iterator[Path]:
    # Not tmp_path: its parents are closed to an ordinary user.
    path = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="sandgate-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(params=["root", "ordinary"])
def account(request: pytest.FixtureRequest, shelf: Path) -> Account:
    if os.geteuid() != 0:
        return Account("root", shelf)  # whoever runs the tests is the ordinary user already
    return Account(request.param, shelf)


@pytest.fixture
def workspace(shelf: Path, account: Account) -> Path:
    path = new_workspace(shelf)
    account.own(path)
    return path


@pytest.fixture
def my_workspace(shelf: Path) -> Path:
    return new_workspace(shelf)


def new_workspace(shelf: Path) -> Path:
    path = shelf / "work"
    (path / ".git" / "hooks").mkdir(parents=True)
    (path / ".git" / "config").write_text("[core]\n")
    (path / "src").mkdir()
    return path


@pytest.fixture
def outside(shelf: Path) -> Path:
    path = shelf / "outside"
    path.mkdir()
    (path / "file").write_text("before")
    (path / "file").chmod(0o644)
    if os.geteuid() == 0:  # whoever attacks, permission bits are not what stops them
        Account("ordinary", shelf).own(path)
    return path


def snapshot(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path.relative_to(directory)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns if not path.is_dir() else 0,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(directory.rglob("*"))
    }


WRITES_OUTSIDE = {
    "write": "echo x > {o}/file",
    "append": "echo x >> {o}/file",
    "create": "echo x > {o}/new",
    "delete": "rm -f {o}/file; test ! -e {o}/file",
    "rename away": "mv {o}/file {o}/other",
    "move in": "mv {o}/file .",
    "move out": "touch a; mv a {o}/",
    "hard link out": "ln {o}/file alias && echo x > alias",
    "mkdir": "mkdir {o}/d",
    "mkfifo": "mkfifo {o}/f",
    "symlink": "ln -s a {o}/l",
    "truncate": f"{PYTHON} -c \"import os; os.truncate('{{o}}/file', 0)\"",
    "truncate while reading": f"{PYTHON} -c \"import os; os.open('{{o}}/file', os.O_RDONLY | os.O_TRUNC)\"",
    "unnamed file": f"{PYTHON} -c \"import os; os.open('{{o}}', os.O_TMPFILE | os.O_RDWR)\"",
    "through a link": "ln -s {o} lnk && echo x > lnk/evil",
    "through a link to the file": "ln -s {o}/file lnk && echo x > lnk",
    "through dots": "echo x > src/../../outside/evil",
    "chmod": "chmod 777 {o}/file",
    "chmod by descriptor": f"{PYTHON} -c \"import os; os.fchmod(os.open('{{o}}/file', 0), 0o777)\"",
    "chmod through a link": "ln -s {o}/file lnk && chmod 777 lnk",
    "touch": "touch -d 2001-01-01 {o}/file",
    "xattr": f"{PYTHON} -c \"import os; os.setxattr('{{o}}/file', 'user.a', b'1')\"",
}


@pytest.mark.parametrize("attack", WRITES_OUTSIDE.values(), ids=WRITES_OUTSIDE)
def test_nothing_outside_the_workspace_changes(
    attack: str, account: Account, workspace: Path, outside: Path, shelf: Path
) -> None:
    """Required."""
    before = snapshot(outside)
    outcome = account.confined(attack.format(o=outside), workspace)
    assert outcome["exit_code"] != 0
    assert snapshot(outside) == before
    assert any(str(where).startswith(f"{outside}") for _, where in seen(outcome))
    fresh = shelf / "fresh"
    (fresh / "src").mkdir(parents=True)
    account.own(fresh)
    assert account.unconfined(attack.format(o=outside), fresh)["exit_code"] == 0  # the attack is real


PROTECTED_NAMES = {
    "rewrite": "echo x > .git/config",
    "hook": "echo x > .git/hooks/pre-commit",
    "rename": "mv .git elsewhere",
    "remove": "rm -r .git",
    "replace": "mkdir fake; mv -T fake .git",
    "exchange": (
        f'mkdir fake; {PYTHON} -c "import ctypes, sys; '
        "sys.exit(ctypes.CDLL(None).renameat2(-100, b'fake', -100, b'.git', 2) != 0)\""
    ),
    "by a second name": "ln .git/config alias && echo x > alias",
    "through a link": "ln -s .git g && echo x > g/config",
    "chmod": "chmod 000 .git/config",
    "missing by open": "echo x > .codex",
    "missing by mkdir": "mkdir .codex",
    "missing by mkdir -p": "mkdir -p .codex/rules",
    "missing by rename": "mkdir d; mv d .codex",
    "missing by link": "touch f; ln f .codex",
    "missing by symlink": "ln -s src .codex",
    "missing by dangling link": "ln -s .codex l; echo x > l",
    "missing by fifo": "mkfifo .codex",
    "missing by socket": f"{PYTHON} -c \"import socket; socket.socket(socket.AF_UNIX).bind('.codex')\"",
    "missing from below": "cd src && echo x > ../.codex",
    "missing by unnamed file": (
        f"{PYTHON} -c \"import os; f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600); "
        "os.link(f'/proc/self/fd/{f}', '.codex', src_dir_fd=0, follow_symlinks=True)\""
    ),
}


@pytest.mark.parametrize("attack", PROTECTED_NAMES.values(), ids=PROTECTED_NAMES)
def test_protected_names_stay_as_they_are_and_missing_ones_missing(
    attack: str, account: Account, workspace: Path, shelf: Path
) -> None:
    """Required: Landlock alone cannot do this; the supervisor does."""
    before = snapshot(workspace / ".git")
    outcome = account.confined(attack, workspace)
    assert outcome["exit_code"] != 0
    assert snapshot(workspace / ".git") == before
    assert not os.path.lexists(workspace / ".codex")
    assert any(f"{workspace}/.git" in str(where) or f"{workspace}/.codex" in str(where) for _, where in seen(outcome))
    fresh = shelf / "fresh"
    fresh.mkdir()
    shutil.copytree(workspace / ".git", fresh / ".git")
    (fresh / "src").mkdir()
    account.own(fresh)
    if attack != PROTECTED_NAMES["replace"]:  # a full directory is not replaced, confined or not
        assert account.unconfined(attack, fresh)["exit_code"] == 0


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_hidden_secrets_cannot_be_read_beside_everything_else(kind: str, account: Account, workspace: Path) -> None:
    (workspace / "keys").mkdir()
    (workspace / "keys" / "id").write_text("secret")
    (workspace / "readme").write_text("open")
    account.own(workspace)
    hidden = [str(workspace / "keys" / "id" if kind == "file" else workspace / "keys")]
    script = "cat keys/id; cat readme; echo new > made; cat made; ls"
    outcome = account.confined(script, workspace, hidden=hidden)
    assert "secret" not in outcome["output"]
    assert "open\n" not in outcome["output"]
    assert "opennew\n" in outcome["output"].replace("\n", "", 0).replace("open\n", "open")
    assert ("read", f"{workspace}/keys/id") in seen(outcome)
    assert "secret" in account.unconfined(script, workspace)["output"]


SYSTEM_CALLS = {
    # name: (C expression that is -1 when refused, errno names accepted)
    "ptrace of the parent": ("ptrace(16, getppid(), 0, 0)", "EPERM"),
    "tiocsti": ('ioctl(0, 0x5412, "x")', "EPERM"),
    "tiocsti in 64 bits": ('ioctl(0, 0x100005412UL, "x")', "EPERM"),
    "tioclinux": ('ioctl(0, 0x541c, "x")', "EPERM"),
    "io_uring": ("syscall(425, 1, 0)", "ENOSYS"),
    "keyctl": ("syscall(250, 0, -3, 0)", "EPERM"),
    "add_key": ('syscall(248, "user", "a", "b", 1, -3)', "EPERM"),
    "new user namespace": ("unshare(0x10000000)", "EPERM"),
    "new mount namespace": ("unshare(0x20000)", "EPERM"),
    "clone3": ("syscall(435, 0, 0)", "ENOSYS"),
    "bpf": ("syscall(321, 0, 0, 0)", "EPERM"),
    "userfaultfd": ("syscall(323, 1)", "EPERM"),
    "mount": ('mount("none", "/tmp", "tmpfs", 0, 0)', "EPERM"),
    "chroot": ('chroot("/tmp")', "EPERM"),
    "packet socket": ("socket(17, 3, 0)", "EPERM"),
    "netlink socket": ("socket(16, 3, 0)", "EPERM"),
    "unix datagram socket": ("socket(1, 2, 0)", "EPERM"),
    "a call of the future": ("syscall(4000)", "ENOSYS"),
}


@pytest.fixture(scope="module")
def caller_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import subprocess

    folder = tmp_path_factory.mktemp("calls")
    cases = "\n".join(
        f'  errno = 0; printf("{name}: %s\\n", (long)({call}) == -1 ? strerrorname_np(errno) : "done");'
        for name, (call, _) in SYSTEM_CALLS.items()
    )
    source = (
        "#define _GNU_SOURCE\n#include <errno.h>\n#include <sched.h>\n#include <stdio.h>\n#include <string.h>\n"
        "#include <sys/ioctl.h>\n#include <sys/mount.h>\n#include <sys/ptrace.h>\n#include <sys/socket.h>\n"
        f"#include <unistd.h>\nint main(void) {{\n{cases}\n  return 0;\n}}\n"
    )
    (folder / "calls.c").write_text(source)
    subprocess.run(["cc", "-o", str(folder / "calls"), str(folder / "calls.c")], check=True)
    return folder / "calls"


def test_calls_that_reach_beyond_the_command_are_refused(
    account: Account, workspace: Path, caller_program: Path
) -> None:
    shutil.copy(caller_program, workspace / "calls")
    (workspace / "calls").chmod(0o755)
    told = dict(line.split(": ") for line in account.confined(("./calls",), workspace)["output"].splitlines())
    assert told == {name: code for name, (_, code) in SYSTEM_CALLS.items()}


def test_outsiders_cannot_be_signalled(account: Account, workspace: Path) -> None:
    outcome = account.confined("kill -0 $PPID", workspace)
    assert outcome["exit_code"] != 0
    assert account.unconfined("kill -0 $PPID", workspace)["exit_code"] == 0


def test_outsiders_cannot_be_looked_into(account: Account, workspace: Path) -> None:
    """Required: the environment of whoever started us may hold keys."""
    script = f"cat /proc/{OUTSIDER}/environ > /dev/null"
    assert account.confined(script, workspace)["exit_code"] != 0
    assert account.unconfined(script, workspace)["exit_code"] == 0


CONNECT = "import socket; s = socket.socket({family}, {kind}); s.connect({address!r})"


def test_tcp_and_udp_are_refused_with_their_address_recorded(account: Account, workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for kind in ("socket.SOCK_STREAM", "socket.SOCK_DGRAM"):
            attack = (PYTHON, "-c", CONNECT.format(family="socket.AF_INET", kind=kind, address=("127.0.0.1", port)))
            outcome = account.confined(attack, workspace)
            assert "Operation not permitted" in outcome["output"]
            assert seen(outcome) == [("connect", f"127.0.0.1:{port}")]
            assert account.unconfined(attack, workspace)["exit_code"] == 0
        send = (
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            f"s.sendto(b'x', ('127.0.0.1', {port}))"
        )
        assert seen(account.confined((PYTHON, "-c", send), workspace)) == [("connect", f"127.0.0.1:{port}")]


def test_host_sockets_are_refused_by_path_and_by_abstract_name(
    account: Account, workspace: Path, outside: Path
) -> None:
    name = f"\0sandgate-test-{os.getpid()}"
    for address, record in ((f"{outside}/s", f"{outside}/s"), (name, f"unix:@{name[1:]}")):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(address)
            server.listen()
            account.own(outside)
            attack = (PYTHON, "-c", CONNECT.format(family=1, kind=1, address=address))
            outcome = account.confined(attack, workspace)
            assert "Operation not permitted" in outcome["output"]
            assert seen(outcome) == [("connect", record)]
            assert account.unconfined(attack, workspace)["exit_code"] == 0
            if address != name:
                assert account.confined(attack, workspace, sockets=[address])["exit_code"] == 0


def test_a_host_socket_inside_the_workspace_is_not_the_commands_own(account: Account, workspace: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{workspace}/host.sock")
        server.listen()
        account.own(workspace)
        attack = (PYTHON, "-c", CONNECT.format(family=1, kind=1, address="host.sock"))
        assert seen(account.confined(attack, workspace)) == [("connect", f"{workspace}/host.sock")]


def test_own_sockets_work_and_keep_their_name(account: Account, workspace: Path) -> None:
    program = (
        "import socket, os\n"
        "for name in ('own.sock', os.getcwd() + '/src/own.sock', '\\0own'):\n"
        "    s = socket.socket(1); s.bind(name); s.listen(); c = socket.socket(1); c.connect(name)\n"
        "    c.send(b'x'); print(s.accept()[0].recv(1), s.getsockname() in (name, name.encode()))\n"
    )
    outcome = account.confined((PYTHON, "-c", program), workspace)
    assert (outcome["output"], outcome["refused"]) == ("b'x' True\n" * 3, [])


def test_network_on_connects_inet_but_still_not_to_host_sockets(account: Account, workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = ("127.0.0.1", server.getsockname()[1])
        connect = (PYTHON, "-c", CONNECT.format(family=2, kind=1, address=address))
        assert account.confined(connect, workspace, network="on")["exit_code"] == 0
    closed = account.confined(connect, workspace, network="on")
    assert "Connection refused" in closed["output"]


FLIPPER = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char path[4096];
static volatile int stop;
static void *flip(void *both) {
  char **names = both;
  while (!stop) { strcpy(path, names[1]); strcpy(path, names[2]); }
  return 0;
}
int main(int count, char **names) {
  (void)count;
  pthread_t thread;
  int opened = 0, turns = atoi(names[3]);
  pthread_create(&thread, 0, flip, names);
  for (int turn = 0; turn < turns; turn++) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) { opened++; write(fd, "evil", 4); close(fd); }
    if (turn % 8 == 0) { chmod(path, 0666); truncate(path, 0); rename(path, "bb"); }
  }
  stop = 1;
  pthread_join(thread, 0);
  return opened == 0;
}
"""


@pytest.mark.slow
def test_a_path_flipped_while_the_call_waits_never_writes_the_closed_file(my_workspace: Path, outside: Path) -> None:
    """Required: what is read from memory finds objects; only the object found is opened."""
    import subprocess

    (my_workspace / "flip.c").write_text(FLIPPER)
    subprocess.run(["cc", "-w", "-pthread", "-o", "flip", "flip.c"], cwd=my_workspace, check=True)
    command = ("./flip", f"{my_workspace}/aa", f"{outside}/file", str(FLIPS))
    assert confined(command, str(my_workspace))["exit_code"] == 0
    assert ((outside / "file").read_text(), (outside / "file").stat().st_mode & 0o777) == ("before", 0o644)


def test_a_link_swapped_while_calls_wait_never_lets_a_file_out(my_workspace: Path, outside: Path) -> None:
    program = f"""
import os, threading
os.mkdir("real"); os.symlink("{outside}", "trap"); os.symlink("real", "way"); stop = False
def swap():
    while not stop:
        for target in ("real", "{outside}"):
            os.symlink(target, "next"); os.rename("next", "way")
thread = threading.Thread(target=swap); thread.start()
for turn in range(1500):
    deeds = (os.mkdir, f"way/d{{turn}}"), (open, f"way/f{{turn}}", "w"), (os.chmod, "way/file", 0o777)
    for deed, *arguments in deeds:
        try: deed(*arguments)
        except OSError: pass
stop = True; thread.join()
"""
    before = snapshot(outside)
    assert confined((PYTHON, "-c", program), str(my_workspace))["exit_code"] == 0
    assert snapshot(outside) == before


def test_a_bug_in_the_supervisor_leaves_the_kernel_to_judge(
    my_workspace: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: no hang, no gift; and nobody may conclude anything from silence."""

    def broken(_: object) -> Any:
        raise ZeroDivisionError

    for name in ("openat", "fchmodat", "chmod"):
        monkeypatch.setitem(supervise.HANDLERS, name, broken)
    outcome = confined(
        f"echo in > src/file; echo out > {outside}/file; chmod 777 {outside}/file; true", str(my_workspace)
    )
    assert (my_workspace / "src" / "file").read_text() == "in\n"
    assert ((outside / "file").read_text(), (outside / "file").stat().st_mode & 0o777) == ("before", 0o644)
    assert (outcome["reported"], outcome["refused"]) == (False, [])


def test_natural_failures_are_not_denials(account: Account, workspace: Path, outside: Path) -> None:
    script = (
        f"mkdir {outside}; mkdir /usr; rm {outside}/missing; rmdir {outside}/file; cat {outside}/missing; "
        f"echo x > /nowhere/file; mv {outside}/missing a; chmod 1 {outside}/missing; "
        f"set -C; echo x > {outside}/file; : > {outside}; unlink {outside}; true"
    )
    outcome = account.confined(script, workspace)
    assert (seen(outcome), outcome["reported"]) == ([], True)


def test_a_denial_is_recorded_whole_even_when_the_command_succeeds(my_workspace: Path, outside: Path) -> None:
    outcome = confined(f"echo x 2> /dev/null > {outside}/file; exit 0", str(my_workspace))
    (refused,) = outcome["refused"]
    assert refused.pop("pid") > 0
    assert refused == {
        "operation": "write",
        "syscall": "openat",
        "path": f"{outside}/file",
        "address": None,
        "errno": "EACCES",
        "layer": "landlock",
        "program": "sh",
        "host_allows": True,
    }


def test_what_permission_bits_refuse_anyway_is_told_apart(shelf: Path, my_workspace: Path) -> None:
    ordinary = Account("ordinary", shelf)
    ordinary.own(my_workspace)
    (refused,) = ordinary.confined("echo x > /etc/passwd", my_workspace)["refused"]
    assert (refused["path"], refused["host_allows"]) == ("/etc/passwd", False)


def test_descendants_that_left_the_session_end_with_the_command(account: Account, workspace: Path) -> None:
    """Required: a daemon does not survive; `setsid` is a held call, so every session is known."""
    script = "setsid sh -c 'echo $$ > src/pid; exec sleep 60' & setsid -f sleep 60; while [ ! -s src/pid ]; do :; done"
    outcome = account.confined(script, workspace)
    assert outcome["exit_code"] == 0
    pid = int((workspace / "src" / "pid").read_text())
    assert not os.path.exists(f"/proc/{pid}") or "(sleep) Z" in Path(f"/proc/{pid}/stat").read_text()


def test_kill_tree_ends_a_command_whose_call_is_held(my_workspace: Path) -> None:
    from sandgate.kernel.launcher import start

    plan = plan_for(("/bin/sh", "-c", "mkfifo f; echo x > f"), str(my_workspace))  # waits for a reader for ever
    child = start(plan, stdin=0, stdout=1, stderr=2)
    killer = threading.Timer(0.3, child.kill_tree)
    killer.start()
    try:
        import select

        poller = select.poll()
        poller.register(child.descriptors()[0], select.POLLIN)
        assert poller.poll(10_000)
        child.handle(child.descriptors()[0])
        assert child.ended is not None
        assert child.ended.exit_code == 128 + 9
    finally:
        killer.join()
        child.close()


EVERYDAY = {
    "make and remove": "touch a && mkdir -p p/q/r && mv p z && touch z/q/r/t && rm -rf z a",
    "git in a new directory": (
        "mkdir sub && cd sub && git init -q . && git config user.email a@b && git config user.name n && "
        "echo x > f && git add f && git commit -qm m && git log --oneline"
    ),
    "virtual environment": f"{PYTHON} -m venv --without-pip v && v/bin/python -c 'print(1)'",
    "compileall": f"echo 'x = 1' > m.py && {PYTHON} -m compileall -q . && test -d __pycache__",
    "compiler": "echo 'int main(void){return 0;}' > a.c && cc -o a a.c && ./a && cc -o src/a a.c && src/a",
    "make": "printf 'all: x y\\nx:\\n\\techo hi > x\\ny: x\\n\\tcp x y\\n' > Makefile && make -s -j2 && cat y",
    "tar": (
        "mkdir t && for i in 1 2 3; do echo $i > t/f$i; done && ln -s f1 t/l && chmod 640 t/f2 && ln t/f1 t/h && "
        "tar cf t.tar t && rm -r t && tar xpf t.tar && test $(stat -c %a t/f2) = 640 && test -L t/l"
    ),
    "temporary files": 'f=$(mktemp) && echo hi > "$f" && rm "$f" && d=$(mktemp -d) && touch "$d/a" && rm -r "$d"',
    "metadata": "touch a && chmod 600 a && touch -d 2001-01-01Z a && test $(stat -c %a:%Y a) = 600:978307200",
    "umask": "umask 0 && touch a && mkdir d && test $(stat -c %a a d | tr '\\n' :) = 666:777:",
    "pipes and jobs": "(echo a) & wait; echo b | cat | tee x > /dev/null; mkfifo f; (echo hi > f &); cat f",
    "devices": "echo x > /dev/null; echo y > /dev/stderr; head -c 4 /dev/urandom > r; ls / /dev > /dev/null",
    "edit in place": "echo int > a && sed -i s/int/long/ a && grep -q long a && cp -rp src s2 && install -m 700 a s2/b",
    "own terminal": "script -qc 'echo in pty' /dev/null",
}


@pytest.mark.parametrize("work", EVERYDAY.values(), ids=EVERYDAY)
def test_everyday_work_succeeds_and_denies_nothing(work: str, account: Account, workspace: Path) -> None:
    outcome = account.confined(work, workspace)
    assert (outcome["exit_code"], seen(outcome)) == (0, []), outcome["output"]
    assert outcome["reported"]


def test_multiprocessing_works_and_leaves_no_shared_memory(account: Account, workspace: Path) -> None:
    program = (
        "import multiprocessing as m\n"
        "def f(x): return x * x\n"
        "if __name__ == '__main__':\n"
        "    with m.Pool(2) as pool: print(pool.map(f, range(4)))\n"
        "    q = m.Queue(); q.put(1); print(q.get())\n"
        "    with m.Manager() as manager:\n"
        "        d = manager.dict(); d[1] = 2; print(dict(d))\n"
    )
    (workspace / "work.py").write_text(program)
    before = set(os.listdir("/dev/shm"))
    outcome = account.confined((PYTHON, "work.py"), workspace)
    assert (outcome["output"], seen(outcome)) == ("[0, 1, 4, 9]\n1\n{1: 2}\n", [])
    assert set(os.listdir("/dev/shm")) <= before


def test_git_commit_in_a_protected_repository_is_refused_for_git_only(account: Account, shelf: Path) -> None:
    import subprocess

    repository = shelf / "repo"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    account.own(repository)
    outcome = account.confined("echo x > f; git -c safe.directory='*' add f", repository)
    assert outcome["exit_code"] != 0
    assert (repository / "f").read_text() == "x\n"
    assert {where.startswith(f"{repository}/.git/") for _, where in seen(outcome)} == {True}


def test_output_nobody_reads_does_not_stop_the_commands_file_work(my_workspace: Path) -> None:
    """Required: the caller may be blocked on our output until this command has made a file."""
    from sandgate.kernel.launcher import start

    reading, writing = os.pipe()
    plan = plan_for(("/bin/sh", "-c", "(sleep 0.1; touch made) & head -c 1000000 /dev/zero"), str(my_workspace))
    child = start(plan, stdin=0, stdout=writing, stderr=2)
    os.close(writing)
    try:
        deadline = threading.Event()
        for _ in range(500):
            if (my_workspace / "made").exists():
                break
            deadline.wait(0.01)
        assert (my_workspace / "made").exists()
    finally:
        child.close()
        os.close(reading)


def test_a_plan_that_asks_for_no_records_is_confined_all_the_same(my_workspace: Path, outside: Path) -> None:
    plan = plan_for(("/bin/sh", "-c", f"echo x > {outside}/file"), str(my_workspace)).but(report="off")
    assert run_plan(plan)["exit_code"] != 0
    assert (outside / "file").read_text() == "before"
