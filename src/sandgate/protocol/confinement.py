"""A command ready to be confined: complete, inert, and the same for every way of starting it."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from sandgate.protocol.bindings import Bound
    from sandgate.protocol.commands import CommandResult
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.held_calls import PerformedCall
    from sandgate.protocol.permissions import (
        BackendName,
        EffectivePermissions,
        GitProtection,
        Grant,
        RuleGrant,
        SandboxPolicy,
    )

    MountKind = Literal["write", "read", "hide_directory", "hide_directory_with_openings", "hide_file", "overlay"]
    ReportMode = Literal["off", "report"]


PATCH = "apply_patch"  # stands for a patch, which our own process applies: it keeps nothing in a cache
IN_MEMORY = "memory"  # as a source: an empty directory of this command's own, gone with it


class Mount(Record):
    """One entry of the view, applied in order over a read-only root; later entries lie on top of earlier ones.

    `write` and `read` bind the host's path at the same place. `hide_directory` covers it with an empty directory
    that the command may not list (mode 000; 111 when a later entry opens something below), `hide_file` with an empty
    file that it may not open, or with one that holds `content` and that it may not change. `overlay` shows what the
    overlay around the path has there.
    """

    kind: MountKind
    path: str  # absolute, canonical, existing
    source: str = ""  # of `write` and `read`: the host's directory that lies there inside; "": the same path
    content: bytes | None = None  # of `hide_file`, CONTENT_BYTES_MAX of native/plan.h


class Overlay(Record):
    """Writes below `lower` go to `upper`; what is not there is read from `lower`, which stays as it is.

    The mounts of kind `overlay` at or below `lower` show it. One command at a time has `upper`, or several of a session
    that lends its mount: another one at the same time, and any where the kernel refuses `upper`, has an empty one in
    memory that ends with it; where that is refused as well, those places are read-only. All three are canonical
    directories of ours, `upper` and `work` on one file system, neither in the other; `work` is the kernel's, and the
    two are removed together.

    `lasting` ones are the same for the next command, so a session may keep them mounted. `lent` is the name of such a
    mount; "" for none.
    """

    lower: str
    upper: str
    work: str
    lasting: bool = False
    lent: str = ""


class Limits(Record):
    """Resource limits of the command; None leaves the inherited value."""

    core_bytes: int = 0
    open_files: int | None = None
    processes: int | None = None
    file_bytes: int | None = None
    memory_bytes: int | None = None


class ConfinementSettings(Record):
    """What was chosen for all commands of a session about what holds them back."""

    sandbox: SandboxPolicy
    backend: Literal["auto"] | BackendName
    report: ReportMode
    limits: Limits
    tmp: Literal["private", "shared"]  # what commands have as /tmp: the project's own, or the host's
    caches: Literal["off", "private", "shared"]  # what commands write in caches of the home
    protect_git: GitProtection
    protected_names: tuple[str, ...]  # beside the built-in ones
    nested_depth: int  # how far below a writable directory repositories are looked for
    broad_workspace: bool  # whether a home, or a directory of programs, may be a workspace
    unix_sockets: tuple[str, ...]  # host sockets that stay reachable
    grants: tuple[Grant, ...]  # what every command has beside the policy, path by path
    secrets_hidden: tuple[str, ...]  # absolute, may hold globs; beside the built-in ones
    secrets_opened: tuple[str, ...]
    project_root: str
    home: str | None  # Sandgate's own directory: user configuration and state
    state: str | None  # where what outlives a session is kept; it need not exist


class ConfinedCommand(Record):
    """A plan. `backend` says who can carry it out; nothing in it depends on the moment it runs."""

    backend: BackendName
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    permissions: EffectivePermissions
    mounts: tuple[Mount, ...] = ()
    overlays: tuple[Overlay, ...] = ()  # none lies in another
    report: ReportMode = "report"
    limits: Limits = Limits()
    tty: bool = False
    guarantees: tuple[str, ...] = ()  # what this plan promises; the layers really built may only add
    bound: Bound | None = None  # what has to be as it was when it was approved; None: it rests on no approval
    reads_only: bool = False  # policy vouches that it changes nothing
    holds_calls: bool = False  # what is refused waits in the kernel: somebody is attached who is asked about it
    supervised_grants: tuple[Grant, ...] = ()  # what the supervisor carries out for it from the start
    by_rules: tuple[RuleGrant, ...] = ()  # what rules about places give it, carried out or shown by the view

    @property
    def confined(self) -> bool:
        return self.backend != "none"

    @property
    def carries_calls(self) -> bool:
        """Whether there is a supervisor that carries calls out in its stead, within what was granted."""
        return self.confined and self.argv[0] != PATCH


class SetupFailure(Record):
    """The sandbox could not be built. Nothing ran."""

    step: str  # "unshare", "mount /proc", ...
    errno: str  # symbolic


class ExecFailure(Record):
    """The sandbox stood, but the program did not start."""

    what: Literal["program", "directory"]
    errno: str


EXCHANGED = "ESTALE"  # the errno of an ExecFailure where a plan's `bound` did not hold


class AttemptOutcome(Record):
    """What came back from one started plan."""

    result: CommandResult | None  # None when `failure` is set, and while it is `running`
    refused: tuple[Refused, ...] = ()
    refused_omitted: int = 0
    reported: bool = False  # the enforcing layer watched to the end, so silence means "not denied"
    layers: tuple[str, ...] = ()  # really active: "userns", "mount", "pid", "net", "seccomp", "landlock", "notify"
    failure: SetupFailure | ExecFailure | None = None
    created_protected: tuple[str, ...] = ()  # protected names that appeared all the same
    locked: tuple[str, ...] = ()  # files outside the writable places that it locked: seen, not refused
    unserved: tuple[str, ...] = ()  # addresses of its loopback that it sought and where no process listened
    remarks: tuple[str, ...] = ()  # sentences on what it left that something obeys later, and what it sought in vain
    performed: tuple[PerformedCall, ...] = ()  # carried out by the supervisor on the word of a grant
    performed_omitted: int = 0  # further ones, counted
    running: bool = False  # it lives on, and its terminal tells later how it ended
