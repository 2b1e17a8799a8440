"""A command cannot answer the question whether it may run: the ledger of approvals is closed to it.

The program itself runs here, as the user under test, since it is its own environment that says where the ledger lies.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, ENTRY, Ran, Stage

ASK = """
import os, sys, time
sys.path[:0] = sys.argv[1].split(":")
from sandgate.serving.ledger_access import PendingApproval, open_ledger
ledger = open_ledger(os.environ)
now = time.time()
choices = (("approve", "Yes"), ("deny", "No"))
ledger.ask(PendingApproval("00c0ffee00c0ffee", "me", "exec_command", "0" * 64, "first", "Run it?", choices, {},
    now, now + 600))
print(ledger.directory)
"""
"""A server that asks."""

ANSWERED = """
import os, sys
sys.path[:0] = sys.argv[1].split(":")
from sandgate.serving.ledger_access import open_ledger
standing = open_ledger(os.environ).resolution("00c0ffee00c0ffee")
print("open" if standing is None else standing.decision)
"""

FORGE = """
import json, os, sys
where, out = sys.argv[1:3]
question = json.load(open(where + "/00c0ffee00c0ffee.question"))
answer = {"format": 1, "decision": "approve", "by": "terminal", "digest": question["digest"],
    "at": question["asked_at"], "reason": ""}
open(where + "/00c0ffee00c0ffee.answer", "x").write(json.dumps(answer))
"""
"""Writes the file that an approval is."""

MOVE = """
import os, sys
def attempt(deed, *arguments):
    try:
        deed(*arguments)
    except OSError:
        return
    print("did", deed.__name__, *arguments)
place = sys.argv[1]
while place != sys.argv[2]:
    if os.path.basename(place) in ("sandgate", "approvals"):
        attempt(os.listdir, place)
        attempt(os.chmod, place, 0o777)
        attempt(os.symlink, "/tmp", place + "/planted")
    attempt(os.rename, place, place + "-away")
    place = os.path.dirname(place)
"""
"""Lists the ledger, opens it to others, plants something in it, and moves every directory on the way there."""


class Desk:
    """The stage, with the program and a question that waits."""

    def __init__(self, stage: Stage, **variables: str) -> None:
        self.stage, self.variables = stage, variables
        self.source = stage.import_path

    def python(self, code: str) -> Ran:
        return self.stage.unconfined(self.stage.script(code, self.source), cwd=self.stage.home, env=self.variables)

    def program(self, *arguments: str) -> list[str]:
        return [*self.stage.script(ENTRY, self.source), *arguments]

    def run(self, *argv: str, backend: str, cwd: Path, **env: Any) -> Ran:
        """Under `sandgate run`, with `cwd` as the workspace, also where it is the home: somebody insists on it."""
        settings = ("-c", "sandbox_workspace_write.exclude_slash_tmp=true")
        told = [item for name, value in env.items() for item in ("--env", f"{name}={value}")]
        policy = ("-s", "workspace-write", "-a", "never", "--allow-broad-workspace")
        options = ("--backend", backend, *policy, *settings, *told)
        return self.stage.sandgate("run", *options, "--", *argv, cwd=cwd, env=self.variables)

    def ask(self) -> str:
        asked = self.python(ASK)
        assert asked.exit_code == 0, asked
        return asked.stdout.strip()

    def answer(self) -> str:
        found = self.python(ANSWERED)
        assert found.exit_code == 0, found
        return found.stdout.strip()


@pytest.mark.parametrize("workspace", ["repo", "home"])
@BOTH_BACKENDS
def test_a_command_cannot_approve_by_the_program(stage: Stage, backend: str, workspace: str) -> None:
    desk = Desk(stage)
    desk.ask()
    attack = desk.program("approvals", "resolve", "00c0ffee", "approve")
    ran = desk.run(*attack, backend=backend, cwd=getattr(stage, workspace))
    assert ran.exit_code != 0, ran
    # The way there is closed with the home's unknown entries, or only the place itself is.
    assert re.search(r"cannot (make|keep approvals in) `[^`]*/\.local/state", ran.stderr), ran
    assert desk.answer() == "open"
    assert stage.unconfined(attack).exit_code == 0
    assert desk.answer() == "approve"


@pytest.mark.parametrize("workspace", ["repo", "home"])
@BOTH_BACKENDS
def test_a_command_cannot_approve_by_writing_the_file(stage: Stage, backend: str, workspace: str) -> None:
    desk = Desk(stage)
    ledger = desk.ask()
    attack = stage.script(FORGE, ledger, "approve")
    desk.run(*attack, backend=backend, cwd=getattr(stage, workspace))
    assert desk.answer() == "open"
    stage.unconfined(attack)
    assert desk.answer() == "approve"


@BOTH_BACKENDS
def test_a_command_can_neither_look_into_the_ledger_nor_move_it_away(stage: Stage, backend: str) -> None:
    """Required: also where the home is the workspace, and every directory above the ledger lies in it."""
    desk = Desk(stage)
    ledger = desk.ask()
    attack = stage.script(MOVE, ledger, str(stage.home))
    ran = desk.run(*attack, backend=backend, cwd=stage.home)
    assert (ran.exit_code, ran.stdout) == (0, ""), ran
    assert desk.answer() == "open"
    real = stage.unconfined(attack).stdout
    assert all(deed in real for deed in ("did listdir", "did rename", "did chmod", "did symlink"))


@BOTH_BACKENDS
def test_the_servers_environment_says_where_the_ledger_is(stage: Stage, backend: str) -> None:
    """Required: the command may be told anything else."""
    elsewhere = stage.repo / "deep" / "state"
    desk = Desk(stage, XDG_STATE_HOME=str(elsewhere))
    ledger = desk.ask()
    assert ledger == f"{elsewhere}/sandgate/approvals"
    attack = stage.script(FORGE, ledger, "approve")
    desk.run(*attack, backend=backend, cwd=stage.repo, XDG_STATE_HOME=str(stage.outside))
    assert desk.answer() == "open"
    stage.unconfined(attack)
    assert desk.answer() == "approve"


@BOTH_BACKENDS
def test_the_usual_place_stays_closed_when_the_variable_names_another(stage: Stage, backend: str) -> None:
    """Required: the server that asks may have been started without the variable that the shell of `run` has."""
    desk = Desk(stage)
    ledger = desk.ask()
    attack = stage.script(FORGE, ledger, "approve")
    Desk(stage, XDG_STATE_HOME=str(stage.outside)).run(*attack, backend=backend, cwd=stage.home)
    assert desk.answer() == "open"
    stage.unconfined(attack)
    assert desk.answer() == "approve"


PREPARE = """
import os, sys
try:
    os.makedirs(sys.argv[1], 0o700)
    open(sys.argv[1] + "/foothold", "w").close()
except OSError as problem:
    print(problem)
"""


@pytest.mark.parametrize("before", ["nothing", "the directory above"])
@BOTH_BACKENDS
def test_a_ledger_that_does_not_exist_yet_cannot_be_prepared(stage: Stage, backend: str, before: str) -> None:
    """Required: who makes the directory keeps a hand in it."""
    state = stage.home / ".local" / "state"
    if before != "nothing":
        state.mkdir(parents=True)
        stage.own()
    desk = Desk(stage)
    attack = stage.script(PREPARE, str(state / "sandgate" / "approvals"))
    ran = desk.run(*attack, backend=backend, cwd=stage.home)
    assert ran.stdout != "", ran
    assert not (state / "sandgate" / "approvals" / "foothold").exists()
    fresh = stage.outside / "approvals"
    assert stage.unconfined(stage.script(PREPARE, str(fresh))).stdout == ""
    assert (fresh / "foothold").exists()


MAKE_ROOM = """
import os, sys
os.makedirs("prepared/state/sandgate/approvals", 0o700)
try:
    os.unlink(".local")
    os.rename("prepared", ".local")
except OSError as problem:
    print(problem)
"""


@BOTH_BACKENDS
def test_a_file_where_the_way_to_the_ledger_should_be_cannot_make_room_for_one(stage: Stage, backend: str) -> None:
    (stage.home / ".local").touch()
    stage.own()
    ran = Desk(stage).run(*stage.script(MAKE_ROOM), backend=backend, cwd=stage.home)
    assert ran.stdout != "", ran
    assert (stage.home / ".local").is_file()
    (stage.outside / ".local").touch()
    stage.own()
    assert stage.unconfined(stage.script(MAKE_ROOM), cwd=stage.outside).stdout == ""
    assert (stage.outside / ".local" / "state" / "sandgate" / "approvals").is_dir()


@BOTH_BACKENDS
def test_a_home_in_which_we_may_make_nothing_is_still_a_workspace(stage: Stage, backend: str) -> None:
    """Required: the name that is missing is closed instead, as far down as there are directories."""
    (stage.home / ".local").mkdir(mode=0o555)
    stage.own()
    ran = Desk(stage).run("sh", "-c", "echo made > file; mkdir .local/state", backend=backend, cwd=stage.home)
    assert (stage.home / "file").exists(), ran
    if stage.uid != 0:  # root makes it all the same
        assert not (stage.home / ".local" / "state").exists()


@BOTH_BACKENDS
def test_a_link_on_the_way_to_the_ledger_cannot_be_exchanged(stage: Stage, backend: str) -> None:
    (stage.home / ".local").mkdir()
    (stage.home / ".local" / "state").symlink_to(stage.outside)
    stage.own()
    desk = Desk(stage)
    desk.ask()
    attack = stage.script("import os, sys; os.unlink(sys.argv[1])", str(stage.home / ".local" / "state"))
    ran = desk.run(*attack, backend=backend, cwd=stage.home)
    assert ran.exit_code != 0, ran
    assert (stage.home / ".local" / "state").is_symlink()
    assert stage.unconfined(attack).exit_code == 0


PATCH = """*** Begin Patch
*** Add File: {}
+evil
*** End Patch
"""


@BOTH_BACKENDS
def test_a_patch_cannot_write_into_the_ledger(stage: Stage, backend: str) -> None:
    desk = Desk(stage)
    target = Path(desk.ask()) / "0123456789abcdef.answer"
    patch = PATCH.format(target)
    options = ("--backend", backend, "-a", "never", "--allow-broad-workspace")
    ran = stage.unconfined(
        desk.program("patch", "-s", "workspace-write", *options, "--add-dir", str(stage.home), patch), cwd=stage.home
    )
    assert (ran.exit_code != 0, target.exists()) == (True, False), ran
    ran = stage.unconfined(
        desk.program("patch", "-s", "danger-full-access", "-a", "never", "--backend", "none", patch), cwd=stage.home
    )
    assert (ran.exit_code, target.exists()) == (0, True), ran
