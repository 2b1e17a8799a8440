"""A fault is said in words of the system, and never in those of a library."""

from __future__ import annotations

import errno
import socket
import ssl
from itertools import pairwise

import pytest

from sandgate.model.transport_errors import fault_words, is_final

SECRET = "https://user:secret@host/"


class LocalProtocolError(Exception):
    """As the library calls it."""


def chained(*errors: BaseException) -> BaseException:
    """The last one, to which the others led."""
    for cause, error in pairwise(errors):
        error.__cause__ = cause
    return errors[-1]


@pytest.mark.parametrize(
    ("causes", "words", "final"),
    [
        ([ConnectionRefusedError(errno.ECONNREFUSED, SECRET)], "Connection refused", False),
        ([OSError(errno.ENETUNREACH, SECRET)], "Network is unreachable", False),
        ([ExceptionGroup("all", [ConnectionRefusedError(errno.ECONNREFUSED, SECRET)]), OSError(SECRET)],
         "Connection refused", False),
        ([socket.gaierror(socket.EAI_NONAME, SECRET)], "its name cannot be looked up", False),
        ([ssl.SSLCertVerificationError(1, SECRET)], "its certificate is not trusted", True),
        ([ssl.SSLError(1, SECRET)], "RuntimeError", False),
        ([LocalProtocolError(SECRET)], "RuntimeError", True),
        ([], "RuntimeError", False),
    ],
)  # fmt: skip
def test_what_lies_beneath_is_said(causes: list[BaseException], words: str, final: bool) -> None:
    error = chained(*causes, RuntimeError(SECRET))
    assert (fault_words(error), is_final(error)) == (words, final)


def test_errors_that_led_to_each_other_have_an_end() -> None:
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert fault_words(first) == "RuntimeError"
