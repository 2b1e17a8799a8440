"""Plans of lines of nothing but git."""

from __future__ import annotations

import os
from pathlib import Path

from sandgate.gate.git_alone import moving, with_steady_programs
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions


def test_paths_count_from_where_the_command_really_stands(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "link").symlink_to("repo")
    real = f"{tmp_path}/repo"
    permissions = EffectivePermissions(
        writable=(real,), read_only=(f"{real}/.git", f"{real}/wt/.git"), drafts=(f"{real}/.git",)
    )
    words = ("git", "worktree", "remove", "wt")
    assert moving(permissions, CommandRequest(words, str(tmp_path / "link"), {})).lifted == (f"{real}/wt/.git",)
    assert moving(permissions, CommandRequest(("rm", "-r", "wt"), real, {})) is permissions


def test_programs_come_from_where_no_command_can_put_them(tmp_path: Path) -> None:
    """Required: a `git` or `sed` of the workspace, through a link as well, would write what git alone may."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "link").symlink_to("tools")
    permissions = EffectivePermissions(writable=(f"{tmp_path}/tools",))
    path = f"{tmp_path}/tools/bin:{tmp_path}/link:bin::/usr/bin:/bin"
    plan = ConfinedCommand("namespace", ("git",), "/", {"PATH": path, "HOME": "/h"}, permissions)
    steady = os.pathsep.join(dict.fromkeys(map(os.path.realpath, ("/usr/bin", "/bin"))))
    assert with_steady_programs(plan).env == {"PATH": steady, "HOME": "/h"}


def test_a_link_on_the_way_to_programs_is_not_followed_later(tmp_path: Path) -> None:
    """Required: a command beside this one can lead it elsewhere."""
    (tmp_path / "link").symlink_to("/usr/bin")
    permissions = EffectivePermissions(writable=(str(tmp_path),))
    plan = ConfinedCommand("namespace", ("git",), "/", {"PATH": f"{tmp_path}/link"}, permissions)
    assert with_steady_programs(plan).env == {"PATH": os.path.realpath("/usr/bin")}
