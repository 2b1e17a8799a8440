"""A real session whose commands are answered from a script.

Configuration, policy, questions, grants, plans, the explanation of denials and patches are what they always are; plans
are those of the namespace backend, and nothing carries them out. It takes no kernel feature, no compiler, and no file
of the user's: home and workspace are made for the test, and go with it.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from tempfile import TemporaryDirectory

from sandgate.config import load_settings
from sandgate.execution.head_start import HeadStart
from sandgate.gate.confinement import Confinement
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.environment import Environment
from sandgate.reviewers.async_reviewer import ReviewerBridge
from sandgate.runtime.aio import AsyncGate
from sandgate.runtime.runtime import Runtime
from sandgate.runtime.wiring import confinement_of
from sandgate.testing.script import CommandScript
from sandgate.testing.scripted_child import start_scripted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from sandgate.approvals.chain import Reviewer
    from sandgate.kernel.child import Child
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand, ConfinementSettings
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.trace import Recorder
    from sandgate.reviewers.async_reviewer import AsyncReviewer
    from sandgate.sandbox.memory import LaterLook
    from sandgate.testing.script import ScriptedCommand

PATH = "/usr/local/bin:/usr/bin:/bin"
NO_FILE_HERE = "no-configuration-of-the-machine"


class ScriptedConfinement(Confinement):
    """Makes the plans of one session as ever, and has them carried out by nothing but the script."""

    def __init__(
        self,
        script: CommandScript,
        settings: ConfinementSettings,
        environment: Environment,
        record: Recorder,
    ) -> None:
        super().__init__(settings, environment, record)
        self._script = script
        self._kind = "namespace"  # chosen, so that no helper is looked for

    def head_start(self) -> HeadStart:
        """See `Confinement`."""
        return ScriptedStart(self._script)

    def plan(
        self,
        command: CommandRequest,
        grants: tuple[Grant, ...],
        *,
        reads: bool = False,
        later: LaterLook | None = None,
    ) -> ConfinedCommand:
        """An inert plan that promises nothing: no mount is made, nor a file for one to lie on."""
        del later  # nothing is started that could wait
        return super().plan(command, grants, reads=reads).but(mounts=(), overlays=(), guarantees=())

    def drafted(self, plan: ConfinedCommand) -> tuple[ConfinedCommand, None]:
        """Nothing is written, so a git directory needs no draft."""
        return plan, None


class ScriptedStart(HeadStart):
    """A `Starter` that starts nothing."""

    __slots__ = ("_script",)

    def __init__(self, script: CommandScript) -> None:
        super().__init__()
        self._script = script

    def start(self, plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None) -> Child:
        """See `HeadStart`. Raises NotInScript."""
        del stdin, helper
        return start_scripted(plan, self._script, stdout=stdout, stderr=stderr)


@contextmanager
def scripted_runtime(
    answers: Mapping[str, str | ScriptedCommand | Sequence[str | ScriptedCommand]],
    *,
    cwd: str | None = None,
    reviewers: tuple[Reviewer, ...] = (),
    environ: Mapping[str, str] | None = None,
    overrides: tuple[str, ...] = (),
    record: Recorder | None = None,
) -> Iterator[Runtime]:
    """A session for blocking callers, as `open_runtime` opens one; `answers` say by its text how each command goes.

    A text stands for what a command prints that succeeds; a list is used up one by one. `cwd` is a directory for
    patches, made anew unless it is given; `environ` are all variables that commands see beside HOME and PATH.
    """
    with TemporaryDirectory(prefix="sandgate-testing-") as folder:
        environment = _environment(folder, cwd, environ, overrides)
        with _opened(environment, CommandScript(answers), reviewers, record) as runtime:
            yield runtime


@asynccontextmanager
async def scripted_gate(
    answers: Mapping[str, str | ScriptedCommand | Sequence[str | ScriptedCommand]],
    *,
    cwd: str | None = None,
    reviewer: AsyncReviewer | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: tuple[str, ...] = (),
    record: Recorder | None = None,
) -> AsyncIterator[AsyncGate]:
    """A session for programs with an event loop, as `open_gate` opens one; the rest is as in `scripted_runtime`."""
    with TemporaryDirectory(prefix="sandgate-testing-") as folder:
        environment = _environment(folder, cwd, environ, overrides)
        bridge = None if reviewer is None else ReviewerBridge(reviewer, asyncio.get_running_loop())
        reviewers = () if bridge is None else (bridge,)
        runtime = await on_thread(lambda: _opened(environment, CommandScript(answers), reviewers, record))
        gate = AsyncGate(runtime, bridge)
        try:
            yield gate
        finally:
            await gate.close()


def _environment(
    folder: str, cwd: str | None, environ: Mapping[str, str] | None, overrides: tuple[str, ...]
) -> Environment:
    home, workspace = os.path.join(folder, "home"), os.path.join(folder, "workspace")
    os.mkdir(home)
    os.mkdir(workspace)
    variables = {"PATH": PATH, "HOME": home, **(environ or {})}
    return Environment(cwd=workspace if cwd is None else cwd, environ=variables, overrides=overrides)


def _opened(
    environment: Environment, script: CommandScript, reviewers: tuple[Reviewer, ...], record: Recorder | None
) -> Runtime:
    loaded = load_settings(
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        system_dir=os.path.join(environment.environ["HOME"], NO_FILE_HERE),
    )
    return Runtime(
        environment.but(person_present=bool(reviewers)),
        loaded,
        reviewers=reviewers,
        record=record,
        confining=partial(confinement_of, making=partial(ScriptedConfinement, script)),
    )
