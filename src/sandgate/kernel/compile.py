"""Compiles the helper `sandgate-exec` from native/ with the host's C compiler.

Needs only a compiler and the kernel's headers: the helper has no library, so there is nothing to configure or link.
It is what confines everything else, so it never lands where another user could write.
"""

from __future__ import annotations

import os

from sandgate.kernel.helper_sources import PACKAGE, PROGRAM, STAMP_SUFFIX, looks_of, unavailable

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

_OTHERS_MAY_WRITE = 0o022


def compile_helper(sources: str, program: str) -> None:
    """Compiles to `program`, replacing it in one step. Raises BackendUnavailable with the compiler's own words."""
    import subprocess
    import tempfile

    compiler = find_compiler()
    directory = os.path.dirname(program)
    os.makedirs(directory, mode=0o755, exist_ok=True)
    refuse_shared_directory(directory)
    looks, content = looks_of(sources), content_of(sources)
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
            raise unavailable(f"`{compiler}` did not finish: {problem}", "see `sandgate doctor`") from problem
        if done.returncode != 0:
            raise unavailable(f"`{compiler}` failed: {_first_error(done.stderr)}", "install the kernel's headers")
        os.chmod(made, 0o755)
        os.replace(made, program)
        stamp(program, looks, content)


def find_compiler() -> str:
    """A C compiler on PATH, by absolute path, the system's first. Raises BackendUnavailable when there is none."""
    for directory in _search_path():
        for name in COMPILERS:
            candidate = os.path.join(directory, name)
            if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
                return candidate
    raise unavailable("there is no C compiler (cc, gcc or clang) on PATH", "install one, e.g. `apt install gcc`")


def _search_path() -> list[str]:
    """PATH, the system's directories first. A relative one would let the working directory choose our compiler."""
    return sorted(filter(os.path.isabs, os.get_exec_path()), key=lambda directory: directory not in ROOT_ONLY)


def refuse_shared_directory(directory: str) -> None:
    """Raises BackendUnavailable when another user could put another program in our directory."""
    status = os.stat(directory)
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & _OTHERS_MAY_WRITE:
        raise unavailable(f"other users can write to `{directory}`", f"chmod go-w {directory}")


def place_to_build() -> str:
    """Beside the package where that is ours to write, else in the home of Sandgate."""
    beside_package = os.path.join(PACKAGE, "_native")
    nearest = beside_package if os.path.isdir(beside_package) else PACKAGE
    if os.access(nearest, os.W_OK) and not os.stat(nearest).st_mode & _OTHERS_MAY_WRITE:
        return beside_package
    home = os.environ.get("SANDGATE_HOME") or os.path.join(os.path.expanduser("~"), ".sandgate")
    return os.path.join(home, "native")


def _files(sources: str, *endings: str) -> list[str]:
    return sorted(os.path.join(sources, name) for name in os.listdir(sources) if name.endswith(endings))


def content_of(sources: str) -> str:
    """A hash of everything that decides what is compiled."""
    import hashlib

    digest = hashlib.sha256(repr((FLAGS, MACHINE_FLAGS)).encode())
    for name in _files(sources, ".c", ".h"):
        with open(name, "rb") as file:
            digest.update(os.path.basename(name).encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()


def stamp(program: str, looks: str, content: str) -> None:
    """Says from which sources `program` was made; where we may not write, it is found out each time."""
    fresh = f"{program}{STAMP_SUFFIX}.{os.getpid()}"
    try:
        with open(fresh, "x", encoding="utf-8") as file:
            file.write(f"{looks} {content}\n")
        os.replace(fresh, program + STAMP_SUFFIX)
    except OSError:
        return


def _first_error(output: str) -> str:
    lines = output.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "it gave no reason")
