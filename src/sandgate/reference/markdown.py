"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; a stroke inside a cell is none between cells."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def sentence(words: str) -> str:
    """With a capital letter and a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


def first_paragraph(docstring: str | None) -> str:
    """On one line."""
    return " ".join((docstring or "").strip().partition("\n\n")[0].split())
