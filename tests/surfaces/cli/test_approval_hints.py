"""What would have allowed it."""

from __future__ import annotations

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.surfaces.cli.approval_hints import HINTS_MAX, allowing

REQUEST = ApprovalRequest("a", "c", "initial", CommandRequest(("npm", "install"), "/repo", {}), "")
CHANGES = (FileChange("add", "/data/new"),)
ALWAYS = "--answer approve, or a terminal where you can be asked"


@pytest.mark.parametrize(
    ("grant", "option"),
    [
        (Grant("write_root", "/my data"), "--add-dir '/my data'"),
        (Grant("host", "*"), "--network on"),
        (Grant("read_path", "/k"), """-c 'secrets.opened=["/k"]'"""),
        (Grant("unix_socket", "/s"), """-c 'sandbox.unix_sockets=["/s"]'"""),
        (ESCALATE, "-s danger-full-access"),
    ],
)
def test_each_grant_has_its_option(grant: Grant, option: str) -> None:
    assert allowing(REQUEST.but(grants=(grant,))) == (option, ALWAYS)


def test_a_new_file_is_named_where_it_can_be_and_else_its_directory() -> None:
    created = DenialReport("denied", (Denial("create", "/data/new"),))
    request = REQUEST.but(grants=(Grant("write_path", "/data/new"),), denial=created)
    assert allowing(request) == ("--add-dir /data", ALWAYS)
    new = REQUEST.but(grants=(Grant("new_entry", "/data/new"),), denial=created)
    assert allowing(new) == ("--grant new_entry=/data/new", ALWAYS)
    assert allowing(request.but(changes=CHANGES)) == ("--add-dir /data", ALWAYS)


@pytest.mark.parametrize("path", ["/home/u/.netrc", "/srv/me/new", "/projects/new"])
def test_for_a_new_file_of_a_patch_no_home_and_nothing_above_the_workspace_is_named(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/srv/me")
    created = DenialReport("denied", (Denial("create", path),))
    command = CommandRequest(("touch", path), "/projects/repo", {})
    request = REQUEST.but(command=command, grants=(Grant("write_path", path),), denial=created)
    assert allowing(request.but(changes=CHANGES)) == (ALWAYS,)


def test_the_rule_comes_first_unless_it_would_leave_the_sandbox() -> None:
    assert allowing(REQUEST.but(amendment=Amendment(("npm", "install")))) == (
        "sandgate rules add -- npm install",
        ALWAYS,
    )
    assert allowing(REQUEST.but(amendment=Amendment(("npm",), "bypass"))) == (ALWAYS,)


def test_a_wish_to_leave_the_sandbox_names_what_it_takes() -> None:
    request = REQUEST.but(command=REQUEST.command.but(wish="require_escalated"))
    assert allowing(request) == ("-s danger-full-access", ALWAYS)


def test_there_are_never_many() -> None:
    grants = tuple(Grant("write_root", f"/d{number}") for number in range(50))
    assert len(allowing(REQUEST.but(grants=grants))) == HINTS_MAX
