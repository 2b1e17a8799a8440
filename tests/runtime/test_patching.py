"""The door for patches."""

from __future__ import annotations

from pathlib import Path

import pytest

from patching import tree_of, within, wrapped
from sandgate.errors import PatchDoesNotFit
from sandgate.runtime.patching import JOURNALS_NAME, apply_text


def test_a_patch_is_applied_and_told(tmp_path: Path) -> None:
    repo, state = tmp_path / "repo", tmp_path / "state"
    repo.mkdir()
    done = apply_text(
        wrapped("*** Add File: f\n+x"), cwd=str(repo), permissions=within(repo), state_directory=str(state)
    )
    assert (done.output, done.applied.denied) == ("Success. Updated the following files:\nA f\n", ())
    assert tree_of(repo) == {"f": b"x\n"}
    assert list((state / JOURNALS_NAME).iterdir()) == []


def test_what_is_denied_is_told_and_not_written(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    done = apply_text(wrapped("*** Add File: ../f\n+x"), cwd=str(repo), permissions=within(repo))
    assert (done.output, done.applied.denied) == ("", (("create", f"{tmp_path}/f"),))
    assert tree_of(tmp_path) == {"repo/": b""}


def test_hunk_by_hunk_is_possible_on_request(tmp_path: Path) -> None:
    text = wrapped("*** Add File: f\n+x\n*** Delete File: none")
    with pytest.raises(PatchDoesNotFit):
        apply_text(text, cwd=str(tmp_path), permissions=None)
    assert tree_of(tmp_path) == {}
    with pytest.raises(PatchDoesNotFit):
        apply_text(text, cwd=str(tmp_path), permissions=None, atomic=False)
    assert tree_of(tmp_path) == {"f": b"x\n"}
