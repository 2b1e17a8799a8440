"""Where programs keep what can be made again."""

import pytest

from sandgate.commandline.words import words_of
from sandgate.places.caches import KEPT_BY, LED_BY, STARTERS, WITHOUT, caches_of
from sandgate.places.home import has_more_below, standing


def of(*names: str) -> tuple[str, ...]:
    return caches_of(frozenset(names))


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (("mkdir", "git-add"), ()),
        (("pip",), (".cache",)),
        (("mkdir", "cargo"), (".cache", ".cargo")),
        (("go",), (".cache", "go/pkg")),
        (("mvn",), (".m2/repository", ".m2/wrapper")),
    ],
)
def test_known_programs_use_what_they_are_known_for(names: tuple[str, ...], places: tuple[str, ...]) -> None:
    assert of(*names) == places


@pytest.mark.parametrize("name", ["npm", "make", "git-commit", "some-script.sh", ""])
def test_who_may_start_anything_uses_everything(name: str) -> None:
    assert of("mkdir", name) == tuple(KEPT_BY)


def test_every_place_is_one_that_commands_may_read() -> None:
    """Required: a layer shows what lies below it."""
    assert [place for place in KEPT_BY if standing(place) not in ("harmless", "plain", "unknown")] == []
    assert set(LED_BY) <= set(KEPT_BY)


def test_no_place_lies_in_another_and_no_program_is_in_two_minds() -> None:
    assert [(a, b) for a in KEPT_BY for b in KEPT_BY if a.startswith(b + "/")] == []
    known = {name for programs in KEPT_BY.values() for name in words_of(programs)}
    assert known & (set(WITHOUT) | set(STARTERS)) == set()
    assert not any(has_more_below(place) for place in KEPT_BY if place.startswith(".m2/"))
