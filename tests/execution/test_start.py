"""Who starts a plan, and that nobody else is tried instead."""

import os

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.execution.start import start_child
from support.process.waiting import read_all
from support.terminal.children import plan


@pytest.mark.parametrize(
    ("backend", "why"),
    [("namespace", "the helper program `sandgate-exec` is missing"), ("bwrap", "not confined at all")],
)
def test_a_plan_whose_backend_cannot_be_used_does_not_start(backend: str, why: str) -> None:
    """Required: unsure means closed."""
    with pytest.raises(BackendUnavailable) as caught:
        start_child(plan("true").but(backend=backend), stdin=0, stdout=1, stderr=2, helper=None)
    assert why in caught.value.why


def test_a_plan_without_a_sandbox_needs_no_helper() -> None:
    reading, writing = os.pipe()
    child = start_child(plan("echo", "hello"), stdin=0, stdout=writing, stderr=writing, helper=None)
    try:
        os.close(writing)
        assert read_all(reading) == b"hello\n"
    finally:
        child.close()
        os.close(reading)
