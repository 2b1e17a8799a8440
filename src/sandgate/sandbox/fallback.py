"""What to do when the first sandbox of this process cannot be built: find out once what works, and remember it.

Called only before anything ran. The verdict is kept in the state directory, because a trial costs as much as a
command; it counts only for this boot, this kernel, this user and this helper.
"""

from __future__ import annotations

import os
import stat

from sandgate.errors import BackendUnavailable, SetupFailed
from sandgate.sandbox.backend import SANDBOX_VARIABLE
from sandgate.sandbox.select import select_backend, speaks_of_the_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import SetupFailure
    from sandgate.protocol.permissions import BackendName

FILE_NAME = "backend-verdict"
FILE_BYTES_MAX = 256
FORMAT = "sandgate-backend-1"
_OTHERS_MAY_WRITE = 0o022
INSIDE_HINT = (
    "run it outside, or with `-s danger-full-access`: the sandbox around it holds on to it and to all it starts"
)


def backend_after(failure: SetupFailure | None, *, helper: str | None, state_directory: str) -> BackendName:
    """The backend that works here although namespaces do not; `failure` is None when there is no helper.

    Raises `BackendUnavailable`, saying why and what would help, when there is none, and `SetupFailed` when the
    failure was about this command and not about the host.
    """
    from sandgate.kernel.landlock import supported_abi
    from sandgate.sandbox.capabilities import Trial
    from sandgate.sandbox.probe import host_facts, landlock_trial

    if failure is not None and not speaks_of_the_host(failure):
        raise SetupFailed(
            "cannot confine the command, so it did not run",
            why=f"building the sandbox failed at step `{failure.step}` ({failure.errno})",
            hint="`sandgate doctor` says what this host can enforce",
        )
    key = verdict_key(helper)
    remembered = recall(state_directory, key)
    if remembered is not None:
        return remembered
    abi, inside = supported_abi(), SANDBOX_VARIABLE in os.environ
    facts = host_facts()
    host = facts.but(
        container="" if inside else facts.container,  # what refuses is the sandbox, not what is around it
        helper=helper,
        namespace=Trial(failure=failure) if failure is not None else None,
        landlock_abi=abi,
        landlock=landlock_trial() if abi else None,
    )
    try:
        chosen = select_backend("auto", host)
    except BackendUnavailable as none:
        if not inside:
            raise
        raise BackendUnavailable(
            "cannot confine commands: already inside a Sandgate sandbox", why=none.why, hint=INSIDE_HINT
        ) from none
    remember(state_directory, key, chosen)
    return chosen


def verdict_key(helper: str | None) -> str:
    """What the verdict depends on, as one word."""
    import hashlib

    digest = hashlib.sha256()
    for path in ("/proc/sys/kernel/random/boot_id", helper):
        digest.update(_content(path) if path else b"")
        digest.update(b"\0")
    digest.update(f"{os.uname().release} {os.uname().machine} {os.geteuid()}".encode())
    return digest.hexdigest()


def recall(state_directory: str, key: str) -> BackendName | None:
    """The remembered verdict; None when there is none, or none that can be trusted."""
    try:
        descriptor = os.open(os.path.join(state_directory, FILE_NAME), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & _OTHERS_MAY_WRITE:
            return None
        words = os.read(descriptor, FILE_BYTES_MAX).decode("ascii", "replace").split()
    finally:
        os.close(descriptor)
    return "landlock" if words == [FORMAT, key, "landlock"] else None


def remember(state_directory: str, key: str, kind: BackendName) -> None:
    """Writes the verdict in one step; a state directory that cannot be written costs a trial next time."""
    path = os.path.join(state_directory, FILE_NAME)
    fresh = f"{path}.{os.getpid()}"
    try:
        os.makedirs(state_directory, mode=0o700, exist_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, f"{FORMAT} {key} {kind}\n".encode())
        finally:
            os.close(descriptor)
        os.replace(fresh, path)
    except OSError:
        return


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
