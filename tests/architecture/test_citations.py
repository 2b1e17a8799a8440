"""A comment cites what its reader has: this repository, or a public standard by its name."""

import re

from support.suite.source_tree import REPOSITORY, project_files, shown

CITED = re.compile(
    r"(?<![\w/.-])([a-z_][\w-]*\.md)(?:'s)?,? (?:§|sections? \d|tests? \d|rows? \d|\"?[Tt]est ideas)|§ ?\d"
)
READ = (".py", ".c", ".h", ".sh", ".toml")
OURS = {path.name for path in REPOSITORY.glob("*.md")} | {path.name for path in (REPOSITORY / "docs").rglob("*.md")}


def test_nothing_cites_a_page_that_is_not_here() -> None:
    """Required: what a page said stands as a sentence where it matters."""
    assert [place for path in project_files() if path.suffix in READ for place in _cited(shown(path))] == []


def test_a_citation_is_noticed() -> None:
    found = [
        CITED.search(line) for line in ("# session.md section 9", "the table of exec.md §1", "(cli.md, section 2)")
    ]
    assert all(found)


def _cited(name: str) -> list[str]:
    if name == "tests/architecture/test_citations.py":
        return []
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    cited = ((number, CITED.search(line)) for number, line in enumerate(lines, 1))
    return [f"{name}:{number}: {match[0]}" for number, match in cited if match and match[1] not in OURS]
