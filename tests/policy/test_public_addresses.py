"""Which addresses a yes to a name opens."""

import pytest

from sandgate.policy.public_addresses import is_public

PUBLIC = (
    *("93.184.216.34", "1.1.1.1", "2606:2800:220::1"),
    *("64:ff9b::5db8:d822", "::ffff:93.184.216.34", "2002:5db8:d822::1"),
)
NOT_PUBLIC = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.5", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254"),
    *("192.0.2.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "255.255.255.255", "240.0.0.1"),
    *("::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1", "2001:db8::1", "100::1"),
    # Of those that carry another one, what they carry counts.
    *("::ffff:127.0.0.1", "::ffff:10.0.0.5", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    *("2002:7f00:1::1", "2002:a00:5::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_host_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_this_machine_its_neighbours_and_its_keepers_are_not(address: str) -> None:
    """Required: otherwise who owns a name would choose which of them a yes opens."""
    assert not is_public(address)
