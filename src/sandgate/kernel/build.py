"""Compiles the helper `sandgate-exec` from native/ with the host's C compiler, once for each state of its sources.

Needs only a compiler and the kernel's headers: the helper has no library, so there is nothing to configure or link.
In a clone the binary appears at first use beside the package; an installed package carries it, or carries the sources
when there was no compiler at that time. It is what confines everything else, so it never lands where another
user could write.
"""

from __future__ import annotations

import os
import stat
import sys

from sandgate.errors import BackendUnavailable
from sandgate.modulecache import is_trusted

PROGRAM = "sandgate-exec"
STAMP_SUFFIX = ".built-from"
STAMP_BYTES_MAX = 256  # two hashes
COMPILE_LIMIT_S = 120
COMPILERS = ("cc", "gcc", "clang")
# Only root writes there, so they come first: a project may have put a directory of its own at the head of PATH.
ROOT_ONLY = ("/usr/bin", "/bin", "/usr/local/bin")

FLAGS = (
    *("-std=gnu11", "-O2", "-g0", "-Wall", "-Wextra", "-Wconversion"),
    # No C library: no start files, no calls into one that the compiler thinks up.
    *("-ffreestanding", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-static", "-nostdlib", "-nostartfiles"),
    *("-fstack-protector-strong", "-fno-asynchronous-unwind-tables", "-Wl,-z,noexecstack", "-Wl,--build-id=none", "-s"),
)
MACHINE_FLAGS = {"x86_64": ("-mstack-protector-guard=global",)}

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OTHERS_MAY_WRITE = 0o022
_FNV_PRIME, _LOW_64 = 0x100000001B3, (1 << 64) - 1


def helper_path() -> str:
    """The helper's absolute path, compiled first if it is missing or older than its sources.

    Raises BackendUnavailable, with the reason, when there is none and none can be made.
    """
    carried = os.path.join(_PACKAGE, "_native", PROGRAM)
    sources = source_directory()
    if sources is None:
        if not os.access(carried, os.X_OK):
            raise _unavailable("the package has neither the program nor its sources", "reinstall sandgate")
        if not is_ours(carried):
            raise _unavailable(f"somebody else can have written `{carried}`", "look at its owner and mode")
        return carried
    if is_current(carried, sources):
        return carried
    program = os.path.join(_place_to_build(), PROGRAM)
    if not is_current(program, sources):
        compile_helper(sources, program)
    return program


def source_directory() -> str | None:
    """Where native/ is: at the root of a clone, or inside a package installed without the binary."""
    root = os.path.dirname(os.path.dirname(_PACKAGE))
    for candidate in (os.path.join(root, "native"), os.path.join(_PACKAGE, "_native", "src")):
        if os.path.isfile(os.path.join(candidate, "sandbox.h")):
            return candidate
    return None


def is_ours(program: str) -> bool:
    """Whether it is a file that nobody but us, root, or the owner of this package can have written."""
    try:
        found, owner = os.lstat(program), os.stat(_PACKAGE).st_uid
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and is_trusted(found, owner)


def is_current(program: str, sources: str) -> bool:
    """Whether `program` was compiled from the present state of `sources`, by somebody whom we trust."""
    try:
        looks, content = _read_stamp(program).split()
    except (OSError, ValueError):
        return False
    if not os.access(program, os.X_OK) or not is_ours(program):
        return False
    # Times and sizes answer without reading the sources; when they differ, the content decides, and is not asked again.
    if looks == (looks_now := _looks(sources)):
        return True
    if content != _content(sources):
        return False
    _stamp(program, looks_now, content)
    return True


def _read_stamp(program: str) -> str:
    """On the path of every command, so without the layers of a text file."""
    stamp = os.open(program + STAMP_SUFFIX, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(stamp, STAMP_BYTES_MAX).decode()
    finally:
        os.close(stamp)


def _stamp(program: str, looks: str, content: str) -> None:
    """Says from which sources `program` was made; where we may not write, it is found out each time."""
    fresh = f"{program}{STAMP_SUFFIX}.{os.getpid()}"
    try:
        with open(fresh, "x", encoding="utf-8") as file:
            file.write(f"{looks} {content}\n")
        os.replace(fresh, program + STAMP_SUFFIX)
    except OSError:
        return


def compile_helper(sources: str, program: str) -> None:
    """Compiles to `program`, replacing it in one step. Raises BackendUnavailable with the compiler's own words."""
    import subprocess
    import tempfile

    compiler = find_compiler()
    directory = os.path.dirname(program)
    os.makedirs(directory, mode=0o755, exist_ok=True)
    refuse_shared_directory(directory)
    looks, content = _looks(sources), _content(sources)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=directory) as scratch:
        made = os.path.join(scratch, PROGRAM)
        command = [compiler, *FLAGS, *MACHINE_FLAGS.get(os.uname().machine, ()), "-o", made, *_files(sources, ".c")]
        try:
            done = subprocess.run(
                command,
                env={**os.environ, "PATH": ":".join(_search_path())},  # by which it finds assembler and linker
                capture_output=True,
                text=True,
                timeout=COMPILE_LIMIT_S,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise _unavailable(f"`{compiler}` did not finish: {problem}", "see `sandgate doctor`") from problem
        if done.returncode != 0:
            raise _unavailable(f"`{compiler}` failed: {_first_error(done.stderr)}", "install the kernel's headers")
        os.chmod(made, 0o755)
        os.replace(made, program)
        _stamp(program, looks, content)


def find_compiler() -> str:
    """A C compiler on PATH, by absolute path, the system's first. Raises BackendUnavailable when there is none."""
    for directory in _search_path():
        for name in COMPILERS:
            candidate = os.path.join(directory, name)
            if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
                return candidate
    raise _unavailable("there is no C compiler (cc, gcc or clang) on PATH", "install one, e.g. `apt install gcc`")


def _search_path() -> list[str]:
    """PATH, the system's directories first. A relative one would let the working directory choose our compiler."""
    return sorted(filter(os.path.isabs, os.get_exec_path()), key=lambda directory: directory not in ROOT_ONLY)


def refuse_shared_directory(directory: str) -> None:
    """Raises BackendUnavailable when somebody else could put another program in our directory."""
    status = os.stat(directory)
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & _OTHERS_MAY_WRITE:
        raise _unavailable(f"other users can write to `{directory}`", f"chmod go-w {directory}")


def _place_to_build() -> str:
    beside_package = os.path.join(_PACKAGE, "_native")
    nearest = beside_package if os.path.isdir(beside_package) else _PACKAGE
    if os.access(nearest, os.W_OK) and not os.stat(nearest).st_mode & _OTHERS_MAY_WRITE:
        return beside_package
    home = os.environ.get("SANDGATE_HOME") or os.path.join(os.path.expanduser("~"), ".sandgate")
    return os.path.join(home, "native")


def _files(sources: str, *endings: str) -> list[str]:
    return sorted(os.path.join(sources, name) for name in os.listdir(sources) if name.endswith(endings))


def _looks(sources: str) -> str:
    """Says of every source how large and how old it is, in one number."""
    with os.scandir(sources) as entries:
        seen = {entry.name: entry.stat() for entry in entries if entry.name.endswith((".c", ".h"))}
    number = len(seen)
    for name in sorted(seen):  # FNV-1a, over whole numbers
        number = ((number ^ seen[name].st_mtime_ns ^ seen[name].st_size << 40) * _FNV_PRIME) & _LOW_64
    return f"{number:016x}"


def _content(sources: str) -> str:
    """A hash of everything that decides what is compiled."""
    import hashlib

    digest = hashlib.sha256(repr((FLAGS, MACHINE_FLAGS)).encode())
    for name in _files(sources, ".c", ".h"):
        with open(name, "rb") as file:
            digest.update(os.path.basename(name).encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()


def _first_error(output: str) -> str:
    lines = output.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "it gave no reason")


def _unavailable(why: str, hint: str) -> BackendUnavailable:
    return BackendUnavailable("cannot build the helper `sandgate-exec`", why=why, hint=hint)


def main() -> int:
    """Builds if needed and prints the path: `python -m sandgate.kernel.build`."""
    try:
        print(helper_path())
    except BackendUnavailable as problem:
        print(f"{problem}\n{problem.hint}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
