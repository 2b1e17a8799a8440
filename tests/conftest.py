"""Fixtures and rules that every test shares."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from support.machine import host_features
from support.machine.ordinary_user import OrdinaryUser, ordinary_user
from support.suite import leftovers, sampling, searches, turns
from support.suite.durations import RECORD, Durations
from support.suite.hangs import Hangs
from support.suite.quick import LAST, Quick

TESTS = Path(__file__).parent

# A program in the background of a script starts with these ignored, and so would everything these tests start.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)

leftovers.leave_none()

# Stages are built for other users, too; `test_neighbours.py` is where commands meet a umask that closes what they make.
os.umask(0o022)

searches.settle()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """A misspelt SANDGATE_REQUIRE would require nothing; say so before any test runs."""
    host_features.required()
    config.pluginmanager.register(Durations(os.environ.get(RECORD)), "durations")
    if os.environ.get(LAST):
        config.pluginmanager.register(Quick(Path(os.environ[LAST])), "quick")
    config.pluginmanager.register(Hangs(config.stash[fault_handler_stderr_fd_key]), "hangs")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Whoever reads of a failure learns how to repeat it."""
    if terminalreporter.getreports("failed"):
        terminalreporter.write_line(sampling.told())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what runs for minutes, unless it is asked for by name, and attacks in ways whose turn it is not."""
    others = turns.left_out(items, TESTS)
    config.hook.pytest_deselected(items=others)
    gone = {*others}
    items[:] = [item for item in items if item not in gone]
    if "soak" not in (config.option.markexpr or ""):
        left_out = {item for item in items if item.get_closest_marker("soak") is not None}
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]
    searches.begin(item.function for item in items if isinstance(item, pytest.Function))


def pytest_collection_finish() -> None:
    """What was read to find the tests stays to the end: nobody needs to look there for what is no longer used."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Applies the `host` marker."""
    for marker in item.iter_markers("host"):
        for feature in marker.args:
            host_features.demand(feature)


@pytest.fixture(scope="session")
def as_user() -> Iterator[OrdinaryUser]:
    """An ordinary user with a home, a temporary folder and a copy of the source; see `ordinary_user`."""
    try:
        with ordinary_user() as account:
            yield account
    except LookupError as problem:
        pytest.skip(str(problem))
