"""Where commands have their scratch files, and what they see of the home, as lines for people."""

from __future__ import annotations

from sandgate.display import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.permissions import EffectivePermissions


def tmp_line(permissions: EffectivePermissions) -> str:
    """Where on this machine that lies which the command had for scratch files; nothing where /tmp is the host's."""
    words = scratch_words(permissions)
    return words and f"its {words}"


def scratch_words(permissions: EffectivePermissions) -> str:
    """The place for scratch files as a command calls it, and where it lies; "" where /tmp is the host's."""
    if permissions.scratch:
        return f"$TMPDIR: {visible(permissions.scratch)}"
    tmp = permissions.private_tmp
    return "" if tmp is None else f"{tmp.at}: {visible(tmp.source) or 'in memory, gone with the command'}"


def home_line(closed: Sequence[str]) -> str:
    """What commands see of the home, and how to open more. `closed` are the entries closed now."""
    now = f"{len(closed)} {'entry is' if len(closed) == 1 else 'entries are'} closed now"
    return f'home: closed unless known to be harmless; {now} (to open one: secrets.opened = ["~/.NAME"])'
