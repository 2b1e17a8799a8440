"""What tests share has a place for its noun, and is used."""

from support.suite.source_tree import REPOSITORY, project_files

TESTS = REPOSITORY / "tests"
SUPPORT = TESTS / "support"


def modules_below(folder: str) -> list[str]:
    """Their names below tests/, of files that are, or are about to be, tracked."""
    names = (path.relative_to(TESTS) for path in project_files() if path.is_relative_to(TESTS / folder))
    return [str(name) for name in names if name.suffix == ".py"]


def test_nothing_but_tests_lies_flat_in_the_folder_of_tests() -> None:
    """Required: what tests share lies in tests/support, in the folder of its noun."""
    flat = [name for name in modules_below(".") if "/" not in name]
    assert [name for name in flat if name != "conftest.py" and not name.startswith("test_")] == []


def test_what_tests_share_lies_in_a_folder_of_a_noun() -> None:
    names = modules_below("support")
    assert names
    assert [name for name in names if name.count("/") != 2] == ["support/__init__.py"]
    assert [name for name in names if name.split("/")[1] in ("misc", "utils", "helpers", "common")] == []
    assert [name for name in names if name.rpartition("/")[2].startswith("test_")] == []
