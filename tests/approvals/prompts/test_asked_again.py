"""Why a question is asked, and what would keep it from being asked again."""

import pytest

from sandgate.approvals.prompts.asked_again import KEEPS, LEAVES, again_lines, saved_as, why_line
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest
from sandgate.protocol.permissions import ESCALATE, Grant

ASKED = ApprovalRequest("r", "c", "initial", CommandRequest(("make",), "/repo", {}), "", why="rule `make`: \x1b[2J\nno")


def test_the_line_is_the_policys_words_made_visible_and_after_a_denial_it_says_what_a_yes_does() -> None:
    assert why_line(ASKED) == "rule `make`: \\x1b[2J no"
    retry = ASKED.but(stage="retry", grants=(Grant("host", "*"),))
    assert (why_line(retry), why_line(retry.but(grants=(ESCALATE,)))) == (KEEPS, LEAVES)
    assert "without" not in KEEPS


def test_the_exact_rule_is_shown_before_it_is_saved() -> None:
    """Required."""
    asked = ASKED.but(amendment=Amendment(("git", "push"), "bypass"))
    assert again_lines(asked, session="a", always="p") == [
        "`a` is an answer for this session",
        '`p` saves the rule prefix_rule(pattern=["git", "push"], decision="allow", sandbox="bypass")',
    ]
    assert saved_as(Amendment(("x\x1b",))) == 'prefix_rule(pattern=["x\\u001b"], decision="allow")'


def test_where_git_is_in_the_way_the_setting_that_lets_it_work_is_named() -> None:
    lines = again_lines(ASKED.but(grants=(Grant("write_path", "/repo/.git/index.lock"),)), session="a", always="p")
    assert any("sandbox.protect_git" in line for line in lines)


@pytest.mark.parametrize(
    ("grant", "setting"),
    [
        (Grant("write_root", "/opt/x"), 'sandbox_workspace_write.writable_roots = ["/opt/x"]'),
        (Grant("write_path", "/opt/x/f"), 'sandbox_workspace_write.writable_roots = ["/opt/x"]'),
        (Grant("write_path", "/repo/.env"), ""),
        (Grant("write_root", "/etc"), ""),
        (Grant("write_path", "/home/u/note"), ""),
        (Grant("write_root", "/home/u"), ""),
        (Grant("write_root", "/home/u/other"), 'sandbox_workspace_write.writable_roots = ["/home/u/other"]'),
        (Grant("read_path", "/home/u/.ssh"), 'secrets.opened = ["/home/u/.ssh"]'),
        (Grant("unix_socket", "/run/x"), 'sandbox.unix_sockets = ["/run/x"]'),
        (Grant("host", "192.0.2.1:1"), "sandbox_workspace_write.network_access = true"),
        (ESCALATE, ""),
    ],
)
def test_a_setting_is_named_where_there_is_one_for_exactly_this(grant: Grant, setting: str) -> None:
    lines = again_lines(ASKED.but(grants=(grant,)), session="a", always="p")
    assert lines[1:] == ([f"{setting} in config.toml"] if setting else [])


@pytest.mark.parametrize(
    ("grant", "setting"),
    [
        (Grant("write_path", "/opt/x/f"), 'grants.write_path = ["/opt/x/f"]'),
        (Grant("write_path", "/home/u/note"), 'grants.write_path = ["/home/u/note"]'),
        (Grant("metadata", "/home/u/note"), 'grants.metadata = ["/home/u/note"]'),
        (Grant("write_path", "/home/u/.gitconfig"), ""),
        (Grant("write_path", "/home/u/.config/x/y"), ""),
        (Grant("write_path", "/home/u/bin/x"), ""),
        (Grant("write_path", "/etc/motd"), ""),
        (Grant("new_entry", "/home/u/made"), ""),
        (Grant("remove", "/home/u/note"), ""),
        (Grant("write_root", "/opt/x"), 'sandbox_workspace_write.writable_roots = ["/opt/x"]'),
    ],
)
def test_at_a_call_that_waits_the_setting_gives_that_file_alone(grant: Grant, setting: str) -> None:
    """Required: no whole directory for one file; none for what is obeyed later, or is another thing the next time."""
    command = CommandRequest(("touch", "x"), "/repo", {"HOME": "/home/u", "PATH": "/usr/bin:/home/u/bin"})
    lines = again_lines(ASKED.but(stage="held", command=command, grants=(grant,)), session="", always="")
    assert lines == ([f"{setting} in config.toml"] if setting else [])


@pytest.mark.parametrize("place", ["/srv/people/ann", "/srv/people", "/opt/tools/bin"])
def test_no_setting_is_named_that_would_end_every_later_command(place: str) -> None:
    """Required: a home that lies elsewhere, what it lies in, and where a shell finds programs are no workspace."""
    command = CommandRequest(("touch", "x"), "/repo", {"HOME": "/srv/people/ann", "PATH": "/usr/bin:/opt/tools/bin"})
    asked = ASKED.but(command=command)
    for grant in (Grant("write_root", place), Grant("write_path", f"{place}/note")):
        assert again_lines(asked.but(grants=(grant,)), session="", always="") == []
    below = asked.but(grants=(Grant("write_root", "/srv/people/ann/work"),))
    assert again_lines(below, session="", always="") != []
