"""What a session's turns may change: policies, the directory, and which model answers and how.

A wish is checked as a whole before any of it counts, and put in force when the next turn begins. The configuration that
was read when the session was opened stays; another directory brings its own, of which what is stricter holds.
"""

from __future__ import annotations

import json
import os

from sandgate.config import for_run, load_settings, with_policies
from sandgate.config.agent_rows import EFFORTS, SUMMARIES
from sandgate.config.check import GRANULAR_REQUIRED
from sandgate.config.schema import APPROVAL_MODES
from sandgate.config.tighten import asks_no_less
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.gate.event_loop import on_thread
from sandgate.policy.tightness import confines_no_less
from sandgate.protocol.permissions import (
    PATH_CHARS_MAX,
    DangerFullAccess,
    ExternalSandbox,
    Granular,
    ReadOnly,
    WorkspaceWrite,
    approval_name,
    sandbox_mode,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from sandgate.config import Loaded
    from sandgate.model.prompt import ModelSettings
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.operations import ContextChange
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy
    from sandgate.runtime.runtime import Runtime
    from sandgate.session.turn import SessionSettings

MODEL_CHARS_MAX = 256
ROOTS_MAX = 64  # further writable directories of one turn
DIRECTORIES_MAX = 64  # whose configuration one session keeps
POLICIES = (ReadOnly, WorkspaceWrite, ExternalSandbox, DangerFullAccess)
UNTAKEN = "the settings of a turn cannot be taken: {what}"
ONLY_TIGHTER = "this session was opened for what is as strict as it began, or stricter"


class TurnChanges:
    """Of one session. `only_tighten`: nothing may become looser than what it began with."""

    def __init__(self, runtime: Runtime, first: SessionSettings, *, only_tighten: bool, summary: str | None) -> None:
        """`summary`: what a model that thinks tells of its thoughts, where no turn says otherwise."""
        self.now = first  # what is in force
        self._first = first
        self._runtime = runtime
        self._only_tighten = only_tighten
        self._summary = summary
        self._loaded: dict[str, Loaded] = {first.cwd: runtime.loaded}

    async def agreed(self, before: SessionSettings, change: ContextChange) -> SessionSettings:
        """What holds from the next turn on. Raises SandgateError for what cannot; nothing is done yet."""
        return await on_thread(lambda: self._agreed(before, change))

    async def hold(self, settings: SessionSettings) -> None:
        """Puts it in force for the turn that begins. Raises SandgateError, and then nothing has changed."""
        if _stance(settings) != _stance(self.now):
            await on_thread(lambda: self._hold(settings), stop=lambda: None)
        self.now = settings

    def environment(self, settings: SessionSettings) -> Environment:
        """Where a turn with these settings works."""
        return self._runtime.environment.but(cwd=settings.cwd)

    def _hold(self, settings: SessionSettings) -> None:
        loaded = self._configuration(settings.cwd)
        settled = with_policies(loaded.settings, settings.approval, settings.sandbox)
        self._runtime.hold(self.environment(settings), loaded.but(settings=settled))

    def _agreed(self, before: SessionSettings, change: ContextChange) -> SessionSettings:
        cwd = before.cwd if change.cwd is None else _directory(change.cwd, before.cwd)
        approval = before.approval if change.approval_policy is None else _approval(change.approval_policy)
        sandbox = before.sandbox if change.sandbox_policy is None else checked_sandbox(change.sandbox_policy)
        loaded = self._configuration(cwd)
        if cwd != before.cwd:  # what its own configuration has stricter holds, where nothing else was asked for
            there = for_run(loaded.settings, person_present=self._runtime.environment.person_present)
            approval = approval if change.approval_policy is not None else _stricter(approval, there.approval)
            if change.sandbox_policy is None and not confines_no_less(sandbox, there.sandbox):
                sandbox = there.sandbox
        with_policies(loaded.settings, approval, sandbox)
        settings = before.but(cwd=cwd, approval=approval, sandbox=sandbox, model=self._model(before.model, change))
        if self._only_tighten:
            self._require_no_looser(settings)
        return settings.but(changed=tuple(dict.fromkeys((*before.changed, *_named(change)))))

    def _configuration(self, cwd: str) -> Loaded:
        found = self._loaded.get(cwd)
        if found is None:
            if len(self._loaded) >= DIRECTORIES_MAX:
                raise _untaken("`cwd`", f"one session may go to {DIRECTORIES_MAX} directories")
            where = self._runtime.environment
            found = self._loaded[cwd] = load_settings(
                cwd=cwd,
                environ=where.environ,
                overrides=where.overrides,
                profile=where.profile,
                typed=where.typed,
                tighter=where.tighter,
            )
        return found

    def _model(self, how: ModelSettings, change: ContextChange) -> ModelSettings:
        if change.model is not None:
            how = how.but(model=_name(change.model))
        if change.effort != "":
            how = how.but(effort=None if change.effort is None else _one_of(EFFORTS, "effort", change.effort))
        if change.summary is not None:
            how = how.but(summary=_one_of(SUMMARIES, "summary", change.summary))
        return how.but(summary=(how.summary or self._summary) if how.effort else None)

    def _require_no_looser(self, wanted: SessionSettings) -> None:
        first = self._first
        if not asks_no_less(wanted.approval, first.approval):
            raise _untaken(f"`approval_policy` {approval_name(wanted.approval)}", ONLY_TIGHTER)
        if not confines_no_less(wanted.sandbox, first.sandbox):
            raise _untaken(f"`sandbox_policy` {sandbox_mode(wanted.sandbox)}", ONLY_TIGHTER)
        if not _is_in(os.path.realpath(wanted.cwd), os.path.realpath(first.cwd)):
            raise _untaken(f"`cwd` {visible(wanted.cwd)}", ONLY_TIGHTER)


def _stance(settings: SessionSettings) -> tuple[object, ...]:
    return settings.cwd, settings.approval, settings.sandbox


def _named(change: ContextChange) -> tuple[str, ...]:
    """What it asks for."""
    given = change.fields()
    return tuple(name for name, value in given.items() if value != ("" if name == "effort" else None))


def _untaken(what: str, why: str) -> RequestError:
    return RequestError(UNTAKEN.format(what=what), why=why)


def _stricter(one: ApprovalPolicy, other: ApprovalPolicy) -> ApprovalPolicy:
    if asks_no_less(one, other):
        return one
    if asks_no_less(other, one):
        return other
    why = f"the session has {approval_name(one)}, that directory {approval_name(other)}, and neither is stricter"
    raise _untaken("`cwd` without `approval_policy`", why)


def _directory(cwd: object, before: str) -> str:
    if not isinstance(cwd, str) or not os.path.isabs(cwd) or "\0" in cwd or len(cwd) > PATH_CHARS_MAX:
        raise _untaken(f"`cwd` {_shown(cwd)}", "it is not an absolute path")
    if not os.path.isdir(cwd):
        raise _untaken(f"`cwd` {_shown(cwd)}", "there is no such directory")
    place = os.path.realpath(cwd)
    if _is_in(os.path.normpath(cwd), before) and not _is_in(place, os.path.realpath(before)):
        # A command may have made the link, and its target would be the next workspace.
        raise _untaken(f"`cwd` {_shown(cwd)}", f"a link leads out of it, to {visible(place)}")
    return place


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


def _approval(policy: object) -> ApprovalPolicy:
    if isinstance(policy, Granular):
        given = policy.fields()
        if all(isinstance(value, bool) for value in given.values()) and not any(
            value for name, value in given.items() if name not in GRANULAR_REQUIRED
        ):
            return policy
        why = "a granular policy says yes or no of " + ", ".join(GRANULAR_REQUIRED) + ", and of nothing else"
        raise _untaken("`approval_policy` granular", why)
    for mode in APPROVAL_MODES:
        if policy == mode:
            return mode  # type: ignore[return-value] # the table has exactly those of the type
    raise _untaken(f"`approval_policy` {_shown(policy)}", f"it is one of {', '.join(APPROVAL_MODES)}")


def checked_sandbox(policy: object) -> SandboxPolicy:
    """A policy that somebody gave us, if it is one. Raises RequestError."""
    if not isinstance(policy, POLICIES):
        raise _untaken(f"`sandbox_policy` {_shown(policy)}", "it is no sandbox policy")
    flags = {name: value for name, value in policy.fields().items() if name != "writable_roots"}
    wrong = [name for name, value in flags.items() if not isinstance(value, bool)]
    if wrong:
        raise _untaken(f"`sandbox_policy` {sandbox_mode(policy)}", f"{wrong[0]} is neither true nor false")
    if isinstance(policy, WorkspaceWrite):
        roots = policy.writable_roots
        if not isinstance(roots, tuple) or len(roots) > ROOTS_MAX:
            raise _untaken("`writable_roots`", f"it is a list of at most {ROOTS_MAX} directories")
        for root in roots:
            if not isinstance(root, str) or not os.path.isabs(root) or "\0" in root:
                raise _untaken(f"`writable_roots` {_shown(root)}", "it is not an absolute path")
    return policy


def is_model_name(name: object) -> TypeGuard[str]:
    """Whether a model could be called so."""
    return isinstance(name, str) and bool(name.strip()) and name.isprintable() and len(name) <= MODEL_CHARS_MAX


def _name(model: object) -> str:
    if not is_model_name(model):
        raise _untaken(f"`model` {_shown(model)}", "it is no name of a model")
    return model


def _one_of(choices: tuple[str, ...], name: str, value: object) -> str:
    for choice in choices:
        if value == choice:
            return choice
    raise _untaken(f"`{name}` {_shown(value)}", f"it is one of {', '.join(choices)}")


def _shown(value: object) -> str:
    return f"`{visible(json.dumps(value, default=str, ensure_ascii=False), limit=80)}`"
