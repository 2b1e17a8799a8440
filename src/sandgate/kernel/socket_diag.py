"""What the kernel says a unix socket is bound to, by the socket's inode.  sock_diag(7), Linux 3.3, CONFIG_UNIX_DIAG

A name says nothing for sure: who may rename can put another socket's file in its place, and an abstract one is free
again as soon as its socket is closed. A kernel without this tells nothing, and nothing is taken for known then.
"""

from __future__ import annotations

import _socket
import errno
import struct

from sandgate.kernel.call_rules import AF_UNIX

INODE_MASK = 0xFFFFFFFF  # of a file's inode the kernel tells the lower half, struct unix_diag_vfs
ANSWER_BYTES_MAX = 4096  # an answer about one socket has some 100
_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY, _REQUEST = 20, 1  # SOCK_DIAG_BY_FAMILY; NLM_F_REQUEST
_HEADER = struct.Struct("=IHHII")  # struct nlmsghdr: length, type, flags, sequence, port
_QUESTION = struct.Struct("=BBHIIIII")  # struct unix_diag_req
_MESSAGE_BYTES = 16  # struct unix_diag_msg
_ATTRIBUTE = struct.Struct("=HH")  # struct rtattr: length with itself, type
_NAME, _FILE = 0, 1  # UNIX_DIAG_NAME, UNIX_DIAG_VFS; UDIAG_SHOW_… is the bit of that number
_ANY = 0xFFFFFFFF  # every state, and whatever cookie


def bound_file(inode: int) -> int | None:
    """Of the file that the socket `inode` was bound to, the inode under `INODE_MASK`; None for none."""
    told = _told(inode, _FILE)
    return None if told is None else int.from_bytes(told[:4], "little")


def bound_name(inode: int) -> bytes | None:
    """The name that the socket `inode` has, as in its address; None when it has none, or is closed."""
    return _told(inode, _NAME)


def _told(inode: int, attribute: int) -> bytes | None:
    question = _QUESTION.pack(AF_UNIX, 0, 0, _ANY, inode, 1 << attribute, _ANY, _ANY)
    try:
        kernel = _socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW | _socket.SOCK_CLOEXEC, _SOCK_DIAG)
        try:
            kernel.send(_HEADER.pack(_HEADER.size + len(question), _BY_FAMILY, _REQUEST, 0, 0) + question)
            answer = kernel.recv(ANSWER_BYTES_MAX, _socket.MSG_DONTWAIT)
        finally:
            kernel.close()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS):
            raise
        return None  # this kernel does not know the question
    if _HEADER.unpack_from(answer)[1] != _BY_FAMILY:
        return None  # there is no such socket
    return _attributes(answer[_HEADER.size + _MESSAGE_BYTES :]).get(attribute)


def _attributes(raw: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    while len(raw) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(raw)
        if length < _ATTRIBUTE.size:
            break
        found[kind] = raw[_ATTRIBUTE.size : length]
        raw = raw[length + -length % 4 :]
    return found
