"""A protected name stays protected by whatever way through /proc it is spelt (threat table, rows 13 and 14)."""

import pytest

from support.escape.escape_stage import ATTEMPT, BOTH_BACKENDS, Stage

MAKE = """
import os, socket
own, here = os.getpid(), os.open(".", os.O_RDONLY)
os.symlink("/proc", "to-proc")
os.symlink("/proc/self/cwd", "to-cwd")
os.symlink("/proc/self/cwd/.mcp.json", "to-name")
bases = [
    "/proc/self/cwd", "/proc/thread-self/cwd", f"/proc/{own}/cwd", f"/proc/{own}/task/{own}/cwd",
    f"/proc/self/task/{own}/cwd", "/proc/self/root" + os.getcwd(), f"/proc/self/fd/{here}", f"/dev/fd/{here}",
    f"/proc/{own}/fd/{here}", "/proc/./self//cwd/.", "/proc/self/../self/cwd", "/proc/thread-self/../../cwd",
    f"/proc/1/root/proc/{own}/cwd", "to-proc/self/cwd", "to-cwd", f"/proc/self/root/proc/self/fd/{here}",
]
made = []
def attempt(base, what, *arguments):
    try:
        what(*arguments)
    except OSError:
        return
    made.append((base, str(what), arguments))
for base in bases:
    attempt(base, lambda: os.close(os.open(base + "/.envrc", os.O_WRONLY | os.O_CREAT)))
    attempt(base, os.mkdir, base + "/.vscode")
    attempt(base, os.symlink, "evil", base + "/.codex")
    attempt(base, os.mknod, base + "/.mcp.json", 0o100644)
    os.makedirs("prepared", exist_ok=True)
    attempt(base, os.rename, "prepared", base + "/.claude")
    attempt(base, socket.socket(socket.AF_UNIX).bind, base + "/.idea")
    proc = os.open("/proc/self", os.O_RDONLY)
    attempt("dir_fd", lambda: os.mkdir("cwd/.vscode", dir_fd=proc))
    os.close(proc)
attempt("to-name", lambda: os.close(os.open("to-name", os.O_WRONLY | os.O_CREAT)))
print(made)
"""
LEFT = {"prepared", "to-proc", "to-cwd", "to-name"}

ORDINARY = """
import os
here = os.open(".", os.O_RDONLY)
os.close(os.open("/proc/self/cwd/plain", os.O_WRONLY | os.O_CREAT))
os.mkdir(f"/dev/fd/{here}/plain-directory")
os.close(os.open("/dev/stdout", os.O_WRONLY | os.O_CREAT))
os.close(os.open("/dev/fd/2", os.O_WRONLY | os.O_CREAT | os.O_APPEND))
"""


@BOTH_BACKENDS
def test_protected_names_cannot_be_made_through_proc(stage: Stage, backend: str) -> None:
    ran = stage.confined(stage.script(MAKE), backend=backend)
    assert (ran.exit_code, ran.stdout, ran.created) == (0, "[]\n", []), ran
    assert {path.name for path in stage.repo.iterdir()} == LEFT


@pytest.mark.host("namespace")
def test_the_same_paths_reach_the_names_outside(stage: Stage) -> None:
    assert stage.unconfined(stage.script(MAKE)).exit_code == 0
    assert {".envrc", ".vscode", ".codex", ".mcp.json"} <= {path.name for path in stage.repo.iterdir()}


@pytest.mark.host("namespace")
def test_other_names_can_be_made_through_proc(stage: Stage) -> None:
    ran = stage.confined(stage.script(ORDINARY))
    assert (ran.exit_code, ran.said) == (0, ""), ran
    assert {path.name for path in stage.repo.iterdir()} == {"plain", "plain-directory"}


AGAIN = (
    ATTEMPT
    + """
import os
print("ready", flush=True)
while os.path.exists(".vscode") or os.path.exists(".envrc"):
    pass
attempt(os.mkdir, ".vscode")
attempt(lambda name: open(name, "w"), ".envrc")
"""
)


@pytest.mark.host("namespace")
def test_a_name_that_goes_while_the_command_runs_does_not_come_back(stage: Stage) -> None:
    """Its bind goes with it, so only the supervisor stands there."""
    from threading import Thread

    (stage.repo / ".vscode").mkdir()
    (stage.repo / ".envrc").touch()
    stage.own()
    ran = []
    waiting = stage.repo / "waiting"
    attack = stage.script(AGAIN.replace('print("ready", flush=True)', 'open("waiting", "w").close()'))
    thread = Thread(target=lambda: ran.append(stage.confined(attack)))
    thread.start()
    while thread.is_alive() and not waiting.exists():
        pass
    (stage.repo / ".vscode").rmdir()
    (stage.repo / ".envrc").unlink()
    thread.join()
    assert (ran[0].exit_code, ran[0].stdout) == (0, ""), ran
    assert sorted(path.name for path in stage.repo.iterdir()) == ["waiting"]


SCORE = "import os; open('/proc/1/oom_score_adj', 'w').write('1000')"


@pytest.mark.host("namespace")
def test_the_supervisor_cannot_be_made_the_first_victim_of_memory_pressure(stage: Stage) -> None:
    ran = stage.confined(stage.script(SCORE))
    assert (ran.exit_code, ran.said.count("Error")) == (1, 1), ran
