from source_tree import REPOSITORY, modules, shown

TESTED_ELSEWHERE = {
    "errors": "plain classes; every message is compared where it is raised",
    "protocol.": "values without behaviour; what a Record does is in test_record.py",
}
"""Modules (or, ending in a dot, packages) without a test file of their own, and why that is right."""


def test_every_module_has_its_test_file() -> None:
    """Required: a newcomer finds the tests of a file without searching."""
    assert [name for name in _without_twin() if not _explained(name)] == []


def test_every_explanation_is_still_needed() -> None:
    unneeded = [entry for entry in TESTED_ELSEWHERE if not any(_matches(entry, name) for name in _without_twin())]
    assert unneeded == []


def _without_twin() -> list[str]:
    return [name for name, path in _judged() if not (REPOSITORY / path).exists()]


def _judged() -> list[tuple[str, str]]:
    """Dotted name below `sandgate.` → the path of its test file; package fronts only re-export."""
    found = []
    for dotted, path in modules().items():
        if path.name != "__init__.py":
            relative = shown(path).removeprefix("src/sandgate/")
            folder, _, file = relative.rpartition("/")
            found.append((dotted.removeprefix("sandgate."), f"tests/{folder}/test_{file.lstrip('_')}"))
    return found


def _explained(name: str) -> bool:
    return any(_matches(entry, name) for entry in TESTED_ELSEWHERE)


def _matches(entry: str, name: str) -> bool:
    return name.startswith(entry) if entry.endswith(".") else name == entry
