"""Which places settings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox import git_config
from sandgate.sandbox.git_config import Allowance, Named, named_by_environment, named_places, users_files
from sandgate.sandbox.looking import Look


def named_by(tmp_path: Path, text: str) -> set[tuple[str, str]]:
    (tmp_path / "config").write_text(text)
    places = named_places((str(tmp_path / "config"),), "/ws", ("/home/u",), Look())
    return {(one.kind, one.path) for one in places}


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("[core]\nhooksPath = .githooks", "directory", "/ws/.githooks"),
        ("[core]\nhooksPath = ~/hooks", "directory", "/home/u/hooks"),
        ("[core]\nattributesFile = attributes", "file", "/ws/attributes"),
        ("[init]\ntemplateDir = tools/template", "directory", "/ws/tools/template"),
        ('[filter "x"]\nclean = "python3 tools/clean.py %f"', "word", "/ws/tools/clean.py"),
        ('[filter "x"]\nclean = bash clean.sh', "word", "/ws/clean.sh"),
        ('[diff "x"]\ntextconv = ./show', "word", "/ws/show"),
        ("[alias]\nx = !f() { ./run; }; f", "word", "/ws/run"),
        ('[alias]\nx = "!\\"$(git rev-parse --show-toplevel)/tools/x\\""', "word", "/ws/tools/x"),
        ('[credential "https://h"]\nhelper = !/ws/helper/x', "word", "/ws/helper/x"),
    ],
)
def test_a_setting_names_a_place(tmp_path: Path, text: str, kind: str, path: str) -> None:
    assert (kind, path) in named_by(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "[core]\nfsmonitor = true",
        "[alias]\nl = log --oneline -n 5",
        "[alias]\nr = !cat README.md",
        "[user]\nname = a/b",
    ],
)
def test_plain_words_name_none(tmp_path: Path, text: str) -> None:
    assert named_by(tmp_path, text) == set()


def test_what_is_included_is_named_and_read_whatever_the_condition(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("[core]\nhooksPath = h\n[include]\npath = config")  # and back again
    found = named_by(tmp_path, '[includeIf "gitdir:/nowhere/"]\npath = more')
    assert found == {("file", f"{tmp_path}/more"), ("directory", "/ws/h"), ("file", f"{tmp_path}/config")}


def test_a_chain_of_includes_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_config, "FILES_MAX", 3)
    for number in range(9):
        (tmp_path / f"{number}").write_text(f"[include]\npath = {number + 1}")
    found = named_places((str(tmp_path / "0"),), "/ws", (), Look())
    assert found == [Named("file", f"{tmp_path}/{number}") for number in (1, 2, 3)]


def test_the_users_and_the_systems_files_count() -> None:
    assert users_files(("/home/u",)) == ("/etc/gitconfig", "/home/u/.gitconfig", "/home/u/.config/git/config")


def test_the_environment_may_name_more_of_them() -> None:
    assert named_by_environment("/x", "/g", "relative") == ("/x/git/config", "/g")
    assert named_by_environment("", "", "") == ()
    assert users_files((), ("/g",)) == ("/etc/gitconfig", "/g")


def test_no_more_is_read_than_is_allowed_for_all_of_them(tmp_path: Path) -> None:
    text = "[core]\n\thooksPath = here\n"
    (tmp_path / "one").write_text(text)
    (tmp_path / "two").write_text(text)
    allowance = Allowance(len(text))
    assert named_places((str(tmp_path / "one"),), "/ws", (), Look(), allowance) == [Named("directory", "/ws/here")]
    assert named_places((str(tmp_path / "two"),), "/ws", (), Look(), allowance) == []
