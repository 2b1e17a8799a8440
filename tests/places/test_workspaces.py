"""Which directories are refused as a workspace."""

import pytest

from sandgate.places.workspaces import search_path, why_no_workspace

HOMES = ("/home/u", "/srv/accounts/u")
PROGRAMS = ("/home/u/.local/bin", "/opt/tools/bin")


@pytest.mark.parametrize(
    "root",
    ["/", "/home/u", "/home", "/srv/accounts/u", "/srv/accounts", "/srv", "/home/u/.local/bin", "/opt/tools/bin",
     "/usr", "/usr/bin", "/bin", "/usr/local", "/usr/local/bin"],
)  # fmt: skip
def test_a_directory_in_which_things_start_by_themselves_is_none(root: str) -> None:
    assert why_no_workspace(root, HOMES, PROGRAMS)


@pytest.mark.parametrize(
    "root",
    ["/home/u/project", "/home/u/.config/nvim", "/home/user", "/home/u2", "/opt/tools", "/home/u/p/.venv", "/tmp",
     "/srv/www", "/usr/src/linux", "/homes"],
)  # fmt: skip
def test_a_directory_below_or_beside_is_one(root: str) -> None:
    assert why_no_workspace(root, HOMES, PROGRAMS) == ""


def test_a_project_that_has_its_own_programs_on_the_path_is_a_workspace() -> None:
    """Required: an activated environment puts `.venv/bin` there, and direnv `bin` and `node_modules/.bin`."""
    programs = search_path("/p/.venv/bin:/p/node_modules/.bin:/p/bin/:relative::/usr/bin")
    assert programs == ("/p/.venv/bin", "/p/node_modules/.bin", "/p/bin", "/usr/bin")
    assert why_no_workspace("/p", HOMES, programs) == ""
    assert why_no_workspace("/p/bin", HOMES, programs)
