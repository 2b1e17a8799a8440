"""What is said of calls that no command may make: each says what was wanted, and why not."""

import pytest

from sandgate.kernel.call_groups import GROUPS
from sandgate.protocol.denials import Refused
from sandgate.sandbox.refused_calls import what, why


def refused(syscall: str, path: str | None = None, address: str | None = None) -> Refused:
    return Refused("other", syscall, path, address, errno="EPERM", layer="seccomp")


@pytest.mark.parametrize(
    ("syscall", "path", "address", "wanted"),
    [
        ("chmod", "/etc/motd", None, "set-id bits on"),
        ("mknodat", "/etc/motd", None, "a device node or set-id bits on"),
        ("socket", None, "1 2", "a unix datagram socket"),
        ("socketpair", None, "1 3", "a raw unix socket"),
        ("socket", None, "40 1", "a socket of family 40, type 1"),
        ("mount", None, None, "mount"),
    ],
)
def test_what_was_wanted_is_named(syscall: str, path: str | None, address: str | None, wanted: str) -> None:
    assert what(refused(syscall, path, address)) == wanted
    assert why(refused(syscall, path, address))


def test_a_group_says_why_in_the_words_of_its_table() -> None:
    for group in GROUPS:
        for call in group.calls if group.answer == "EPERM" or group.without_namespaces == "EPERM" else ():
            assert why(refused(call)) == group.why


def test_what_depends_on_arguments_has_a_reason_of_its_own() -> None:
    reasons = {why(refused(call)) for call in ("unshare", "personality", "ioctl", "fcntl", "setpriority", "kill")}
    assert len(reasons) == 6
