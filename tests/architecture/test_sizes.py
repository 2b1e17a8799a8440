import ast

from support.suite.source_tree import modules, shown, tree

MODULE_LINES = 400
"""A longer file usually holds two nouns."""

FUNCTION_LINES = 60
"""Most functions are shorter than twelve lines; a longer one than this cannot be read at once."""


def test_every_module_makes_one_point() -> None:
    lines = {shown(path): path.read_text(encoding="utf-8").count("\n") for path in modules().values()}
    assert {name: count for name, count in lines.items() if count > MODULE_LINES} == {}


def test_every_function_fits_on_one_screen() -> None:
    lengths = {
        f"{shown(path)}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in modules().values()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}
