"""Where a session stands that a client of a server asks for, and under what.

A client may make the server's policy stricter, never looser, unless the server was started with leave to. What is no
policy at all (how hard a model thinks) is the client's to choose. Shared by every server whose clients open sessions.
"""

from __future__ import annotations

import json
import os

from sandgate.config import load_settings
from sandgate.config.schema import KEYS
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from sandgate.protocol.environment import Environment

# Of a client's choice.
FREE = ("model_reasoning_effort", "model_reasoning_summary", "model_verbosity", "compact_prompt")
CONFIG_KEYS_MAX = 128  # of one request
KEY_SHOWN_CHARS = 80
ELSEWHERE = "the session's directory `{cwd}` is neither below the server's nor in a project that the user trusts"
ELSEWHERE_HINT = "start the server there, or trust the project in config.toml"


class UnreadableWish(RequestError):
    """A client's parameter means nothing here."""


class ClientWishes(Record):
    """What one client asks to hold for a session; what is None is as the server has it."""

    approval: str | None = None  # the name of an approval policy
    sandbox: str | None = None  # the mode
    config: Mapping[str, Any] = {}  # keys as after `-c`, or tables of them
    strict: bool = False  # what is no setting of ours is refused; else it means nothing


def placed(environment: Environment, wanted: str | None, *, loosening: bool = False, hint: str = "") -> Environment:
    """In the directory that the client names, if its sessions may stand there. Blocks on the disk.

    Raises RequestError, ConfigError.
    """
    environment = environment.but(person_present=True)
    if wanted is None:
        return environment
    cwd = os.path.realpath(os.path.join(environment.cwd, wanted))
    if not os.path.isdir(cwd):
        raise UnreadableWish(f"there is no directory `{cwd}`")
    below = os.path.commonpath((environment.cwd, cwd)) == environment.cwd
    if not (below or loosening or _trusted(environment, cwd)):
        raise RequestError(ELSEWHERE.format(cwd=cwd), hint=hint or ELSEWHERE_HINT)
    return environment.but(cwd=cwd)


def as_wished(environment: Environment, wishes: ClientWishes, *, loosening: bool = False) -> Environment:
    """With the settings that the client asks for: over the server's where it may loosen, else as something stricter.

    Raises RequestError for what is no setting; what would loosen is found when the settings are loaded.
    """
    free: list[tuple[str, str]] = []
    policy: list[tuple[str, str]] = []
    for key, value in _settings(wishes):
        (free if key in FREE or loosening else policy).append((key, value))
    overrides = (*environment.overrides, *(f"{key}={value}" for key, value in free))
    if loosening:
        typed = environment.typed
        typed = typed if wishes.approval is None else typed.but(approval_policy=wishes.approval)
        typed = typed if wishes.sandbox is None else typed.but(sandbox_mode=wishes.sandbox)
        return environment.but(overrides=overrides, typed=typed)
    named = (("approval_policy", wishes.approval), ("sandbox_mode", wishes.sandbox))
    policy += [(key, json.dumps(value)) for key, value in named if value is not None]
    return environment.but(overrides=overrides, tighter=(*environment.tighter, *policy))


def _trusted(environment: Environment, cwd: str) -> bool:
    loaded = load_settings(
        cwd=cwd, environ=environment.environ, overrides=environment.overrides, profile=environment.profile
    )
    return loaded.settings.trust == "trusted"


def _settings(wishes: ClientWishes) -> Iterator[tuple[str, str]]:
    """Those that Sandgate has too, as TOML; clients of the lineage send many more, which mean nothing here."""
    given = dict(_flat(wishes.config))
    if len(given) > CONFIG_KEYS_MAX:
        raise UnreadableWish(f"`config` has more than {CONFIG_KEYS_MAX} keys")
    for key, value in given.items():
        if key in KEYS and value is not None:
            if not isinstance(value, str | int | float | bool):
                raise UnreadableWish(f"`config.{key}` has to be text, a number, true or false")
            yield key, json.dumps(value)
        elif wishes.strict and key not in KEYS:
            raise UnreadableWish(f"`config.{visible(key, limit=KEY_SHOWN_CHARS)}` is no setting of Sandgate")


def _flat(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """A table's keys with the table's name before them, as they are written after `-c`."""
    left = list(config.items())
    while left:
        key, value = left.pop()
        if isinstance(value, dict) and value and len(left) <= CONFIG_KEYS_MAX:
            left.extend((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            yield key, value
