"""What the model has to know before a turn: instructions of the person and the project, and where it stands."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from sandgate.config.paths import sandgate_home
from sandgate.patch.disk_lookup import path_access_of
from sandgate.policy.secret_names import names_secret
from sandgate.protocol.wire import plain
from sandgate.session.environment_message import TurnEnvironment, environment_context, environment_update, surroundings
from sandgate.session.instructions import ProjectFiles, find_instructions, instructions_message
from sandgate.session.synthetic_messages import is_initial_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from sandgate.config.agent import AgentSettings
    from sandgate.protocol.items import Item
    from sandgate.runtime.runtime import Runtime

ZONES = "/zoneinfo/"
SHELL = "bash"


class Situation:
    """Of one session. Blocks on the disk when it is made, and no more."""

    def __init__(self, runtime: Runtime, settings: AgentSettings) -> None:
        self._runtime = runtime
        project = ProjectFiles(settings.document_bytes, settings.document_names, settings.root_markers)
        home = sandgate_home(runtime.environ)
        access = path_access_of(runtime.confinement.permissions())
        found = find_instructions(
            runtime.directory,
            home=home,
            own=settings.instructions or "",
            project=project,
            readable=lambda path: not names_secret(path) and (access is None or access.readable(path)),
        )
        self._instructions = found.text
        self.problems = found.problems
        self._told: TurnEnvironment | None = None

    def all(self) -> tuple[Item, ...]:
        """Everything, for a conversation that begins."""
        self._told = self._now()
        context = environment_context(self._told)
        if not self._instructions:
            return (context,)
        return (instructions_message(self._instructions, self._runtime.directory), context)

    def news(self, told: Iterable[Item]) -> tuple[Item, ...]:
        """Everything where the conversation `told` has nothing of it, as after a summary; else what has changed."""
        if self._told is None or not any(map(is_initial_context, told)):
            return self.all()
        before, self._told = self._told, self._now()
        update = environment_update(before, self._told)
        return () if update is None else (update,)

    def resumed(self, context: Mapping[str, Any] | None) -> None:
        """The conversation was told before; `context` says what."""
        told = (context or {}).get("surroundings")
        if isinstance(told, dict):
            with suppress(TypeError):
                before = TurnEnvironment(**{**told, "writable_roots": tuple(told.get("writable_roots", ()))})
                self._told = before if _is_readable(before) else None

    def context(self) -> Mapping[str, Any]:
        """For `resumed`."""
        return {} if self._told is None else {"surroundings": plain(self._told)}

    def _now(self) -> TurnEnvironment:
        runtime = self._runtime
        return surroundings(
            runtime.directory,
            runtime.policies.approval,
            runtime.policies.sandbox,
            shell=os.path.basename(runtime.environ.get("SHELL", "")) or SHELL,
            current_date=time.strftime("%Y-%m-%d"),
            timezone=_timezone(),
        )


def _is_readable(told: TurnEnvironment) -> bool:
    """Whether its fields are what they have to be: they come from a file."""
    others = told.but(writable_roots="", network_access="").fields().values()
    texts = all(isinstance(text, str) for text in (*others, *told.writable_roots))
    return texts and (told.network_access is None or isinstance(told.network_access, bool))


def _timezone() -> str:
    """The name of the zone; its abbreviation where only that is known."""
    named = os.environ.get("TZ", "").lstrip(":") or os.path.realpath("/etc/localtime")
    return named.partition(ZONES)[2] or (named if not named.startswith("/") else time.tzname[0])
