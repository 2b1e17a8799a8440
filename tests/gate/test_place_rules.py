"""What rules about places give a command; what it can do then is in tests/journeys/test_place_rules.py."""

from __future__ import annotations

from pathlib import Path

from sandgate.gate.place_rules import given_to, is_about
from sandgate.gate.policies import Policies
from sandgate.policy.rules import NO_RULES, PlaceRule
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import EffectivePermissions, WorkspaceWrite
from support.suite.rows import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

POLICIES = Policies("on-failure", WorkspaceWrite(), NO_RULES)
SED = PlaceRule(("/h/note",), "write_path", "allow", (("sed",),), source="f:1")


def command(*argv: str, **more: Any) -> CommandRequest:
    return CommandRequest(argv, "/repo", {"PATH": "/usr/bin:/bin"}, **more)


class Here:
    """Stands for the confinement: what commands may touch, and what was said."""

    def __init__(self, permissions: EffectivePermissions) -> None:
        self._permissions = permissions
        self.said: list[str] = []

    def permissions(self) -> EffectivePermissions:
        return self._permissions

    def say_once(self, note: str) -> None:
        self.said.append(note)


def given(asked: CommandRequest, *rules: PlaceRule, here: Any = None) -> list[tuple[str, str]]:
    stands_for: Any = here or Here(EffectivePermissions(confined=True))
    found = given_to(asked, rules, NO_RULES, POLICIES, stands_for)
    return [(each.grant.kind, each.grant.value) for each in found]


@every(
    "argv, about",
    [
        (("sed", "-i", "s/a/b/", "/h/note"), True),
        (("sh", "-c", "sed -i s/a/b/ /h/note"), True),
        (("bash", "-c", "cat x && sed -i s/a/b/ /h/note"), True),
        (("bash", "-c", "sed -i s/a/b/ /h/note; touch /h/other"), False),
        (("bash", "-c", "sed -i s/a/b/ /h/note | tee /h/other"), False),
        (("bash", "-c", "$X; sed -i s/a/b/ /h/note"), False),
        (("cat", "/h/note"), False),
        (("make", "sed"), False),
        (("./sed", "-i"), False),
        (("env", "PATH=.", "sed", "-i"), False),
        (("python3", "-c", "print('sed')"), False),
    ],
)
def test_a_rule_for_some_words_is_about_nothing_else(argv: tuple[str, ...], about: bool) -> None:
    """Required: whatever stands beside the words would have the place, too."""
    assert is_about(SED, command(*argv), NO_RULES, POLICIES) is about


def test_a_variable_in_front_that_chooses_the_program_takes_the_place_away() -> None:
    asked = command("sed", "-i", "s/a/b/", "/h/note", set_variables=(("LD_PRELOAD", "/repo/x.so"),))
    assert not is_about(SED, asked, NO_RULES, POLICIES)


def test_what_is_asked_about_or_forbidden_is_given_by_no_rule() -> None:
    """Required: whatever file it stands in."""
    made = PlaceRule(("/h/d", "/h/e"), "new_entry", "allow")
    assert given(command("x"), made) == [("new_entry", "/h/d"), ("new_entry", "/h/e")]
    assert given(command("x"), made, PlaceRule(("/h/d/inside",), None, "ask")) == [("new_entry", "/h/e")]
    assert given(command("x"), PlaceRule(("/h",), None, "forbid"), made) == []


def test_a_patch_is_given_nothing() -> None:
    assert given(command("apply_patch"), PlaceRule(("/h/d",), "new_entry", "allow")) == []


def test_a_link_that_a_command_could_have_made_leads_nowhere(tmp_path: Path) -> None:
    """Required: the rule was written when something else lay there."""
    workspace, elsewhere = tmp_path / "ws", tmp_path / "elsewhere"
    workspace.mkdir()
    elsewhere.mkdir()
    (workspace / "d").symlink_to(elsewhere)
    here = Here(EffectivePermissions(confined=True, writable=(str(workspace),)))
    rule = PlaceRule((f"{workspace}/d/f",), "write_path", "allow", source="f:1")
    assert given(command("x"), rule, here=here) == []
    assert "in f:1 gives nothing" in here.said[0]


def test_a_link_of_the_users_own_is_followed_and_closed_where_it_leads(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    rule = PlaceRule((f"{tmp_path}/link/f",), "write_path", "allow")
    assert given(command("x"), rule) == [("write_path", f"{real}/f")]
    assert given(command("x"), rule, PlaceRule((str(real),), None, "forbid")) == []


def test_a_tree_is_given_only_as_a_directory_of_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "link").symlink_to("tree")
    paths = tuple(f"{tmp_path}/{name}" for name in ("tree", "link", "missing"))
    assert given(command("x"), PlaceRule(paths, "write_root", "allow")) == [("write_root", f"{tmp_path}/tree")]


def test_no_rule_gives_the_kernels_files() -> None:
    assert given(command("x"), PlaceRule(("/proc/sys/kernel/core_pattern",), "write_path", "allow")) == []


def test_no_rule_gives_the_home_of_the_command_wherever_it_lies(tmp_path: Path) -> None:
    """`~` spelled out, in a home that is not below `/home`, or a directory around it."""
    (tmp_path / "home/made").mkdir(parents=True)
    home = str(tmp_path / "home")
    asked = command("touch", "x").but(env={"PATH": "/usr/bin:/bin", "HOME": home})
    here = Here(EffectivePermissions(confined=True))
    whole = [PlaceRule((path,), "write_root", "allow", source="f:1") for path in (home, str(tmp_path))]
    assert given(asked, *whole, here=here) == []
    assert [note.partition(" gives nothing: ")[2] for note in here.said] == ["it is about a whole home"] * 2
    below = PlaceRule((f"{home}/made",), "write_root", "allow", source="f:1")
    assert given(asked, below) == [("write_root", f"{home}/made")]
