"""Layers that a session keeps mounted: what its commands borrow, and what makes a mount worthless."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandgate.kernel.helper import HelperChild, prepare
from sandgate.kernel.layer_mounts import PAUSE_COMMANDS_MAX, LayerMounts
from sandgate.protocol.confinement import ConfinedCommand, Mount, Overlay
from support.kernel.helper_runs import Outcome, attend, plan_for, run
from support.process.waiting import none_left_open, open_descriptors, opened_since

LAYERS_AT_ONCE = 16

pytestmark = pytest.mark.host("namespace", "overlay")


class Layered:
    """Two directories with layers over them, and sessions that use them."""

    def __init__(self, folder: Path, helper: str) -> None:
        self.folder, self.helper = folder, helper
        self.places = [folder / "a", folder / "b"]
        for place in self.places:
            place.mkdir()
            (place / "file").write_text("of the host\n")
            self.make_layer(place)

    def make_layer(self, place: Path) -> None:
        for part in ("upper", "work"):
            (self.folder / f"{place.name}-{part}").mkdir()

    def overlay(self, place: Path) -> Overlay:
        upper, work = (str(self.folder / f"{place.name}-{part}") for part in ("upper", "work"))
        return Overlay(str(place), upper, work, lasting=True)

    def plan(self, script: str, *places: Path) -> ConfinedCommand:
        used = places or tuple(self.places)
        plan = plan_for(
            "sh", "-c", script, cwd=str(self.folder), mounts=tuple(Mount("overlay", str(one)) for one in used)
        )
        return plan.but(overlays=tuple(self.overlay(one) for one in used))

    def run(self, session: LayerMounts | None, script: str, *places: Path) -> Outcome:
        return run(self.helper, self.plan(script, *places), mounts=session)

    def claims(self) -> list[str]:
        """Whose mounts the layers belong to."""
        claims = [self.folder / f"{place.name}-work/claim" for place in self.places]
        return [claim.read_text() if claim.exists() else "" for claim in claims]

    def is_locked(self, name: str) -> bool:
        return subprocess.run(["flock", "-n", str(self.folder / name), "true"], check=False).returncode == 1


@pytest.fixture
def layered(tmp_path: Path, helper: str) -> Layered:
    return Layered(tmp_path, helper)


@pytest.fixture
def session() -> Iterator[LayerMounts]:
    mounts = LayerMounts()
    yield mounts
    mounts.close()


def is_borrowed(outcome: Outcome) -> bool:
    return outcome.failure is None and not {"outdated_loan", "brief_overlay", "no_overlay"} & set(outcome.layers)


class Running:
    """A command of a session that says `ready` and goes on until it is left."""

    def __init__(
        self,
        layered: Layered,
        session: LayerMounts | None,
        script: str,
        *places: Path,
        then: str = "true",
        covers: tuple[Mount, ...] = (),
    ) -> None:
        self._told, tell = os.pipe()
        go_on, self._go = os.pipe()
        plan = layered.plan(f"{script}; echo ready; read line; {then}", *places)
        plan = plan.but(mounts=(*plan.mounts, *covers))
        loan = session.lend(layered.helper, plan.overlays, plan.mounts) if session is not None else None
        plan = plan.but(overlays=loan.overlays) if loan is not None else plan
        prepared = prepare(layered.helper, network="off")
        self.child: HelperChild = prepared.start(plan, stdin=go_on, stdout=tell, stderr=tell, layers=loan)
        os.close(tell)
        os.close(go_on)

    def __enter__(self) -> HelperChild:
        assert os.read(self._told, 6) == b"ready\n"
        return self.child

    def __exit__(self, *_: object) -> None:
        os.write(self._go, b"\n")
        attend(self.child)
        self.said = os.read(self._told, 4096).decode()
        os.close(self._told)
        os.close(self._go)


def test_commands_of_a_session_use_one_mount_after_the_other(layered: Layered, session: LayerMounts) -> None:
    first = layered.run(session, "echo 1 >> a/made; echo 1 >> b/file; cat a/made")
    mounted = layered.claims()
    second = layered.run(session, "echo 2 >> a/made; cat a/made b/file")
    assert (first.output, second.output) == ("1\n", "1\n2\nof the host\n1\n")
    assert (is_borrowed(first), is_borrowed(second)) == (True, True)
    assert all(mounted)
    assert layered.claims() == mounted  # nothing was mounted again
    assert [sorted(path.name for path in place.iterdir()) for place in layered.places] == [["file"], ["file"]]
    assert (layered.places[1] / "file").read_text() == "of the host\n"


def test_commands_of_a_session_share_a_layer_at_the_same_time(layered: Layered, session: LayerMounts) -> None:
    with Running(layered, session, "echo first > a/first"):
        second = layered.run(session, "cat a/first; echo second > a/second")
        assert (second.output, is_borrowed(second)) == ("first\n", True)
        assert layered.is_locked("a-work/claim")  # whoever clears layers sees that they are used
    assert layered.run(session, "cat a/second").output == "second\n"
    assert not layered.is_locked("a-work/claim")


def test_what_the_host_changes_is_seen_by_the_next_command(layered: Layered, session: LayerMounts) -> None:
    """Required: a mount that is kept remembers names and files; a real cache is changed behind it all the time."""
    place = layered.places[0]
    (place / "gone").write_text("gone\n")
    (place / "deep").mkdir()
    look = "cat a/file a/gone a/new a/deep/new; ls a/deep"
    layered.run(session, look)
    (place / "other").write_text("replaced\n")
    (place / "other").replace(place / "file")
    (place / "gone").unlink()
    (place / "new").write_text("new\n")
    (place / "deep/new").write_text("deeper\n")
    seen = layered.run(session, f"exec 2>/dev/null; {look}")
    assert (seen.output, is_borrowed(seen)) == ("replaced\nnew\ndeeper\nnew\n", True)


def test_what_the_host_puts_into_a_cache_is_covered_for_the_next_command(
    layered: Layered, session: LayerMounts
) -> None:
    """Required: what a mount remembers to be missing is looked for again before anything in there is covered. The more
    layers, the longer that takes, and the command's own task goes on beside it."""
    for number in range(LAYERS_AT_ONCE - len(layered.places)):
        layered.places.append(layered.folder / f"more{number}")
        layered.places[-1].mkdir()
        layered.make_layer(layered.places[-1])
    last = layered.places[-1]
    token = last / "token"
    assert layered.run(session, f"cat {token} 2>/dev/null || echo none").output == "none\n"
    token.write_text("secret\n")
    plan = layered.plan(f"cat {token} 2>/dev/null; echo on")
    covered = plan.but(mounts=(*plan.mounts, Mount("hide_file", str(token))))
    outcome = run(layered.helper, covered, mounts=session)
    assert (outcome.output, is_borrowed(outcome)) == ("on\n", True)
    assert layered.run(session, f"cat {token}").output == "secret\n"  # only the cover kept it


@pytest.mark.parametrize("shared", [False, True])
def test_a_command_that_holds_on_to_a_directory_uncovers_nothing_for_another_one(
    layered: Layered, session: LayerMounts, shared: bool
) -> None:
    """Required: what one command has open keeps what the mount remembers, and lets go of it when that command ends. In
    a directory that the host has replaced meanwhile nothing is found to be covered, until then."""
    place = layered.places[0]
    (place / "deep").mkdir()
    token = place / "deep/token"
    holding = Running(layered, session if shared else None, "cd a/deep")
    with holding:
        (place / "deep").rename(layered.folder / "aside")
        (place / "deep").mkdir()
        token.write_text("secret\n")
        reading = Running(layered, session, "true", then=f"cat {token}", covers=(Mount("hide_file", str(token)),))
        reading.__enter__()
    layered.run(session, "true")
    reading.__exit__()
    assert "secret" not in reading.said
    assert layered.run(session, f"cat {token}").output == "secret\n"  # only the cover kept it


def test_who_takes_one_layer_takes_all_that_the_session_has_mounted(layered: Layered, session: LayerMounts) -> None:
    """Our choice: one claim stands for all of them, as one look at it is what a command pays."""
    first, second = layered.places
    layered.run(session, "echo 1 > a/one; echo 1 > b/one")
    layered.run(None, "echo 2 >> a/one", first)
    assert layered.claims()[0] == layered.claims()[1] == ""
    outcome = layered.run(session, "cat b/one; echo 2 >> b/one", second)
    assert (outcome.output, "outdated_loan" in outcome.layers, "brief_overlay" in outcome.layers) == (
        "1\n",
        True,
        False,
    )
    again = layered.run(session, "cat a/one b/one")
    assert (again.output, is_borrowed(again)) == ("1\n2\n1\n2\n", True)


def test_a_layer_beside_one_that_is_used_is_not_taken(layered: Layered, session: LayerMounts) -> None:
    """The same claim: whoever wants the other place waits for nobody, and has it in memory."""
    first, second = layered.places
    layered.run(session, "true")
    with Running(layered, session, "true", first):
        outcome = layered.run(None, "echo x > b/mine; cat b/file", second)
        assert (outcome.output, "brief_overlay" in outcome.layers) == ("of the host\n", True)
    assert not (layered.folder / "b-upper/mine").exists()
    outcome = layered.run(None, "echo x > b/mine", second)
    assert ("brief_overlay" in outcome.layers, (layered.folder / "b-upper/mine").exists()) == (False, True)


@pytest.mark.parametrize(
    "damaged",
    [
        lambda said: said[:0],
        lambda said: said[:-1],
        lambda said: said[1:],
        lambda said: said.splitlines(keepends=True)[0],
        lambda said: said.splitlines(keepends=True)[1],
        lambda said: said.replace(" ", "  "),
        lambda said: said.replace("\n", "0\n"),
    ],
)
def test_a_claim_that_says_something_else_is_not_believed(
    layered: Layered, session: LayerMounts, damaged: Callable[[str], str]
) -> None:
    """Where any line is missing, was cut, or speaks of another directory, no mount of the session is used."""
    layered.run(session, "echo 1 > a/one")
    claim = layered.folder / "a-work/claim"
    claim.write_text(damaged(claim.read_text()))
    outcome = layered.run(session, "cat a/one")
    assert (outcome.output, "outdated_loan" in outcome.layers) == ("1\n", True)


def test_a_layer_that_was_cleared_meanwhile_is_not_written(layered: Layered, session: LayerMounts) -> None:
    layered.run(session, "echo old > a/old")
    for part in ("upper", "work"):
        (layered.folder / f"a-{part}").rename(layered.folder / f"a-{part}-aside")
    layered.make_layer(layered.places[0])
    after = layered.run(session, "ls a; echo new > a/new")
    assert (after.output, "outdated_loan" in after.layers, "brief_overlay" in after.layers) == ("file\n", True, False)
    again = layered.run(session, "ls a")
    assert (again.output, is_borrowed(again)) == ("file\nnew\n", True)
    assert sorted(os.listdir(layered.folder / "a-upper-aside")) == ["old"]


@pytest.mark.parametrize("part", ["a", "a-upper"])
def test_another_directory_in_place_of_what_was_mounted_is_noticed(
    layered: Layered, session: LayerMounts, part: str
) -> None:
    layered.run(session, "echo x > a/made")
    directory = layered.folder / part
    directory.rename(layered.folder / "aside")
    directory.mkdir()
    (directory / "other").write_text("other\n")
    outcome = layered.run(session, "cat a/other; echo y > a/more")
    assert (outcome.output, "outdated_loan" in outcome.layers) == ("other\n", True)
    assert (layered.folder / "a-upper/more").read_text() == "y\n"


def test_another_session_takes_the_layer_and_the_first_notices(layered: Layered, session: LayerMounts) -> None:
    """Required: two mounts of one upper directory are never used at the same time."""
    layered.run(session, "echo 1 > a/one; ls a")
    for other in (None, LayerMounts()):  # one that mounts its own, and one that keeps its mounts
        outcome = layered.run(other, "echo 2 >> a/one; echo x > a/more")
        assert (outcome.failure, "brief_overlay" in outcome.layers) == (None, False)
        after = layered.run(session, "cat a/one a/more; rm a/one a/more; echo 1 > a/one")
        assert (after.output, "outdated_loan" in after.layers) == ("1\n2\nx\n", True)
        layered.run(session, "true")
        layered.run(session, "true")


def test_while_another_session_runs_a_layer_lies_in_memory(layered: Layered, session: LayerMounts) -> None:
    layered.run(session, "true")
    for other in (None, LayerMounts()):
        with Running(layered, other, "echo theirs > a/theirs"):
            outcome = layered.run(session, "ls a; echo x > a/mine")
            assert (outcome.output, "brief_overlay" in outcome.layers) == ("file\n", True)
        assert not (layered.folder / "a-upper/mine").exists()
        layered.run(None, "rm a/theirs")


def test_a_session_that_loses_its_mounts_again_and_again_pauses(layered: Layered, session: LayerMounts) -> None:
    """Required: two sessions that take turns do not mount twice for each command."""
    mounted = 0
    for _ in range(8):
        before = layered.claims()
        layered.run(session, "true")
        mounted += layered.claims() != before and all(layered.claims())
        layered.run(None, "true")
    assert mounted < 4 < PAUSE_COMMANDS_MAX


def test_places_that_come_later_are_mounted_as_well(layered: Layered, session: LayerMounts) -> None:
    first, second = layered.places
    layered.run(session, "echo x > a/made", first)
    outcome = layered.run(session, "cat a/made; echo y > b/made")
    assert (outcome.output, is_borrowed(outcome), all(layered.claims())) == ("x\n", True, True)
    alone = layered.run(session, "cat b/made", second)
    assert (alone.output, is_borrowed(alone)) == ("y\n", True)


def test_a_place_that_comes_while_others_are_used_has_a_mount_of_its_own(
    layered: Layered, session: LayerMounts
) -> None:
    layered.run(session, "true", layered.places[0])
    loan = session.lend(layered.helper, layered.plan("true", layered.places[0]).overlays, ())
    assert loan is not None
    outcome = layered.run(session, "echo x > b/made")
    assert is_borrowed(outcome)
    assert (layered.folder / "b-upper/made").read_text() == "x\n"
    loan.give_back()


def test_mounts_are_gone_with_their_session(layered: Layered) -> None:
    before = open_descriptors()
    session = LayerMounts()
    layered.run(session, "true")
    kept = {what.partition(":")[0] for _fd, what in opened_since(before)}
    assert kept == {"user", "mnt"}
    session.close()
    assert none_left_open(before)
    shutil.rmtree(layered.folder / "a-work")  # nobody holds it


def test_a_helper_that_cannot_mount_for_a_session_leaves_it_to_the_commands(layered: Layered, tmp_path: Path) -> None:
    session, broken = LayerMounts(), tmp_path / "helper"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert session.lend(str(broken), layered.plan("true").overlays, ()) is None
    outcome = layered.run(None, "echo x > a/made; cat a/made")
    assert (outcome.output, outcome.failure) == ("x\n", None)
