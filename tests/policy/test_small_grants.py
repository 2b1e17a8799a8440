"""What is offered for a call that waits: as little as the command's intent needs."""

from __future__ import annotations

import pytest

from sandgate.policy.small_grants import ALIKE_MAX, grants_for, intent_of
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.denials import Refused
from sandgate.protocol.held_calls import HeldCall
from sandgate.protocol.permissions import EffectivePermissions, Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.policy.small_grants import HeldIntent

HOME, WORKSPACE = "/home/u", "/home/u/project"
EXISTING = {HOME, f"{HOME}/note", f"{HOME}/.ssh", f"{HOME}/.gitconfig", "/srv/site", f"{HOME}/.local/bin", "/data/a.db"}
FILES = {f"{HOME}/note", f"{HOME}/.gitconfig", "/data/a.db"}
PERMISSIONS = EffectivePermissions(
    writable=(WORKSPACE,),
    hidden=(f"{HOME}/.ssh", "/state"),
    sealed=("/state",),
    own=("/opt/sandgate",),
)


def intent(*argv: str) -> HeldIntent:
    env = {"HOME": HOME, "PATH": f"{HOME}/.local/bin:/usr/bin"}
    command = CommandRequest(argv=argv, cwd=WORKSPACE, env=env)
    return intent_of(command, PERMISSIONS, exists=EXISTING.__contains__, is_file=FILES.__contains__)


def held(operation: Any, path: str | None, other: str = "", **more: Any) -> HeldCall:
    return HeldCall(1, Refused(operation, "call", path, **more), other)


def offered(argv: tuple[str, ...], call: HeldCall, *given: Grant) -> set[tuple[str, str]]:
    return {(grant.kind, grant.value) for grant in grants_for(call, intent(*argv), given) or ()}


def test_a_temporary_file_of_an_editor_offers_the_file_that_is_edited() -> None:
    """Required: `sed -i` asks once, for the file that was named, never for a random name."""
    note = {("write_path", f"{HOME}/note")}
    assert offered(("sed", "-i", "s/a/b/", f"{HOME}/note"), held("create", f"{HOME}/sedX1", program="sed")) == note
    assert offered(("vim", "-es", f"{HOME}/note"), held("create", f"{HOME}/.note.swp", program="vim.basic")) == note
    assert offered(("vim", "-es", f"{HOME}/note"), held("create", f"{HOME}/4913", program="vim")) == note
    assert offered(("x", f"{HOME}/note"), held("rename", f"{HOME}/note.tmp", f"{HOME}/note")) == note


def test_a_file_beside_one_that_is_only_read_is_not_taken_for_it() -> None:
    """Required: what is asked for is what is made."""
    script = ("sh", "-c", f"cat {HOME}/note > {HOME}/other")
    assert offered(script, held("create", f"{HOME}/other", program="sh")) == {("new_entry", f"{HOME}/other")}


def test_a_directory_in_a_closed_place_takes_another_run() -> None:
    """Required: the command would not find what was made for it; a file there is handed to it, and is offered."""
    inside = f"{HOME}/.ssh/more"
    made = HeldCall(1, Refused("create", "mkdir", inside))
    assert grants_for(made, intent("mkdir", inside), ()) is None
    written = HeldCall(1, Refused("create", "openat", inside))
    assert grants_for(written, intent("touch", inside), ()) == (Grant("new_entry", inside),)


def test_a_directory_is_nothing_that_is_being_replaced() -> None:
    script = ("sh", "-c", f"read -r line\nsed -i s/a/b/ {HOME}/note; code=$?")
    assert ("write_path", WORKSPACE) not in offered(script, held("create", f"{HOME}/sedX1", program="sed"))


def test_a_lock_file_offers_the_file_that_it_is_for() -> None:
    settings = {("write_path", f"{HOME}/.gitconfig")}
    assert offered(("git", "config", "--global", "a.b", "c"), held("create", f"{HOME}/.gitconfig.lock")) == settings
    moved = held("rename", f"{HOME}/.gitconfig.lock", f"{HOME}/.gitconfig")
    assert offered(("git", "config", "--global", "a.b", "c"), moved) == settings


def test_what_is_prepared_under_a_name_of_its_own_offers_the_file_that_was_named() -> None:
    """Required: the file, where it is new, too; and nothing that only resembles it."""
    new = f"{HOME}/page"
    assert offered(("x", new), held("create", f"{new}.part", program="x")) == {("write_path", new)}
    assert offered(("x", new), held("create", f"{new}s", program="x")) == {("new_entry", f"{new}s")}
    hidden = f"{HOME}/.page"
    assert offered(("x", new), held("create", hidden, program="x")) == {("new_entry", hidden)}
    note = {("write_path", f"{HOME}/note")}
    assert offered(("ln", "-sf", "y", f"{HOME}/note"), held("create", f"{HOME}/CuX1", program="ln")) == note


@pytest.mark.parametrize("word", [f"{HOME}/note", HOME])
def test_what_is_removed_to_be_replaced_is_one_offer(word: str) -> None:
    """Required: for programs that do so, where the words say it comes there; whoever only removes gets no more."""
    note = f"{HOME}/note"
    away = ("remove", note)
    assert offered(("mv", "a/note", word), held("delete", note, program="mv")) == {away, ("new_entry", note)}
    assert offered(("rm", word), held("delete", note, program="rm")) == {away}
    assert offered(("mv", "a/other", "/elsewhere"), held("delete", note, program="mv")) == {away}


@pytest.mark.parametrize("words", [("mv", f"{HOME}/note", "."), ("mv", "-t", ".", f"{HOME}/note")])
def test_what_is_moved_into_the_workspace_is_only_taken_away(words: tuple[str, ...]) -> None:
    """Required: the source is named, too, but nothing comes back in its place."""
    away = {("remove", f"{HOME}/note")}
    assert offered(words, held("delete", f"{HOME}/note", program="mv")) == away
    in_a_line = ("sh", "-c", " ".join(words))
    assert offered(in_a_line, held("delete", f"{HOME}/note", program="mv")) == away


def test_what_line_and_program_both_say_is_offered_once() -> None:
    """Required: the words of the program that waits are added to the line's, and often are the same."""
    key = f"{HOME}/key"
    said = intent("ssh-keygen", "-f", key)
    made = (Grant("new_entry", key), Grant("new_entry", f"{key}.pub"))
    assert grants_for(held("create", key, program="ssh-keygen"), said.also(said), ()) == made


def test_a_new_name_is_offered_by_itself_also_among_secrets() -> None:
    key = f"{HOME}/.ssh/k2"
    both = {("new_entry", key), ("new_entry", f"{key}.pub")}
    assert offered(("ssh-keygen", "-q", "-f", key), held("create", key)) == both
    assert offered(("git", "clone", "u", f"{HOME}/d"), held("create", f"{HOME}/d")) == {("new_entry", f"{HOME}/d")}
    assert offered(("mkdir", "-p", f"{HOME}/a/b/c"), held("create", f"{HOME}/a")) == {("new_entry", f"{HOME}/a")}


def test_a_directory_made_for_a_key_is_no_key() -> None:
    key = f"{HOME}/.keys/k"
    line = ("sh", "-c", f"mkdir {HOME}/.keys; ssh-keygen -q -f {key}")
    assert offered(line, held("create", f"{HOME}/.keys")) == {("new_entry", f"{HOME}/.keys")}
    assert offered(line, held("create", key)) == {("new_entry", key), ("new_entry", f"{key}.pub")}


def test_a_directory_that_was_named_is_offered_whole() -> None:
    assert offered(("tar", "x", "-C", "/srv/site"), held("create", "/srv/site/f")) == {("write_root", "/srv/site")}
    argv = ("make", "install", "PREFIX=/srv/site")
    assert offered(argv, held("create", "/srv/site/bin")) == {("write_root", "/srv/site")}


@pytest.mark.parametrize("place", [HOME, f"{HOME}/.ssh", f"{HOME}/.local/bin", "/"])
def test_no_home_and_no_place_of_keys_or_programs_is_offered_whole(place: str) -> None:
    """Required: naming it is not enough, and many names in it are not either."""
    path = f"{place.rstrip('/')}/new"
    given = tuple(Grant("new_entry", f"{place.rstrip('/')}/{number}") for number in range(20))
    assert offered(("tar", "x", "-C", place), held("create", path), *given) == {("new_entry", path)}


def test_several_names_in_one_directory_become_that_directory() -> None:
    first, second = Grant("new_entry", "/srv/site/1"), Grant("new_entry", "/srv/site/2")
    call = held("create", "/srv/site/3")
    assert offered(("x",), call, first) == {("new_entry", "/srv/site/3")}
    assert offered(("x",), call, first, second) == {("write_root", "/srv/site")}


def test_a_rename_takes_a_name_away_and_brings_another() -> None:
    moved = held("rename", "/srv/a", "/srv/b")
    assert offered(("mv", "/srv/a", "/srv/b"), moved) == {("remove", "/srv/a"), ("new_entry", "/srv/b")}
    onto = held("rename", "/srv/a", f"{HOME}/note")
    assert offered(("x",), onto) == {("remove", "/srv/a"), ("write_path", f"{HOME}/note")}
    made = Grant("new_entry", "/srv/a")
    assert offered(("x",), onto, made) == {("write_path", f"{HOME}/note")}
    inside = held("rename", f"{WORKSPACE}/a", "/srv/b")
    assert offered(("x",), inside) == {("new_entry", "/srv/b")}


def test_a_tree_that_the_command_removes_is_one_offer() -> None:
    call = held("delete", "/srv/site/a/b")
    assert offered(("rm", "-r", "/srv/site"), call) == {("remove", "/srv/site")}
    assert offered(("rm", "/srv/site/a/b"), call) == {("remove", "/srv/site/a/b")}
    assert offered(("rm", "-r", HOME), held("delete", f"{HOME}/note")) == {("remove", f"{HOME}/note")}


def test_a_change_of_mode_or_times_is_offered_as_that() -> None:
    assert offered(("chmod", "700", "/srv/a"), held("metadata", "/srv/a")) == {("metadata", "/srv/a")}


def test_an_address_and_a_socket_are_offered_as_they_are() -> None:
    assert offered(("curl", "u"), held("connect", None, address="10.0.0.1:443")) == {("host", "10.0.0.1:443")}
    assert offered(("x",), held("connect", None, address="unix:/run/d")) == {("unix_socket", "/run/d")}
    assert offered(("x",), held("connect", None, address="unix:@a")) == set()


def test_a_git_directory_is_left_to_another_run() -> None:
    """Required: what is code in it stays closed when it is opened, and only a view keeps that."""
    assert grants_for(held("create", "/srv/r/.git/index.lock"), intent("git", "commit"), ()) is None


@pytest.mark.parametrize(
    "call",
    [
        held("create", "/state/new"),
        held("write", "/opt/sandgate/x.py"),
        held("rename", "/srv/a", "/opt/sandgate/x.py"),
        held("write", "/proc/sys/kernel/x"),
        held("write", "/etc/passwd", host_allows=False),
        held("read", f"{HOME}/.ssh/id"),
        held("exec", "/srv/x"),
    ],
)
def test_what_nobody_may_give_is_not_offered(call: HeldCall) -> None:
    """Required: our own state and code, the kernel's, what the host refuses itself, and what cannot be carried out."""
    assert offered(("x",), call) == set()


@pytest.mark.parametrize("name", [".envrc", ".git/x", "deep/.vscode/tasks.json"])
def test_what_lies_behind_a_dot_is_offered_by_its_name_alone(name: str) -> None:
    """Required: a directory that was shown says nothing of the repositories and start files in it."""
    path = f"/srv/site/{name}"
    assert ("write_root", "/srv/site") not in (offered(("cp", "-r", "x", "/srv/site"), held("create", path)) or set())


def test_a_program_that_does_the_same_to_all_its_names_takes_one_offer() -> None:
    call = held("create", f"{HOME}/one", program="touch")
    both = {("new_entry", f"{HOME}/one"), ("new_entry", f"{HOME}/two")}
    assert offered(("sh", "-c", f"cd x; touch {HOME}/one {HOME}/two in-the-workspace"), call) == both
    assert offered(("touch", f"{HOME}/one", f"{HOME}/note"), call) == {("new_entry", f"{HOME}/one")}  # which is there
    assert offered(("sh", "-c", f"touch {HOME}/one; touch {HOME}/two"), call) == {("new_entry", f"{HOME}/one")}
    assert offered(("my-tool", f"{HOME}/one", f"{HOME}/two"), call) == {("new_entry", f"{HOME}/one")}
    gone = held("delete", f"{HOME}/note", program="rm")
    assert offered(("rm", f"{HOME}/note", "/data/a.db", "/srv/site"), gone) == {
        ("remove", f"{HOME}/note"), ("remove", "/data/a.db"), ("remove", "/srv/site")
    }  # fmt: skip


@pytest.mark.parametrize("other", [HOME, "/state/x", "/opt/sandgate/code", "/proc/sys/x", f"{HOME}/r/.git/hooks/x"])
def test_what_is_never_offered_is_not_offered_with_another_name_either(other: str) -> None:
    """An attack test: the question is about a harmless name, and the next word is none."""
    for operation, program in (("create", "touch"), ("delete", "rm")):
        path = f"{HOME}/one" if operation == "create" else f"{HOME}/note"
        assert len(offered((program, path, other), held(operation, path, program=program))) == 1


def test_so_many_names_are_offered_with_the_first() -> None:
    names = [f"/srv/new/{number}" for number in range(40)]
    assert len(offered(("touch", *names), held("create", names[0], program="touch"))) == ALIKE_MAX + 1


def test_a_start_file_is_no_companion_of_what_lies_in_a_directory_of_a_like_name() -> None:
    """Required: it begins with a dot, whatever the beginning of its name says."""
    call = held("create", f"{HOME}/.bash/a", program="touch")
    alone = {("new_entry", f"{HOME}/.bash/a")}
    assert offered(("touch", f"{HOME}/.bash/a", f"{HOME}/.bash_profile"), call) == alone
    both = alone | {("new_entry", f"{HOME}/.bash/b")}
    assert offered(("touch", f"{HOME}/.bash/a", f"{HOME}/.bash/b"), call) == both
