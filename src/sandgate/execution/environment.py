"""What a command gets to see of our environment.

Pure: it is given the variables and says which go on and which do not. The steps stand in one order: start from all,
some or none; drop what holds secrets, by name or by value; drop what the policy excludes; add what it sets; keep only
what it includes. What was asked for this one command, and our markers, come last. Dropped variables are reported by
name; a value never leaves this module except into the command. What leads to services outside the sandbox is dropped
later, for confined commands only (`sandbox/sockets.py`).

Loader and shell variables (`LD_PRELOAD`, `LD_LIBRARY_PATH`, `BASH_ENV`, `PYTHONSTARTUP`) stay: the code they bring
in runs inside the same sandbox with the same rights as the command, and tool chains depend on them. The helper that
builds the sandbox is static and reads no environment.
"""

from __future__ import annotations

from sandgate.places.secrets import is_secret_name, is_secret_value
from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    Inherit = Literal["all", "core", "none"]

# Without these hardly any program works.
CORE_NAMES = frozenset(
    {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TEMP", "TMP", "TMPDIR", "USER"}
)


class EnvironmentPolicy(Record):
    """The `shell_environment_policy` table. Patterns are globs on the whole name, without regard to case."""

    inherit: Inherit = "all"
    ignore_default_excludes: bool = False
    exclude: tuple[str, ...] = ()
    set: tuple[tuple[str, str], ...] = ()
    include_only: tuple[str, ...] = ()  # empty: everything; applies to `set`, too
    allow: tuple[str, ...] = ()  # names the built-in exclusions get wrong


class EnvironmentResult(Record):
    """The environment of one command, and the names of what it would have inherited."""

    env: Mapping[str, str]
    dropped_names: tuple[str, ...]  # sorted; what `inherit` leaves out is not listed


def command_environment(
    inherited: Mapping[str, str],
    policy: EnvironmentPolicy,
    *,
    set: Iterable[tuple[str, str]] = (),
    markers: Iterable[tuple[str, str]] = (),
    provider_keys: Iterable[str] = (),
) -> EnvironmentResult:
    """Builds the environment of one command.

    `set` was asked for explicitly for this command and overrides everything but `markers`. `provider_keys` are the
    names under which model providers' keys are kept; a command never inherits them, whatever the policy allows.
    """
    env = _starting_set(inherited, policy.inherit)
    started_with = tuple(env)
    provider = frozenset(provider_keys)
    for name, value in tuple(env.items()):
        if name in provider or _is_withheld(name, value, policy):
            del env[name]
    env.update((name, value) for name, value in policy.set if name not in provider)
    if policy.include_only:
        env = {name: value for name, value in env.items() if matches_any(policy.include_only, name)}
    env.update(set)
    env.update(markers)
    return EnvironmentResult(env, tuple(sorted(name for name in started_with if name not in env)))


def matches_any(patterns: Iterable[str], name: str) -> bool:
    """True when one of the globs describes the whole name, without regard to case."""
    name = name.upper()
    return any(_matches(pattern.upper(), name) for pattern in patterns)


def _starting_set(inherited: Mapping[str, str], inherit: Inherit) -> dict[str, str]:
    match inherit:
        case "all":
            return dict(inherited)
        case "core":
            return {name: value for name, value in inherited.items() if name in CORE_NAMES}
        case "none":
            return {}
        case _:
            return never_reached(inherit)


def _is_withheld(name: str, value: str, policy: EnvironmentPolicy) -> bool:
    if matches_any(policy.exclude, name):
        return True
    if matches_any(policy.allow, name):
        return False
    return not policy.ignore_default_excludes and (is_secret_name(name) or is_secret_value(value))


def _matches(pattern: str, name: str) -> bool:
    """`*` is any run, `?` one character. The last star is the only one worth going back to."""
    at, star, resume = 0, -1, 0
    position = 0
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, resume, at = at, position, at + 1
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif star >= 0:
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")
