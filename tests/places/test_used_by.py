"""Which programs use which entries of a home."""

from __future__ import annotations

from sandgate.places.home import standing
from sandgate.places.secrets import SEEN_LESS_SECRETS
from sandgate.places.used_by import SAID_BY_VARIABLES, USED_BY, entries_of, variables_of
from support.suite.rows import every


@every("entry", sorted(USED_BY))
def test_every_entry_is_one_that_is_closed(entry: str) -> None:
    """Required: whoever is told to open an entry finds it closed, or seen without the secrets in it."""
    less = entry in SEEN_LESS_SECRETS or f"{entry}*" in SEEN_LESS_SECRETS
    assert less or standing(entry) in ("secret", "unknown")


def test_a_program_is_known_by_its_name_or_by_what_it_is_told_to_do() -> None:
    assert entries_of("gh") == (".config/gh",)
    assert ".git-credentials" in entries_of("git", "push")
    assert entries_of("git", "status") == ()
    assert entries_of("npm", "test") == ()
    assert entries_of("sh") == ()


def test_variables_belong_to_entries_and_so_to_the_same_programs() -> None:
    assert SAID_BY_VARIABLES.keys() <= USED_BY.keys()
    assert variables_of("aws") == ("AWS_*",)
    assert "NPM_*" in variables_of("npm", "publish")
    assert variables_of("npm", "test") == variables_of("sh") == ()
