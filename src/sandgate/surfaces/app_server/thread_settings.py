"""What a client asks to hold for a thread, as where a session stands and what it is opened with.

A client may make the server's policy stricter, never looser, unless the server was started with leave to. What is no
policy at all (which model, how hard it thinks) is the client's to choose.
"""

from __future__ import annotations

import json
import os

from sandgate.agent.options import AgentOptions
from sandgate.config import load_settings
from sandgate.config.schema import KEYS
from sandgate.errors import RequestError
from sandgate.record import Record
from sandgate.surfaces.app_server.refusal import bad_params
from sandgate.surfaces.app_server.thread_forms import SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from sandgate.protocol.environment import Environment

    Json = dict[str, Any]

FREE = ("model_reasoning_effort", "model_reasoning_summary", "model_verbosity")  # of a client's choice
REVIEWER_KEY = "approvals_reviewer"
CONFIG_KEYS_MAX = 128
ELSEWHERE = "the thread's directory `{cwd}` is neither below the server's nor in a project that the user trusts"
ELSEWHERE_HINT = "start the server there, trust the project in config.toml, or start it with `--allow-loosening`"


class Serving(Record):
    """How a server serves: where it stands, which model its threads have, and whether clients may loosen."""

    environment: Environment
    model: str | None = None
    model_script: str | None = None
    model_record: str | None = None
    model_replay: str | None = None
    loosening: bool = False


class Opening(Record):
    """How one thread is opened. `reviewer`: who answers what it asks."""

    environment: Environment
    options: AgentOptions
    reviewer: str


def opening_of(serving: Serving, asked: Json, *, resume: str | None = None, fork: bool = False) -> Opening:
    """As the client asks. Blocks on the disk. Raises Refused, ConfigError, RequestError."""
    environment = _placed(serving, asked.get("cwd"))
    environment = _settled(serving, environment, asked)
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
    options = AgentOptions(
        model=asked.get("model") or serving.model,
        provider=asked.get("modelProvider") if serving.model_script is None else None,
        model_script=serving.model_script,
        model_record=serving.model_record,
        model_replay=serving.model_replay,
        resume=resume,
        fork=fork,
        ephemeral=bool(asked.get("ephemeral")) and resume is None,
        source=SOURCE,
    )
    return Opening(environment, options, reviewer)


def _placed(serving: Serving, wanted: str | None) -> Environment:
    """In the directory that the client names, if its threads may stand there."""
    environment = serving.environment.but(person_present=True)
    if wanted is None:
        return environment
    cwd = os.path.realpath(os.path.join(environment.cwd, wanted))
    if not os.path.isdir(cwd):
        raise bad_params(f"there is no directory `{cwd}`")
    below = os.path.commonpath((environment.cwd, cwd)) == environment.cwd
    if not (below or serving.loosening or _trusted(environment, cwd)):
        raise RequestError(ELSEWHERE.format(cwd=cwd), hint=ELSEWHERE_HINT)
    return environment.but(cwd=cwd)


def _trusted(environment: Environment, cwd: str) -> bool:
    loaded = load_settings(
        cwd=cwd, environ=environment.environ, overrides=environment.overrides, profile=environment.profile
    )
    return loaded.settings.trust == "trusted"


def _settled(serving: Serving, environment: Environment, asked: Json) -> Environment:
    """With the settings that the client asks for: over the server's where it may loosen, else as something stricter."""
    free: list[tuple[str, str]] = []
    policy: list[tuple[str, str]] = []
    for key, value in _settings(asked.get("config") or {}):
        (free if key in FREE or serving.loosening else policy).append((key, value))
    approval, sandbox = asked.get("approvalPolicy"), asked.get("sandbox")
    overrides = (*environment.overrides, *(f"{key}={value}" for key, value in free))
    if serving.loosening:
        typed = environment.typed
        typed = typed if approval is None else typed.but(approval_policy=approval)
        typed = typed if sandbox is None else typed.but(sandbox_mode=sandbox)
        return environment.but(overrides=overrides, typed=typed)
    named = (("approval_policy", approval), ("sandbox_mode", sandbox))
    policy += [(key, json.dumps(value)) for key, value in named if value is not None]
    return environment.but(overrides=overrides, tighter=(*environment.tighter, *policy))


def _settings(config: Json) -> Iterator[tuple[str, str]]:
    """Those that Sandgate has too, as TOML; clients of the lineage send many more, which mean nothing here."""
    if len(config) > CONFIG_KEYS_MAX:
        raise bad_params(f"`params.config` has more than {CONFIG_KEYS_MAX} keys")
    for key, value in config.items():
        if key in KEYS and value is not None:
            if not isinstance(value, str | int | float | bool):
                raise bad_params(f"`params.config.{key}` has to be text, a number, true or false")
            yield key, json.dumps(value)
