"""Network rules: hosts in one form, which of two rules holds, and which words name a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.policy.rules import NetworkRule
from sandgate.policy.rules.network import HostRules, forbidding, host_lists, hosts_named, last_of_each_host, normal_host
from support.suite.rows import every

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


@every(
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
    assert last_of_each_host([DENIED, ASKED, other]) == (ASKED, other)
    assert last_of_each_host([other, DENIED.but(protocol="http")]) == (DENIED.but(protocol="http"),)
    asked = DENIED.but(decide="ask")
    assert last_of_each_host([DENIED, asked]) == (DENIED, asked)


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
    assert HostRules((ALLOWED, ASKED, DENIED)).about((word,)) == DENIED


@pytest.mark.parametrize(
    "word",
    ["devil.example", "evil.example.com", "notes-evil.example", "evil-example", "block evil.example please", "https://fine.example"],
)  # fmt: skip
def test_a_word_that_names_another_host_is_not(word: str) -> None:
    assert HostRules((ALLOWED, ASKED, DENIED)).about((word,)) is None


def test_the_strictest_of_the_named_hosts_speaks() -> None:
    words = ("scp", "corp.example:x", "evil.example:y")
    assert HostRules((ASKED, DENIED)).about(words) == DENIED
    assert HostRules((ASKED, DENIED)).about(words[:2]) == ASKED
    assert HostRules((ALLOWED,)).about(words) is None


def test_addresses_are_found_in_brackets_and_bare() -> None:
    assert "2001:db8::1" in hosts_named("http://[2001:DB8::1]:80/") & hosts_named("2001:db8::1")
    assert "10.0.0.1" in hosts_named("10.0.0.1:22")


@pytest.mark.parametrize(
    "word",
    ["http://10.0.0.1/", "10.1", "http://167772161", "0x0a.0.0.1", "012.0.0.1", "[::ffff:10.0.0.1]:80", "::ffff:a00:1"],
)
def test_an_address_is_one_address_however_it_is_spelled(word: str) -> None:
    """Required: these all reach 10.0.0.1."""
    denied = NetworkRule("10.0.0.1", "https", "forbid")
    assert HostRules((denied,)).about((word,)) == denied


@pytest.mark.parametrize("word", ["10.0.0.2", "10.0.0.256", "10.0.0.1.5", "1_0.1", "0x", "v10.1", "10.0.0.99999999999"])
def test_what_only_looks_like_the_address_is_not_it(word: str) -> None:
    assert HostRules((NetworkRule("10.0.0.1", "https", "forbid"),)).about((word,)) is None


@pytest.mark.slow
def test_long_words_and_many_rules_cost_what_they_are_long() -> None:
    """A megabyte that could be hosts, against ten thousand rules. Work by pairs would take hours."""
    rules = HostRules([NetworkRule(f"h{number}.example", "https", "forbid") for number in range(10_000)])
    for word in ("a." * 500_000, "a.b/" * 250_000, ":" * 1_000_000, "1.1:" * 250_000, "::1 " * 9):
        assert rules.about((word,)) is None


def test_an_address_is_forbidden_in_any_spelling() -> None:
    rules = (NetworkRule("10.0.0.1", "https", "forbid"), NetworkRule("2001:db8::1", "https", "forbid"))
    found = [forbidding(each, rules) for each in ("10.0.0.1:443", "[::ffff:10.0.0.1]:443", "[2001:db8:0::1]:80")]
    assert found == [rules[0], rules[0], rules[1]]
    assert forbidding("10.0.0.2:1", rules) is None


@pytest.mark.parametrize(
    ("name", "rule"),
    [("evil.example", DENIED), ("a.evil.example", DENIED), ("corp.example", None), ("fine.example", None)],
)
def test_a_name_is_forbidden_with_what_it_lies_below(name: str, rule: NetworkRule | None) -> None:
    assert forbidding(name, (DENIED, ASKED, ALLOWED)) == rule
