"""Every escape is tried as root (where the tests run as root) and as an ordinary user, or as one of them in turn."""

from collections.abc import Iterator

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.kernel.build import helper_path
from support.escape.escape_stage import USERS, Stage, stage_as
from support.suite import sampling

SLOW_TOGETHER = [pytest.param(user, marks=pytest.mark.slow) for user in USERS]


@pytest.fixture(scope="session")
def helper() -> str | None:
    """The C helper, built once; None where it cannot be built (and then no test that needs it runs)."""
    try:
        return helper_path()
    except BackendUnavailable:
        return None


@pytest.fixture(params=SLOW_TOGETHER)
def stage(request: pytest.FixtureRequest, helper: str | None) -> Iterator[Stage]:
    """A fresh workspace with its surroundings, owned by the user under test."""
    with stage_as(request.param, request, helper) as made:
        yield made


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where users take turns, all tests of a file have the same one: an attack fails as whoever it works for."""
    if not sampling.users_take_turns() or len(USERS) == 1:
        return
    staged = [item for item in items if _user(item) is not None]
    files = sorted({item.path for item in staged})
    left_out = [item for item in staged if _user(item) != turn(files.index(item.path))]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def turn(number: int) -> str:
    """Whose turn it is in the file of this number."""
    return USERS[(number + sampling.seed()) % len(USERS)]


def _user(item: pytest.Item) -> str | None:
    named = item.callspec.params.get("stage") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""
    return named if isinstance(named, str) and named else None
