"""Approvals for the session, across its pauses: written with the session, and in force again when it goes on.

They hold again only under the very policy they were given under. A person who tightened it since wants to be asked, and
under a looser one the same command could do more than was approved.
"""

from __future__ import annotations

from contextlib import suppress

from sandgate.approvals.keys import keys_of
from sandgate.approvals.store import Renewed
from sandgate.errors import SandgateError
from sandgate.policy.rules.model import instant
from sandgate.protocol.wire import plain, sandbox_json
from sandgate.serving.sealing_key import sealing_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from sandgate.approvals.sealed_approvals import Lasting, Sealer
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.runtime.runtime import Runtime

    Json = dict[str, Any]

# Settings that say nothing about what a command may do, or who is asked. Everything else makes another policy.
OTHER_SETTINGS = frozenset(
    (
        "approval_explicit", "sandbox_explicit", "timeout_ms", "capture_bytes", "kill_grace_ms", "longest_poll_ms",
        "output_tokens", "model_assessment", "require_record", "external_servers", "provider_keys",
    )
)  # fmt: skip
HOLD = "{count} approvals for the session hold again, as they were given"
ASKED_AGAIN = "{count} approvals for the session do not hold any more and are asked about again: {why}"
OTHER_POLICY = "the policy is not the one they were given under"
NOT_OURS = "they were not sealed by you in this session"
NO_KEY = "approvals for the session do not hold any more: {problem}"


class SessionApprovals:
    """Of one session."""

    def __init__(self, runtime: Runtime, session_id: str) -> None:
        self._runtime = runtime
        self._session_id = session_id
        self._sealer: Sealer | None = None

    def lines(self, request: ApprovalRequest, decision: Decision) -> list[Json]:
        """What to write of an answer. Raises SandgateError where there is no key."""
        if decision.decision != "approved_for_session":
            return []
        return self._with_key().lines(request, keys_of(request), decision, policy_digest(self._runtime))

    def renew(self, lines: Iterable[Mapping[str, Any]]) -> list[str]:
        """Puts in force what the transcript has, and says what became of it. Blocks on the disk."""
        found = tuple(lines)
        if not found:
            return []
        try:
            sealer = self._with_key()
        except SandgateError as problem:
            return [NO_KEY.format(problem=problem)]
        ours = [lasting for lasting in map(sealer.opened, found) if lasting is not None]
        policy = policy_digest(self._runtime)
        same = [lasting for lasting in ours if lasting.policy == policy]
        self._runtime.answering.store.renew(map(_renewed, same), sealer.name_of)
        told = [HOLD.format(count=len(same))] if same else []
        if len(same) < len(ours):
            told.append(ASKED_AGAIN.format(count=len(ours) - len(same), why=OTHER_POLICY))
        if len(ours) < len(found):
            told.append(ASKED_AGAIN.format(count=len(found) - len(ours), why=NOT_OURS))
        return told

    def carry_from(self, other: str) -> Callable[[Mapping[str, Any]], Json | None]:
        """Makes approvals of the session with that id this one's own, which begins with a copy of it."""

        def carried(line: Mapping[str, Any]) -> Json | None:
            from sandgate.approvals.sealed_approvals import KIND, Sealer

            if line.get("kind") != KIND:
                return None
            with suppress(SandgateError):  # then they are asked about again
                sealer = self._with_key()
                return Sealer(sealing_key(self._runtime.environ), other).carried(line, sealer)
            return None

        return carried

    def _with_key(self) -> Sealer:
        if self._sealer is None:
            from sandgate.approvals.sealed_approvals import Sealer  # with hmac, for what most sessions never come to
            from sandgate.tools.live_commands import MARK

            key = sealing_key(self._runtime.environ)
            self._sealer = Sealer(key, self._session_id, own=frozenset((MARK,)))
        return self._sealer


def policy_digest(runtime: Runtime) -> str:
    """What decides what a command may do and who is asked, as one word."""
    import json
    from hashlib import sha256

    settings = {name: value for name, value in runtime.settings.fields().items() if name not in OTHER_SETTINGS}
    rules = runtime.policies.rules
    strict = [rule.identity for rule in rules.rules if rule.decide != "allow"]
    network = [[rule.host, rule.protocol, rule.decide] for rule in rules.network]
    said = {
        "settings": plain({**settings, "sandbox": sandbox_json(runtime.settings.sandbox)}),
        "rules": sorted(strict),
        "network": sorted(network),
        "directory": runtime.directory,
    }
    return sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def _renewed(lasting: Lasting) -> Renewed:
    until = instant(lasting.until) if lasting.until else None
    return Renewed(lasting.name, lasting.grants, until, lasting.binding)
