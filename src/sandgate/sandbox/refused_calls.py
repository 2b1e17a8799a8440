"""Calls that no command may make, in words: what was wanted, and why it is refused whatever is granted.

The facts are the tables the filters are made of: `kernel.call_groups` says of a whole call why it is refused; what is
said here is about arguments.
"""

from __future__ import annotations

from sandgate.kernel.call_groups import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.call_groups import Group
    from sandgate.protocol.denials import Refused

# <linux/socket.h>, <linux/net.h>
_UNIX, _UNIX_KINDS = "1", {"2": "a unix datagram socket", "3": "a raw unix socket"}
_MODES = "with them it would run as its owner for everybody, also outside the sandbox"
_NODES = "set-id bits and device nodes reach past the sandbox"
_BY_ARGUMENT = {
    "unshare": "no namespaces of its own",
    "clone": "no namespaces of its own",
    "personality": "another personality is refused",
    "ioctl": "this request acts on what is not the command's own",
    "fcntl": "leases and notifications are about others' files",
    "setpriority": "only its own priority is a process's to change",
    "ioprio_set": "only its own priority is a process's to change",
}
_INIT = "it is about the sandbox's own first process"


def what(refused: Refused) -> str:
    """What was wanted, as the object of "denied: …"; the place is named beside it."""
    if refused.path is not None:
        return "a device node or set-id bits on" if refused.syscall.startswith("mknod") else "set-id bits on"
    if refused.syscall in ("socket", "socketpair"):
        return _socket(refused.address or "")
    return refused.syscall


def why(refused: Refused) -> str:
    """Why no grant helps, short of no sandbox."""
    call = refused.syscall
    if refused.path is not None:
        return _NODES if call.startswith("mknod") else _MODES
    if call in ("socket", "socketpair"):
        return "it could be pointed at any service of this machine" if _is_unix(refused) else "no such sockets inside"
    told = next((group.why for group in GROUPS if call in group.calls and _refuses(group)), "")
    return told or _BY_ARGUMENT.get(call, _INIT)


def _refuses(group: Group) -> bool:
    return group.answer != "allow" or group.without_namespaces is not None


def _is_unix(refused: Refused) -> bool:
    return (refused.address or "").split(" ")[0] == _UNIX


def _socket(detail: str) -> str:
    """`detail`: the numbers of family and type."""
    family, _, kind = detail.partition(" ")
    if family == _UNIX and kind in _UNIX_KINDS:
        return _UNIX_KINDS[kind]
    return f"a socket of family {family}, type {kind}"
