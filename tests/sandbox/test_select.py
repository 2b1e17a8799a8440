"""Which backend, and why not a better one. Every host here is made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.protocol.confinement import SetupFailure
from sandgate.sandbox.backends import first_backend
from sandgate.sandbox.capabilities import HostCapabilities, Trial
from sandgate.sandbox.select import (
    LANDLOCK_LOSSES,
    losses,
    namespace_hint,
    select_backend,
    speaks_of_the_host,
    why_no_namespaces,
)

if TYPE_CHECKING:
    from sandgate.sandbox.select import BackendWish

REFUSED = Trial(failure=SetupFailure("make namespaces", "EPERM"))
NAMESPACES = Trial(("userns", "mount", "pid", "notify"))
LANDLOCK = Trial(("landlock", "seccomp", "notify"))
GOOD = HostCapabilities(uid=1000, helper="/lib/sandgate-exec", namespace=NAMESPACES, landlock=LANDLOCK, landlock_abi=7)
CLOSED = GOOD.but(namespace=REFUSED)


@pytest.mark.parametrize(
    ("wish", "helper", "first"),
    [
        ("auto", "/lib/sandgate-exec", "namespace"),
        ("auto", None, "landlock"),
        ("landlock", "/lib/sandgate-exec", "landlock"),
        ("namespace", None, "namespace"),
        ("none", None, "none"),
    ],
)
def test_the_first_choice_needs_no_look_at_the_host(wish: BackendWish, helper: str | None, first: str) -> None:
    assert first_backend(wish, helper) == first


@pytest.mark.parametrize(
    ("wish", "host", "chosen"),
    [
        ("auto", GOOD, "namespace"),
        ("auto", CLOSED, "landlock"),
        ("auto", GOOD.but(helper=None, namespace=None), "landlock"),
        ("landlock", GOOD, "landlock"),
        ("namespace", GOOD, "namespace"),
        ("none", HostCapabilities(), "none"),
    ],
)
def test_the_best_backend_that_works_is_chosen(wish: BackendWish, host: HostCapabilities, chosen: str) -> None:
    assert select_backend(wish, host) == chosen


@pytest.mark.parametrize(
    ("wish", "host"),
    [
        ("auto", CLOSED.but(landlock=None, landlock_abi=0)),
        ("auto", CLOSED.but(landlock=Trial(failure=SetupFailure("landlock restrict", "EPERM")))),
        ("namespace", CLOSED),
        ("landlock", GOOD.but(landlock=None, landlock_abi=0)),
        ("bwrap", GOOD),
    ],
)
def test_nothing_is_taken_instead_when_nothing_fits(wish: BackendWish, host: HostCapabilities) -> None:
    """Required: never fail open, and never pick another backend than the one that was named."""
    with pytest.raises(BackendUnavailable, match="cannot confine commands on this host"):
        select_backend(wish, host)


def test_a_refusal_names_every_reason() -> None:
    host = GOOD.but(helper=None, helper_why="there is no C compiler", namespace=None, landlock=None, landlock_abi=0)
    with pytest.raises(BackendUnavailable) as refusal:
        select_backend("auto", host)
    assert refusal.value.why == (
        "namespaces: there is no C compiler; "
        "Landlock: the kernel has none, or it was not enabled at boot (`lsm=landlock,…`)"
    )
    assert "install a C compiler" in refusal.value.hint


@pytest.mark.parametrize(
    ("host", "cause", "hint"),
    [
        (CLOSED.but(sysctls={"user/max_user_namespaces": "0"}), "`user.max_user_namespaces` is 0", "sysctl user.max"),
        (
            CLOSED.but(sysctls={"kernel/unprivileged_userns_clone": "0"}),
            "`kernel.unprivileged_userns_clone` is 0",
            "sysctl kernel.unprivileged_userns_clone=1",
        ),
        (
            CLOSED.but(sysctls={"kernel/apparmor_restrict_unprivileged_userns": "1"}),
            "AppArmor lets only programs with a profile",
            "profile sandgate-exec /lib/sandgate-exec flags=(unconfined) {\n  userns,",
        ),
        (CLOSED.but(container="docker"), "the container (docker) forbids it", "--security-opt seccomp=unconfined"),
        (CLOSED.but(wsl=1), "WSL 1 has no namespaces", "wsl --set-version"),
    ],
)
def test_known_causes_are_named_with_their_remedy(host: HostCapabilities, cause: str, hint: str) -> None:
    assert cause in why_no_namespaces(host)
    assert hint in namespace_hint(host)


def test_an_unknown_cause_is_told_as_the_step_it_stopped_at() -> None:
    host = GOOD.but(namespace=Trial(failure=SetupFailure("mount /proc", "EIO")))
    assert why_no_namespaces(host) == "building a sandbox stopped at `mount /proc` with EIO"
    assert namespace_hint(host) == ""


def test_a_setting_that_does_not_bind_root_is_not_blamed() -> None:
    host = CLOSED.but(uid=0, sysctls={"kernel/apparmor_restrict_unprivileged_userns": "1"})
    assert "AppArmor" not in why_no_namespaces(host)
    assert namespace_hint(host) == ""


def test_nothing_is_wrong_where_namespaces_work() -> None:
    assert (why_no_namespaces(GOOD), namespace_hint(GOOD), losses("namespace", GOOD)) == ("", "", ())


def test_what_a_backend_cannot_do_is_said() -> None:
    silent = GOOD.but(namespace=Trial(("userns", "mount")), landlock=Trial(("landlock",)))
    assert losses("landlock", GOOD) == LANDLOCK_LOSSES
    assert len(losses("landlock", silent)) == len(LANDLOCK_LOSSES) + 1
    assert len(losses("namespace", silent)) == 2


@pytest.mark.parametrize(
    ("step", "about_host"),
    [
        ("make user namespace", True),
        ("make namespaces", True),
        ("write /proc/self/uid_map", True),
        ("mount /proc", True),
        ("landlock restrict", True),
        ("find /repo/.git", False),
        ("mount /home/me/repo", False),
        ("take terminal", False),
    ],
)
def test_only_failures_of_the_host_lead_to_another_backend(step: str, about_host: bool) -> None:
    assert speaks_of_the_host(SetupFailure(step, "EPERM")) is about_host
