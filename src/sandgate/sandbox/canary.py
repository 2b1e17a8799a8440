"""Small real attacks on the sandbox of this very host: every one must be refused.

A feature probe asks whether the kernel has a lock; a canary tries the door. Two products that passed all
their probes left `core_pattern` open to root. Each attack is harmless when it succeeds, and runs outside the sandbox
first where that is harmless too: what fails even there proves nothing and is reported as unproven.
"""

from __future__ import annotations

import os
import sys

from sandgate.errors import ConfinementError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import EffectivePermissions, WorkspaceWrite
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.permissions import BackendName
    from sandgate.sandbox.protection import Protection

FLIGHT_LIMIT_MS = 20_000
SYSTEM_PYTHON = "/usr/bin/python3"
SECRET = "a canary's secret"
ALLOWED_WRITE = "allowed write"  # the one thing that must work, or nothing was tested
DATAGRAM = "send a local datagram"  # sending may seem to work in an empty network; arriving is what counts
DATAGRAM_BYTES_MAX = 64

# Runs in both worlds. Prints one line for each attack: what happened, a tab, its name.
_SCRIPT = r"""
import ctypes, errno, os, socket, sys
repo, home, inside, port, datagram_port, path_socket, abstract_name, victim, secret = sys.argv[1:]
inside = inside == "inside"
libc = ctypes.CDLL(None, use_errno=True)
PTRACE = {"x86_64": 101, "aarch64": 117}.get(os.uname().machine, -1)
NEWUSER, TIOCSTI, PTRACE_SEIZE = 0x10000000, 0x5412, 0x4206
def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
def write(path, remove=True):
    existed = os.path.lexists(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    if remove and not existed:
        os.unlink(path)
def make_directory(path):
    os.mkdir(path)
    os.rmdir(path)
def read_secret():
    with open(home + "/.netrc") as file:
        if secret not in file.read():
            raise OSError(errno.EACCES, "")
def same_setting(path):
    with open(path, "r+b", buffering=0) as file:
        file.write(file.read())
def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(5)
        client.connect(address)
def datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"canary", ("127.0.0.1", int(datagram_port)))
def inject():
    import pty
    libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]
    checked(libc.ioctl(pty.openpty()[1], TIOCSTI, b"\x06"))
def user_namespace():
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.unshare(NEWUSER) == 0 else 1)
    if os.waitpid(child, 0)[1]:
        raise OSError(errno.EPERM, "")
attacks = {
    "allowed write": lambda: write(repo + "/canary"),
    "write in the home directory": lambda: write(home + "/canary"),
    "plant a git hook": lambda: write(repo + "/.git/hooks/pre-commit"),
    "make a missing `.codex`": lambda: make_directory(repo + "/.codex"),
    "read a secret": read_secret,
    "reach a local TCP service": lambda: connect(socket.AF_INET, ("127.0.0.1", int(port))),
    "send a local datagram": datagram,
    "reach an abstract unix socket": lambda: connect(socket.AF_UNIX, "\0" + abstract_name),
    "reach a unix socket by path": lambda: connect(socket.AF_UNIX, path_socket),
    "trace another process": lambda: checked(libc.syscall(PTRACE, PTRACE_SEIZE, int(victim), 0, 0)),
    "set kernel.core_pattern": lambda: same_setting("/proc/sys/kernel/core_pattern"),
    "signal another process": lambda: os.kill(int(victim), 18),
    "make a user namespace": user_namespace,
    "type into a terminal": inject,
}
if inside:
    attacks["write in the root directory"] = lambda: write("/sandgate-canary")
for name, attack in attacks.items():
    try:
        attack()
        print("done", name, sep="\t", flush=True)
    except OSError as problem:
        print(errno.errorcode.get(problem.errno, "EIO"), name, sep="\t", flush=True)
"""


class CanaryResult(Record):
    """One attack. `held` is what counts; `proven` says that the same attack works outside the sandbox."""

    name: str
    held: bool
    proven: bool
    detail: str  # symbolic errno of the refusal, "lost", or "done"


def run_canaries(
    kind: BackendName, *, helper: str | None, protection: Protection | None = None
) -> tuple[CanaryResult, ...]:
    """Every attack against a live sandbox of that kind; one that is not refused means the backend is broken.

    Raises `ConfinementError` when the sandbox cannot be built or even allowed work fails in it.
    """
    with _Cage() as cage:
        outside = cage.flight("none", helper, protection)
        inside = cage.flight(kind, helper, protection)
    if inside.pop(ALLOWED_WRITE, "nothing") != "done":
        raise ConfinementError(
            f"cannot test the `{kind}` sandbox", why="a write that it must allow failed, so its refusals prove nothing"
        )
    return tuple(
        CanaryResult(name, held=answer != "done", proven=outside.get(name) == "done", detail=answer)
        for name, answer in inside.items()
    )


def _answers(output: bytes) -> dict[str, str]:
    lines = (line.split("\t", 1) for line in output.decode("utf-8", "replace").splitlines() if "\t" in line)
    return {name: answer for answer, name in lines}


class _Cage:
    """A throw-away workspace with a home, a secret, listeners and a victim process around it."""

    def __enter__(self) -> _Cage:
        import shutil
        import socket
        import subprocess
        import tempfile
        from contextlib import ExitStack

        with ExitStack() as stack:
            self._folder = tempfile.mkdtemp(prefix="sandgate-canary-")
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            for name in ("repo/.git/hooks", "home", "state"):
                os.makedirs(os.path.join(self._folder, name))
            with open(os.path.join(self._folder, "home", ".netrc"), "w", encoding="utf-8") as file:
                file.write(SECRET)
            tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            udp.bind(("127.0.0.1", 0))
            udp.setblocking(False)
            self._datagrams = udp
            self._path_socket = os.path.join(self._folder, "socket")
            self._abstract = f"sandgate-canary-{os.getpid()}-{os.path.basename(self._folder)}"
            for address in (self._path_socket, "\0" + self._abstract):
                listener = stack.enter_context(socket.socket(socket.AF_UNIX))
                listener.bind(address)
                listener.listen()
            victim = stack.enter_context(subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL))
            stack.callback(victim.kill)
            self._ports = (str(tcp.getsockname()[1]), str(udp.getsockname()[1]))
            self._victim = str(victim.pid)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def flight(self, kind: BackendName, helper: str | None, protection: Protection | None) -> dict[str, str]:
        """Attack → what happened to it in a sandbox of that kind."""
        from sandgate.sandbox.backends import backend_named
        from sandgate.sandbox.trial import run_to_end

        command = CommandRequest(tuple(self._argv(inside=kind != "none")), self._at("repo"), {"HOME": self._at("home")})
        permissions = EffectivePermissions(network="on", confined=False)
        if kind != "none":
            permissions = self._permissions(protection)
        run = run_to_end(backend_named(kind).confine(command, permissions), helper=helper, limit_ms=FLIGHT_LIMIT_MS)
        if run.ended is None:
            raise ConfinementError(
                f"cannot test the `{kind}` sandbox", why=str(run.failure or "it did not end in time")
            )
        answers = _answers(run.output)
        if not self._datagram_arrived() and answers.get(DATAGRAM) == "done":
            answers[DATAGRAM] = "lost"
        return answers

    def _datagram_arrived(self) -> bool:
        try:
            return bool(self._datagrams.recv(DATAGRAM_BYTES_MAX))
        except BlockingIOError:
            return False

    def _permissions(self, protection: Protection | None) -> EffectivePermissions:
        from sandgate.policy.effective import effective_permissions
        from sandgate.sandbox.facts import workspace_facts

        policy = WorkspaceWrite(exclude_tmpdir_env_var=True, exclude_slash_tmp=True)
        facts = workspace_facts(
            policy,
            policy_cwd=self._at("repo"),
            environ={"HOME": self._at("home")},
            state_directory=self._at("state"),
            protection=protection,
        )
        return effective_permissions(policy, facts)

    def _argv(self, *, inside: bool) -> Iterator[str]:
        yield SYSTEM_PYTHON if os.access(SYSTEM_PYTHON, os.X_OK) else sys.executable
        yield from ("-I", "-S", "-c", _SCRIPT, self._at("repo"), self._at("home"), "inside" if inside else "outside")
        yield from (*self._ports, self._path_socket, self._abstract, self._victim, SECRET)

    def _at(self, name: str) -> str:
        return os.path.join(os.path.realpath(self._folder), name)
