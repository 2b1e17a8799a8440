"""An approval for the session, written so that the session finds it when it goes on, and no other session can use it.

A transcript is a file of the person's, so what stands in it is no proof. Every such line is sealed with a key that no
confined command can read, over all it says and over the session it was given in: a line that was changed, made up or
taken from another session is worth nothing. What was approved is named by a digest under the same key, because it
includes the environment of the command, which is written nowhere. An approval that holds so many times is not written:
how often it was used is known in memory alone.
"""

from __future__ import annotations

import hmac
import json

from sandgate.approvals.chain import tied_to
from sandgate.commandline.redaction import redacted_argv
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.bindings import Binding, BoundAs
    from sandgate.protocol.decisions import ApprovalKey, ApprovalRequest, Decision
    from sandgate.protocol.permissions import Grant

    Json = dict[str, Any]

KIND = "session_approval"
PURPOSE = b"sandgate: approvals of a session"  # the person's key seals other things, too, and none stands for another
# What is typed into a live command, and the tools of a server that may be another one by now, are asked about again.
FAMILIES = frozenset(("exec", "apply_patch"))
GRANTS_MAX = 1_000  # of one line


class Lasting(Record):
    """One that was read again: the digest of what may run, what it may have, and until when."""

    name: str
    policy: str  # under which it was given, as its digest
    grants: tuple[Grant, ...]
    until: str = ""  # RFC 3339 with a zone; "": with the session
    binding: Binding | None = None  # what it was given for, and has to be so still


class Sealer:
    """Of one session. `key` is the person's secret; `own` are the variables that we give every command ourselves."""

    def __init__(self, key: bytes, session_id: str, *, own: frozenset[str] = frozenset()) -> None:
        self._key = hmac.digest(key, PURPOSE, "sha256")
        self._own = own
        self._session_id = session_id

    def name_of(self, key: ApprovalKey) -> str:
        """What the exact command is called in a line, in every session of this person."""
        environment = sorted([name, value] for name, value in key.environment if name not in self._own)
        return self._digest(["key", key.family, key.argv, key.cwd, environment, key.wish, key.tty])

    def lines(
        self, request: ApprovalRequest, keys: tuple[ApprovalKey, ...], decision: Decision, policy: str
    ) -> list[Json]:
        """What to write of a person's answer; nothing where it does not outlive the session's memory."""
        if decision.decision != "approved_for_session" or decision.source != "user" or decision.uses is not None:
            return []
        return [self._line(request, key, decision, policy) for key in keys if key.family in FAMILIES]

    def opened(self, line: Mapping[str, Any]) -> Lasting | None:
        """What such a line says; None for one that is not of this session, or not ours."""
        said = {name: value for name, value in line.items() if name != "seal"}
        seal = line.get("seal")
        if line.get("kind") != KIND or not isinstance(seal, str) or not seal.isascii():
            return None
        if not hmac.compare_digest(seal, self._seal(said)):
            return None
        return _as_lasting(line)

    def carried(self, line: Mapping[str, Any], new: Sealer) -> Json | None:
        """The same line for a session that begins with a copy of this one; None for one that is not ours."""
        if self.opened(line) is None:
            return None
        said = {name: value for name, value in line.items() if name != "seal"}
        return {**said, "seal": new._seal(said)}

    def _line(self, request: ApprovalRequest, key: ApprovalKey, decision: Decision, policy: str) -> Json:
        binding = tied_to(request, decision)
        said = {
            "kind": KIND,
            "approval_id": request.request_id,
            "family": key.family,
            "command": list(redacted_argv(request.command.argv)),
            "cwd": request.command.cwd,
            "grants": [grant.fields() for grant in decision.grants],
            "until": decision.until,
            "bound": None if binding is None else [[seen.kind, seen.path, seen.state] for seen in binding.places],
            "name": self.name_of(key),
            "policy": policy,
        }
        return {**said, "seal": self._seal(said)}

    def _seal(self, said: Mapping[str, Any]) -> str:
        return self._digest(["seal", self._session_id, said])

    def _digest(self, value: object) -> str:
        text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hmac.digest(self._key, text.encode(), "sha256").hex()


def _as_lasting(line: Mapping[str, Any]) -> Lasting | None:
    from sandgate.protocol.permissions import Grant

    grants, name, policy, until = (line.get(field) for field in ("grants", "name", "policy", "until"))
    if not isinstance(grants, list) or len(grants) > GRANTS_MAX:
        return None
    if not isinstance(name, str) or not isinstance(policy, str) or not isinstance(until, str):
        return None
    given = tuple(Grant(each["kind"], each["value"]) for each in grants)
    return Lasting(name, policy, given, until, _binding(line.get("bound")))


def _binding(bound: list[tuple[BoundAs, str, str]] | None) -> Binding | None:
    """As it was sealed; a line of an earlier version is tied to nothing."""
    from sandgate.protocol.bindings import Binding, Seen

    return None if bound is None else Binding(tuple([Seen(*each) for each in bound]))
