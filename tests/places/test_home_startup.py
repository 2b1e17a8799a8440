"""What stays closed in a home even to who may write it."""

import pytest

from sandgate.places.home_startup import CLOSED_IN_HOME, PROGRAMS, STARTUP

NAMED = """
    .bashrc .profile .zshrc .config/fish .pam_environment .config/environment.d .config/systemd .config/autostart
    .local/share/systemd .ssh .gitconfig .config/git .local/bin bin .cargo/bin go/bin .npm-global .config/nvim
    .local/lib .local/share/bash-completion .config/sandgate .crontab .local/share/applications
"""


@pytest.mark.parametrize("name", NAMED.split())
def test_what_runs_by_itself_is_closed(name: str) -> None:
    assert name in CLOSED_IN_HOME


def test_every_place_is_relative_said_once_and_closed_by_itself_or_with_another() -> None:
    for place in STARTUP | PROGRAMS:
        assert place[0] != "/"
        assert ".." not in place.split("/")
        bare = place.rstrip("/")
        assert any(bare == closed or bare.startswith(closed + "/") for closed in CLOSED_IN_HOME)


def test_nothing_closed_lies_in_something_closed() -> None:
    assert [name for name in CLOSED_IN_HOME if any(name.startswith(other + "/") for other in CLOSED_IN_HOME)] == []
