"""Which changes of settings are carried over; the real git says what a file means."""

from __future__ import annotations

import pytest

from sandgate.sandbox.git_changed_config import CONFIG_CHARS_MAX, ConfigPlace, refused_of_submodule, refused_setting
from support.suite.rows import every

OLD = """[core]
\tbare = false
\tpager = less
[remote "origin"]
\turl = https://example.org/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[branch "near"]
\tremote = beside/b
"""
PLACE = ConfigPlace(lambda path: not path.startswith("/ws"))
ADDED = (
    "[user]\n\tname = A # B\n".replace(" # B", ""),
    '[user]\n\tname = "A # B"\n',
    '[branch "topic"]\n\tremote = origin\n\tmerge = refs/heads/topic\n',
    '[branch "topic"]\n\tremote = .\n',
    '[remote "up"]\n\turl = git@example.org:b.git\n\tfetch = +refs/heads/*:refs/remotes/up/*\n',
    '[remote "up"]\n\turl = /srv/b.git\n',
    '[submodule "s"]\n\tactive = true\n\turl = https://example.org/s.git\n',
    "[pull]\n\trebase = true\n",
    "[advice]\n\tdetachedHead = false\n",
)
REFUSED = (
    ("core.fsmonitor", "[core]\n\tfsmonitor = x\n"),
    ("core.hookspath", "[core]\n\thooksPath = h\n"),
    ("include.path", "[include]\n\tpath = x\n"),
    ("alias.st", "[alias]\n\tst = !x\n"),
    ("filter.f.clean", '[filter "f"]\n\tclean = x\n'),
    ("core.worktree", "[core]\n\tworktree = /\n"),
    ("url.x.insteadof", '[url "x"]\n\tinsteadOf = https://example.org/\n'),
    ("remote.origin.pushurl", '[remote "origin"]\n\tpushurl = https://evil.example/\n'),
    ("remote.x.url", '[remote "x"]\n\turl = ext::sh\n'),
    ("remote.x.url", '[remote "x"]\n\turl = /ws/evil.git\n'),
    ("remote.x.url", '[remote "x"]\n\turl = ./evil.git\n'),
    ("remote.x.url", '[remote "x"]\n\turl = ssh://-oProxyCommand=x/y\n'),
    ("remote.https://example.org/b.git.url", '[remote "https://example.org/b.git"]\n\turl = https://evil.example/\n'),
    ("remote.../b.url", '[remote "../b"]\n\turl = https://evil.example/\n'),
    ("remote.beside/b.url", '[remote "beside/b"]\n\turl = https://evil.example/\n'),
    ("remote.x.fetch", '[remote "x"]\n\tfetch = +refs/heads/*:refs/heads/*\n'),
    ("remote.x.uploadpack", '[remote "x"]\n\tuploadpack = x\n'),
    ("branch.main.remote", '[branch "main"]\n\tremote = evil\n'),
    ("branch.topic.remote", '[branch "topic"]\n\tremote = https://evil.example/\n'),
    ("submodule.s.update", '[submodule "s"]\n\tupdate = !x\n'),
    ("protocol.ext.allow", '[protocol "ext"]\n\tallow = always\n'),
    ("gpg.program", "[gpg]\n\tprogram = x\n"),
    ("credential.helper", "[credential]\n\thelper = x\n"),
)
ODD = (
    "[core] fsmonitor = x\n",
    "\tname = a \\\n",
    "[core]\n\tabbrev = 7\u2028[advice]\n\tfsmonitor = x\n",
    '[remote "origin.uploadpack\0"]\n\tprune = x\n',
    '[branch "main.remote\x7f"]\n\tmerge = x\n',
    "[a\n",
    '\tname = "a\n',
)


@pytest.mark.parametrize("added", ADDED)
def test_settings_that_run_nothing_may_come_and_go(added: str) -> None:
    assert refused_setting(OLD, OLD + added, PLACE) == ""


@every("key, added", REFUSED)
def test_others_may_not(key: str, added: str) -> None:
    """Required: nothing a command may set runs a program, loads a file, or sends a later push elsewhere."""
    assert refused_setting(OLD, OLD + added, PLACE) == key


@pytest.mark.parametrize("added", ODD)
def test_what_git_would_not_write_so_is_not_believed(added: str) -> None:
    """Required: two readers of a file must not differ."""
    assert refused_setting(OLD, OLD + added, PLACE) != ""


def test_a_branch_that_is_renamed_keeps_its_remote() -> None:
    assert refused_setting(OLD, OLD.replace('branch "main"', 'branch "trunk"'), PLACE) == ""


def test_a_remote_stays_where_it_leads() -> None:
    """Required: else one command takes it away, and the next puts its own in the place."""
    assert refused_setting(OLD, OLD.replace("/a.git", "/b.git"), PLACE) == "remote.origin.url"
    without = OLD.replace("\turl = https://example.org/a.git\n", "")
    assert refused_setting(OLD, without, PLACE) == "remote.origin.url"


def test_the_first_remote_of_a_repository_may_be_followed() -> None:
    first = '[remote "o"]\n\turl = https://example.org/a\n[branch "main"]\n\tremote = o\n'
    assert refused_setting("[core]\n\tbare = false\n", "[core]\n\tbare = false\n" + first, PLACE) == ""


def test_what_was_there_stays_believed() -> None:
    odd = OLD + "; a comment\n[alias] l = log --oneline # short\n"
    assert refused_setting(odd, odd + "[user]\n\tname = n\n", PLACE) == ""
    assert refused_setting(odd, OLD, PLACE) == "alias.l"


def test_a_submodule_lies_where_its_settings_say() -> None:
    settings = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../../../s\n"
    place = ConfigPlace(PLACE.may_name, "../../../s")
    assert refused_of_submodule("", settings, place) == ""
    assert refused_of_submodule("", settings, PLACE) == "core.worktree"
    assert refused_of_submodule("", settings + "\tfsmonitor = x\n", place) == "core.fsmonitor"


def test_a_submodule_is_taken_away_and_fetched_again() -> None:
    taken = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
    there = taken + "\tworktree = ../../../s\n"
    assert refused_of_submodule(there, taken, PLACE) == ""
    assert refused_of_submodule(taken, there, ConfigPlace(PLACE.may_name, "../../../s")) == ""
    assert refused_of_submodule(taken, there, PLACE) == "core.worktree"
    assert refused_of_submodule(there, there.replace("../s", "../t"), PLACE) == "core.worktree"
    assert (
        refused_of_submodule(taken, there + "\tfsmonitor = x\n", ConfigPlace(PLACE.may_name, "../../../s"))
        == "core.fsmonitor"
    )


def test_a_file_of_unusual_size_is_not_read() -> None:
    assert refused_setting(OLD, OLD + "#" * CONFIG_CHARS_MAX, PLACE) == "too many settings"
