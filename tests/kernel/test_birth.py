"""When a file was made, asked of the real kernel."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sandgate.kernel.birth import born_ns

TICK_NS = 20 * 10**6


def test_birth_stays_when_a_file_changes_and_gets_another_name(tmp_path: Path) -> None:
    before = time.time_ns() - TICK_NS
    path = tmp_path / "made"
    path.write_text("x")
    born = born_ns(str(path))
    assert born is not None
    assert before < born <= time.time_ns()
    os.utime(path, (1, 1))
    path.write_text("changed")
    os.rename(path, tmp_path / "other")
    assert born_ns(str(tmp_path / "other")) == born


def test_a_link_is_asked_about_itself(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert born_ns(str(tmp_path / "link")) is not None


def test_nothing_has_no_birth(tmp_path: Path) -> None:
    assert born_ns(str(tmp_path / "absent")) is None
