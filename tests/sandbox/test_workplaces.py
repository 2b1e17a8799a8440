"""Where commands work."""

from __future__ import annotations

import os
from pathlib import Path

from sandgate.protocol.permissions import Grant
from sandgate.sandbox.looking import Look
from sandgate.sandbox.workplaces import Whereabouts, Workplaces, workplaces


def found(
    tmp_path: Path,
    *,
    writes: bool = True,
    tmpdir: str = "",
    grants: tuple[Grant, ...] = (),
    private_tmp: bool = False,
) -> Workplaces:
    for name in ("repo", "home", "more", "tmp"):
        (tmp_path / name).mkdir(exist_ok=True)
    said = Whereabouts(
        cwd=f"{tmp_path}/repo",
        uid=os.geteuid(),
        writes=writes,
        home=f"{tmp_path}/home",
        tmpdir=tmpdir,
        written=(f"{tmp_path}/more", f"{tmp_path}/gone"),
        grants=grants,
        private_tmp=private_tmp,
    )
    return workplaces(said, Look())


def test_named_roots_come_before_the_working_directory(tmp_path: Path) -> None:
    places = found(tmp_path)
    assert places.directories == (f"{tmp_path}/more", f"{tmp_path}/repo")
    assert places.resolved == ((f"{tmp_path}/more", f"{tmp_path}/more"),)
    assert places.homes[0] == f"{tmp_path}/home"


def test_scratch_space_is_only_where_the_policy_writes(tmp_path: Path) -> None:
    slash_tmp = os.path.realpath("/tmp")
    scratch = found(tmp_path, tmpdir=f"{tmp_path}/tmp").scratch
    assert scratch == (f"{tmp_path}/tmp", slash_tmp)
    reading = found(tmp_path, writes=False, tmpdir=f"{tmp_path}/tmp")
    assert (reading.scratch, reading.directories) == ((), (f"{tmp_path}/more",))


def test_a_granted_file_is_named_but_nobody_works_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = found(tmp_path, grants=(Grant("write_path", f"{tmp_path}/file"),))
    assert places.named == (f"{tmp_path}/more", f"{tmp_path}/file")
    assert f"{tmp_path}/file" not in places.directories
