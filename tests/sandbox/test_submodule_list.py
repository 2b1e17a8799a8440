"""Which lists of submodules a command may write: what git would run, or be led astray by, is told by its name."""

from __future__ import annotations

import pytest

from sandgate.sandbox.git_changed_config import CONFIG_CHARS_MAX, ConfigPlace
from sandgate.sandbox.submodule_list import refused_entry

OLD = '# ours\n[submodule "old"]\n\tpath = old\n\turl = https://example.org/old.git\n'
PLACE = ConfigPlace(lambda path: not path.startswith("/ws"))
HARMLESS = (
    '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n',
    '[submodule "v/lib"]\n\tpath = v/lib\n\turl = https://example.org/lib.git\n\tbranch = dev\n\tshallow = true\n',
    '[submodule "a b"]\n\tpath = a b\n\turl = git@example.org:x/y.git\n\tignore = dirty\n\tupdate = rebase\n',
    '[submodule "s"]\n\tpath = s\n\turl = /srv/s.git\n\tfetchRecurseSubmodules = on-demand\n',
)
REFUSED = (
    ("submodule.x.update", '[submodule "x"]\n\tupdate = !touch mark\n'),
    ("submodule.x.url", '[submodule "x"]\n\turl = ext::sh -c x\n'),
    ("submodule.x.url", '[submodule "x"]\n\turl = -u./payload\n'),
    ("submodule.x.url", '[submodule "x"]\n\turl = /ws/evil\n'),
    ("submodule.../../x.path", '[submodule "../../x"]\n\tpath = x\n'),
    ("submodule.x/.GIT/y.path", '[submodule "x/.GIT/y"]\n\tpath = y\n'),
    ("submodule.x.path", '[submodule "x"]\n\tpath = ../x\n'),
    ("submodule.x.path", '[submodule "x"]\n\tpath = .git/hooks\n'),
    ("submodule.x.path", '[submodule "x"]\n\tpath = -x\n'),
    ("core.fsmonitor", "[core]\n\tfsmonitor = x\n"),
    ("include.path", "[include]\n\tpath = x\n"),
    ("a line that git would not write so", '[submodule "x"]\n\tpath = x\\\n'),
    ("a line that git would not write so", '[submodule "x.update\0"]\n\tbranch = !touch mark\n'),
    ("too many settings", "#" * (CONFIG_CHARS_MAX + 1)),
)


@pytest.mark.parametrize("added", HARMLESS)
def test_what_says_where_submodules_are_is_let_be(added: str) -> None:
    assert refused_entry(OLD, OLD + added, PLACE) == ""
    assert refused_entry(OLD, "", PLACE) == ""


@pytest.mark.parametrize(("why", "added"), REFUSED)
def test_what_runs_or_leads_astray_is_not(why: str, added: str) -> None:
    assert refused_entry(OLD, OLD + added, PLACE) == why


def test_what_stood_there_before_is_a_persons() -> None:
    old = OLD + '[submodule "x"]\n\tupdate = !make\n'
    assert refused_entry(old, old + HARMLESS[0], PLACE) == ""
