"""Facts about a host, as values."""

from __future__ import annotations

import pytest

from sandgate.protocol.confinement import SetupFailure
from sandgate.sandbox.capabilities import HostCapabilities, Trial


@pytest.mark.parametrize(
    ("trial", "works"),
    [
        (Trial(("userns", "mount")), True),
        (Trial(), False),
        (Trial(failure=SetupFailure("make namespaces", "EPERM")), False),
        (Trial(("userns",), SetupFailure("mount /proc", "EPERM")), False),
    ],
)
def test_a_trial_works_when_it_had_layers_and_did_not_fail(trial: Trial, works: bool) -> None:
    assert trial.works is works


def test_only_uid_zero_of_the_machine_itself_is_real_root() -> None:
    assert HostCapabilities(uid=0).is_real_root
    assert not HostCapabilities(uid=0, initial_namespace=False).is_real_root
    assert not HostCapabilities(uid=1000).is_real_root
