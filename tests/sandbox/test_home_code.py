"""What in a home runs by itself is found where a root opens the home or a part of it."""

from pathlib import Path

from sandgate.places.home_startup import CLOSED_IN_HOME
from sandgate.sandbox.home_code import PLAIN_FIRSTS, home_code
from sandgate.sandbox.looking import Look


def test_everything_of_a_home_is_closed_or_must_not_come_to_exist(tmp_path: Path) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / ".bashrc").touch()
    (tmp_path / ".local" / "bin").mkdir(parents=True)
    found = home_code(str(tmp_path), (str(tmp_path),), Look())
    assert set(found.protected) == {f"{tmp_path}/.bashrc", f"{tmp_path}/.local/bin"}
    assert {*found.protected, *found.absent} == {f"{tmp_path}/{name}" for name in CLOSED_IN_HOME}
    assert f"{tmp_path}/.config/fish" in found.anchored
    assert f"{tmp_path}/.cargo/bin" not in found.anchored, "there is nothing that could hold it"


def test_a_root_above_the_home_counts_as_the_home_does(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    assert home_code(str(tmp_path), (str(home),), Look()).protected == (f"{home}/.ssh",)


def test_a_part_of_the_home_has_what_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / ".config" / "fish").mkdir(parents=True)
    found = home_code(str(tmp_path / ".config"), (str(tmp_path),), Look())
    assert found.protected == (f"{tmp_path}/.config/fish",)
    assert all(path.startswith(f"{tmp_path}/.config/") for path in found.absent)


def test_a_project_in_the_home_has_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    found = home_code(str(tmp_path / "project"), (str(tmp_path),), Look())
    assert found.protected == found.absent == ()


def test_every_part_of_the_home_that_has_some_of_it_is_looked_at(tmp_path: Path) -> None:
    for name in CLOSED_IN_HOME:
        above, slash, last = name.rpartition("/")
        assert name[0] == "." or name.startswith(PLAIN_FIRSTS)
        if slash:
            absent = home_code(f"{tmp_path}/{above}", (str(tmp_path),), Look()).absent
            assert f"{tmp_path}/{above}/{last}" in absent


def test_a_link_on_the_way_is_closed_with_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "dotfiles" / "fish").mkdir(parents=True)
    (tmp_path / ".config").symlink_to("dotfiles")
    found = home_code(str(tmp_path), (str(tmp_path),), Look())
    assert {f"{tmp_path}/.config", f"{tmp_path}/dotfiles"} <= set(found.protected)
