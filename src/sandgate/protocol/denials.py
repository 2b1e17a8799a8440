"""What the sandbox refused, in the words of `run --json`'s `denials[]`."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.permissions import Grant

    Operation = Literal[
        "write",
        "create",
        "delete",
        "rename",
        "metadata",
        "read",
        "connect",
        "bind",
        "lock",
        "exec",
        "other",
        "unserved",
        "listens",
    ]
    Layer = Literal["mount", "landlock", "seccomp", "network", "heuristic"]
    DenialVerdict = Literal["denied", "not_denied", "unknown"]


class Refused(Record):
    """One refused call as the enforcing layer saw it. Raw fact, no opinion about grants."""

    operation: Operation
    syscall: str
    path: str | None = None  # canonical, absolute, in the host's view
    address: str | None = (
        None  # "10.0.0.1:443", "[::1]:80", "unix:/run/docker.sock", "unix:@abstract", a name looked up
    )
    errno: str = "EROFS"  # symbolic name of what the command got
    layer: Layer = "mount"
    pid: int = 0  # in the host's numbering
    program: str = ""  # the kernel's `comm` of the calling thread
    host_allows: bool = True  # the same call would pass without the sandbox (permission bits considered)
    exclusive: bool = False  # opened with O_CREAT | O_EXCL: a file put there beforehand would not do
    datagrams: bool = False  # of a connection that was asked about: what would go to the address are datagrams of UDP

    @property
    def what(self) -> str:
        """What was wanted, where `operation` says too little: for `Denial.what`."""
        return "send datagrams (UDP) to" if self.datagrams else ""


class Denial(Record):
    """A refusal as it is explained to people, models and logs."""

    operation: Operation
    path: str | None = None
    address: str | None = None
    syscall: str | None = None
    errno: str | None = None
    certain: bool = True
    layer: Layer = "mount"
    program: str = ""
    grant: Grant | None = None  # the smallest freedom that removes it; None: none does
    also: tuple[Grant, ...] = ()  # what the same intent takes beside it: of a move, the new name
    what: str = ""  # where `operation` says too little: what was wanted ("ptrace"); the place, if any, is `path`
    why: str = ""  # for "other": why it is refused whatever is granted

    @property
    def grants(self) -> tuple[Grant, ...]:
        """All that it takes."""
        return () if self.grant is None else (self.grant, *self.also)

    @property
    def unkept(self) -> bool:
        """No call was refused: it was done, and was not kept when the command ended."""
        return self.syscall == "" and self.layer == "mount"

    @property
    def words(self) -> str:
        """What was wanted and of what: `write /etc/motd`, `set-id bits on /etc/motd`. Not made safe for a terminal."""
        target = self.path or self.address
        if self.what:
            return f"{self.what} {target}" if target else self.what
        return f"{self.operation} {target or 'something'}"


class DenialReport(Record):
    """The verdict on one attempt. `unknown`: the layer could not tell and the text gave no sign either."""

    verdict: DenialVerdict
    denials: tuple[Denial, ...] = ()
    omitted: int = 0  # further denials over the cap, counted
    did_without: tuple[Denial, ...] = ()  # refused writes that programs go on without: no reason, and no question

    @property
    def denied(self) -> bool:
        return self.verdict == "denied"
