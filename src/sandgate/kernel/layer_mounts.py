"""Caches that a session keeps mounted, lent to its commands.

The kernel takes half a millisecond to mount a layer and to clear it away, and some microseconds to copy a mount. So
the first command of a session that uses layers has the helper mount them: two descriptors, no process, gone with the
session. Several commands may borrow them at once. native/lent_layers.c says how a layer that is no longer what was
mounted is noticed: such a command mounts its own, and tells. Then these mounts are made anew, not always at
once: another session that uses the same layers would only take them away again.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from itertools import count

from sandgate.kernel.helper_process import sealed_plan
from sandgate.kernel.networks import close_parts, copies, made_parts, send_parts, who
from sandgate.kernel.plan_codec import LAYERS_OF_SESSION, encode, request
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

    from sandgate.kernel.networks import Parts
    from sandgate.protocol.confinement import Mount, Overlay

    Overlays = tuple[Overlay, ...]

PAUSE_COMMANDS_MAX = 64  # that mount their own before the session mounts anything again
NAME_BYTES = 8  # at random, in each name: whoever finds it in a work directory knows whose mount it is


class LayerLoan:
    """Mounts lent to one command. `overlays` are those of its plan, with their names."""

    __slots__ = ("_kept", "_number", "_parts", "overlays")

    def __init__(self, kept: _Kept, overlays: Overlays) -> None:
        self._parts: Parts | None = copies(kept.parts)
        self._kept = kept
        self.overlays = overlays
        self._number = next(kept.numbers)
        kept.users.add(self._number)

    def send_to(self, status: socket) -> None:
        """Lends them on to a helper. Raises OSError."""
        assert self._parts is not None  # not given back yet
        send_parts(status, self._parts)

    def give_back(self, *, outdated: bool = False) -> None:
        """The command is over, or does not run; `outdated`: it could not use them. May be repeated."""
        parts, self._parts = self._parts, None
        if parts is not None:
            close_parts(parts)
            self._kept.users.discard(self._number)
            if outdated:
                self._kept.is_outdated = True

    def __del__(self) -> None:
        self.give_back()  # a caller that was interrupted has forgotten it


class _Kept:
    """What was mounted at one time."""

    __slots__ = ("_named", "_plain", "is_outdated", "names", "numbers", "parts", "users")

    def __init__(self, parts: Parts, named: Overlays) -> None:
        self.parts = parts
        self.names = {overlay.but(lent=""): overlay for overlay in named}
        self.users: set[int] = set()  # commands that run; changed by one call each, as threads share it
        self.numbers = count()
        self.is_outdated = False
        self._plain: Overlays = ()
        self._named: Overlays = ()

    def covers(self, overlays: Overlays) -> bool:
        return overlays is self._plain or all(overlay in self.names for overlay in overlays if overlay.lasting)

    def named(self, overlays: Overlays) -> Overlays:
        """The same object for the same overlays: what a plan says of places is encoded once."""
        if overlays is not self._plain:
            self._named = tuple([self.names.get(overlay, overlay) for overlay in overlays])
            self._plain = overlays
        return self._named


class LayerMounts:
    """May be shared by threads, and not by processes: a forked one has its own."""

    __slots__ = ("_changing", "_kept", "_left", "_owner", "_pause")

    def __init__(self) -> None:
        self._kept: _Kept | None = None
        self._owner = who()
        self._changing = allocate_lock()
        self._pause = 0  # after the next loss, so many commands mount their own
        self._left = 0  # of them

    def lend(self, helper: str, overlays: Overlays, mounts: tuple[Mount, ...]) -> LayerLoan | None:
        """The session's mounts for these overlays; None where the command mounts all of them itself: also where the
        `mounts` of its plan cover something in a layer that another command is using. What that one has open the kernel
        does not look up again, and in a directory that was replaced meanwhile nothing would be found to be covered."""
        with self._changing:
            if who() != self._owner:
                self._drop()
                self._owner = who()
            if self._kept is not None and self._kept.is_outdated:
                self._lose()
            if self._kept is None or not (self._kept.users or self._kept.covers(overlays)):
                self._make(helper, overlays)
            if self._kept is not None and self._kept.users and _any_inside(mounts, overlays):
                return None
            try:
                return None if self._kept is None else LayerLoan(self._kept, self._kept.named(overlays))
            except OSError:  # no descriptors left
                return None

    def close(self) -> None:
        """Who borrowed them keeps them; who comes later gets others. May be repeated."""
        with self._changing:
            self._drop()

    def __del__(self) -> None:
        self._drop()

    def _drop(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            close_parts(kept.parts)

    def _lose(self) -> None:
        self._drop()
        self._left = self._pause
        self._pause = min(2 * self._pause + 1, PAUSE_COMMANDS_MAX)

    def _make(self, helper: str, overlays: Overlays) -> None:
        """Of these, and of those that there were."""
        if self._left:
            self._left -= 1
            return
        known = () if self._kept is None else tuple(self._kept.names)
        self._drop()
        wanted = dict.fromkeys((*known, *(overlay for overlay in overlays if overlay.lasting)))
        name = os.urandom(NAME_BYTES).hex()
        named = tuple([overlay.but(lent=f"{at}-{name}") for at, overlay in enumerate(wanted)])
        try:
            parts = made_parts(helper, _Order(named))
        except OSError:  # the next start of the helper says why
            parts = None
        if parts is None:
            self._lose()
        else:
            self._kept = _Kept(parts, named)


def _any_inside(mounts: tuple[Mount, ...], overlays: Overlays) -> bool:
    above = tuple([f"{overlay.lower}/" for overlay in overlays if overlay.lasting])
    return any(mount.kind != "overlay" and mount.path.startswith(above) for mount in mounts)


class _Order:
    """What a helper is told that mounts these overlays."""

    def __init__(self, overlays: Overlays) -> None:
        self._plan = ConfinedCommand(
            backend="namespace",
            argv=("layers",),
            cwd="/",
            env={},
            permissions=EffectivePermissions(),
            overlays=overlays,
        )

    def __call__(self, status: socket) -> None:
        plan = sealed_plan(encode(self._plan))
        try:
            status.send(request(LAYERS_OF_SESSION))
            send_parts(status, (plan,))
        finally:
            os.close(plan)
