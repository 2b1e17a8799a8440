"""Which directories are never opened for the sake of several things in them."""

from __future__ import annotations

import pytest

from sandgate.policy.common_places import homes_of, is_common


@pytest.mark.parametrize(
    ("path", "common"),
    [
        ("/", True),
        ("/home", True),
        ("/home/anybody", True),
        ("/home/anybody/out", False),
        ("/root", True),
        ("/root/out", False),
        ("/data/people", True),
        ("/data/people/me", True),
        ("/data/people/me/out", False),
        ("/data/people/meadow", False),
        ("/projects", True),
        ("/projects/repo", False),
        ("/projects/repository", False),
        ("/opt/out", False),
    ],
)
def test_homes_and_what_lies_above_a_home_or_a_workspace_are_common(path: str, common: bool) -> None:
    assert is_common(path, homes=("/data/people/me",), workspaces=("/projects/repo",)) == common


@pytest.mark.parametrize(
    ("environ", "homes"),
    [({"HOME": "/data/me/"}, ("/data/me",)), ({"HOME": "me"}, ()), ({"HOME": ""}, ()), ({}, ())],
)
def test_a_home_is_an_absolute_path_or_none(environ: dict[str, str], homes: tuple[str, ...]) -> None:
    assert homes_of(environ) == homes
