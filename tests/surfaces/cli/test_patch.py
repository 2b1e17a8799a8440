"""`sandgate patch`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from support.tool.patching import tree_of, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SANDBOX_TMP = "sandbox_workspace_write.exclude_slash_tmp=true"
ADD = wrapped("*** Add File: g\n+x")
SUCCESS = "Success. Updated the following files:\nA g\n"


def test_a_patch_from_a_file_is_applied(program: Any, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(ADD)
    assert (program("patch", str(tmp_path / "p")), program.out, program.err) == (0, SUCCESS, "")
    assert tree_of(program.repo) == {"g": b"x\n"}


def test_a_patch_may_be_the_argument_itself(program: Any) -> None:
    assert (program("patch", ADD), program.out) == (0, SUCCESS)


def test_a_patch_may_come_on_stdin(program: Any, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(ADD)
    kept, given = os.dup(0), os.open(tmp_path / "p", os.O_RDONLY)
    try:
        os.dup2(given, 0)
        assert (program("patch"), program.out) == (0, SUCCESS)
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(given)


def test_check_changes_nothing(program: Any) -> None:
    assert (program("patch", "--check", ADD), program.out) == (0, f"add {program.repo}/g\n+x\n")
    assert tree_of(program.repo) == {}


@pytest.mark.parametrize(
    ("patch", "code", "said"),
    [
        ("*** Begin Patch\n*** Add File: g\n+x", 2, "Invalid patch: The last line of the patch must be"),
        ("*** Begin Patch\n*** End Patch", 2, "No files were modified."),
        (wrapped("*** Delete File: none"), 1, "Failed to delete file"),
        (
            wrapped("*** Add File: ../../../../../../../../etc/sandgate-test\n+x"),
            77,
            "patch rejected: create /etc/sandgate-test (outside the writable roots: ",
        ),
        (wrapped("*** Add File: .git/hooks/pre-commit\n+x"), 77, "/.git (protected: it can run code outside"),
        ("/nowhere/at/all", 2, "cannot read the patch"),
    ],
)
def test_each_failure_has_its_code(program: Any, patch: str, code: int, said: str) -> None:
    assert program("patch", patch) == code
    assert said in program.err
    assert tree_of(program.repo) == {}


def test_several_places_can_be_refused(program: Any) -> None:
    (program.repo / "f").write_text("a\na\n")
    patch = wrapped("*** Update File: f\n@@\n-a\n+b")
    assert program("patch", "--strict-unique", patch) == 1
    assert program("patch", patch) == 0
    assert "warning: matched 1 of 2 places" in program.err


def test_names_in_the_answer_are_safe_to_print(program: Any) -> None:
    assert program("patch", wrapped("*** Add File: a\x1b[2Jb\n+x")) == 0
    assert program.out.endswith("A a\\x1b[2Jb\n")


def test_what_was_approved_is_applied_and_what_was_not_is_told(program: Any, tmp_path: Path) -> None:
    patch = wrapped(f"*** Add File: {tmp_path}/outside\n+x")
    assert program("patch", "--answer", "deny", "-a", "untrusted", patch) == 77
    assert "patch rejected by user" in program.err
    assert program("patch", "--answer", "approve", "-a", "on-request", "-c", SANDBOX_TMP, patch) == 0
    assert (tmp_path / "outside").read_text() == "x\n"


def test_hunk_by_hunk_what_came_before_a_failure_stays(program: Any) -> None:
    """Scenario 15 as other tools have it: on request only."""
    patch = wrapped("*** Add File: n\n+x\n*** Delete File: none\n*** Add File: never\n+x")
    assert program("patch", patch) == 1
    assert tree_of(program.repo) == {}
    assert program("patch", "--in-order", patch) == 1
    assert tree_of(program.repo) == {"n": b"x\n"}


def test_a_refusal_names_each_path_and_why_and_an_option_that_works(program: Any, tmp_path: Path) -> None:
    (program.repo / ".git" / "hooks").mkdir(parents=True)
    (program.repo / ".envrc").write_text("a\n")
    os.link(program.repo / ".envrc", program.repo / "other")
    (tmp_path / "outside").mkdir()
    patch = wrapped(f"*** Add File: {tmp_path}/outside/g\n+x\n*** Add File: .git/hooks/h\n+x")
    assert program("patch", "-c", SANDBOX_TMP, patch) == 77
    assert program.err.splitlines() == [
        "sandgate: patch rejected: it changes 2 places where it may not write, and nobody may be asked",
        f"sandgate: denied: create {tmp_path}/outside/g (outside the writable roots: {program.repo})",
        f"sandgate: denied: create {program.repo}/.git/hooks/h (protected: it can run code outside the sandbox later)",
        f"sandgate: grant it once with: --add-dir {tmp_path}/outside --add-dir {program.repo}/.git/hooks",
    ]
    hints = shlex.split(program.err.splitlines()[-1].partition("with: ")[2])
    assert program("patch", "-c", SANDBOX_TMP, *hints, patch) == 0
    alias = wrapped("*** Update File: other\n@@\n-a\n+b")
    assert program("patch", "-c", SANDBOX_TMP, alias) == 77
    reason = "protected: it, or what it is another name of, can run code outside the sandbox later"
    assert f"patch rejected: write {program.repo}/other ({reason})" in program.err
    assert "keeps the old content" not in program.err  # nothing was written
    assert program("patch", "-c", SANDBOX_TMP, "--add-dir", f"{program.repo}/other", alias) == 0
    assert ((program.repo / "other").read_text(), (program.repo / ".envrc").read_text()) == ("b\n", "a\n")


@pytest.mark.parametrize("how", ["never", "on-request", "on-failure", "check"])
def test_a_refusal_of_one_path_is_one_line_and_its_option_works(program: Any, tmp_path: Path, how: str) -> None:
    """Whether it was judged by its path, or tried in the sandbox first."""
    (outside := tmp_path / "outside").mkdir()
    patch = wrapped(f"*** Add File: {outside}/g\n+x")
    policy = ["--check"] if how == "check" else ["-a", how]
    assert program("patch", *policy, "-c", SANDBOX_TMP, patch) == 77
    opening = "would be refused" if how == "check" else "patch rejected"
    nobody = "nobody could be asked" if how in ("on-request", "on-failure") else "nobody may be asked"
    assert program.err == (
        f"sandgate: {opening}: create {outside}/g (outside the writable roots: {program.repo}), and {nobody}; "
        f"grant it once with: --add-dir {outside}\n"
    )
    hint = shlex.split(program.err.partition("with: ")[2])
    assert program("patch", *policy, *hint, "-c", SANDBOX_TMP, patch) == 0


def test_a_refusal_of_many_paths_is_bounded_and_what_it_names_works(program: Any, tmp_path: Path) -> None:
    """No line of thirty options, of which none may be missing: one yes is for the whole patch."""
    for at in range(30):
        (tmp_path / f"d{at}").mkdir()
    patch = wrapped("\n".join(f"*** Add File: {tmp_path}/d{at}/g\n+x" for at in range(30)))
    assert program("patch", "-c", SANDBOX_TMP, patch) == 77
    lines = program.err.splitlines()
    assert lines[0] == "sandgate: patch rejected: it changes 30 places where it may not write, and nobody may be asked"
    assert lines[-2:] == [
        "sandgate: denied: 18 more",
        "sandgate: grant it once with: -a on-failure --answer approve",
    ]
    assert len(lines) == 15
    assert program("patch", "-c", SANDBOX_TMP, *shlex.split(lines[-1].partition("with: ")[2]), patch) == 0


def test_after_a_no_a_patch_does_not_say_how_it_is_allowed(program: Any, tmp_path: Path) -> None:
    patch = wrapped(f"*** Add File: {tmp_path}/g\n+x")
    assert program("patch", "-a", "on-failure", "--answer", "deny", "-c", SANDBOX_TMP, patch) == 77
    assert program.err.splitlines() == [
        "sandgate: denied by script",
        f"sandgate: Failed to create {tmp_path}/g: Permission denied",
    ]


def test_where_every_patch_is_asked_about_no_rule_is_offered(program: Any) -> None:
    """No rule speaks of a patch."""
    assert program("patch", "-a", "untrusted", ADD) == 77
    assert program.err.splitlines() == [
        "sandgate: patch rejected: no reviewer is attached: nobody is at a terminal and no --answer is left; "
        "`--answer approve` says yes once, and `-a on-failure` asks only where the sandbox refuses"
    ]
    assert program("patch", "-a", "on-failure", ADD) == 0


def test_the_last_patch_is_taken_back_once(program: Any) -> None:
    (program.repo / "f").write_text("a\n")
    program("patch", wrapped("*** Add File: first\n+x"))
    assert program("patch", wrapped("*** Update File: f\n@@\n-a\n+b\n*** Add File: n/g\n+x")) == 0
    assert (program("patch", "--undo"), sorted(program.out.splitlines())) == (
        0,
        [f"{program.repo}/f", f"{program.repo}/n/g"],
    )
    assert tree_of(program.repo) == {"f": b"a\n", "first": b"x\n"}
    assert program("patch", "--undo") == 2
    assert "there is no patch to take back" in program.err


def test_of_a_patch_in_order_every_hunk_is_taken_back(program: Any) -> None:
    (program.repo / "f").write_text("a\n")
    before = tree_of(program.repo)
    patch = wrapped("*** Update File: f\n@@\n-a\n+b\n*** Update File: f\n@@\n-b\n+c")
    assert program("patch", "--in-order", patch) == 0
    assert program("patch", "--undo") == 0
    assert tree_of(program.repo) == before


def test_what_was_changed_since_or_may_not_be_written_is_not_taken_back(program: Any) -> None:
    (program.repo / "f").write_text("a\n")
    assert program("patch", wrapped("*** Update File: f\n@@\n-a\n+b")) == 0
    assert program("patch", "--undo", "-s", "read-only") == 77
    (program.repo / "f").write_text("c\n")
    assert program("patch", "--undo") == 1
    assert program.err.splitlines() == [
        f"sandgate: {program.repo}/f changed after the patch was applied",
        "sandgate: hint: what was changed since stays; undo the rest by hand",
    ]
    assert tree_of(program.repo) == {"f": b"c\n"}
    assert program("patch", "--undo", "--check") == 2


def test_an_empty_patch_is_told_how_one_is_given(program: Any) -> None:
    (program.repo / "empty").write_text("\n")
    assert program("patch", "empty") == 2
    assert "sandgate: hint: sandgate patch FILE, or the patch on standard input" in program.err


@pytest.mark.parametrize(
    "path", ["{home}/notes", ".envrc", ".git/hooks/pre-commit", "{home}/work/new/deep", ".vscode/tasks.json"]
)
def test_what_a_yes_has_opened_is_foreseen_and_taken_back_with_a_yes(program: Any, path: str) -> None:
    (program.repo / ".git" / "hooks").mkdir(parents=True)
    (program.home / "work").mkdir()
    before = tree_of(program.repo), sorted(program.home.rglob("[nw]*"))
    patch = wrapped(f"*** Add File: {path.format(home=program.home)}\n+x")
    assert program("patch", "--check", "-c", SANDBOX_TMP, patch) == 77
    (hint,) = program.err.splitlines()
    assert hint.startswith("sandgate: would be refused: create ")
    assert program("patch", "-c", SANDBOX_TMP, "-a", "on-failure", "--answer", "approve", "--check", patch) == 0
    assert program.err == "sandgate: a reviewer would be asked before it is applied\n"
    assert program("patch", "-c", SANDBOX_TMP, *shlex.split(hint.partition("once with: ")[2]), patch) == 0
    assert program("patch", "--undo", "-c", SANDBOX_TMP) == 77
    hint = program.err.splitlines()[-1]
    assert hint == "sandgate: take it back all the same with: sandgate patch --undo --answer approve"
    assert program(*shlex.split(hint.partition("with: sandgate ")[2]), "-c", SANDBOX_TMP) == 0
    assert (tree_of(program.repo), sorted(program.home.rglob("[nw]*"))) == before
