"""Runs one command through the helper and says everything that came of it. Also run as another user, by its source."""

import os
import select

from sandgate.kernel import helper as helper_module
from sandgate.protocol.confinement import ConfinedCommand, ExecFailure, Limits, Mount, SetupFailure
from sandgate.protocol.denials import Refused
from sandgate.protocol.permissions import EffectivePermissions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.child import Child
    from sandgate.kernel.layer_mounts import LayerMounts
    from sandgate.protocol.permissions import NetworkMode

RUN_LIMIT_MS = 20_000
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


class Outcome:
    """A finished child, with what it printed on both streams."""

    def __init__(self, child: "Child", output: str) -> None:
        self.output = output
        self.exit_code = child.ended.exit_code if child.ended else None
        self.signal = child.ended.signal if child.ended else None
        self.failure: SetupFailure | ExecFailure | None = child.failure
        self.refused: list[Refused] = [record.but(pid=0) for record in child.refused]
        self.pids = [record.pid for record in child.refused]
        self.omitted = child.refused_omitted
        self.unserved = child.unserved
        self.reported = child.reported
        self.layers = child.layers


def plan_for(
    *argv: str,
    write: tuple[str, ...] = (),
    mounts: tuple[Mount, ...] = (),
    cwd: str = "/",
    env: dict[str, str] | None = None,
    report: str = "report",
    limits: Limits | None = None,
    tty: bool = False,
    **permissions: object,
) -> ConfinedCommand:
    everything = tuple(Mount("write", path) for path in write) + mounts
    return ConfinedCommand(
        backend="namespace",
        argv=argv,
        cwd=cwd,
        env=ENVIRONMENT | (env or {}),
        permissions=EffectivePermissions(writable=write, **permissions),  # type: ignore[arg-type] # fields by name
        mounts=everything,
        report="report" if report == "report" else "off",
        limits=limits or Limits(),
        tty=tty,
    )


def attend(child: helper_module.HelperChild) -> None:
    """Serves the child until it is over and gone."""
    while child.descriptors():
        ready = select.poll()
        ready.register(child.descriptors()[0], select.POLLIN)
        assert ready.poll(RUN_LIMIT_MS), "the helper was silent for too long"
        child.handle(child.descriptors()[0])
    child.close()


def run(
    helper: str,
    plan: ConfinedCommand,
    *,
    without: tuple[str, ...] = (),
    stdin: int | None = None,
    covers: int = 0,
    mounts: "LayerMounts | None" = None,
) -> Outcome:
    """Runs to the end and reads the output, which must fit into a pipe. The overlays are lent from `mounts`."""
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    streams = {"stdin": null if stdin is None else stdin, "stdout": writing, "stderr": writing}
    network: NetworkMode = "on" if "net" in without else plan.permissions.network
    prepared = helper_module.prepare(helper, network=network, covers=covers)
    layers = mounts.lend(helper, plan.overlays, plan.mounts) if mounts is not None else None
    if layers is not None:
        plan = plan.but(overlays=layers.overlays)
    child = prepared.start(plan, **streams, without=without, layers=layers)  # type: ignore[arg-type] # tests name the switches as words
    os.close(writing)
    os.close(null)
    try:
        attend(child)
        chunks = []
        while chunk := os.read(reading, 65536):
            chunks.append(chunk)
    finally:
        os.close(reading)
        child.close()
    return Outcome(child, b"".join(chunks).decode(errors="surrogateescape"))
