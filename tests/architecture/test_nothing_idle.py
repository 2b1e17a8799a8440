"""Delete what nothing calls."""

import ast
import re

from support.suite.source_tree import modules, tree

DOORS = (
    "sandgate", "sandgate.testing", "sandgate.start", "sandgate.kernel.build", "sandgate.patch.program",
    "sandgate.reference.__main__",
)  # fmt: skip
"""Where the outside world enters: imports, the program, the build of the C helper, `apply_patch`, the reference."""

FOUND = "sandgate.tools.builtin."
"""Modules that are found by their place."""

CALLED_FROM_OUTSIDE = frozenset({"entry", "__version__"})
"""Names that the outside world uses and the package does not."""


def test_every_module_is_reached_from_a_door() -> None:
    reached: set[str] = set()
    waiting = [name for name in modules() if name in DOORS or name.startswith(FOUND)]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _mentioned_modules(name) | _parents(name)
    assert sorted(modules().keys() - reached) == []


def test_every_top_level_name_is_used_somewhere() -> None:
    """Our choice: a name that only tests use is idle too, unless the package's front offers it."""
    words = _word_counts()
    offered = CALLED_FROM_OUTSIDE | _offered_at_the_front()
    idle = [
        f"{module}.{name}"
        for module, path in modules().items()
        for name in _defined(tree(path))
        if words.get(name, 0) < 2 and name not in offered and not name.startswith("__")
    ]
    assert idle == []


def _mentioned_modules(name: str) -> set[str]:
    """Modules named by an import anywhere in the file, or by a string: a module's name, or a neighbour's."""
    package = name if modules()[name].name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree(modules()[name])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value, f"{package}.{node.value}"}
    return found & modules().keys()


def _parents(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def _word_counts() -> dict[str, int]:
    counts: dict[str, int] = {}
    for path in modules().values():
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8")):
            counts[word] = counts.get(word, 0) + 1
    return counts


def _defined(module: ast.Module) -> list[str]:
    names = []
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return names


def _offered_at_the_front() -> set[str]:
    front = tree(modules()["sandgate"])
    return {node.value for node in ast.walk(front) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
