"""What is called as only builds and caches are."""

from __future__ import annotations

import pytest

from sandgate.places.remade import is_cache, made_beside


@pytest.mark.parametrize("name", ["build", "dist", "out", "node_modules", "target", "cache", "src", "__pycache__2"])
def test_names_that_anybody_may_use_say_nothing_by_themselves(name: str) -> None:
    assert not is_cache(name)


def test_what_a_thing_is_made_from_lies_beside_it_under_a_known_name() -> None:
    assert made_beside("node_modules") == ("package.json",)
    assert "a.b.c" in made_beside("a.b.o")
    assert made_beside(".o") == made_beside("o") == made_beside("a.txt") == made_beside("") == ()
    assert is_cache("__pycache__")
