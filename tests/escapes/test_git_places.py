"""The `.git` files of submodules and linked worktrees: git alone makes, moves and removes them, and nobody else.

Whatever such a file names is obeyed by the person's next `git status`, so a command that writes one has won.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from support.escape.escape_stage import Stage
from support.escape.git_victim import Victim
from support.process.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="the victim's git is the judge"),
    pytest.mark.host("namespace", "overlay"),
]
UPDATE = "git -c protocol.file.allow=always submodule update -q --init"
EVIL = (
    "git init -q evil; git -C evil commit -q --allow-empty -m s --no-verify; "
    "git -C evil config core.fsmonitor 'touch $MARK; false'"
)
POINTER = "echo gitdir: ../evil/.git > lib/.git"
ATTACKS = {
    "a pointer of its own": f"{EVIL}; mkdir -p lib; {POINTER}",
    "behind a line that may": f"{EVIL}; {UPDATE}; {POINTER}",
    "in its words": f"{UPDATE}; git submodule --quiet deinit -f lib; {EVIL}; {POINTER}",
    "a directory in its place": f"{EVIL}; mkdir new; echo 'gitdir: ../evil/.git' > new/.git; rmdir lib; mv -T new lib",
}

# Of another repository in the same line git runs what that one's settings say.
DRIVER = (
    "git init -q driver; git -C driver commit -q --allow-empty -m s --no-verify; "
    "git -C driver config core.fsmonitor ../driver.sh; chmod +x driver.sh"
)
RUNS_DRIVER = "git -C driver status -s"
HIDDEN = (
    "git clone -q --bare evil evil/.git/modules/lib; git -C evil/.git/modules/lib config core.bare false; "
    "git -C evil/.git/modules/lib config core.fsmonitor 'touch $MARK; false'"
)
DRIVEN = {
    "a name that ends early": r"printf 'gitdir: ../evil/.git\0/../../.git/modules/lib' > lib/.git",
    "a link on the way": "echo gitdir: ../evil/link/../.git/modules/lib > lib/.git",
    "a repository of its own": "echo gitdir: ../evil/.git/modules/lib > lib/.git",
}


@pytest.fixture
def victim(stage: Stage) -> Victim:
    """A clone with a submodule that is not there yet."""
    stage.repo.rename(stage.outside / "unused")
    stage.repo.mkdir()
    stage.own()
    made = Victim(stage)
    lib = stage.outside / "lib"
    made.here(f"git init -q {lib}; git -C {lib} commit -q --allow-empty -m l")
    made.here(f"git -c protocol.file.allow=always submodule add -q {lib} lib; git commit -qm sub")
    made.here("git submodule --quiet deinit -f lib; rm -rf .git/modules")
    return made


def let_go(gate: Path) -> None:
    """Writes to the command that waits at this FIFO; one that has gone fails the test and does not hold it up."""
    opened: list[int] = []

    def is_open() -> bool:
        with suppress(OSError):  # ENXIO: nobody reads yet
            opened.append(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
        return bool(opened)

    assert wait_until(is_open), f"nothing waits at {gate.name}"
    os.write(opened[0], b"go\n")
    os.close(opened[0])


@pytest.mark.parametrize("attack", ATTACKS)
def test_nobody_else_writes_one(victim: Victim, attack: str) -> None:
    victim.inside(ATTACKS[attack])
    assert not victim.is_caught()
    victim.here(f"rm -rf lib evil new; mkdir lib; {ATTACKS[attack]}")
    assert victim.is_caught()


def test_a_program_of_a_command_is_not_taken_for_git(victim: Victim) -> None:
    """Required: what stands first in PATH may have been put there by the command before."""
    tools = victim.stage.repo / "bin"
    victim.here(f"{EVIL}; mkdir bin; printf '#!/bin/sh\\n{POINTER}\\n' > bin/git; chmod +x bin/git; cp bin/git bin/sed")
    path = f"{tools}:{victim.stage.environment()['PATH']}"
    victim.inside(f"PATH={path}; {UPDATE}")
    assert not victim.is_caught()
    victim.inside(UPDATE, path=path)
    assert not victim.is_caught()
    victim.here(f"PATH={path}; {UPDATE}")
    assert victim.is_caught()


def test_one_that_came_while_a_command_runs_is_not_written_by_it(victim: Victim) -> None:
    """Required: a server that runs for hours began before `git submodule update`, and sees no mount on its `.git`."""
    gate = victim.stage.repo / "gate"
    os.mkfifo(gate)
    victim.stage.own()
    victim.here(EVIL)
    writes = f"echo began; read go < gate; {POINTER}; echo $?; mkdir n; echo x > n/.git; mv -f n/.git lib/.git; echo $?"
    with victim.starting(writes) as server:
        assert server.readline() == "began\n"
        assert victim.inside(UPDATE).exit_code == 0
        let_go(gate)
        said = server.read().split()
    assert "0" not in said, said
    assert not victim.is_caught()
    assert victim.here("git -C lib log --format=%s") == "l"


SECOND = (
    "python3 -c 'from ctypes import CDLL; "
    'print(CDLL(None).linkat(-100, b"/proc/self/fd/5", -100, b"lib/other", 0x400))\'; '
    "echo gitdir: ../evil/.git > lib/other"
)
LATER = {
    "a second name": "ln lib/.git other; echo gitdir: ../evil/.git > other",
    "a descriptor": "exec 5< lib/.git; echo gitdir: ../evil/.git > /proc/self/fd/5",
    "another name meanwhile": "mv lib/.git other; echo gitdir: ../evil/.git > other; mv other lib/.git",
    "another directory": "mv lib other; echo gitdir: ../evil/.git > other/.git; mv other lib",
    "a directory that is exchanged": (
        "mkdir other; echo gitdir: ../evil/.git > other/.git; "
        'python3 -c \'import ctypes; print(ctypes.CDLL(None).renameat2(-100, b"other", -100, b"lib", 2))\''
    ),
    "a second name beside it": "ln lib/.git lib/other; echo gitdir: ../evil/.git > lib/other",
    "another name beside it": "mv lib/.git lib/x; echo gitdir: ../evil/.git > lib/x; mv lib/x lib/.git",
    "a second name of what is open": f"exec 5< lib/.git; {SECOND}",
}


@pytest.mark.parametrize("way", LATER)
def test_nor_in_another_way(victim: Victim, way: str) -> None:
    """Required: a server that began before has no mount on it, and what it changes would be obeyed while it lives."""
    gate, end = victim.stage.repo / "gate", victim.stage.repo / "end"
    os.mkfifo(gate)
    os.mkfifo(end)  # another one: the server could find the first still open for writing, and at its end
    victim.stage.own()
    victim.here(EVIL)
    with victim.starting(f"echo began; read go < gate; {LATER[way]}; echo tried; read go < end") as server:
        assert server.readline() == "began\n"
        assert victim.inside(UPDATE).exit_code == 0
        let_go(gate)
        while server.readline() != "tried\n":
            pass
        assert not victim.is_caught()
        let_go(end)
    victim.here("rm -rf other gone lib; git -c protocol.file.allow=always submodule update -q --init -f")
    victim.here(LATER[way])
    assert victim.is_caught()


def test_one_that_went_while_a_command_runs_does_not_come_back(victim: Victim) -> None:
    """Required: its mount goes with it, and the directory that held it may be another one."""
    gate = victim.stage.repo / "gate"
    os.mkfifo(gate)
    victim.stage.own()
    victim.here(f"{UPDATE}; {EVIL}")
    writes = f"echo began; read go < gate; {POINTER}; echo $?; mkdir new; "
    writes += "echo gitdir: ../evil/.git > new/.git; rmdir lib; mv -T new lib; echo $?"
    with victim.starting(writes) as server:
        assert server.readline() == "began\n"
        assert victim.inside("git submodule --quiet deinit -f lib").exit_code == 0
        let_go(gate)
        said = server.read().split()
    assert "0" not in said, said
    assert not victim.is_caught()


@pytest.mark.parametrize("attack", DRIVEN)
def test_what_git_runs_beside_it_leads_nowhere(victim: Victim, attack: str) -> None:
    prepared = f"{EVIL}; mkdir -p evil/sub; ln -s sub evil/link; {HIDDEN}; {DRIVER}"
    driver = victim.stage.repo / "driver.sh"
    driver.write_text(f"#!/bin/sh\ncd ..\n{DRIVEN[attack]}\nfalse\n")
    victim.stage.own()
    victim.inside(prepared)
    victim.inside(f"{UPDATE}; {RUNS_DRIVER}")
    assert (victim.stage.repo / ".git/modules/lib/HEAD").exists()  # it came so far
    assert not victim.is_caught()
    victim.here(f"{UPDATE}; {RUNS_DRIVER}")
    assert victim.is_caught()


def test_what_git_runs_beside_it_changes_nothing_in_place(victim: Victim) -> None:
    """Required: what is protected in a linked worktree is free in a line that removes it."""
    victim.here("git worktree add -q wt; mkdir wt/.vscode; echo '{}' > wt/.vscode/tasks.json")
    tasks, driver = victim.stage.repo / "wt/.vscode/tasks.json", victim.stage.repo / "driver.sh"
    driver.write_text("#!/bin/sh\necho evil > ../wt/.vscode/tasks.json\nfalse\n")
    victim.stage.own()
    victim.inside(DRIVER)
    line = f"{RUNS_DRIVER}; git worktree remove wt"
    victim.inside(line)
    assert not tasks.exists() or tasks.read_text() == "{}\n"
    tasks.parent.mkdir(exist_ok=True)
    victim.stage.own()
    victim.here(line)
    assert tasks.read_text() == "evil\n"


def test_a_line_that_fails_leaves_what_it_was_let_change(victim: Victim) -> None:
    victim.here("git worktree add -q wt; mkdir wt/.vscode; echo '{}' > wt/.vscode/tasks.json")
    before = (victim.stage.repo / "wt/.git").read_text()
    ran = victim.inside("git worktree remove wt")
    assert ran.exit_code == 128, ran
    assert "moved" not in ran.stderr
    assert (victim.stage.repo / "wt/.git").read_text() == before
    assert (victim.stage.repo / "wt/.vscode/tasks.json").exists()


def test_submodules_come_and_go_without_a_question(victim: Victim) -> None:
    for line in (
        UPDATE,
        "git mv lib moved",
        "git commit -qm moved",
        "git submodule --quiet deinit -f moved",
        UPDATE,
        "git rm -q moved",
        "git commit -qm gone",
    ):
        ran = victim.inside(line)
        assert (ran.exit_code, ran.stderr) == (0, ""), line
        if line == UPDATE:
            assert victim.here("git submodule foreach -q 'git log --format=%s; git status --short'") == "l"
    assert victim.here("git status --short --untracked-files=no; ls -d moved lib 2> /dev/null") == ""


def test_linked_worktrees_move_and_go_without_a_question(victim: Victim) -> None:
    victim.inside("git worktree add -q wt; mkdir wt/.husky; touch wt/.husky/x; git -C wt add .; git -C wt commit -qm w")
    for line in ("git worktree lock wt", "git worktree unlock wt", "git worktree move wt moved"):
        assert victim.inside(line).exit_code == 0, line
    assert victim.here("git -C moved log -1 --format=%s; git -C moved status --short") == "w"
    ran = victim.inside("git worktree remove moved")
    assert (ran.exit_code, ran.stderr) == (0, ""), ran
    assert not (victim.stage.repo / "moved").exists()
    assert victim.here("git worktree list | wc -l") == "1"
