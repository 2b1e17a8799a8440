"""Hunk by hunk."""

from __future__ import annotations

from pathlib import Path

import pytest

from patching import tree_of, within, wrapped
from sandgate.errors import PatchDoesNotFit
from sandgate.patch.hunks import Patch
from sandgate.patch.parse import parse_patch
from sandgate.patch.stepwise import apply_in_order


def test_what_was_done_is_summed_up_in_the_usual_order(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    patch = parse_patch(wrapped("*** Delete File: f\n*** Add File: g\n+x\n*** Update File: g\n@@\n-x\n+y"))
    plan, applied = apply_in_order(patch, None, cwd=str(tmp_path))
    assert (plan.summary, applied.denied, applied.undo) == (("A g", "M g", "D f"), (), None)
    assert tree_of(tmp_path) == {"g": b"y\n"}


def test_it_stops_at_what_is_denied(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    patch = parse_patch(wrapped("*** Add File: f\n+a\n*** Add File: ../g\n+b\n*** Add File: h\n+c"))
    _, applied = apply_in_order(patch, within(inside), cwd=str(inside))
    assert applied.denied == (("create", str(tmp_path / "g")),)
    assert tree_of(tmp_path) == {"in/": b"", "in/f": b"a\n"}


def test_an_empty_patch_is_told(tmp_path: Path) -> None:
    with pytest.raises(PatchDoesNotFit, match="No files were modified"):
        apply_in_order(Patch(()), None, cwd=str(tmp_path))
