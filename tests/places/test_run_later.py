"""The table of names that something obeys later: whole, unambiguous, and what everything else derives from."""

import pytest

from sandgate.places import run_later
from sandgate.places.run_later import CLOSED, CLOSED_ENDINGS, CLOSED_NAMES, ending_form, is_plain_name, rows, watched
from support.suite.rows import every


def test_every_name_is_decided_once_and_with_a_reason() -> None:
    names = [name.lower() for name, *_ in rows()]
    assert len(names) == len(set(names))
    assert all(obeyed_by and why for _, obeyed_by, _, why in rows())


def test_a_name_is_relative_and_an_ending_is_one_part() -> None:
    for name, *_ in rows():
        assert not name.startswith(("/", "./"))
        assert ".." not in name.split("/")
        assert "*" not in name[1:]
        assert name[0] != "*" or name[1] == "."


def test_no_closed_name_lies_in_another_one() -> None:
    for name in CLOSED:
        assert not any(name.startswith(other + "/") for other in CLOSED)


@every("name", [".envrc", ".vscode", ".zed", ".kiro", ".roo", ".windsurf", "opencode.json",
                                  ".nvim.lua", ".cargo/config.toml", ".mcp.json", ".devcontainer", "gptme.toml",
                                  ".vim/coc-settings.json", ".jj/repo/config.toml", ".sl/config", ".lazy.lua",
                                  ".rvmrc", ".perldb", ".hie-bios", ".octaverc", ".lazygit.yml", "kilo.jsonc",
                                  ".config/irb/irbrc", "$irbrc", ".conanrc", ".repo/repo"])  # fmt: skip
def test_what_acts_when_a_directory_is_opened_is_closed(name: str) -> None:
    assert name in CLOSED_NAMES


@pytest.mark.parametrize("name", ["package.json", "Makefile", "pyproject.toml", ".gitignore", ".editorconfig",
                                  "AGENTS.md", "CLAUDE.md", ".npmrc", "conftest.py", ".env"])  # fmt: skip
def test_everyday_files_stay_writable(name: str) -> None:
    assert name not in CLOSED


@every("path", [".rtx.toml", ".config/mise.toml", ".config/mise/config.toml", ".config/mise/conf.d",
                                  "mise/config.toml", ".bsp", "_opam", ".RData", "hie.yaml", "tools/bazel",
                                  ".simple-git-hooks.json", "gradle.properties", "config.nims"])  # fmt: skip
@every("root", ["/w", "/w/deep/er", ""])
def test_what_everyday_commands_write_is_told_in_any_spelling(root: str, path: str) -> None:
    directory, _, name = f"{root}/{path}".rpartition("/")
    assert watched(directory, name) is not None
    assert watched(directory.upper(), name.upper()) is not None


@pytest.mark.parametrize("path", ["config.toml", "repo/config.toml", "x.jj/repo/config.toml", "jj/repo/config.toml",
                                  "config", "conf.d", "mise/conf.d", "irbrc", "bazel", "prefs"])  # fmt: skip
def test_a_part_of_a_name_is_none(path: str) -> None:
    directory, _, name = f"/w/{path}".rpartition("/")
    assert watched(directory, name) is None


def test_no_name_has_more_parts_than_are_looked_at() -> None:
    assert max(name.count("/") + 1 for name, *_ in rows()) == run_later._PARTS_MAX


def test_a_listing_keeps_every_closed_name_in_any_spelling() -> None:
    for name in CLOSED_NAMES:
        first = name.partition("/")[0]
        assert first[0] == "." or (is_plain_name(first) and is_plain_name(first.upper()))
    for ending in CLOSED_ENDINGS:
        assert is_plain_name("x" + ending.upper())
    assert not is_plain_name("package.json")


def test_the_form_under_which_an_ending_is_absent() -> None:
    assert ending_form("/w/a b.code-workspace") == "/w/*.code-workspace"
    assert ending_form("/w.d/plain") == "/w.d/plain"
