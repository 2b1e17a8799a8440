"""What decides about commands before a reviewer is asked, and the command as it is judged."""

from __future__ import annotations

from sandgate.policy.program_places import said_by
from sandgate.protocol.permissions import approval_name, confines
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from sandgate.policy.program_places import ProgramPlaces
    from sandgate.policy.rules import RuleSet
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy

    AfterApproval = Literal["silent", "ask", "by-risk"]

# What a model's commands find before anything else. It is our own code, which nothing confined may change.
OWN_PROGRAMS = __file__.removesuffix("gate/policies.py") + "patch/bin"
NOWHERE = "/nonexistent"  # a directory nothing lies in


class Policies(Record):
    """What decides, before a reviewer is asked."""

    approval: ApprovalPolicy
    sandbox: SandboxPolicy
    rules: RuleSet
    workspace: str = NOWHERE  # the policy's directory, never the one a command chose
    backend_available: bool = True
    places: Callable[[CommandRequest], ProgramPlaces] | None = None  # where its programs lie; None: not looked for
    retry_after_approval: AfterApproval = "by-risk"  # high risk asks again, everything else is covered

    @property
    def confines(self) -> bool:
        return confines(self.sandbox)

    def programs(self, command: CommandRequest) -> ProgramPlaces:
        """Where the programs of `command`, as it is judged, lie."""
        return self.places(command) if self.places is not None else said_by(command, self.sandbox)

    @property
    def name(self) -> str:
        return approval_name(self.approval)


def as_judged(command: CommandRequest) -> CommandRequest:
    """The command with the variables that were asked for in front: one can make a harmless program run another.

    Without our own directory on its PATH: a name that is found there could not have been planted.
    """
    path = command.env.get("PATH", "")
    if path.startswith(f"{OWN_PROGRAMS}:"):
        command = command.but(env={**command.env, "PATH": path.removeprefix(f"{OWN_PROGRAMS}:")})
    if not command.set_variables:
        return command
    return command.but(argv=("env", *(f"{name}={value}" for name, value in command.set_variables), *command.argv))
