"""One name, one thing: a reader who has met a name knows what it is the next time."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from support.suite.source_tree import modules, shown, tree

LATER = {
    "Reading": ("commandline/arguments.py", "commandline/grammar.py"),
    "Redirection": ("commandline/bashcommands.py", "commandline/script.py"),
    "Script": ("commandline/bashcommands.py", "commandline/script.py"),
    "SimpleCommand": ("commandline/bashcommands.py", "commandline/script.py"),
    "Word": ("commandline/bashwords.py", "commandline/script.py"),
}
"""Classes that share a name until what reads and judges command lines is one model."""

FACES = {
    "entry": "what an installed program starts with: `sandgate` and `apply_patch`",
    "main": "what one program, command or child process does from its arguments to its exit code",
    "parse": "text of the one language that the file is about, as a value: bash, our own command line",
    "run": "carries out the one thing that the file is named for: a plan, a tool",
}
"""Verbs that are the whole face of a file, and why they may be said by several."""


def test_a_public_class_has_a_name_of_its_own() -> None:
    assert _classes() == LATER


def test_no_two_packages_say_the_same_name_of_different_things() -> None:
    """Required: a name that is found in two packages is one thing, or has a qualifying word."""
    assert {name: files for name, files in _in_packages().items() if name not in FACES} == {}


def test_every_exception_is_still_needed() -> None:
    assert sorted(FACES) == sorted(name for name in _in_packages() if name in FACES)


def _classes() -> dict[str, tuple[str, ...]]:
    """By each public name that several have the files that define a class of it, at any depth."""
    found = _by_name(
        (node.name, path)
        for path in modules().values()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    )
    return {name: files for name, files in found.items() if len(files) > 1}


def _in_packages() -> dict[str, tuple[str, ...]]:
    """By each public name that several packages have the files that define a class or function of it."""
    found = _by_name(
        (node.name, path)
        for path in modules().values()
        for node in tree(path).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return {name: files for name, files in found.items() if len({file.split("/")[0] for file in files}) > 1}


def _by_name(definitions: Iterator[tuple[str, Path]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in definitions:
        if not name.startswith("_"):
            found[name].append(shown(path).removeprefix("src/sandgate/"))
    return {name: tuple(sorted(files)) for name, files in found.items()}
