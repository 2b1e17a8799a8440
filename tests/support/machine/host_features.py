"""What the kernel under the tests can really do, found out by doing it in a child process, and what is installed.

`@pytest.mark.host("landlock")` skips a test, with the reason, where the feature is missing. A skipped proof is no
proof, so `SANDGATE_REQUIRE=landlock,...` turns that skip into a failure; CI sets it.
"""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from sandgate.errors import SandgateError
from sandgate.kernel.build import helper_path
from support.suite.source_tree import REPOSITORY

PROBE_LIMIT_S = 20

PEERS = REPOSITORY / ".peers"
"""A Node and other people's MCP programs."""

# A user namespace that may not mount is no use: Ubuntu's AppArmor rule grants the one and refuses the other.
NAMESPACE_PROBE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
uid, gid = os.geteuid(), os.getegid()
NEWUSER, NEWNS, NEWPID, NEWNET = 0x10000000, 0x20000, 0x20000000, 0x40000000
MS_REC_PRIVATE = 0x4000 | 0x40000
if libc.unshare(NEWUSER | NEWNS | NEWPID | NEWNET):
    sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
    try:
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    except OSError as problem:
        sys.exit(f"{name}: {problem.strerror}")
if libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None):
    sys.exit("mount inside a user namespace: " + os.strerror(ctypes.get_errno()))
"""

# As the helper mounts one, with what is kept on the file system of temporary files.
OVERLAY_PROBE = (
    NAMESPACE_PROBE
    + """
import tempfile
with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
    names = [f"{place}/{name}" for name in ("lower", "upper", "work")]
    for name in names:
        os.mkdir(name)
    options = "lowerdir={},upperdir={},workdir={},userxattr,redirect_dir=nofollow,volatile".format(*names)
    if libc.mount(b"overlay", names[0].encode(), b"overlay", 0, options.encode()):
        sys.exit("overlay inside a user namespace: " + os.strerror(ctypes.get_errno()))
    libc.umount2(names[0].encode(), 2)
    os.chmod(names[2] + "/work", 0o700)
"""
)

# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION); the number is the same on every architecture.
LANDLOCK_PROBE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(444, None, ctypes.c_size_t(0), 1) < 1:
    sys.exit("landlock_create_ruleset: " + os.strerror(ctypes.get_errno()))
"""

# Installs "allow everything" with a listener: an outer supervisor may already own the only one there can be.
NOTIFY_PROBE = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
SECCOMP = {"x86_64": 317, "aarch64": 277}.get(os.uname().machine)
if SECCOMP is None:
    sys.exit("no seccomp number known for " + os.uname().machine)
program = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
filter = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(program)))
libc.prctl(38, 1, 0, 0, 0)
if libc.syscall(SECCOMP, 1, 8, filter) < 0:
    sys.exit("seccomp with a listener: " + os.strerror(ctypes.get_errno()))
"""


def _refusal(code: str) -> str | None:
    """Why the kernel refused the probe; None when it went through."""
    command = [sys.executable, "-I", "-S", "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT_S)
    return None if ended.returncode == 0 else ended.stderr.strip() or f"ended with {ended.returncode}"


def _namespace() -> str | None:
    try:
        helper_path()
    except SandgateError as problem:
        return str(problem)
    return _refusal(NAMESPACE_PROBE)


def _bubblewrap() -> str | None:
    program = shutil.which("bwrap")
    if program is None:
        return "no bwrap on PATH"
    command = [program, "--ro-bind", "/", "/", "--unshare-net", "true"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT_S)
    return None if ended.returncode == 0 else ended.stderr.strip()


def _peers() -> str | None:
    """Installed once is enough: a changed lock is a matter of whoever installs."""
    if os.access(PEERS / "bin/node", os.X_OK) and (PEERS / "ready").exists():
        return None
    return f"{PEERS} is not there; requirements/peers.sh makes it, with a Node and others' MCP programs"


PROBES: dict[str, Callable[[], str | None]] = {
    "namespace": _namespace,
    "bwrap": _bubblewrap,
    "landlock": lambda: _refusal(LANDLOCK_PROBE),
    "overlay": lambda: _refusal(OVERLAY_PROBE),
    "notify": lambda: _refusal(NOTIFY_PROBE),
    "peers": _peers,
    "sqlite3": lambda: None if shutil.which("sqlite3") else "no sqlite3 on PATH",
}
"""Feature name → a probe that returns why the feature is missing, or None."""


@functools.cache
def missing(feature: str) -> str | None:
    """Why this host lacks `feature`; None when it has it."""
    if feature not in PROBES:
        raise pytest.UsageError(f"no host feature is called {feature!r}; there are {', '.join(PROBES)}")
    return PROBES[feature]()


def required() -> frozenset[str]:
    """The features whose absence is a failure, from SANDGATE_REQUIRE."""
    named = frozenset(filter(None, os.environ.get("SANDGATE_REQUIRE", "").replace(",", " ").split()))
    if not named <= PROBES.keys():
        unknown = ", ".join(sorted(named - PROBES.keys()))
        raise pytest.UsageError(f"SANDGATE_REQUIRE names {unknown}; there are {', '.join(PROBES)}")
    return named


def demand(feature: str) -> None:
    """Skips the running test when the host lacks `feature`, and fails it when the feature is required."""
    reason = missing(feature)
    if reason is None:
        return
    if feature in required():
        pytest.fail(f"SANDGATE_REQUIRE asks for {feature}: {reason}", pytrace=False)
    pytest.skip(f"{feature}: {reason}")
