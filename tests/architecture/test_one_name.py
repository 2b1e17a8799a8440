"""One name, one thing: a reader who has met a name knows what it is the next time."""

import ast
from collections import defaultdict

from support.suite.source_tree import modules, shown, tree

LATER = {
    "Call": ("assessment/inquiry.py", "policy/rules/literal.py"),
    "Entry": ("assessment/knowledge/entry.py", "sandbox/git_objects.py"),
    "Judgement": ("execution/draft_judgement.py", "policy/approval.py"),
    "Place": ("assessment/places.py", "sandbox/git_changed_config.py"),
    "Reading": ("commandline/arguments.py", "commandline/grammar.py"),
    "Redirection": ("commandline/bashcommands.py", "commandline/script.py"),
    "Script": ("commandline/bashcommands.py", "commandline/script.py"),
    "SimpleCommand": ("commandline/bashcommands.py", "commandline/script.py"),
    "Word": ("commandline/bashwords.py", "commandline/script.py"),
}
"""Classes that share a name until what reads and judges command lines is one model."""


def test_a_public_class_has_a_name_of_its_own() -> None:
    assert _shared(_classes()) == LATER


def _classes() -> dict[str, tuple[str, ...]]:
    """By each public name the files that define a class of it, at any depth."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in modules().values():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(shown(path).removeprefix("src/sandgate/"))
    return {name: tuple(sorted(files)) for name, files in found.items()}


def _shared(found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: files for name, files in found.items() if len(files) > 1}
