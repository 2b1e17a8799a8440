"""A person's word against an automatic reviewer's no."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandgate.approvals.overrides import DIRECTORY, VALID_S, Overrides, action_digest
from sandgate.errors import ConfigError
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import ESCALATE
from support.approval.reviewing import request_for


def test_a_mark_is_used_once_however_many_reach_for_it(tmp_path: Path) -> None:
    digest = action_digest(request_for("make"))
    assert Overrides(str(tmp_path)).allow_once(digest)
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: Overrides(str(tmp_path)).take(digest), range(16)))
    assert taken.count(True) == 1


def test_without_a_mark_nothing_is_allowed_and_nothing_is_made(tmp_path: Path) -> None:
    assert not Overrides(str(tmp_path)).take(action_digest(request_for("make")))
    assert list(tmp_path.iterdir()) == []


def test_an_old_mark_is_none(tmp_path: Path) -> None:
    digest = action_digest(request_for("make"))
    overrides = Overrides(str(tmp_path))
    overrides.allow_once(digest)
    long_ago = time.time() - VALID_S - 1
    os.utime(tmp_path / DIRECTORY / digest, (long_ago, long_ago))
    assert not overrides.take(digest)
    assert overrides.allow_once(digest)


def test_the_mark_is_for_exactly_one_action() -> None:
    plain = request_for("make", "x")
    others = [
        request_for("make", "y"),
        request_for("make x"),
        plain.but(grants=(ESCALATE,)),
        plain.but(command=plain.command.but(cwd="/elsewhere")),
        plain.but(command=plain.command.but(tty=True)),
        plain.but(command=plain.command.but(wish="require_escalated")),
        plain.but(command=plain.command.but(set_variables=(("A", "b"),))),
        plain.but(changes=(FileChange("add", "/a"),)),
        plain.but(changes=(FileChange("add", "/a", content="b"),)),
    ]
    digests = {action_digest(request) for request in (plain, *others)}
    assert len(digests) == 1 + len(others)
    assert action_digest(plain.but(request_id="other", call_id="other")) == action_digest(plain)


def test_a_directory_that_others_can_write_to_is_not_believed(tmp_path: Path) -> None:
    digest = action_digest(request_for("make"))
    (tmp_path / DIRECTORY).mkdir()
    (tmp_path / DIRECTORY / digest).touch()
    (tmp_path / DIRECTORY).chmod(0o777)
    with pytest.raises(ConfigError):
        Overrides(str(tmp_path)).take(digest)
