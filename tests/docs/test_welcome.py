"""The pages for newcomers say what is so."""

from __future__ import annotations

import re
import shlex

import pytest

from sandgate.surfaces.cli.parse import parse
from support.docs.how_to_pages import blocks
from support.suite.rows import every
from support.suite.source_tree import REPOSITORY

TERMS_MAX = 60
GLOSSARY = (REPOSITORY / "docs" / "glossary.md").read_text()
TERMS = re.findall(r"^\*\*([^*]+)\*\*", GLOSSARY, re.MULTILINE)
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text()
SOURCES = ("src", "tests", "native", "docs", "changes", "requirements")


def source() -> str:
    """Python and C of the program, in one line, in lower case, without the marks between words."""
    files = [*(REPOSITORY / "src").rglob("*.py"), *(REPOSITORY / "native").glob("*.[ch]")]
    return re.sub(r"[\s_-]+", " ", " ".join(file.read_text() for file in files)).lower()


def test_the_glossary_is_short_sorted_and_says_each_term_once() -> None:
    assert 0 < len(TERMS) <= TERMS_MAX
    assert sorted(set(TERMS), key=str.lower) == TERMS
    paragraphs = [each for each in GLOSSARY.split("\n\n")[2:] if each.strip()]
    assert len(paragraphs) == len(TERMS)


def test_every_term_of_the_glossary_is_used_by_the_source() -> None:
    text = source()
    assert [term for term in TERMS if re.sub(r"[\s-]+", " ", term.lower()) not in text] == []


def places() -> list[tuple[str, str]]:
    """What the table of CONTRIBUTING.md names, each cell's later names beside its first or below the package."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]*) \|$", CONTRIBUTING, re.MULTILINE)[2:]
    return [(row[0], name) for row in rows for cell in row[1:] for name in re.findall(r"`([^` ]+)`", cell)]


@every("change, name", places())
def test_what_a_change_touches_is_there(change: str, name: str) -> None:
    root = name if name.startswith(SOURCES) else f"src/sandgate/{name}"
    found = (REPOSITORY / root).exists() or any((REPOSITORY / "src").rglob(name))
    assert found, f"{change}: there is no {name}"


@pytest.mark.parametrize(("page", "lines"), [("ci.md", 1), ("install.md", 3), ("mcp.md", 2)])
def test_every_command_line_of_the_page_is_one(page: str, lines: int) -> None:
    """Required: its options exist, and it has a form that the program takes."""
    typed = [line for block in blocks(page, "sh") for line in re.findall(r"\bsandgate [^)>\n]+", block)]
    assert len(typed) == lines
    for line in typed:
        assert parse(shlex.split(line, comments=True)[1:]).command


def test_pages_show_what_the_readme_shows() -> None:
    assert blocks("mcp.md", "json")[:1] == blocks("../../README.md", "json")  # the second one delegates
    assert blocks("ci.md", "sh") == blocks("../../README.md", "sh")


def test_the_files_a_stranger_looks_for_are_linked_from_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "docs/index.md"):
        assert f"]({name})" in readme
        assert (REPOSITORY / name).is_file()


def test_no_page_invents_an_address_to_write_to() -> None:
    text = (REPOSITORY / "SECURITY.md").read_text()
    assert re.findall(r"\S+@\S+|https?://\S+", text) == []
