"""The one table of what a home shows."""

from __future__ import annotations

import pytest

from sandgate.places.home import (
    CLOSED_TOO,
    HARMLESS,
    MORE_BELOW,
    entry_of,
    has_more_below,
    standing,
    verdict_on,
)
from sandgate.places.secrets import IN_HOME, PLAIN_NAMES_IN_HOME
from support.suite.rows import every

CLOSED = {place.rstrip("/") for place in IN_HOME} | CLOSED_TOO
NAMED = {
    f"{directory}/{name}".lstrip("/"): reason
    for directory, reasons in HARMLESS.items()
    for reason, names in reasons.items()
    for name in names.split()
}


def above(place: str) -> list[str]:
    parts = place.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def test_the_table_names_every_directory_on_the_way_to_what_it_names() -> None:
    """Required: whoever goes through a home looks only into directories of which this is true."""
    on_the_way = {one for place in (*NAMED, *CLOSED) for one in above(place)}
    assert {one for one in on_the_way if not has_more_below(one)} == set()
    assert {one for one in MORE_BELOW if one not in on_the_way} == set()


def test_nothing_is_named_twice_and_nothing_is_both() -> None:
    entries = [entry for reasons in HARMLESS.values() for names in reasons.values() for entry in names.split()]
    assert len(NAMED) == len(entries)
    assert NAMED.keys() & CLOSED == set()


def test_every_first_name_without_a_dot_is_among_those_that_are_looked_for() -> None:
    assert {place.split("/")[0] for place in CLOSED if place[0] != "."} == PLAIN_NAMES_IN_HOME


@every("place", sorted(CLOSED))
def test_a_known_secret_is_one(place: str) -> None:
    assert standing(place) == "secret"


@every("place", sorted(NAMED))
def test_what_is_harmless_says_why(place: str) -> None:
    assert standing(place) == "harmless"
    assert NAMED[place]


@every(
    "inner, expected",
    [
        (".foorc", "unknown"), (".config", "unknown"), (".config/foo/x", "unknown"), (".local/share/foo", "unknown"),
        (".config/git/config", "harmless"), (".config/git/credentials", "secret"), (".gitconfig-work", "harmless"),
        (".ssh/id_ed25519.pub", "harmless"), (".ssh/id_ed25519", "secret"), (".ssh/anything", "secret"),
        (".cargo/bin/x", "harmless"), (".cargo/credentials.toml", "secret"), (".local/bin/x", "harmless"),
        (".local/share/uv/tools/x", "harmless"), (".local/share/uv/x", "unknown"), ("Documents/.foo", "plain"),
        ("src/x", "plain"), ("Mail/x", "secret"), ("snap/firefox/x", "secret"), ("snap/tool", "plain"),
        (".foo/auth.json", "secret"), (".m2/settings.xml", "secret"), (".m2/repository/x", "harmless"),
    ],
)  # fmt: skip
def test_the_most_specific_name_decides(inner: str, expected: str) -> None:
    assert standing(inner) == expected


def test_what_is_opened_is_one_entry_and_not_all_beside_it() -> None:
    assert entry_of(".config/gh/hosts.yml") == ".config/gh"
    assert entry_of(".aws/sso/cache/x") == ".aws"
    assert entry_of(".local/share/foo/x") == ".local/share/foo"
    assert entry_of(".ssh/id_rsa") == ".ssh/id_rsa"
    assert entry_of(".foorc") == ".foorc"


@pytest.mark.parametrize("directory", [".zsh", ".config/zsh", ".local/share/zsh", ".cache/zsh"])
@pytest.mark.parametrize("name", ["history", ".zsh_history", "zsh_history"])
def test_what_somebody_typed_is_closed_wherever_a_shell_keeps_it(directory: str, name: str) -> None:
    assert standing(f"{directory}/{name}") == "secret"
    assert verdict_on(directory, name) == "closed", "the sandbox goes by this one"
    assert standing(f"{directory}/theme.zsh") == "harmless"
