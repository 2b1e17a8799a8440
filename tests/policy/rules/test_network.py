"""Network rules: hosts in one form, which of two rules holds, and which words name a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.policy.rules import NetworkRule
from sandgate.policy.rules.network import host_lists, hosts_named, normal_host, rule_for_words, settled

DENIED = NetworkRule("evil.example", "https", "forbid")
ASKED = NetworkRule("corp.example", "https", "ask")
ALLOWED = NetworkRule("fine.example", "https", "allow")


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("Example.COM", "example.com"),
        (" example.com. ", "example.com"),
        ("example.com:443", "example.com"),
        ("example.com.:443", "example.com"),
        ("localhost", "localhost"),
        ("10.0.0.1:80", "10.0.0.1"),
        ("[2001:DB8::1]:443", "2001:db8::1"),
        ("[::1]", "::1"),
        ("::1", "::1"),
    ],
)
def test_hosts_have_one_form(written: str, host: str) -> None:
    assert normal_host(written) == host


@pytest.mark.parametrize(
    "written",
    ["", " ", ".", "*", "*.a", "a b", "https://a", "a/b", "a..b", ".a", "a:", "a:x", "[a", "[a]", "[::1]x", "a@b",
     "é.x", "a:80:x", "x" * 254, "[::1]:"],
)  # fmt: skip
def test_what_is_no_plain_host_is_none(written: str) -> None:
    assert normal_host(written) is None


@given(st.text(max_size=12))
def test_a_normal_host_stays_as_it_is(text: str) -> None:
    host = normal_host(text)
    assert host is None or normal_host(host) == host


def test_in_one_file_the_last_rule_about_a_host_holds() -> None:
    other = DENIED.but(decide="allow")
    assert settled([DENIED, ASKED, other]) == (ASKED, other)
    assert settled([other, DENIED.but(protocol="http")]) == (DENIED.but(protocol="http"),)
    asked = DENIED.but(decide="ask")
    assert settled([DENIED, asked]) == (DENIED, asked)


def test_between_files_the_strictest_holds() -> None:
    assert host_lists([DENIED, ALLOWED, ASKED, DENIED.but(decide="allow")]) == (("fine.example",), ("evil.example",))


@pytest.mark.parametrize(
    "word",
    [
        "https://evil.example/x?y",
        "HTTPS://EVIL.example",
        "http://user:pass@evil.example:8080/",
        "git@evil.example:repo.git",
        "evil.example:443",
        "evil.example",
        "evil.example.",
        "sub.evil.example",
        "--url=https://evil.example",
        "-oProxyCommand=nc evil.example@evil.example",
        "/dev/tcp/evil.example/80",
        "import urllib; urlopen('http://evil.example/x')",
        'connect(("evil.example", 80))',
    ],
)
def test_a_word_that_names_a_forbidden_host_is_found(word: str) -> None:
    assert rule_for_words((word,), (ALLOWED, ASKED, DENIED)) == DENIED


@pytest.mark.parametrize(
    "word",
    ["devil.example", "evil.example.com", "notes-evil.example", "evil-example", "block evil.example please", "https://fine.example"],
)  # fmt: skip
def test_a_word_that_names_another_host_is_not(word: str) -> None:
    assert rule_for_words((word,), (ALLOWED, ASKED, DENIED)) is None


def test_the_strictest_of_the_named_hosts_speaks() -> None:
    words = ("scp", "corp.example:x", "evil.example:y")
    assert rule_for_words(words, (ASKED, DENIED)) == DENIED
    assert rule_for_words(words[:2], (ASKED, DENIED)) == ASKED
    assert rule_for_words(words, (ALLOWED,)) is None


def test_addresses_are_found_in_brackets_and_bare() -> None:
    assert "2001:db8::1" in hosts_named("http://[2001:DB8::1]:80/") & hosts_named("2001:db8::1")
    assert "10.0.0.1" in hosts_named("10.0.0.1:22")
