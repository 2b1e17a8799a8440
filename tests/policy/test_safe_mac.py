"""Programs of macOS: what shows is known, and the verb beside it is asked about."""

from __future__ import annotations

import shlex

import pytest

from sandgate.policy.safe_mac import MAC, MAC_COMMANDS
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_subcommands import SUBCOMMANDS
from sandgate.policy.safety import is_safe


def test_every_line_is_found() -> None:
    assert set(MAC) <= set(SAFE)
    assert set(MAC_COMMANDS) <= set(SUBCOMMANDS)


@pytest.mark.parametrize(
    ("shows", "changes"),
    [
        ("dscl . -read /Groups/admin", "dscl . -append /Groups/admin GroupMembership u"),
        ("scutil --get HostName", "scutil --set HostName x"),
        ("networksetup -listallnetworkservices", "networksetup -setdnsservers Wi-Fi 1.1.1.1"),
        ("softwareupdate --history", "softwareupdate -ia"),
        ("tmutil listlocalsnapshots /", "tmutil deletelocalsnapshots /"),
        ("log show --last 5m", "log erase --all"),
        ("pmset -g", "pmset -a sleep 0"),
        ("nvram -p", "nvram -c"),
        ("kextstat -l", "kextload x"),
    ],
)
def test_a_verb_that_shows_is_not_asked_about(shows: str, changes: str) -> None:
    assert is_safe(tuple(shlex.split(shows)))
    assert not is_safe(tuple(shlex.split(changes)))
