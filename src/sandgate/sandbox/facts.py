"""Reports once per command what `policy.effective` needs to know of the disk.

What an earlier command was told holds for as long as nothing has changed that it rests on: of this session
(`memory.py`), or of the last ones in this project (`stored_facts.py`). Else the disk is asked (`survey.py`).
"""

from __future__ import annotations

import os

from sandgate.sandbox.listening import listening_names
from sandgate.sandbox.memory import Memory
from sandgate.sandbox.protection import Protection
from sandgate.sandbox.workspace_question import SAID_BY, WorkspaceQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.policy.effective import WorkspaceFacts
    from sandgate.protocol.permissions import Grant, SandboxPolicy
    from sandgate.sandbox.memory import LaterLook, Moment


def workspace_facts(
    policy: SandboxPolicy,
    *,
    policy_cwd: str,
    environ: Mapping[str, str],
    state_directory: str,
    extra_roots: Iterable[str] = (),
    grants: tuple[Grant, ...] = (),
    protection: Protection | None = None,
    opened_secrets: Iterable[str] = (),
    more_secrets: Iterable[str] = (),
    private_tmp: str | None = None,
    scratch: str = "",
    memory: Memory | None = None,
    stored: str = "",
    later: LaterLook | None = None,
) -> WorkspaceFacts:
    """What the disk says. `environ` is Sandgate's own environment, not the command's; `memory` spares looking again
    at what has not changed since the last command of the session. `private_tmp` and `scratch` are the fields of
    `WorkspaceFacts` of these names: the caller knows the backend, and so which. `stored`: a file that no command can
    read or write, for what outlives the session; "" for none. `later`: whoever passes it looks before the command
    begins, and drops what this returned where something has changed.

    Raises `ConfinementError` when a named path leads through a link that a confined command could have made, when
    `policy_cwd` or a root leads elsewhere by now, or when protected files cannot all be found; `DirectoryMissing` when
    there is no `policy_cwd`.
    """
    memory = Memory() if memory is None else memory
    moment = memory.now(later)
    question = WorkspaceQuestion(
        policy,
        policy_cwd,
        state_directory,
        tuple(extra_roots),
        grants,
        protection or Protection(),
        (tuple(opened_secrets), tuple(more_secrets)),
        private_tmp,
        scratch,
        os.geteuid(),
        listening_names(),
        tuple(map(environ.get, SAID_BY)),
    )
    known = moment.conclusion(question) or (_restored(question, memory, stored) if memory.is_new and stored else None)
    found = known or _surveyed(question, memory, moment, stored)
    memory.roots.check(policy, found.resolved)
    return found


def _restored(question: WorkspaceQuestion, memory: Memory, stored: str) -> WorkspaceFacts | None:
    from sandgate.sandbox.stored_facts import recalled

    found = recalled(stored, question)
    if found is None:
        return None
    if memory.restored(found.grounds, (question, found.facts)):
        memory.listings |= found.listings
        return found.facts
    return None


def _surveyed(question: WorkspaceQuestion, memory: Memory, moment: Moment, stored: str) -> WorkspaceFacts:
    from sandgate.sandbox.survey import survey

    facts, holds = survey(question, moment)
    if holds:
        moment.conclude(question, facts)
        if stored and memory.is_new:
            memory.unsaved = stored, question, facts, moment
    return facts
