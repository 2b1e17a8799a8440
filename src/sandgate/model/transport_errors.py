"""What went wrong between us and a provider, in words of ours alone.

A library's own words may hold an address or a header. What lies beneath them, the system's reason, does not.
"""

from __future__ import annotations

import os
import socket
import ssl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHAIN_MAX = 16  # errors that led to one another
# Of the library: what was to be sent is wrong in itself.
UNSENDABLE = frozenset({"LocalProtocolError", "UnsupportedProtocol", "InvalidURL"})


def fault_words(error: BaseException) -> str:
    """A few words."""
    for each in _chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return "its certificate is not trusted"
        if isinstance(each, socket.gaierror):
            return "its name cannot be looked up"
        if isinstance(each, OSError) and each.errno and not isinstance(each, ssl.SSLError):
            return os.strerror(each.errno)
    return type(error).__name__


def is_final(error: BaseException) -> bool:
    """Whether the same request would fail in the same way again."""
    return any(
        isinstance(each, ssl.SSLCertVerificationError) or type(each).__name__ in UNSENDABLE for each in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, one of several that happened side by side standing for all."""
    each: BaseException | None = error
    for _ in range(CHAIN_MAX):
        if each is None:
            return
        yield each
        each = each.exceptions[0] if isinstance(each, BaseExceptionGroup) else each.__cause__ or each.__context__
