"""The last turn's patches, taken back: in the same session, after it went on, and not over what a person did since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandgate.agent import undo
from sandgate.agent.agent import AgentOptions
from sandgate.agent.undo import KeptUndo
from sandgate.patch.apply import UndoRecord as Record
from sandgate.patch.disk_lookup import FileState
from sandgate.patch.plan import FileWrite
from sandgate.protocol.events import TaskComplete, TurnDiff, UndoCompleted
from sandgate.protocol.operations import Compact, Review, Undo
from support.agent.agent_places import AgentPlace, by_prompt, calls, command, said, until
from support.model.responses_server import ResponsesServer, by_last, function_call, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")
LAST = AgentOptions(resume="last")
PATCH = """*** Begin Patch
*** Update File: old
@@
-one
+two
*** Add File: deep/new
+new
*** Delete File: gone
*** End Patch
"""
AGAIN = "*** Begin Patch\n*** Update File: old\n@@\n-two\n+three\n*** End Patch\n"
RECORD = Record((FileWrite("/a", "/a", None, FileState(b"x" * 100)),))


def patches(*texts: str) -> Any:
    """A turn that applies these patches, one call each, and one that says something."""
    items = [function_call("apply_patch", {"input": text}, f"p{number}") for number, text in enumerate(texts)]
    return by_last(calls(*items), says("done"))


class Desk(AgentPlace):
    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder, url)
        self.write(old="one\n", gone="here\n")
        (self.repo / "gone").chmod(0o750)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.repo / name).write_text(text)

    def files(self) -> dict[str, str]:
        found = (path for path in self.repo.rglob("*") if path.is_file() and path.name != "log")
        return {str(path.relative_to(self.repo)): path.read_text() for path in found}


BEFORE = {"old": "one\n", "gone": "here\n"}
AFTER = {"old": "two\n", "deep/new": "new\n"}


async def undone(agent: Any) -> UndoCompleted:
    told = await until(agent, TaskComplete, of=agent.submit(Undo()))
    found = [each for each in told if isinstance(each, UndoCompleted)][-1]
    assert isinstance(found, UndoCompleted)
    return found


def test_a_session_that_goes_on_takes_back_what_its_last_turn_patched(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(patches(PATCH, AGAIN)) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                assert place.files() == {**AFTER, "old": "three\n"}
            async with place.opened(*WRITES, options=LAST) as agent:
                assert (await undone(agent)).success
                assert place.files() == BEFORE
                assert (place.repo / "gone").stat().st_mode & 0o777 == 0o750
                assert not (place.repo / "deep").exists()
                assert not (await undone(agent)).success, "it is taken back once"
            async with place.opened(*WRITES, options=LAST) as agent:
                assert not (await undone(agent)).success, "also after another pause"

    run(work())


def test_what_was_approved_outside_the_workspace_is_taken_back_with_the_directory_that_is_named(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    patch = f"*** Begin Patch\n*** Add File: {outside}/made\n+x\n*** End Patch\n"
    asks = ("sandbox_mode=workspace-write", "approval_policy=on-request")

    async def work() -> None:
        with ResponsesServer(patches(patch)) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*asks, answers=("approve",)) as agent:
                await said(agent, "work")
                assert (outside / "made").exists()
            async with place.opened(*asks, options=LAST) as agent:
                told = await undone(agent)
                assert (told.success, f"--add-dir {outside}" in (told.message or "")) == (False, True)
                assert (outside / "made").exists()
            async with place.opened(*asks, options=LAST, typed={"add_dirs": (str(outside),)}) as agent:
                assert (await undone(agent)).success
                assert not (outside / "made").exists()

    run(work())


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_file_that_somebody_changed_since_keeps_everything_as_it_is_until_that_is_settled(
    tmp_path: Path, goes_on: bool
) -> None:
    """Required: nothing that a person wrote is lost, and neither is the way back."""

    async def work() -> None:
        with ResponsesServer(patches(PATCH)) as server:
            place = Desk(tmp_path, server.url)

            async def through(agent: Any) -> None:
                place.write(old="by hand\n")
                told = await undone(agent)
                assert (told.success, "old" in (told.message or "")) == (False, True)
                assert place.files() == {**AFTER, "old": "by hand\n"}, "no file of the patch is touched"
                place.write(old="two\n")
                assert (await undone(agent)).success
                assert place.files() == BEFORE

            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                if not goes_on:
                    await through(agent)
            if goes_on:
                async with place.opened(*WRITES, options=LAST) as agent:
                    await through(agent)

    run(work())


def test_only_the_very_last_turn_is_taken_back_and_what_is_no_turn_of_the_person_does_not_count(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(function_call("apply_patch", {"input": PATCH})), says("done")) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                await until(agent, TaskComplete, of=agent.submit(Compact()))
                assert (await undone(agent)).success
                assert place.files() == BEFORE
        with ResponsesServer(calls(function_call("apply_patch", {"input": PATCH})), says("done")) as server:
            place.url = server.url
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                await said(agent, "only talk")
            async with place.opened(*WRITES, options=LAST) as agent:
                assert not (await undone(agent)).success
                assert place.files() == AFTER

    run(work())


@pytest.mark.parametrize("goes_on", [False, True])
def test_what_sub_agents_patched_for_a_turn_is_taken_back_with_it_however_deep(tmp_path: Path, goes_on: bool) -> None:
    async def work() -> None:
        def delegate(prompt: str) -> Any:
            return function_call("delegate", {"prompt": prompt}, "p0")

        def patch(text: str) -> Any:
            return function_call("apply_patch", {"input": text}, "p0")

        script = by_prompt(
            work=[calls(patch(PATCH)), calls(delegate("task one")), says("done")],
            task=[calls(patch(AGAIN)), calls(delegate("deep one")), says("did it")],
            deep=[calls(patch(AGAIN.replace("three", "four").replace("two", "three"))), says("did it")],
        )
        with ResponsesServer(script) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES, "agents.max_depth=2") as agent:
                told = await said(agent, "work please")
                assert place.files() == {**AFTER, "old": "four\n"}
                assert "+four" in [each.unified_diff for each in told if isinstance(each, TurnDiff)][-1]
                if not goes_on:
                    assert (await undone(agent)).success
            if goes_on:
                resumed = AgentOptions(resume=agent.session_id)
                async with place.opened(*WRITES, options=resumed) as agent:
                    assert (await undone(agent)).success
            assert place.files() == BEFORE

    run(work())


def test_a_call_named_like_a_patch_of_before_the_pause_is_not_taken_for_it(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(patches(PATCH)) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
        with ResponsesServer(by_last(calls(command("true", "p0")), says("done"))) as server:
            place.url = server.url
            async with place.opened(*WRITES, options=LAST) as agent:
                place.write(old="by hand\n")
                assert not (await undone(agent)).success
                told = await said(agent, "only look")
                assert not [each for each in told if isinstance(each, TurnDiff)]
                place.write(old="two\n")
                assert not (await undone(agent)).success, "that turn has patched nothing"

    run(work())


def test_a_review_in_between_is_no_turn_of_the_person_also_after_a_pause(tmp_path: Path) -> None:
    async def work() -> None:
        review = says('{"findings": [], "overall_correctness": "fine", "overall_explanation": "fine"}')
        with ResponsesServer(calls(function_call("apply_patch", {"input": PATCH})), says("done"), review) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                session = AgentOptions(resume=agent.session_id)
            for _ in range(2):
                async with place.opened(*WRITES, options=session) as agent:
                    await until(agent, TaskComplete, of=agent.submit(Review("look at it")))
            async with place.opened(*WRITES, options=session) as agent:
                assert (await undone(agent)).success
                assert place.files() == BEFORE

    run(work())


def test_a_session_that_may_only_read_by_now_takes_nothing_back(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(patches(PATCH)) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
            async with place.opened("sandbox_mode=read-only", options=LAST) as agent:
                assert not (await undone(agent)).success
                assert place.files() == AFTER
            copy = AgentOptions(resume="last", fork=True)
            async with place.opened(*WRITES, options=copy) as agent:
                assert not (await undone(agent)).success, "a copy has patched nothing"

    run(work())


def test_what_is_kept_goes_with_its_session_and_with_the_next_turn_that_patches(tmp_path: Path) -> None:
    kept = KeptUndo(str(tmp_path), "s")
    assert kept.of("t") == {}
    assert kept.keep("t", "a", RECORD)
    assert kept.keep("t", "b", RECORD)
    assert KeptUndo(str(tmp_path), "s").of("t") == {"a": RECORD, "b": RECORD}
    assert KeptUndo(str(tmp_path), "other").of("t") == {}
    assert KeptUndo(str(tmp_path), "s").of("u") == {}
    kept.taken_back("b")
    assert list(KeptUndo(str(tmp_path), "s").of("t")) == ["a"]
    assert kept.keep("u", "c", RECORD)
    again = KeptUndo(str(tmp_path), "s")
    assert (again.of("t"), list(again.of("u"))) == ({}, ["c"])
    (file,) = (tmp_path / "undo").iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    again.forget()
    assert not file.exists()


def test_a_torn_line_and_what_is_too_large_spoil_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptUndo(str(tmp_path), "s")
    assert kept.keep("t", "a", RECORD)
    (file,) = (tmp_path / "undo").iterdir()
    with file.open("ab") as more:
        more.write(b'{"turn": "t", "call": "b", "un')
    assert list(KeptUndo(str(tmp_path), "s").of("t")) == ["a"]
    file.unlink()
    monkeypatch.setattr(undo, "KEPT_BYTES_MAX", 500)
    kept = KeptUndo(str(tmp_path), "s")
    assert [kept.keep("t", name, RECORD) for name in "abc"] == [True, False, False]
    assert list(KeptUndo(str(tmp_path), "s").of("t")) == ["a"]


def test_nothing_is_kept_of_a_session_that_is_to_leave_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(patches(PATCH)) as server:
            place = Desk(tmp_path, server.url)
            async with place.opened(*WRITES, options=AgentOptions(ephemeral=True)) as agent:
                await said(agent, "work")
                assert (await undone(agent)).success
            assert not list(place.home.rglob("undo"))

    run(work())
