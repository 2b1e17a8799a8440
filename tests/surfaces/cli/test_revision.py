"""A branch or commit that the repository does not know is told before a model is asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.errors import RequestError
from sandgate.runtime import Environment
from sandgate.surfaces.cli.revision import nothing_changed, require_revision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

pytestmark = pytest.mark.host("namespace")


def place(folder: Path, *, repository: bool = True) -> Environment:
    """A repository with one commit on `main`, and a home."""
    repo, home = folder / "repo", folder / "home"
    repo.mkdir()
    home.mkdir()
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
    if repository:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        for line in (("init", "-q", "-b", "main"), (*who, "commit", "-q", "--allow-empty", "-m", "x")):
            subprocess.run(["git", *line], cwd=repo, env=environ, check=True)
    return Environment(str(repo), environ)


def test_what_git_knows_is_let_through_under_any_policy(tmp_path: Path) -> None:
    where = place(tmp_path)
    for each in (
        where,
        where.but(typed=TypedOverrides(approval_policy="untrusted", sandbox_mode="danger-full-access")),
    ):
        require_revision(each, "main", "branch")
        require_revision(each, "HEAD", "commit")


@pytest.mark.parametrize(("name", "kind"), [("NO_SUCH", "branch"), ("0123abcd", "commit"), ("main~7", "branch")])
def test_what_it_does_not_know_is_one_clear_error(tmp_path: Path, name: str, kind: str) -> None:
    with pytest.raises(RequestError, match=f"there is no {kind} `{name}`") as refused:
        require_revision(place(tmp_path), name, kind)
    assert "`git " in refused.value.hint


def test_a_name_is_never_an_option(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="there is no branch"):
        require_revision(place(tmp_path), "--all", "branch")


def test_where_there_is_no_repository_git_says_so(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="not a git repository"):
        require_revision(place(tmp_path, repository=False), "main", "branch")


def test_where_git_cannot_be_asked_nobody_is_held_up(tmp_path: Path) -> None:
    where = place(tmp_path)
    require_revision(where.but(environ={**where.environ, "PATH": "/nowhere"}), "NO_SUCH", "branch")
    require_revision(where.but(overrides=("sandbox_mode=nonsense",)), "NO_SUCH", "branch")


def test_the_model_is_not_asked(program: Any, stage: Any) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    assert program("review", "--base", "NO_SUCH") == 2
    assert "there is no branch `NO_SUCH`" in program.err
    assert stage.sessions == []


def test_a_clean_tree_has_nothing_to_review_and_a_new_file_is_something(tmp_path: Path) -> None:
    where = place(tmp_path)
    assert nothing_changed(where, None)
    assert nothing_changed(where, "main")
    (Path(where.cwd) / "new").write_text("x")
    assert not nothing_changed(where, None)


def test_what_a_branch_does_not_have_is_looked_for_from_where_both_part(tmp_path: Path) -> None:
    where = place(tmp_path)
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    (Path(where.cwd) / "f").write_text("x")
    for line in (("switch", "-qc", "work"), ("add", "f"), (*who, "commit", "-qm", "f")):
        subprocess.run(["git", *line], cwd=where.cwd, env=where.environ, check=True)
    assert nothing_changed(where, None)
    assert not nothing_changed(where, "main")
    subprocess.run(["git", "switch", "-q", "main"], cwd=where.cwd, env=where.environ, check=True)
    assert nothing_changed(where, "work")


def test_where_git_does_not_say_there_may_be_something(tmp_path: Path) -> None:
    where = place(tmp_path, repository=False)
    assert not nothing_changed(where, None)
    assert not nothing_changed(where, "main")
    assert not nothing_changed(where.but(environ={**where.environ, "PATH": "/nowhere"}), None)
