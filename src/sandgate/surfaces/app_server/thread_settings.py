"""What a client asks to hold for a thread, as where a session stands and what it is opened with.

A client may make the server's policy stricter, never looser, unless the server was started with leave to. What is no
policy at all (which model, how hard it thinks) is the client's to choose.
"""

from __future__ import annotations

from sandgate.agent.client_settings import ClientWishes, UnreadableWish, as_wished, placed
from sandgate.agent.options import AgentOptions
from sandgate.config import load_settings
from sandgate.record import Record
from sandgate.surfaces.app_server.refusal import bad_params
from sandgate.surfaces.app_server.thread_forms import SOURCE
from sandgate.surfaces.sessions.serving import ELSEWHERE_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.environment import Environment
    from sandgate.surfaces.sessions.serving import Serving

    Json = dict[str, Any]

REVIEWER_KEY = "approvals_reviewer"


class Opening(Record):
    """How one thread is opened. `reviewer`: who answers what it asks."""

    environment: Environment
    options: AgentOptions
    reviewer: str


def opening_of(serving: Serving, asked: Json, *, resume: str | None = None, fork: bool = False) -> Opening:
    """As the client asks. Blocks on the disk. Raises Refused, ConfigError, RequestError."""
    wishes = ClientWishes(asked.get("approvalPolicy"), asked.get("sandbox"), asked.get("config") or {})
    try:
        environment = placed(serving.environment, asked.get("cwd"), loosening=serving.loosening, hint=ELSEWHERE_HINT)
        environment = as_wished(environment, wishes, loosening=serving.loosening)
    except UnreadableWish as problem:
        raise bad_params(problem.sentence) from problem
    loaded = load_settings(
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        profile=environment.profile,
        typed=environment.typed,
        tighter=environment.tighter,
    )
    reviewer = "user" if loaded.values.get(REVIEWER_KEY, "user") == "user" else "auto_review"
    if asked.get("approvalsReviewer") not in (None, reviewer):
        raise bad_params(f"`approvalsReviewer` is `{reviewer}` here; the setting `{REVIEWER_KEY}` says so")
    options = serving.options(SOURCE).but(
        model=asked.get("model") or serving.model,
        provider=asked.get("modelProvider") if serving.model_script is None else None,
        resume=resume,
        fork=fork,
        ephemeral=bool(asked.get("ephemeral")) and resume is None,
    )
    return Opening(environment, options, reviewer)
