"""Packages from a place nobody knows are as good as a downloaded program."""

from __future__ import annotations

import pytest

from support.command.assessing import judged


@pytest.mark.parametrize(
    "command",
    [
        "pip install git+http://198.51.100.7/x.git",
        "pip install https://files.example.net/x.tar.gz",
        "pip install --index-url=http://pypi.example.net/simple x",
        "npm config set registry http://registry.example.net/",
        "npm install 'x@https://files.example.net/x.tgz'",
        "npm config set strict-ssl false",
        "git config http.sslVerify false",
    ],
)
def test_unknown_places_and_unchecked_ones_are_high(command: str) -> None:
    risk = judged(command)
    assert risk.risk_level == "high"
    assert "system_modification" in risk.risk_categories


@pytest.mark.parametrize(
    "command",
    [
        "pip install requests",
        "pip install git+https://github.com/psf/requests",
        "pip install torch --index-url https://download.pytorch.org/whl/cpu",
        "npm config set registry https://registry.yarnpkg.com/",
        "npm install --registry http://localhost:4873 x",
        "npm config set save-exact true",
    ],
)
def test_registries_code_hosts_and_this_machine_are_not(command: str) -> None:
    assert judged(command).risk_level == "medium"


def test_an_administrator_who_installs_changes_the_machine() -> None:
    assert "system_modification" in judged("sudo pip install x").risk_categories
