"""What a project's own file may change: nothing that would give a command more freedom.

A repository can be written by strangers, so its settings are compared with what stands below them, key by key, by
the rule in the table (`ProjectRule`). What would loosen is left out and reported. The user can lift this for
the policies of one project with `allow_project_policy`, for the file in the directory that it names.
"""

from __future__ import annotations

from sandgate.config.check import shown_value
from sandgate.config.schema import APPROVAL_MODES, POLICY_KEYS, default_of, key_named
from sandgate.protocol.permissions import Granular
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.config.schema import Key

# Where nothing is configured below a trusted project, this is what its own values are measured against.
TRUSTED_BASE = {"sandbox_mode": "workspace-write", "approval_policy": "on-request", "sandbox.network": "off"}

# Keys of other layers and other programs that a project must not set; named together in one warning.
NEVER_FROM_PROJECT = frozenset(
    (
        "openai_base_url", "chatgpt_base_url", "model_provider", "model_providers", "notify", "profile", "profiles",
        "experimental_realtime_ws_base_url", "otel", "sqlite_home", "log_dir", "cli_auth_credentials_store",
        "forced_login_method", "projects", "history", "model_prices", "analytics", "hooks", "approvals_reviewer",
        "mcp_servers",
    )
)  # fmt: skip


class Tightened(Record):
    """A project's values after the comparison, and what was left out."""

    values: Mapping[str, object]
    unsupported: tuple[str, ...] = ()  # keys a project may not set at all
    loosening: tuple[str, ...] = ()  # `key = value` texts that would have loosened


def tightened(values: Mapping[str, object], below: Mapping[str, object], *, policy_free: bool) -> Tightened:
    """`values` of a project over the merged values `below` it. `policy_free`: the user lifted the policy keys."""
    kept: dict[str, object] = {}
    unsupported, loosening = [], []
    for name, value in values.items():
        key = key_named(name)
        base = below.get(name, TRUSTED_BASE.get(name, default_of(name)))
        if policy_free and name.startswith(POLICY_KEYS):
            kept[name] = value
        elif key.project == "ignored":
            unsupported.append(name)
        elif key.project == "more":
            kept[name] = tuple(dict.fromkeys((*_texts(base), *_texts(value))))
        elif _allowed(key, value, base):
            kept[name] = value
        else:
            loosening.append(f"{name} = {shown_value(_plain(value))}")
    return Tightened(kept, tuple(unsupported), tuple(loosening))


def _allowed(key: Key, value: object, base: object) -> bool:
    match key.project:
        case "tighter" if key.kind == "approval":
            return asks_no_less(value, base)
        case "tighter":
            return key.choices.index(str(value)) <= key.choices.index(str(base))
        case "only-true":
            return value is True or value == base
        case "only-false":
            return value is False or value == base
        case "fewer":
            return set(_texts(value)) <= set(_texts(base))
        case "narrower":
            return bool(value) and set(_texts(value)) <= set(_texts(base)) if base else True
        case "lower":
            return base is None or (isinstance(value, int) and isinstance(base, int) and value <= base)
        case _:
            return False


def asks_no_less(value: object, base: object) -> bool:
    """Whether an approval policy leaves a person at least as much say as `base`.

    Granular stands beside `on-request`, with some questions refused; over a granular base only another one
    that refuses at least the same may stand.
    """
    if isinstance(base, Granular):
        return isinstance(value, Granular) and all(base.fields()[name] or not on for name, on in value.fields().items())
    mode = "on-request" if isinstance(value, Granular) else str(value)
    return APPROVAL_MODES.index(mode) <= APPROVAL_MODES.index(str(base))


def _texts(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _plain(value: object) -> object:
    if isinstance(value, Granular):
        return "granular"
    return list(value) if isinstance(value, tuple) else value
