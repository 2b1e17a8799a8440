"""Patches through the gate, from the tool's call to the disk."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from sandgate.approvals.prompts.form import form_of
from sandgate.errors import CommandRefused, PatchDoesNotFit, RequestError
from sandgate.gate import confinement
from sandgate.protocol.permissions import Grant
from sandgate.protocol.trace import ApprovalRequested, PatchBegan, PatchEnded
from sandgate.sandbox.facts import workspace_facts
from sandgate.testing import ReviewerDouble
from support.process.waiting import LIMIT_S
from support.terminal.live_sessions import Workplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.runtime import Runtime
    from sandgate.tools.patch_answer import PatchAnswer

pytestmark = pytest.mark.host("namespace", "notify")

OUTSIDE_OF_PROJECT = "patch rejected: writing outside of the project, and nobody may be asked"
READ_ONLY = "patch rejected: writing is blocked by the read-only sandbox, and nobody may be asked"


def add(*paths: Path | str) -> str:
    files = "".join(f"*** Add File: {path}\n+new\n" for path in paths)
    return f"*** Begin Patch\n{files}*** End Patch"


def update(path: Path | str, *, old: str = "old", new: str = "new", move_to: str = "") -> str:
    move = f"*** Move to: {move_to}\n" if move_to else ""
    return f"*** Begin Patch\n*** Update File: {path}\n{move}@@\n-{old}\n+{new}\n*** End Patch"


def delete(path: Path | str) -> str:
    return f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"


def together(*patches: str) -> str:
    """One patch that does what all of them do."""
    inside = "".join(each.removeprefix("*** Begin Patch\n").removesuffix("*** End Patch") for each in patches)
    return f"*** Begin Patch\n{inside}*** End Patch"


def refusal(runtime: Runtime, patch: str) -> str:
    answer = runtime.apply_patch(patch)
    assert answer.exit_code is None
    return answer.refused


def texts(place: Path) -> dict[str, str]:
    return {str(each.relative_to(place)): each.read_text() for each in place.rglob("*") if each.is_file()}


# The table


@pytest.mark.parametrize("approval", ["untrusted", "on-failure", "on-request", "never"])
def test_empty_patch_is_rejected(place: Workplace, approval: str) -> None:
    """Row 1, or earlier: nothing to verify is no patch."""
    answer = place.session(approval_policy=approval).apply_patch("*** Begin Patch\n*** End Patch")
    assert (answer.exit_code, answer.passage.attempts) == (1, ())
    assert "No files were modified." in answer.output


@pytest.mark.parametrize("answer", ["approved", "denied"])
def test_every_patch_is_asked_about_where_nothing_is_trusted(place: Workplace, answer: str) -> None:
    """Row 2: also a contained one."""
    colleague = ReviewerDouble(always=answer)
    runtime = place.session(reviewer=colleague, approval_policy="untrusted")
    if answer == "approved":
        assert runtime.apply_patch(add("made")).exit_code == 0
    else:
        assert refusal(runtime, add("made")) == "patch rejected by user"
    assert [(asked.stage, [each.path for each in asked.changes]) for asked in colleague.asked] == [
        ("initial", [f"{place.repo}/made"])
    ]
    assert texts(place.repo) == ({"made": "new\n"} if answer == "approved" else {})


@pytest.mark.parametrize("approval", ["on-failure", "on-request", "never"])
def test_contained_patch_is_applied_unasked(place: Workplace, approval: str) -> None:
    """Rows 3 and 4."""
    (place.repo / "file").write_text("old\n")
    colleague = ReviewerDouble(always="denied")
    answer = place.session(reviewer=colleague, approval_policy=approval).apply_patch(
        together(add("a/b/made"), update(place.repo / "file"))
    )
    assert answer.output == f"Success. Updated the following files:\nA a/b/made\nM {place.repo}/file\n"
    assert texts(place.repo) == {"a/b/made": "new\n", "file": "new\n"}
    assert (answer.exit_code, answer.passage.attempts[0].confined, colleague.asked) == (0, True, [])


def test_nothing_is_confined_nothing_is_asked(place: Workplace) -> None:
    """Row 3."""
    colleague = ReviewerDouble(always="denied")
    runtime = place.session(reviewer=colleague, backend="none", approval_policy="on-request")
    answer = runtime.apply_patch(add(place.outside / "made"))
    assert (answer.exit_code, answer.passage.attempts[0].confined, colleague.asked) == (0, False, [])
    assert texts(place.outside) == {"made": "new\n"}


def test_patch_outside_is_rejected_where_nobody_is_asked(place: Workplace) -> None:
    """Row 6, never; a contained part does not help."""
    runtime = place.session(approval_policy="never")
    for patch in (
        add(place.outside / "made"),
        add("made", place.outside / "made"),
        add("../outside/made"),
        add(f"{place.repo}/../outside/made"),
    ):
        assert refusal(runtime, patch) == OUTSIDE_OF_PROJECT
    assert (texts(place.repo), texts(place.outside)) == ({}, {})


def test_move_to_the_outside_is_no_contained_patch(place: Workplace) -> None:
    (place.repo / "file").write_text("old\n")
    runtime = place.session(approval_policy="never")
    assert refusal(runtime, update("file", move_to=f"{place.outside}/file")) == OUTSIDE_OF_PROJECT
    assert (texts(place.repo), texts(place.outside)) == ({"file": "old\n"}, {})


def test_read_only_sandbox_rejects_in_its_own_words(place: Workplace) -> None:
    """Row 6."""
    runtime = place.session(approval_policy="never", sandbox_mode="read-only")
    assert refusal(runtime, add("made")) == READ_ONLY
    assert texts(place.repo) == {}


def test_patch_in_a_read_only_sandbox_is_asked_about_and_then_applied(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request", sandbox_mode="read-only")
    assert runtime.apply_patch(add("made")).exit_code == 0
    assert ([asked.grants for asked in colleague.asked], texts(place.repo)) == (
        [(Grant("write_root", str(place.repo)),)],
        {"made": "new\n"},
    )


@pytest.mark.parametrize("answer", ["approved", "denied"])
def test_patch_outside_is_asked_about_with_the_directory_it_needs(place: Workplace, answer: str) -> None:
    """Row 6, with the smallest grant."""
    colleague = ReviewerDouble(always=answer)
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    if answer == "approved":
        given = runtime.apply_patch(add(place.outside / "made"))
        assert (given.exit_code, given.passage.attempts[0].confined) == (0, True)
    else:
        assert refusal(runtime, add(place.outside / "made")) == "patch rejected by user"
    (asked,) = colleague.asked
    assert asked.grants == (Grant("write_root", str(place.outside)),)
    assert asked.reason == f"writes to `{place.outside}/made`, outside of what it may write"
    assert texts(place.outside) == ({"made": "new\n"} if answer == "approved" else {})


@pytest.mark.parametrize("approval", ["on-request", "on-failure"])
def test_the_question_about_a_patch_outside_says_how_much_it_is_and_how_risky(place: Workplace, approval: str) -> None:
    (place.outside / "file").write_text("old\n")
    colleague = ReviewerDouble(always="denied")
    place.session(reviewer=colleague, approval_policy=approval).apply_patch(update(place.outside / "file"))
    (asked,) = colleague.asked
    assert asked.risk is not None
    said = form_of(asked).message
    (summary,) = [
        line for line in said.replace("`", "").splitlines() if "Summary: Changes " in line
    ]  # a long path is cut
    assert summary.endswith("/outside/file. 1 file, 1 line added, 1 removed.")
    assert f"Risk: {asked.risk.risk_level.upper()}" in said


def test_on_failure_the_sandbox_decides_first_and_then_a_person(place: Workplace) -> None:
    """Row 4, then the retry prompt."""
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-failure")
    answer = runtime.apply_patch(add(place.outside / "made"))
    assert [(asked.stage, asked.denial is not None) for asked in colleague.asked] == [("retry", True)]
    assert (answer.exit_code, len(answer.passage.attempts), texts(place.outside)) == (0, 2, {"made": "new\n"})


def test_on_failure_and_nobody_says_yes_nothing_is_written(place: Workplace) -> None:
    runtime = place.session(reviewer=ReviewerDouble(always="denied"), approval_policy="on-failure")
    answer = runtime.apply_patch(add("made", place.outside / "made"))
    assert answer.exit_code == 1
    assert answer.output == f"Failed to create {place.outside}/made: Permission denied"
    assert (texts(place.repo), texts(place.outside)) == ({}, {})


# For the session


@pytest.mark.parametrize("sandbox", ["danger-full-access", "workspace-write"])
@pytest.mark.parametrize("swapped", ["file", "directory"])
def test_a_link_put_in_the_place_of_an_approved_file_is_shown_and_asked_about(
    place: Workplace, sandbox: str, swapped: str
) -> None:
    """Required: a yes to `notes.md` for the session is none to the start file that a command has it lead to later."""
    colleague = ReviewerDouble(always="approved_for_session")
    runtime = place.session(reviewer=colleague, approval_policy="untrusted", sandbox_mode=sandbox)
    outside = place.repo.parent / "elsewhere"
    for directory in (place.repo / "docs", outside):
        directory.mkdir()
        (directory / "notes.md").write_text("old\n")
    assert runtime.apply_patch(update("docs/notes.md")).exit_code == 0
    assert runtime.apply_patch(update("docs/notes.md", old="new", new="newer")).exit_code == 0
    assert len(colleague.asked) == 1
    if swapped == "file":
        (place.repo / "docs" / "notes.md").unlink()
        (place.repo / "docs" / "notes.md").symlink_to(outside / "notes.md")
    else:
        (place.repo / "docs").rename(place.repo / "before")
        (place.repo / "docs").symlink_to(outside)
    colleague.always = "denied"
    assert runtime.apply_patch(update("docs/notes.md")).exit_code is None
    assert (outside / "notes.md").read_text() == "old\n"
    shown = form_of(colleague.asked[1]).message
    assert f"update {place.repo}/docs/notes.md (a link leads to {outside}/notes.md)" in shown
    assert colleague.asked[1].risk is not None
    assert "elsewhere/notes.md" in colleague.asked[1].risk.description


def test_approval_for_the_session_is_remembered_path_by_path(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approved_for_session")
    runtime = place.session(reviewer=colleague, approval_policy="untrusted")
    runtime.apply_patch(add("one", "two"))
    assert len(colleague.asked) == 1
    runtime.apply_patch(update("one", old="new", new="newer"))  # one of them, otherwise
    runtime.apply_patch(delete("two"))
    assert len(colleague.asked) == 1
    runtime.apply_patch(together(update("one", old="newer"), add("three")))
    assert [asked.changes[-1].path for asked in colleague.asked[1:]] == [f"{place.repo}/three"]


def test_approval_for_the_session_covers_the_same_path_outside_and_no_other(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approved_for_session")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    runtime.apply_patch(add(place.outside / "made"))
    runtime.apply_patch(update(place.outside / "made", old="new", new="newer"))
    assert len(colleague.asked) == 1
    colleague.always = "denied"
    assert refusal(runtime, add(place.outside / "other")) == "patch rejected by user"
    assert texts(place.outside) == {"made": "newer\n"}


def test_approval_of_a_patch_opens_nothing_for_commands(place: Workplace) -> None:
    """Required: what was approved is that patch."""
    colleague = ReviewerDouble(always="approved_for_session")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    runtime.apply_patch(add(place.outside / "made"))
    answer = runtime.exec_command(f"echo more >> {place.outside}/made", login=False)
    assert (answer.exit_code, texts(place.outside)) == (1, {"made": "new\n"})


# What a path leads to


def test_link_that_leads_out_is_no_contained_patch(place: Workplace) -> None:
    (place.outside / "file").write_text("old\n")
    (place.repo / "link").symlink_to(place.outside / "file")
    (place.repo / "directory").symlink_to(place.outside)
    runtime = place.session(approval_policy="never")
    for patch in (update("link"), add("directory/made"), delete("directory/file")):
        assert refusal(runtime, patch) == OUTSIDE_OF_PROJECT
    assert texts(place.outside) == {"file": "old\n"}


def test_file_with_another_name_is_replaced_under_its_own_and_that_is_said(place: Workplace) -> None:
    """A hard link may lead anywhere, and what lies there stays as it is; so there is nothing to ask about."""
    (place.outside / "file").write_text("old\n")
    os.link(place.outside / "file", place.repo / "file")
    answer = place.session(approval_policy="never").apply_patch(update("file"))
    assert (answer.exit_code, texts(place.repo), texts(place.outside)) == (0, {"file": "new\n"}, {"file": "old\n"})
    assert answer.notices == (f"{place.repo}/file has another name, which keeps the old content",)


def test_hooks_of_git_are_not_written_unasked(place: Workplace) -> None:
    """Required: a hook runs outside the sandbox."""
    (place.repo / ".git" / "hooks").mkdir(parents=True)
    runtime = place.session(approval_policy="never")
    for patch in (
        add(".git/hooks/pre-commit"),
        add(".GIT/../.git/config"),
        add(".envrc"),
        add(".sandgate/config.toml"),
    ):
        assert refusal(runtime, patch) == "patch rejected: writing to a protected place, and nobody may be asked"
    assert texts(place.repo) == {}


def test_protected_name_is_granted_by_itself(place: Workplace) -> None:
    (place.repo / ".git" / "hooks").mkdir(parents=True)
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    answer = runtime.apply_patch(add(".git/hooks/pre-commit"))
    assert [asked.grants for asked in colleague.asked] == [
        (Grant("write_path", f"{place.repo}/.git/hooks/pre-commit"),)
    ]
    assert (answer.exit_code, texts(place.repo)) == (0, {".git/hooks/pre-commit": "new\n"})


@pytest.mark.parametrize("approval", ["on-request", "on-failure"])
def test_protected_file_stays_the_file_it_is(place: Workplace, approval: str) -> None:
    """Required: a new one would first lie under a spare name, where commands may open it and write to it later."""
    guarded, free = place.repo / ".envrc", place.repo / "free"
    for each in (guarded, free):
        each.write_text("old\n")
    before = guarded.stat().st_ino, free.stat().st_ino
    runtime = place.session(reviewer=ReviewerDouble(always="approve"), approval_policy=approval)
    assert runtime.apply_patch(together(update(".envrc"), update("free"))).exit_code == 0
    assert texts(place.repo) == {".envrc": "new\n", "free": "new\n"}
    assert guarded.stat().st_ino == before[0]
    assert free.stat().st_ino != before[1]


@pytest.mark.parametrize("backend", ["namespace", "landlock"])
def test_commands_cannot_plant_a_journal(place: Workplace, backend: str) -> None:
    """Required: the next patch puts right what a journal says, without a sandbox. Also one that was there first."""
    runtime = place.session(backend=backend, add_dirs=(str(place.home),), allow_broad_workspace=True)
    state = Path(runtime.confinement.state_directory)
    assert not state.exists()
    plants = f"read go; touch {place.home}/made; mkdir -p {state}/patches && touch {state}/patches/x"
    terminal = runtime.terminal(("sh", "-c", plants))
    assert runtime.apply_patch(add("kept")).exit_code == 0
    assert (state / "patches").exists()
    terminal.write(b"\n")
    assert terminal.wait_exit(10_000) != 0
    assert (place.home / "made").exists()
    assert not (state / "patches" / "x").exists()


def test_patch_that_is_still_being_written_is_shown_as_far_as_it_goes(place: Workplace) -> None:
    patches = place.session().tools.patches
    assert [hunk.path for hunk in patches.so_far("*** Begin Patch\n*** Add File: made\n+fir").hunks] == ["made"]
    assert texts(place.repo) == {}


def test_answer_after_the_session_was_closed_changes_nothing(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve", holds_back=True)
    runtime = place.session(reviewer=colleague, approval_policy="untrusted")
    failed: list[BaseException] = []

    def work() -> None:
        try:
            runtime.apply_patch(add("made"))
        except RequestError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert colleague.is_asked.wait(LIMIT_S)
    runtime.close()
    colleague.open.set()
    thread.join()
    assert ["closed" in str(error) for error in failed] == [True]
    assert texts(place.repo) == {}


def test_own_files_of_sandgate_are_out_of_reach_also_when_approved(place: Workplace) -> None:
    runtime = place.session(reviewer=ReviewerDouble(always="approve"), approval_policy="on-request")
    (place.home / ".sandgate").mkdir(exist_ok=True)
    try:
        answer: PatchAnswer | None = runtime.apply_patch(add(place.home / ".sandgate" / "config.toml"))
    except Exception:
        answer = None
    assert answer is None or answer.exit_code != 0
    assert not (place.home / ".sandgate" / "config.toml").exists()


def test_hidden_file_is_not_shown_by_a_patch(place: Workplace) -> None:
    """A failed update names the lines it looked for, never those it found."""
    (place.repo / "secret").write_text("treasure\n")
    runtime = place.session(
        f'secrets.hidden=["{place.repo}/secret"]',
        reviewer=ReviewerDouble(always="approve"),
        approval_policy="untrusted",
    )
    refused = runtime.apply_patch(delete("secret"))
    assert (refused.exit_code, "treasure" in refused.output) == (1, False)
    assert "treasure" not in repr(place.events)


# Between question and deed


def test_file_changed_after_it_was_approved_is_left_alone(place: Workplace) -> None:
    """Required: exactly what was shown is written, or nothing."""

    class Meddler(ReviewerDouble):
        def review(self, request: Any) -> Any:
            (place.repo / "file").write_text("old\nmeddled\n")
            return super().review(request)

    (place.repo / "file").write_text("old\n")
    runtime = place.session(reviewer=Meddler(always="approve"), approval_policy="untrusted")
    answer = runtime.apply_patch(update("file"))
    assert (answer.exit_code, texts(place.repo)) == (1, {"file": "old\nmeddled\n"})


def test_directory_exchanged_after_it_was_approved_is_not_entered(place: Workplace) -> None:
    class Meddler(ReviewerDouble):
        def review(self, request: Any) -> Any:
            (place.repo / "sub").rename(place.repo / "was")
            (place.repo / "sub").symlink_to(place.outside)
            return super().review(request)

    (place.repo / "sub").mkdir()
    runtime = place.session(reviewer=Meddler(always="approve"), approval_policy="untrusted")
    answer = runtime.apply_patch(add("sub/made"))
    assert (answer.exit_code, texts(place.outside)) == (1, {})


# Taking back, and what is told


def test_applied_patch_is_taken_back_once(place: Workplace) -> None:
    (place.repo / "file").write_text("old\n")
    (place.repo / "gone").write_text("was here\n")
    runtime = place.session()
    answer = runtime.apply_patch(together(update("file"), delete("gone"), add("a/made")))
    assert texts(place.repo) == {"file": "new\n", "a/made": "new\n"}
    assert runtime.undo_patch(answer.call_id) is True
    assert (texts(place.repo), (place.repo / "a").exists()) == ({"file": "old\n", "gone": "was here\n"}, False)
    assert runtime.undo_patch(answer.call_id) is False
    assert runtime.undo_patch("never heard of") is False


def test_patch_is_not_taken_back_over_later_changes(place: Workplace) -> None:
    runtime = place.session()
    answer = runtime.apply_patch(add("made"))
    (place.repo / "made").write_text("edited\n")
    with pytest.raises(PatchDoesNotFit):
        runtime.undo_patch(answer.call_id)
    assert texts(place.repo) == {"made": "edited\n"}
    (place.repo / "made").write_text("new\n")
    assert runtime.undo_patch(answer.call_id) is True, "once that is settled"


def test_patch_approved_outside_is_taken_back_only_with_permission(place: Workplace) -> None:
    runtime = place.session(reviewer=ReviewerDouble(always="approve"), approval_policy="on-request")
    answer = runtime.apply_patch(add(place.outside / "made"))
    with pytest.raises(CommandRefused, match="patch not taken back") as caught:
        runtime.undo_patch(answer.call_id)
    assert f"--add-dir {place.outside}" in caught.value.hint
    assert texts(place.outside) == {"made": "new\n"}


@pytest.mark.parametrize(
    ("approval", "answer", "status", "auto"),
    [
        ("never", "denied", "completed", True),
        ("untrusted", "approved", "completed", False),
        ("untrusted", "denied", "declined", False),
    ],
)
def test_beginning_and_end_are_told_with_the_changes(
    place: Workplace, approval: str, answer: str, status: str, auto: bool
) -> None:
    runtime = place.session(reviewer=ReviewerDouble(always=answer), approval_policy=approval)
    assert (runtime.apply_patch(add("made")).exit_code is None) == (status == "declined")
    (began,), (end,) = place.told(PatchBegan), place.told(PatchEnded)
    assert (began.call_id, began.auto_approved, end.call_id, end.status) == (end.call_id, auto, began.call_id, status)
    assert [(each.path, each.kind) for each in began.changes] == [(f"{place.repo}/made", "add")]
    assert {each.request.call_id for each in place.told(ApprovalRequested)} <= {began.call_id}


@pytest.mark.parametrize("text", ["", "no patch", "*** Begin Patch\n*** Delete File: none\n*** End Patch"])
def test_a_failing_patch_answers_as_a_failing_command_does(place: Workplace, text: str) -> None:
    runtime = place.session()
    answer = runtime.apply_patch(text)
    assert (answer.exit_code, answer.changes, runtime.undo_patch(answer.call_id)) == (1, (), False)
    assert answer.output.startswith("apply_patch verification failed: ")


def test_patch_that_does_not_fit_is_told_to_nobody_and_changes_nothing(place: Workplace) -> None:
    (place.repo / "file").write_text("something else\n")
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="untrusted")
    refused = runtime.apply_patch(update("file"))
    why = f"apply_patch verification failed: Failed to find expected lines in {place.repo}/file:\nold"
    assert (refused.exit_code, refused.output, refused.changes) == (1, why, ())
    assert (texts(place.repo), colleague.asked, place.told(PatchBegan)) == ({"file": "something else\n"}, [], [])


# /tmp

TMP_TOO = "sandbox_workspace_write.exclude_slash_tmp=false"


def test_a_patch_in_tmp_changes_what_commands_find_there(place: Workplace) -> None:
    session = place.session(TMP_TOO, approval_policy="never")
    name = f"/tmp/sandgate-patched-{os.getpid()}"
    answer = session.apply_patch(add(f"{name}/a"))
    assert (answer.exit_code, os.path.lexists(name)) == (0, False)
    ran = session.run(session.request(("sh", "-c", f"cat {name}/a && echo old > {name}/a"))).result
    assert ran is not None
    assert ran.stdout == b"new\n"
    assert session.apply_patch(update(f"{name}/a")).exit_code == 0
    ran = session.run(session.request(("sh", "-c", f"cat {name}/a; rm -r {name}"))).result
    assert ran is not None
    assert ran.stdout == b"new\n"


def test_a_link_of_a_command_in_tmp_leads_a_patch_no_further_than_the_command(place: Workplace) -> None:
    session = place.session(TMP_TOO, approval_policy="never")
    name = f"/tmp/sandgate-linked-{os.getpid()}"
    session.run(session.request(("ln", "-s", str(place.outside), name)))
    assert refusal(session, add(f"{name}/a")) == OUTSIDE_OF_PROJECT
    assert list(place.outside.iterdir()) == []


# What it costs


def test_a_patch_looks_once_at_what_is_judged_and_once_at_what_is_written(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at a root that has just changed reads it anew; the second comes after the answer to a question."""
    looks: list[str] = []

    def counted(*words: Any, **more: Any) -> object:
        looks.append("look")
        return workspace_facts(*words, **more)

    class Answering(ReviewerDouble):
        def review(self, request: ApprovalRequest) -> Decision:
            looks.append("answer")
            return super().review(request)

    runtime = place.session(approval_policy="never")
    asking = place.session(reviewer=Answering(always="approve"), approval_policy="untrusted")
    monkeypatch.setattr(confinement, "workspace_facts", counted)
    assert runtime.apply_patch(add("one", "a/two")).exit_code == 0
    assert looks == ["look", "look"]
    looks.clear()
    assert asking.apply_patch(add("three")).exit_code == 0
    assert looks[-2:] == ["answer", "look"]
