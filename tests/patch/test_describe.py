"""What a person sees before deciding."""

from __future__ import annotations

from pathlib import Path

from sandgate.patch.describe import FILES_SHOWN_MAX, described
from support.tool.patching import planned


def test_a_description_shows_everything_and_obeys_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\nb\nc\nd\na\n")
    (tmp_path / "g").write_text("bye\n")
    body = "*** Update File: f\n*** Move to: h\n@@\n-a\n+\x1b[2J\n*** Delete File: g\n*** Add File: n\n+x"
    assert described(planned(tmp_path, body)) == [
        f"update {tmp_path}/f -> {tmp_path}/h",
        "@@ -1,4 +1,4 @@",
        "-a",
        "+\\x1b[2J",
        " b",
        " c",
        " d",
        f"delete {tmp_path}/g",
        "-bye",
        f"add {tmp_path}/n",
        "+x",
        f"warning: matched 1 of 2 places in {tmp_path}/f, the one at line 1",
    ]


def test_a_moved_link_shows_the_text_that_moves(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "link").symlink_to("f")
    lines = described(planned(tmp_path, "*** Update File: link\n*** Move to: h\n@@\n-a\n+b"))
    assert lines == [f"update {tmp_path}/link -> {tmp_path}/h", "@@ -1 +1 @@", "-a", "+b"]


def test_binary_files_show_their_name_only(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xff")
    (tmp_path / "g").write_bytes(b"\xff")
    assert described(planned(tmp_path, "*** Delete File: f\n*** Update File: g\n*** Move to: h")) == [
        f"delete {tmp_path}/f",
        f"update {tmp_path}/g -> {tmp_path}/h",
    ]


def test_many_files_are_cut_and_counted(tmp_path: Path) -> None:
    body = "\n".join(f"*** Add File: f{number}\n+x" for number in range(3 * FILES_SHOWN_MAX))
    lines = described(planned(tmp_path, body))
    assert (len(lines), lines[-1]) == (3 * FILES_SHOWN_MAX + 1, f"… and {FILES_SHOWN_MAX} more files")
