"""Names that were given are looked up by the host's own resolver."""

import _socket
import socket

import pytest

from sandgate.protocol.held_calls import FoundHost
from sandgate.protocol.permissions import Grant
from sandgate.sandbox.named_hosts import FOUND_MAX, look_up, names_in


def found(monkeypatch: pytest.MonkeyPatch, *addresses: str, problem: OSError | None = None) -> None:
    def answer(*_words: object) -> list[object]:
        if problem is not None:
            raise problem
        return [(0, 0, 0, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(_socket, "getaddrinfo", answer)


def test_only_names_are_looked_up() -> None:
    grants = (Grant("host", "*"), Grant("host", "10.0.0.1:80"), Grant("host", "[::1]:80"), Grant("host", "a.example"))
    assert names_in((*grants, Grant("write_path", "/b"))) == ["a.example"]


def test_what_is_not_public_or_closed_by_a_rule_is_found_and_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, "1.1.1.1", "10.0.0.5", "1.1.1.1", "9.9.9.9", "fe80::1%eth0")
    assert look_up("a.example", lambda address: address == "9.9.9.9") == FoundHost(
        "a.example", ("1.1.1.1", "10.0.0.5", "9.9.9.9", "fe80::1"), ("10.0.0.5", "9.9.9.9", "fe80::1")
    )


def test_more_addresses_than_are_kept_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, *(f"1.1.1.{number}" for number in range(1, 40)))
    host = look_up("a.example")
    assert isinstance(host, FoundHost)
    assert len(host.addresses) == FOUND_MAX


def test_a_name_that_does_not_exist_has_no_addresses_and_a_failure_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, problem=socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
    assert look_up("a.example") == FoundHost("a.example", ())
    found(monkeypatch, problem=socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"))
    assert look_up("a.example") == "Temporary failure in name resolution"
