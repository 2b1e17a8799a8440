"""Socket addresses, read and said."""

import errno
import socket
import struct

import pytest

from sandgate.kernel.socket_address import SocketAddress, unix_address


def inet(host: str, port: int) -> SocketAddress:
    return SocketAddress(
        struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(host) + bytes(8)
    )


def inet6(host: str, port: int) -> SocketAddress:
    head = struct.pack("=H", socket.AF_INET6) + struct.pack(">HI", port, 0)
    return SocketAddress(head + socket.inet_pton(socket.AF_INET6, host) + bytes(4))


@pytest.mark.parametrize(
    ("address", "text", "local"),
    [
        (inet("10.0.0.1", 443), "10.0.0.1:443", False),
        (inet("127.8.0.1", 1), "127.8.0.1:1", True),
        (inet("0.0.0.0", 80), "0.0.0.0:80", True),
        (inet6("2001:db8::1", 80), "[2001:db8::1]:80", False),
        (inet6("::1", 80), "[::1]:80", True),
        (inet6("::", 80), "[::]:80", True),
        (inet6("::2", 80), "[::2]:80", False),
        (inet6("::ffff:10.0.0.1", 443), "10.0.0.1:443", False),
        (inet6("::ffff:127.0.0.1", 443), "127.0.0.1:443", True),
    ],
)
def test_an_internet_address_is_said_as_grants_say_it(address: SocketAddress, text: str, local: bool) -> None:
    """Required: an IPv4 address in the clothes of IPv6 is the same host, and wants the same grant."""
    assert (str(address), address.is_local) == (text, local)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_an_address_that_was_cut_off_names_no_host(family: int) -> None:
    address = SocketAddress(struct.pack("=H", family) + bytes(4))
    assert (str(address), address.is_local) == (f"family {int(family)}", False)


def test_unix_addresses_are_paths_or_abstract_names() -> None:
    assert SocketAddress(unix_address("/run/it")).path == "/run/it"
    abstract = SocketAddress(struct.pack("=H", socket.AF_UNIX) + b"\0bus")
    assert (abstract.path, abstract.abstract, str(abstract)) == ("", b"\0bus", "unix:@bus")


def test_a_path_too_long_for_an_address_is_refused() -> None:
    assert len(unix_address("/" * 107)) == 110
    with pytest.raises(OSError, match="too long") as caught:
        unix_address("/" * 108)
    assert caught.value.errno == errno.ENAMETOOLONG
