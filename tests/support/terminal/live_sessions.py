"""Sessions with live commands, entered by their public doors: a workspace, a home, and who is asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.runtime import Environment, Runtime, open_runtime
from sandgate.testing import ReviewerDouble
from support.process.waiting import wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeVar

    from sandgate.protocol.trace import TraceRecord
    from sandgate.tools.answers import ExecAnswer

    Event = TypeVar("Event")

# The tests' own folders are below /tmp, and what lies beside a workspace must not be writable: with Landlock and
# without a sandbox it would be, and a server counts its own /tmp among what commands may write.
NOT_ALL_OF_TMP = "sandbox_workspace_write.exclude_slash_tmp=true"
BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
    pytest.param("none"),
]
CONNECTIONS = [pytest.param(True, id="tty"), pytest.param(False, id="pipe")]
JOIN_LIMIT_S = 30


class Workplace:
    """A repository, a home and a place that is neither; closes the sessions it has opened."""

    def __init__(self, folder: Path) -> None:
        self.repo, self.home, self.outside = folder / "repo", folder / "home", folder / "outside"
        for each in (self.repo, self.home, self.outside):
            each.mkdir()
        self.events: list[TraceRecord] = []
        self.keeps_events = True
        self.backend: str | None = None  # of sessions that are asked for none
        self._sessions: list[Runtime] = []

    def session(
        self,
        *overrides: str,
        reviewer: ReviewerDouble | None = None,
        backend: str | None = None,
        environ: Mapping[str, str] | None = None,
        **typed: Any,
    ) -> Runtime:
        """`backend` "none" stands for a policy that confines nothing."""
        confining = {"sandbox_mode": "workspace-write", "backend": backend or self.backend}
        chosen = {"sandbox_mode": "danger-full-access"} if backend == "none" else confining
        runtime = open_runtime(
            self.environment(*overrides, environ=environ, **{"approval_policy": "never", **chosen, **typed}),
            reviewers=() if reviewer is None else (reviewer,),
            record=self._keep,
        )
        self._sessions.append(runtime)
        return runtime

    def environment(self, *overrides: str, environ: Mapping[str, str] | None = None, **typed: Any) -> Environment:
        plain = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home)}
        return Environment(
            cwd=str(self.repo),
            environ={**plain, **(environ or {})},
            overrides=(NOT_ALL_OF_TMP, *overrides),
            typed=TypedOverrides(**typed),
        )

    def told(self, kind: type[Event]) -> list[Event]:
        """The events of one kind so far; what was to be told by now has been."""
        for each in self._sessions:
            if each.live.teller is not None:
                each.live.teller.flush()
        return [event for event in tuple(self.events) if isinstance(event, kind)]

    def _keep(self, event: TraceRecord) -> None:
        if self.keeps_events:
            self.events.append(event)

    def forget(self, runtime: Runtime) -> None:
        """Whoever has it closes it, or lets it go."""
        self._sessions.remove(runtime)

    def close(self) -> None:
        for each in self._sessions:
            each.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    workplace = Workplace(tmp_path)
    yield workplace
    workplace.close()


def shell(runtime: Runtime) -> int:
    """A bash that waits for commands; its session id."""
    answer = runtime.exec_command("exec bash --norc --noprofile -i", tty=True, login=False)
    assert answer.session_id is not None, answer
    return answer.session_id


def run_to_end(runtime: Runtime, cmd: str, **arguments: Any) -> ExecAnswer:
    """A command of which nothing is left; its first answer."""
    answer = runtime.exec_command(cmd, **{"login": False, **arguments})
    assert answer.session_id is None, answer
    return answer


def pid_in(path: Path) -> int:
    """The number a command has written there."""
    assert wait_until(lambda: path.exists() and path.read_text().endswith("\n")), f"nothing was written to {path}"
    return int(path.read_text())


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not just waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def left_of(mark: str) -> int:
    """How many `sleep MARK` are alive; a mark that nobody else uses tells whose they are."""
    wanted = f"sleep\0{mark}\0".encode()
    found = 0
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes()
        except OSError:
            continue
        found += words == wanted and is_running(int(entry))
    return found
