"""Policies as configured, and permissions as they resolve on one machine for one command."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    ApprovalMode = Literal["untrusted", "on-failure", "on-request", "never"]
    SandboxMode = Literal["read-only", "workspace-write", "external-sandbox", "danger-full-access"]
    NetworkMode = Literal["off", "on"]
    BackendName = Literal["namespace", "bwrap", "landlock", "none"]
    GrantKind = Literal[
        "write_root",
        "write_path",
        "new_entry",
        "remove",
        "metadata",
        "read_path",
        "host",
        "unix_socket",
        "escalate",
    ]
    GitProtection = Literal["all", "draft", "hooks-and-config"]

PATH_CHARS_MAX = 4096  # PATH_MAX, <linux/limits.h>


class Granular(Record):
    """`on-request`, with each class of prompt switched on or off; a class switched off is refused."""

    sandbox_approval: bool
    rules: bool
    mcp_elicitations: bool
    skill_approval: bool = False
    request_permissions: bool = False


if TYPE_CHECKING:
    ApprovalPolicy = ApprovalMode | Granular


def approval_name(policy: ApprovalPolicy) -> ApprovalMode | Literal["granular"]:
    """The policy in one word."""
    return "granular" if isinstance(policy, Granular) else policy


class ReadOnly(Record):
    """Read the disk, write nothing."""

    network_access: bool = False


class WorkspaceWrite(Record):
    """Read the disk, write below the working directory, the extra roots and the temporary directories."""

    writable_roots: tuple[str, ...] = ()
    network_access: bool = False
    exclude_tmpdir_env_var: bool = False
    exclude_slash_tmp: bool = False


class DangerFullAccess(Record):
    """No sandbox."""


class ExternalSandbox(Record):
    """A sandbox around Sandgate confines; the network flag is still told to the command."""

    network_access: bool = False


SandboxPolicy = ReadOnly | WorkspaceWrite | DangerFullAccess | ExternalSandbox


def sandbox_mode(policy: SandboxPolicy) -> SandboxMode:
    """Its name on the wire."""
    match policy:
        case ReadOnly():
            return "read-only"
        case WorkspaceWrite():
            return "workspace-write"
        case ExternalSandbox():
            return "external-sandbox"
        case DangerFullAccess():
            return "danger-full-access"


def confines(policy: SandboxPolicy) -> bool:
    """Whether the policy wants a sandbox of ours at all."""
    return not isinstance(policy, DangerFullAccess | ExternalSandbox)


class Grant(Record):
    """One extra freedom. `value` is a path, `address:port`, a host's name, `*` (all hosts), a socket path, or empty."""

    kind: GrantKind
    value: str = ""


class RuleGrant(Record):
    """What a rule about places gives a command from its start, and which rule that is."""

    grant: Grant
    rule: str  # as a reason names it, with where it is written


def names_a_host(value: str) -> bool:
    """Whether the value of a grant for a host is a name: all addresses that it has when it is looked up."""
    return ":" not in value and value != "*"


ESCALATE = Grant("escalate")  # run without the sandbox
# What no view can be widened by: the supervisor carries it out, call by call.
SUPERVISED_KINDS: tuple[GrantKind, ...] = ("new_entry", "remove", "metadata")
# What is given to commands by a path that somebody names: in settings and in options.
NAMED_KINDS: tuple[GrantKind, ...] = ("write_path", *SUPERVISED_KINDS)


def values_of(grants: tuple[Grant, ...], kind: GrantKind) -> list[str]:
    """The values of all grants of that kind."""
    return [grant.value for grant in grants if grant.kind == kind]


class PrivateTmp(Record):
    """What commands see as /tmp instead of the host's. All paths canonical."""

    at: str  # /tmp
    source: str  # the directory on the host that lies there inside; "": one in memory, gone with each command
    shown: tuple[str, ...] = ()  # entries of the host's /tmp that stay what they are: something below was named

    def holds(self, path: str) -> bool:
        """Whether canonical `path` of a command is not the host's."""
        below = path == self.at or path.startswith(self.at + "/")
        return below and not any(path == each or path.startswith(each + "/") for each in self.shown)

    def without_held(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Those canonical paths that are the host's."""
        below, shown = self.at + "/", tuple([each + "/" for each in self.shown])
        return tuple(
            [path for path in paths if not path.startswith(below) or path.startswith(shown) or not self.holds(path)]
        )

    def on_host(self, path: str) -> str:
        """Where on the host that lies which a command calls `path`."""
        return self.source + path[len(self.at) :] if self.source and self.holds(path) else path

    def inside(self, place: str) -> str:
        """What a command calls that which lies at `place` on the host; the other way round."""
        below = self.source and (place == self.source or place.startswith(self.source + "/"))
        return self.at + place[len(self.source) :] if below else place


class EffectivePermissions(Record):
    """What a command may touch, in concrete absolute paths. Made by `policy.effective`, obeyed by backends.

    The most specific entry wins: `read_only` and `hidden` lie below `writable` and override it; a path in
    `reopened` lies below a `hidden` one and is bound back.
    """

    writable: tuple[str, ...] = ()  # existing, canonical, shallow first; those in `pinned` among them
    read_only: tuple[str, ...] = ()  # existing protected paths below a writable root
    drafts: tuple[str, ...] = ()  # git directories among them: a command writes in a draft, carried over when it ends
    judged: tuple[
        str, ...
    ] = ()  # files that a command may change or make, and that are put back unless what they say is harmless
    # Protected names that do not exist and must not come to exist. A last part of `*.ending` stands for all such names.
    absent: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()  # existing paths that must not be readable
    copies: tuple[tuple[str, bytes], ...] = ()  # of files in `hidden`: what a view can show of them
    sealed: tuple[str, ...] = ()  # those of `hidden` that no grant opens: our own state
    own: tuple[str, ...] = ()  # those of `read_only` and `absent` that no grant opens: our own code
    reopened: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()  # host unix sockets that stay reachable
    hosts: tuple[str, ...] = ()  # granted `address:port`; `*` sets network "on", names are looked up at a call
    network: NetworkMode = "off"
    confined: bool = True  # False: danger-full-access, external sandbox, or an approved escalation
    case_insensitive: bool = False  # compare protected names without case
    pinned: tuple[str, ...] = ()  # writable through a directory above, and mounted so that no command moves them away
    private_tmp: PrivateTmp | None = None  # None: /tmp is the host's
    scratch: str = ""  # where /tmp must stay the host's: the directory for `$TMPDIR` of commands, one of `writable`
    # All of our own code, and our state that is not there yet: what would run us, or have us run, as the command likes.
    ours: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()  # would be of `read_only` and `absent`; git alone changes them, and they are looked at
    begun: str = ""  # a `.git` that may come to exist if nothing in it is obeyed; it would be one of `absent`

    def on_host(self) -> EffectivePermissions:
        """The same in the host's paths, for what works on them without a view: patches, pictures."""
        tmp = self.private_tmp
        if tmp is None:
            return self
        own = (tmp.source,) if tmp.source else ()
        writable = tuple(place for path in self.writable for place in (own if path == tmp.at else (path,)))
        return self.but(
            writable=writable,
            hidden=(*self.hidden, tmp.at),
            reopened=(*self.reopened, *(() if tmp.at in self.writable else own)),
            private_tmp=None,
        )

    def may_write(self, path: str) -> bool:
        """Whether the innermost entry around `path` opens it; a protection that is no entry is not known here."""
        closed = (*self.read_only, *self.hidden, *self.reopened)
        return _depth(path, self.writable) > _depth(path, closed)

    @property
    def open_places(self) -> tuple[str, ...]:
        """What may be written, for people: a pinned directory is open with the one it lies in."""
        return tuple([place for place in self.writable if place not in self.pinned])

    @property
    def closed_places(self) -> tuple[str, ...]:
        """What exists inside of these and may not be written all the same."""
        opened = tuple([place.rstrip("/") + "/" for place in self.writable])
        return tuple([place for place in (*self.read_only, *self.hidden) if place.startswith(opened)])


def _depth(path: str, places: tuple[str, ...]) -> int:
    """How long the innermost of `places` around `path` is; 0 when none is."""
    return max((len(place) for place in places if path == place or path.startswith(place.rstrip("/") + "/")), default=0)
