"""Which settings of git run or load something, and how a file of them is read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.commandline.git_settings import loads, redirects, runs, settings_in
from support.suite.rows import every

RUNNING = [
    "core.pager", "core.sshCommand", "core.fsmonitor", "filter.x.clean", "filter.x.process", "diff.x.textconv",
    "diff.external", "diff.x.command", "merge.x.driver", "mergetool.x.cmd", "difftool.x.path", "alias.st",
    "credential.https://h.helper", "gpg.program", "gpg.ssh.defaultKeyCommand", "uploadpack.packObjectsHook",
    "remote.o.uploadpack", "trailer.x.command", "sequence.editor", "interactive.diffFilter", "tar.x.command",
    "pager.log", "hook.x.command", "browser.x.cmd", "man.x.path", "lfs.customtransfer.x.path", "sendemail.toCmd",
]  # fmt: skip
LOADING = ["include.path", "includeIf.gitdir:~/x/.path", "core.hooksPath", "init.templateDir", "core.attributesFile"]
HARMLESS = ["user.name", "merge.conflictStyle", "core.excludesFile", "commit.template", "color.ui"]


@every("key", RUNNING)
def test_a_setting_whose_value_is_a_command_runs(key: str) -> None:
    assert runs(key)
    assert runs(key.upper())


@pytest.mark.parametrize("key", LOADING)
def test_a_setting_whose_value_is_a_file_loads(key: str) -> None:
    assert loads(key)
    assert not runs(key)


@pytest.mark.parametrize("key", HARMLESS)
def test_other_settings_do_neither(key: str) -> None:
    assert (runs(key), loads(key), redirects(key)) == (False, False, False)


def test_a_setting_may_send_elsewhere() -> None:
    assert redirects("url.ssh://evil/.insteadOf")
    assert redirects("protocol.ext.allow")


TEXT = r"""
# a comment
[core]
	bare = false ; why not
	hooksPath = "a # b" # comment
[filter "X y\"z"] clean = tools/clean.sh \
  --fast
	required
[Include]
	path = ~/c:\\d
[a "B"]
	Key = one "two  three" four
"""


def test_a_file_is_read_as_git_reads_it(tmp_path: Path) -> None:
    expected = [
        ("core.bare", "false"),
        ("core.hookspath", "a # b"),
        ('filter.X y"z.clean', "tools/clean.sh   --fast"),
        ('filter.X y"z.required', ""),
        ("include.path", r"~/c:\d"),
        ("a.B.key", "one two  three four"),
    ]
    assert settings_in(TEXT) == expected
    if shutil.which("git"):
        (tmp_path / "config").write_text(TEXT)
        command = ["git", "config", "--file", str(tmp_path / "config"), "--list", "--null"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        by_git = [tuple(one.partition("\n")[::2]) for one in listed.split("\0") if one]
        assert by_git == expected


@pytest.mark.parametrize("text", ["[", "[a", '[a "', "=", "[a]\nb=\\", '[a]\nb="', "\0", "[]\n=", "\ufeff[a]\nb=c"])
def test_damaged_files_are_read_as_far_as_they_go(text: str) -> None:
    assert all(isinstance(value, str) for _, value in settings_in(text))
