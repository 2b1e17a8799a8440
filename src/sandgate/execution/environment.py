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

from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    Inherit = Literal["all", "core", "none"]

# exec.md section 11: without these hardly any program works.
CORE_NAMES = frozenset(
    {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TEMP", "TMP", "TMPDIR", "USER"}
)

# exec.md section 11 and config.md section 7; compared in upper case.
_SECRET_WORDS = ("KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE")
_SECRET_PREFIX = "AWS_"
_SECRET_SUFFIXES = ("_PAT", "_PWD", "_PASS", "_AUTH", "_JWT")
_SECRET_NAMES = frozenset({"DATABASE_URL", "DOCKER_AUTH_CONFIG", "PASS", "PGPASS", "SSHPASS"})

# Harmless words around a secret one. They are struck out before the name is judged, so that `KEYBOARD_LAYOUT` stays
# and `KEYBOARD_API_KEY` does not.
_HARMLESS_WORDS = ("KEYBOARD", "KEYMAP", "KEYTIMEOUT", "LESSKEYIN", "LESSKEY", "HOTKEY", "MONKEY", "KEYRING_BACKEND",
                   "KEYRING_PROVIDER", "TOKENIZERS", "TOKENIZER", "MAX_TOKENS")  # fmt: skip
_HARMLESS_NAMES = frozenset({"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_DEFAULT_OUTPUT", "AWS_PAGER"})

# What the tokens of services begin with, whatever the variable is called, and how long they are at least. The shapes
# are those of `commandline/redaction.py`; a test compares the two.
_TOKENS: tuple[tuple[tuple[str, ...], int], ...] = (
    (("sk-", "glpat-", "glrt-", "gldt-", "glsoat-", "glcbt-", "dckr_pat_"), 15),
    (("sk_live_", "sk_test_", "rk_live_", "rk_test_", "xapp-"), 13),
    (("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"), 13),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "npm_", "pypi-", "hf_", "hvs.", "hvb.", "hvr."), 19),
    (("doo_v1_", "dop_v1_", "dor_v1_", "shpat_", "shpss_", "shpca_", "shppa_", "ya29."), 17),
    (("AKIA", "ASIA", "ABIA", "ACCA"), 20),
    (("AIza", "SG."), 28),
    (("eyJ",), 20),
)
_TOKEN_STARTS = tuple(start for starts, _length in _TOKENS for start in starts)
_SCHEMES = ("bearer ", "basic ", "digest ", "negotiate ")  # of an `Authorization`, compared in lower case

_PRIVATE_KEY_SIGNS = ("PRIVATE KEY-----", "PuTTY-User-Key-File-", "AGE-SECRET-KEY-1")


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


def is_secret_name(name: str) -> bool:
    """True for names that by the built-in list hold secrets."""
    name = name.upper()
    if name in _HARMLESS_NAMES:
        return False
    for word in _HARMLESS_WORDS:
        name = name.replace(word, "")
    return (
        any(word in name for word in _SECRET_WORDS)
        or name.startswith(_SECRET_PREFIX)
        or name.endswith(_SECRET_SUFFIXES)
        or name in _SECRET_NAMES
    )


def is_private_key(value: str) -> bool:
    """True for values that look like private keys, whatever their variable is called."""
    return any(sign in value for sign in _PRIVATE_KEY_SIGNS)


def is_secret_value(value: str) -> bool:
    """True for values that are secrets by themselves: a private key, a service's token, an address with a password."""
    if is_private_key(value) or value[:10].lower().startswith(_SCHEMES):
        return True
    return _is_token(value) or ("@" in value and any(map(_carries_password, value.split())))


def _is_token(value: str) -> bool:
    if not value.startswith(_TOKEN_STARTS):
        return False
    one_word = value.isascii() and not any(mark in value for mark in " /:,;=")
    return one_word and any(value.startswith(starts) and len(value) >= length for starts, length in _TOKENS)


def _carries_password(address: str) -> bool:
    """`scheme://user:password@host`, or a token in the place of the user."""
    _scheme, separator, rest = address.partition("://")
    before_path = rest.partition("/")[0]
    who, at, _host = before_path.rpartition("@")
    return bool(separator and at) and (bool(who.partition(":")[2]) or _is_token(who))


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
