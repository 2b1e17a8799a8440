"""Which programs fetch packages, and what tells them from where."""

from __future__ import annotations

import pytest

from sandgate.places.package_sources import SOURCES, may_fetch, sources_of
from support.suite.rows import every


@every("program", sorted(SOURCES))
def test_every_program_is_found_by_the_quick_look(program: str) -> None:
    assert may_fetch(("sh", "-c", f"cd x && /usr/bin/{program} install"))
    entries, variables = SOURCES[program]
    assert entries or variables


@pytest.mark.parametrize(
    ("program", "subcommand"), [("npm", "test"), ("yarn", "run"), ("pip", "list"), ("ls", "install")]
)
def test_what_fetches_nothing_has_no_source(program: str, subcommand: str) -> None:
    assert sources_of(program, subcommand) == ((), ())


def test_pip_is_known_as_a_module_of_python() -> None:
    assert sources_of("python3", "pip") == sources_of("pip", "install")
    assert sources_of("python3", "venv") == ((), ())
