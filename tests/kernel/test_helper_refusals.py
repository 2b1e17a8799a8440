"""What the helper's supervisor puts on record, and what it leaves off it."""

import os
from pathlib import Path

import pytest

from sandgate.protocol.confinement import Mount
from sandgate.protocol.denials import Refused
from support.kernel.helper_runs import Outcome, plan_for, run

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def grounds(tmp_path: Path) -> Path:
    """`work` is writable, `work/kept` protected, `work/secret` hidden, `outside` neither."""
    for folder in ("work/kept", "work/secret", "outside/folder"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("work/mine", "work/kept/file", "work/secret/file", "outside/file"):
        (tmp_path / file).write_text("text\n")
    os.mkfifo(tmp_path / "outside" / "pipe")
    (tmp_path / "work" / "way-out").symlink_to("../outside")
    (tmp_path / "work" / "dangling").symlink_to("../outside/new")
    return tmp_path


def run_in(helper: str, grounds: Path, script: str, **permissions: object) -> Outcome:
    mounts = (Mount("read", str(grounds / "work/kept")), Mount("hide_directory", str(grounds / "work/secret")))
    work = str(grounds / "work")
    return run(helper, plan_for("sh", "-c", script, write=(work,), mounts=mounts, cwd=work, **permissions))  # type: ignore[arg-type]


def refused(operation: str, syscall: str, path: Path, errno: str, program: str, layer: str = "mount") -> Refused:
    return Refused(operation, syscall, str(path), None, errno, layer, 0, program, True)  # type: ignore[arg-type]


REFUSED = {
    "writing a file": ("echo >> ../outside/file", ("write", "openat", "outside/file", "EROFS", "sh")),
    "creating a file": ("echo > ../outside/new", ("create", "openat", "outside/new", "EROFS", "sh")),
    "creating a folder": ("mkdir ../outside/new", ("create", "mkdir", "outside/new", "EROFS", "mkdir")),
    "a trailing slash": ("mkdir ../outside/new/", ("create", "mkdir", "outside/new", "EROFS", "mkdir")),
    "removing": ("rm ../outside/file", ("delete", "unlinkat", "outside/file", "EROFS", "rm")),
    "removing a folder": ("rmdir ../outside/folder", ("delete", "rmdir", "outside/folder", "EROFS", "rmdir")),
    "renaming": ("mv ../outside/file ../outside/b", ("rename", "renameat2", "outside/file", "EROFS", "mv")),
    "a symbolic link": ("ln -s x ../outside/b", ("create", "symlinkat", "outside/b", "EROFS", "ln")),
    "changing a mode": ("chmod 600 ../outside/file", ("metadata", "fchmodat", "outside/file", "EROFS", "chmod")),
    "changing a time": ("touch -c ../outside/file", ("metadata", "utimensat", "outside/file", "EROFS", "touch")),
    "truncating": ("truncate -c -s 0 ../outside/file", ("write", "openat", "outside/file", "EROFS", "truncate")),
    "through a link": ("echo > way-out/new", ("create", "openat", "outside/new", "EROFS", "sh")),
    "through a dangling link": ("echo > dangling", ("create", "openat", "outside/new", "EROFS", "sh")),
    "a protected folder": ("echo > kept/new", ("create", "openat", "work/kept/new", "EROFS", "sh")),
    "renaming a protected folder": ("mv kept lost", ("rename", "renameat2", "work/kept", "EBUSY", "mv")),
    "a hidden folder": ("echo > secret/new", ("create", "openat", "work/secret/new", "EROFS", "sh")),
    "a hidden file": ("echo >> secret/file", ("write", "openat", "work/secret/file", "EROFS", "sh")),
    "a pipe of the host": ("echo > ../outside/pipe", ("write", "openat", "outside/pipe", "EACCES", "sh", "landlock")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_call_is_recorded_exactly(helper: str, grounds: Path, name: str) -> None:
    """Required: operation, canonical path, system call, errno and program, whatever the command says or hides."""
    script, (operation, syscall, path, *rest) = REFUSED[name]
    outcome = run_in(helper, grounds, f"({script}) 2>/dev/null; true")
    assert outcome.refused[0] == refused(operation, syscall, grounds / path, *rest)
    assert outcome.exit_code == 0
    assert (grounds / "outside/file").read_text() == "text\n"
    assert not (grounds / "outside/new").exists()


NOT_REFUSED = {
    "work in the workspace": "echo > new; mkdir -p a/b; mv new a/b/c; ln a/b/c a/d; chmod 600 a/d; rm -r a",
    "a folder that exists": "mkdir ../outside/folder",
    "a file that is missing": "rm ../outside/nothing; mv ../outside/nothing x; chmod 600 ../outside/nothing",
    "a folder on the way that is missing": "echo > ../outside/no/such",
    "a folder written as a file": "echo > ../outside/folder",
    "removing a folder as a file": "unlink ../outside/folder",
    "moving in from outside": "cp ../outside/file here",
    "devices and the command's own proc": "echo > /dev/null; echo x > /dev/stderr; echo 100 > /proc/self/oom_score_adj",
    "shared memory": "echo > /dev/shm/x; rm /dev/shm/x",
    "words about a denial": "echo 'touch: Permission denied' >&2; exit 1",
    "reading": "cat ../outside/file; ls -la /etc; find / -maxdepth 1",
    "exclusive creation of what exists": (
        "python3 -c 'import os; os.open(\"../outside/file\", os.O_WRONLY | os.O_CREAT | os.O_EXCL)'"
    ),
}


@pytest.mark.parametrize("name", NOT_REFUSED)
def test_what_fails_by_itself_or_not_at_all_is_not_recorded(helper: str, grounds: Path, name: str) -> None:
    outcome = run_in(helper, grounds, NOT_REFUSED[name])
    assert (outcome.refused, outcome.reported) == ([], True)


@pytest.mark.parametrize(("flags", "exclusive"), [("os.O_CREAT", False), ("os.O_CREAT | os.O_EXCL", True)])
def test_whether_only_a_name_that_is_free_would_do_is_recorded(
    helper: str, grounds: Path, flags: str, exclusive: bool
) -> None:
    outcome = run_in(helper, grounds, f"python3 -c 'import os; os.open(\"../outside/new\", os.O_WRONLY | {flags})'")
    assert [(each.operation, each.exclusive) for each in outcome.refused] == [("create", exclusive)]


def test_same_refusal_is_told_once_and_the_table_has_an_end(helper: str, grounds: Path) -> None:
    script = "for i in $(seq 600); do echo > ../outside/new$i; echo > ../outside/new$i; done 2>/dev/null"
    outcome = run_in(helper, grounds, script)
    assert len(outcome.refused) == 512
    assert len({record.path for record in outcome.refused}) == 512
    assert outcome.omitted == 2 * (600 - 512)


def test_record_names_the_process_in_the_hosts_numbering(helper: str, grounds: Path) -> None:
    outcome = run_in(helper, grounds, "echo > ../outside/new; echo $$")
    assert outcome.output.split()[-1] == "2"
    assert outcome.pids[0] > 2


@pytest.mark.parametrize(
    ("script", "operation", "syscall"),
    [
        ("echo > .codex", "create", "openat"),
        ("mkdir .codex", "create", "mkdir"),
        ("mkdir ./kept/../.codex/", "create", "mkdir"),
        ("mkdir d; mv d .codex", "rename", "renameat2"),
        ("ln -s mine .codex", "create", "symlinkat"),
        ("ln mine .codex", "create", "linkat"),
        ("mkfifo .codex", "create", "mknodat"),
        ("ln -s . here; mkdir here/.codex", "create", "mkdir"),
        ("cd /; mkdir $OLDPWD/.codex", "create", "mkdir"),
    ],
)
def test_missing_protected_name_cannot_be_made(
    helper: str, grounds: Path, script: str, operation: str, syscall: str
) -> None:
    """Required: no trace on disk, and the record says which name."""
    name = grounds / "work/.codex"
    outcome = run_in(helper, grounds, script, absent=(str(name),))
    program = outcome.refused[0].program
    assert outcome.refused == [refused(operation, syscall, name, "EACCES", program, "seccomp")]
    assert not os.path.lexists(name)


def test_missing_protected_name_is_compared_without_case_on_request(helper: str, grounds: Path) -> None:
    name = str(grounds / "work/.cursor")
    assert run_in(helper, grounds, "mkdir .CurSor", absent=(name,)).refused == []
    (grounds / "work/.CurSor").rmdir()
    outcome = run_in(helper, grounds, "mkdir .CurSor", absent=(name,), case_insensitive=True)
    assert [record.path for record in outcome.refused] == [str(grounds / "work/.CurSor")]


def test_without_reporting_the_view_refuses_just_the_same(helper: str, grounds: Path) -> None:
    outcome = run_in(helper, grounds, "echo > ../outside/new; echo > way-out/new", report="off")
    assert (outcome.refused, outcome.reported) == ([], False)
    assert "notify" not in outcome.layers
    assert not (grounds / "outside/new").exists()


@pytest.mark.slow
def test_path_that_flips_under_the_supervisors_eyes_never_leads_outside(helper: str, grounds: Path) -> None:
    """Required: a record may be stale, a write may not happen."""
    code = (
        "import os, threading\n"
        "def flip():\n"
        "    for i in range(3000):\n"
        "        os.symlink('mine', 'next'); os.rename('next', 'turn')\n"
        "        os.symlink('../outside/file', 'next'); os.rename('next', 'turn')\n"
        "t = threading.Thread(target=flip); t.start()\n"
        "while t.is_alive():\n"
        "    try: open('turn', 'a').write('x')\n"
        "    except OSError: pass\n"
    )
    work = str(grounds / "work")
    outcome = run(helper, plan_for("python3", "-c", code, write=(work,), cwd=work))
    assert outcome.exit_code == 0
    assert (grounds / "outside/file").read_text() == "text\n"
    assert "x" in (grounds / "work/mine").read_text()
