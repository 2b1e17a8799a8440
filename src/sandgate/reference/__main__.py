"""`python -m sandgate.reference`: writes every page below docs/, or says with `--check` which ones differ."""

from __future__ import annotations

import sys
from pathlib import Path

from sandgate.config.reference import defaults_document
from sandgate.reference import app_server, command_line, events, exit_codes, manual, python_api, rules, settings, tools

DOCS = Path(__file__).resolve().parents[3] / "docs"
COMMAND = "python -m sandgate.reference"
NOTE = f"<!-- Written by `{COMMAND}`; change what it is made from instead. -->\n"


def pages() -> dict[str, str]:
    """Every file that is written, by its place below docs/."""
    made = {
        "app-server": app_server.page(),
        "command-line": command_line.page(),
        "events": events.page(),
        "exit-codes": exit_codes.page(),
        "mcp-tools": tools.page(),
        "python": python_api.page(),
        "rules": rules.page(),
    }
    marked = {f"reference/{name}.md": _marked(text) for name, text in made.items()}
    schemas = {
        "reference/run-events.schema.json": events.run_schema(),
        "reference/agent-events.schema.json": events.agent_schema(),
        "reference/config.schema.json": settings.schema(),
    }
    documents = {f"reference/{name}": text for name, text in app_server.beside_the_page().items()}
    manuals = {f"man/{name}": text for name, text in manual.pages().items()}
    return {**marked, "reference/configuration.md": defaults_document(), **schemas, **documents, **manuals}


def stale(docs: Path = DOCS) -> list[str]:
    """The files that are not as they would be written, and manual pages of commands that are no more."""
    wanted = pages()
    known = [name for name, text in wanted.items() if not _is(docs / name, text)]
    return known + [f"man/{file.name}" for file in sorted(docs.glob("man/*")) if f"man/{file.name}" not in wanted]


def write_pages(docs: Path = DOCS) -> None:
    """Writes what differs, and removes manual pages of commands that are no more."""
    wanted = pages()
    for name in stale(docs):
        path = docs / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()


def _marked(text: str) -> str:
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{NOTE}{rest}"


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: list[str]) -> int:
    """Returns an exit code."""
    if not (DOCS / "reference").is_dir():
        print(f"there is no {DOCS / 'reference'}: this is not a clone", file=sys.stderr)
        return 2
    if arguments == ["--check"]:
        differing = stale()
        print("".join(f"docs/{name} is out of date: {COMMAND}\n" for name in differing), end="")
        return int(bool(differing))
    write_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
