"""What a thread takes upon itself before it starts a command: rules of Landlock and a seccomp filter.

Built beforehand, so that the thread, once it goes there, only has to make the calls; what the next command mostly
wants again is kept.
"""

from __future__ import annotations

import _thread
import os
import struct

from sandgate.kernel import landlock
from sandgate.kernel.call_rules import call_rules, group_actions
from sandgate.kernel.capabilities import drop_powers
from sandgate.kernel.notify import LISTENER_FLAGS
from sandgate.kernel.path_access import identity_of
from sandgate.kernel.seccomp import assemble
from sandgate.kernel.syscalls import caller, machine
from sandgate.protocol.confinement import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.kernel.call_rules import Reads
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import EffectivePermissions

PR_SET_NO_NEW_PRIVS = 38  # <linux/prctl.h>
SECCOMP_SET_MODE_FILTER = 1


class LandlockRuleSet:
    """A Landlock rule set as the kernel holds it, and the objects its rules sit on."""

    def __init__(self, mounts: tuple[Mount, ...], abi: int, *, network: bool) -> None:
        self.granted: dict[str, tuple[int, int]] = {}
        self.shown: dict[str, tuple[int, int]] = {}
        self.fd = landlock.create_ruleset(abi, network=network)
        for mount in mounts:
            writing = mount.kind == "write"
            rights = landlock.write_rights(abi) if writing else landlock.read_rights(abi)
            identity = landlock.allow_path(self.fd, mount.path, rights)
            if identity is not None:
                (self.granted if writing else self.shown)[mount.path] = identity

    def __del__(self) -> None:
        os.close(self.fd)

    def still_true(self) -> bool:
        """Whether every path still leads to the object its rule was made for. The kernel keeps their numbers taken."""
        rules = (*self.granted.items(), *self.shown.items())
        return all(identity_of(path) == identity for path, identity in rules)


_last: tuple[object, LandlockRuleSet] | None = None
_last_lock = _thread.allocate_lock()


def rule_set(mounts: tuple[Mount, ...], abi: int, *, network: bool) -> LandlockRuleSet:
    """The rule set for `mounts`; the last one is kept, since the next command mostly wants the same."""
    global _last
    key = (mounts, abi, network)
    with _last_lock:
        if _last is None or _last[0] != key or not _last[1].still_true():
            _last = (key, LandlockRuleSet(mounts, abi, network=network))
        return _last[1]


class Restriction:
    """What the launcher thread takes upon itself: built beforehand, so that it only has to make the calls."""

    def __init__(self, plan: ConfinedCommand, abi: int, terminal: str | None) -> None:
        network = plan.permissions.network == "on"
        if terminal is None:
            self.rules = rule_set(plan.mounts, abi, network=network)
        else:
            # Never kept: devpts gives the next terminal the name and the inode number of one that is gone.
            self.rules = LandlockRuleSet((*plan.mounts, Mount("write", terminal)), abi, network=network)
        self._program = _program(network, "all" if may_take_over(plan) else reads_of(plan.permissions))

    def apply(self) -> int:
        """Restricts the calling thread for good; the listener of its filter. OSError with the step as filename."""
        calls = caller()
        calls.call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        drop_powers(for_good=True)
        landlock.restrict_self(self.rules.fd)
        return calls.call("seccomp", SECCOMP_SET_MODE_FILTER, LISTENER_FLAGS, self._program)


def may_take_over(plan: ConfinedCommand) -> bool:
    """Whether refused calls may wait, or be carried out: then files come to be that no rule of Landlock knows."""
    return plan.holds_calls or bool(plan.supervised_grants)


def reads_of(permissions: EffectivePermissions) -> Reads:
    """Which opens for reading to hold.

    Rules leave out every directory above something hidden. Listing such a directory is answered by hand; where
    the command may also make files in one, those have no rule either, and each open has to be.
    """
    below_roots = any(
        path.startswith(root.rstrip("/") + "/") for path in permissions.hidden for root in permissions.writable
    )
    return "all" if below_roots else "directories"


_programs: dict[tuple[bool, str], tuple[bytes, Any]] = {}


def _program(network: bool, reads: Reads) -> bytes:
    """A `struct sock_fprog` for this machine, kept with the instructions it points to."""
    import ctypes

    key = (network, reads)
    if key not in _programs:
        rules = call_rules(network=network, reads=reads)
        code = assemble(rules, machine=machine(), otherwise=group_actions(machine()))
        held = ctypes.create_string_buffer(code, len(code))
        _programs[key] = (struct.pack("=H6xQ", len(code) // 8, ctypes.addressof(held)), held)
    return _programs[key][0]
