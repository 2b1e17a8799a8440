"""Where a session stands: its directory, its variables, and what was asked for on the way in."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STATE_VARIABLE = "XDG_STATE_HOME"  # what leads to our own state
STATE_NAME = "sandgate"  # below it; closed to every confined command


class TypedOverrides(Record):
    """The dedicated options of the command line; None and () are options not given."""

    approval_policy: str | None = None
    sandbox_mode: str | None = None
    add_dirs: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()  # `KIND=PATH`
    allow_broad_workspace: bool | None = None
    network: str | None = None
    backend: str | None = None
    timeout_ms: int | None = None
    experimental_sandbox_command_assessment: bool | None = None
    enable: tuple[str, ...] = ()  # features; these two stand on the layer of `-c`, after it
    disable: tuple[str, ...] = ()


class Environment(Record):
    """Where a runtime stands: its directory, its environment, and what was asked for on the way in."""

    cwd: str  # absolute; the policy's directory, and the command's unless it says otherwise
    environ: Mapping[str, str]
    overrides: tuple[str, ...] = ()  # `key=value`, as after -c
    profile: str | None = None
    typed: TypedOverrides = TypedOverrides()
    tighter: tuple[tuple[str, str], ...] = ()  # settings that a client asks to have stricter
    hidden: tuple[str, ...] = ()  # absolute paths that no confined command may see, beside what the settings say
    person_present: bool = False  # the user, a client or prepared answers can answer questions
