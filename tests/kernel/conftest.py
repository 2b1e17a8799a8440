"""What the tests of the kernel's side share."""

import os
from collections.abc import Iterator

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.kernel.build import helper_path


@pytest.fixture(scope="session")
def helper() -> str:
    """The path of the C helper, compiled from the sources as they are now."""
    try:
        return helper_path()
    except BackendUnavailable as problem:
        pytest.skip(str(problem))


@pytest.fixture
def null() -> Iterator[int]:
    fd = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    yield fd
    os.close(fd)
