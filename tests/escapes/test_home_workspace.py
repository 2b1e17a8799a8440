"""A home is no workspace; insisted on, what starts by itself in it stays closed (threat table, row 14)."""

import os
from pathlib import Path

import pytest

from sandgate.places.home_startup import CLOSED_IN_HOME
from support.escape.escape_stage import BOTH_BACKENDS, Stage
from support.suite import sampling

INSISTS = {"broad_workspace": True}
ATTEMPTED = sampling.share(CLOSED_IN_HOME)  # each in ways of its own, and none in another's

# Every way of having content under a name, with the directories on the way made, moved or linked into place.
PLANT = """
import os, sys
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        pass
def write(path):
    with open(path, "w") as file:
        file.write("evil")
for number, name in enumerate(sys.argv[1:]):
    prepared = f"prepared-{number}/"
    os.makedirs(prepared + name)
    write(prepared + name + "/evil")
    above = os.path.dirname(name)
    if above:
        attempt(os.symlink, os.path.abspath(prepared + above), above)
        attempt(write, name + "/evil")
        attempt(os.unlink, above)
        attempt(os.rename, prepared + above, above)
        attempt(os.makedirs, above)
    attempt(os.mkdir, name)
    attempt(write, name + "/evil")
    attempt(write, name)
    attempt(os.symlink, prepared, name)
    attempt(os.rename, prepared + name, name)
    attempt(os.rename, name, f"away-{number}")
    attempt(write, name)
    if os.path.exists(name + "/evil") or os.path.isfile(name) and open(name).read() == "evil":
        print(name)
"""


@BOTH_BACKENDS
@pytest.mark.parametrize("place", ["the home", "what holds it", "by a link"])
def test_a_home_is_refused_with_the_way_to_insist(stage: Stage, backend: str, place: str) -> None:
    root = {"the home": stage.home, "what holds it": stage.folder, "by a link": stage.outside / "link"}[place]
    if place == "by a link":
        root.symlink_to(stage.home)
    for ran in (
        stage.confined(["true"], backend=backend, policy_cwd=root, cwd=root),
        stage.confined(["true"], backend=backend, roots=[root]),
    ):
        assert ran.error is not None
        assert ran.error[0] == "ConfinementError"
        told = ("as a workspace", "is a symbolic link", "is another one now")  # a session opens what a link leads to
        assert any(words in ran.error[1] for words in told)


@BOTH_BACKENDS
@pytest.mark.parametrize("root", ["/", "/usr/bin", "/usr/local"])
def test_the_disk_and_places_of_programs_are_refused(stage: Stage, backend: str, root: str) -> None:
    ran = stage.confined(["true"], backend=backend, policy_cwd=Path(root), cwd=Path(root))
    assert ran.error is not None
    assert "as a workspace" in ran.error[1]


@BOTH_BACKENDS
def test_a_project_in_the_home_is_a_workspace(stage: Stage, backend: str) -> None:
    project = stage.home / "project"
    project.mkdir()
    stage.own()
    ran = stage.confined(["sh", "-c", "echo x > file"], backend=backend, policy_cwd=project, cwd=project)
    assert (ran.error, ran.exit_code) == (None, 0), ran
    assert (project / "file").exists()


@BOTH_BACKENDS
@pytest.mark.parametrize("which", ["absent", "there"])
def test_what_starts_by_itself_stays_closed_in_a_home_that_is_insisted_on(
    stage: Stage, backend: str, which: str
) -> None:
    if which == "there":
        for name in CLOSED_IN_HOME:
            (stage.home / name).mkdir(parents=True)
        stage.own()
    attack = stage.script(PLANT, *ATTEMPTED)
    ran = stage.confined(attack, backend=backend, policy_cwd=stage.home, cwd=stage.home, protection=INSISTS)
    assert (ran.error, ran.exit_code, ran.stdout) == (None, 0, ""), ran
    planted = [name for name in CLOSED_IN_HOME if os.path.lexists(stage.home / name / "evil")]
    assert planted == []
    assert not any((stage.home / name).is_file() for name in CLOSED_IN_HOME)


@pytest.mark.host("namespace")
@pytest.mark.parametrize("which", ["absent", "there"])
def test_the_same_script_plants_every_one_of_them_outside(stage: Stage, which: str) -> None:
    if which == "there":
        for name in CLOSED_IN_HOME:
            (stage.home / name).mkdir(parents=True)
        stage.own()
    made = stage.unconfined(stage.script(PLANT, *ATTEMPTED), cwd=stage.home).stdout.splitlines()
    assert made == ATTEMPTED


@BOTH_BACKENDS
def test_other_things_in_a_home_that_is_insisted_on_can_be_written(stage: Stage, backend: str) -> None:
    ran = stage.confined(
        ["sh", "-c", "echo x > notes && mkdir Documents && echo x > Documents/letter"],
        backend=backend,
        policy_cwd=stage.home,
        cwd=stage.home,
        protection=INSISTS,
    )
    assert (ran.error, ran.exit_code) == (None, 0), ran
