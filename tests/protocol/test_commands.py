"""What is no command at all is refused before anything is judged."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.commands import check_argv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize("argv", [("ls",), ["ls", "-l"], ("ls", ""), ("a b", "\n", "\udcff", "é")])
def test_what_a_kernel_takes_passes(argv: Any) -> None:
    check_argv(argv)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ("ls -l", "a command is a sequence of words"),
        ("", "a command is a sequence of words"),
        (("ls", b"-l"), "a command is a sequence of words"),
        (("ls", 1), "a command is a sequence of words"),
        ((None,), "a command is a sequence of words"),
        ((), "the command is empty"),
        (("",), "the command is empty"),
        (("", "-l"), "the command is empty"),
        (("ls", "a\0b"), "a NUL byte"),
        (("ls\0",), "a NUL byte"),
    ],
    ids=repr,
)
def test_what_no_kernel_takes_is_refused_with_the_reason(argv: Any, says: str) -> None:
    with pytest.raises(RequestError, match=says) as refused:
        check_argv(argv)
    assert refused.value.hint
