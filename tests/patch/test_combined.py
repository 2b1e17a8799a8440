"""Several patches as one difference."""

from __future__ import annotations

from sandgate.patch import combined
from sandgate.patch.combined import LARGE, combined_diff
from sandgate.patch.disk_lookup import FileState
from sandgate.patch.plan import FileWrite


def write(path: str, before: str | None, after: str | None) -> FileWrite:
    def state(text: str | None) -> FileState | None:
        return None if text is None else FileState(text.encode())

    return FileWrite(path, path, state(before), state(after))


def test_a_file_changed_twice_is_shown_once_from_its_first_state_to_its_last() -> None:
    shown = combined_diff([write("/a", "one\n", "two\n"), write("/b", None, "new\n"), write("/a", "two\n", "three\n")])
    assert shown.startswith("--- /a\n+++ /a\n")
    assert "-one\n+three\n" in shown
    assert "two" not in shown
    assert "--- /dev/null\n+++ /b\n" in shown


def test_what_was_taken_back_by_a_later_patch_is_not_shown() -> None:
    assert combined_diff([write("/a", "one\n", "two\n"), write("/a", "two\n", "one\n")]) == ""
    assert combined_diff([write("/a", None, "two\n"), write("/a", "two\n", None)]) == ""


def test_a_deleted_file_has_nothing_on_the_other_side() -> None:
    assert combined_diff([write("/a", "one\n", None)]).startswith("--- /a\n+++ /dev/null\n")


def test_a_large_file_is_only_named() -> None:
    combined.DIFF_BYTES_MAX, before = 10, combined.DIFF_BYTES_MAX
    try:
        assert combined_diff([write("/a", "x" * 20, "y")]) == f"--- /a\n+++ /a\n{LARGE}\n"
    finally:
        combined.DIFF_BYTES_MAX = before


def test_a_name_cannot_forge_a_line() -> None:
    assert combined_diff([write("/a\n+++ /etc/passwd", None, "x\n")]).count("\n+++ ") == 1
