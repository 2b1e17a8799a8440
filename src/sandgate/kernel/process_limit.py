"""A limit on the number of processes that binds root, too.  cgroups(7), the pids controller (Linux 4.3).

RLIMIT_NPROC does not apply to the user 0 of the machine, so as root a fork bomb is stopped by a control group. It is
made for this process, joined by every command it starts, and removed at the end; one that a killed process left
behind is empty and is removed by the next. Without a writable pids controller there is no such limit, and `doctor`
says so.
"""

from __future__ import annotations

import os

ROOT = "/sys/fs/cgroup"
PREFIX = "sandgate-"
CONTROLLER = "pids"


class ProcessLimit:
    """A control group for at most `processes` at a time. `descriptor` is where a command writes "0" to join."""

    def __init__(self, directory: str, processes: int) -> None:
        self._directory = directory
        os.mkdir(directory, 0o755)
        try:
            _write(os.path.join(directory, "pids.max"), processes)
            self.descriptor = os.open(os.path.join(directory, "cgroup.procs"), os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            os.rmdir(directory)
            raise

    def close(self) -> None:
        """Remove the group. Everything in it must be gone; what is not keeps it until the next sweep."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            _remove(self._directory)


def limit_for_root(processes: int) -> ProcessLimit | None:
    """A group below our own one; None where the host does not let us make one."""
    parent = _own_group()
    if parent is None:
        return None
    _sweep(parent)
    try:
        return ProcessLimit(os.path.join(parent, f"{PREFIX}{os.getpid()}"), processes)
    except OSError:
        return None


def _own_group() -> str | None:
    """Our directory in the hierarchy that has the controller, if groups below it would have it too."""
    with open("/proc/self/cgroup", encoding="ascii", errors="replace") as file:
        lines = [line.rstrip("\n").split(":", 2) for line in file]
    for _number, controllers, path in lines:
        if CONTROLLER in controllers.split(","):
            return _existing(f"{ROOT}/{controllers}{path}") or _existing(f"{ROOT}/{CONTROLLER}{path}")
    unified = next((path for number, controllers, path in lines if number == "0" and not controllers), None)
    if unified is None:
        return None
    directory = f"{ROOT}{unified}".rstrip("/")
    return directory if CONTROLLER in _read(f"{directory}/cgroup.subtree_control").split() else None


def _sweep(parent: str) -> None:
    for name in os.listdir(parent):
        pid = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            _remove(os.path.join(parent, name))


def _remove(directory: str) -> None:
    try:
        os.rmdir(directory)
    except OSError:
        return  # somebody is still in it, or it is gone


def _existing(directory: str) -> str | None:
    directory = directory.rstrip("/")
    return directory if os.path.isdir(directory) else None


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, value: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)
