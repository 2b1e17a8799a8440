"""What the words of a command name, and the grants that all of it takes."""

import pytest

from sandgate.policy.targets import ChangedTargets, targets_of, widened
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.denials import Denial
from sandgate.protocol.permissions import Grant


def targets(*argv: str) -> ChangedTargets:
    return targets_of(CommandRequest(argv, "/repo", {"HOME": "/data/me"}), "/projects/team/repo")


def deleted(path: str) -> Denial:
    return Denial("delete", path=path, grant=Grant("write_root", path.rpartition("/")[0]))


@pytest.mark.parametrize("flags", ["-rf", "-r", "-fR", "--recursive"])
def test_what_is_removed_as_a_tree_is_told_from_what_is_only_named(flags: str) -> None:
    found = targets("rm", flags, "/out/dir", "sub")
    assert (found.named, found.removed, found.inside) == ((), ("/out/dir", "/repo/sub"), ())
    assert targets("rm", "-f", "/out/file").removed == ()


def test_scripts_wrappers_globs_and_changed_directories_are_looked_through() -> None:
    assert targets("bash", "-c", "cd /out && rm -rf build").removed == ("/repo/build", "/out/build")
    assert targets("sudo", "rm", "-rf", "/out/x").removed == ("/out/x",)
    assert targets("bash", "-c", "rm -rf /out/dir/*").inside == ("/out/dir",)


def test_removing_a_directory_takes_its_entry_in_the_one_above() -> None:
    """The files are refused first and the directory only when they are gone, which took two questions."""
    denials = (deleted("/out/dir/a"), deleted("/out/dir/sub/b"), deleted("/out/dir/.git/config"))
    found = widened(denials, targets("rm", "-rf", "/out/dir"))
    assert found[:3] == (
        Grant("write_root", "/out"),
        Grant("write_path", "/out/dir/.git"),
        Grant("write_path", "/out/dir/.git/hooks"),
    )
    assert {grant.kind for grant in found[1:]} == {"write_path"}
    assert all(grant.value.startswith("/out/dir/.git") for grant in found[1:])
    assert widened(denials[:2], targets("rm", "-rf", "/out/dir/*")) == (Grant("write_root", "/out/dir"),)


def test_the_root_directory_is_never_offered() -> None:
    assert widened((deleted("/data/a"),), targets("rm", "-rf", "/data")) == (Grant("write_root", "/data"),)


@pytest.mark.parametrize("place", ["/data/me", "/data", "/home/other", "/home", "/root", "/projects", "/projects/team"])
def test_no_home_and_nothing_above_the_workspace_is_offered_for_its_contents(place: str) -> None:
    """Required: there the command gets what was refused, and nothing that its words only pass through."""
    emptied = deleted(f"{place}/dir/a")
    assert widened((emptied,), targets("rm", "-rf", f"{place}/dir")) == (Grant("write_root", f"{place}/dir"),)
    for argv in (("rm", "-rf", place), ("bash", "-c", f"rm -rf {place}/*"), ("cp", "-r", "src", place)):
        assert widened((emptied, deleted(f"{place}/b/c")), targets(*argv)) == (
            Grant("write_root", f"{place}/dir"),
            Grant("write_root", f"{place}/b"),
        )


def test_a_removed_name_takes_the_directory_it_stands_in() -> None:
    """Our choice, as nothing smaller helps: the kernel removes a name from a directory, and that must be writable."""
    assert widened((deleted("/data/me/a"),), targets("rm", "/data/me/a")) == (Grant("write_root", "/data/me"),)


def test_what_the_command_does_not_name_keeps_the_smallest_grant() -> None:
    """Required: words may only explain what was refused, never widen something else."""
    elsewhere = deleted("/other/a")
    assert widened((elsewhere,), targets("rm", "-rf", "/out/dir")) == (elsewhere.grant,)
    assert widened((deleted("/out/directory/a"),), targets("rm", "-rf", "/out/dir")) == (
        Grant("write_root", "/out/directory"),
    )
    read = Denial("read", path="/out/dir/x", grant=Grant("read_path", "/out/dir/x"))
    assert widened((read, Denial("write", path="/x")), targets("rm", "-rf", "/out/dir")) == (read.grant,)


def test_several_directories_below_a_named_one_become_that_one_and_files_do_not() -> None:
    roots = tuple(
        Denial("create", path=f"/out/app/{name}/x", grant=Grant("write_root", f"/out/app/{name}")) for name in "ab"
    )
    assert widened(roots, targets("tar", "-xf", "x.tar", "-C", "/out/app")) == (Grant("write_root", "/out/app"),)
    assert widened(roots[:1], targets("tar", "-xf", "x.tar", "-C", "/out/app")) == (roots[0].grant,)
    assert len(widened(roots, targets("tar", "-xf", "x.tar", "-C", "/out"))) == 2  # nothing directly below `/`
    files = tuple(
        Denial("write", path=f"/out/app/{name}", grant=Grant("write_path", f"/out/app/{name}")) for name in "ab"
    )
    assert len(widened(files, targets("touch", "/out/app", "/out/app/a"))) == 2
