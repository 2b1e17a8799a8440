"""/tmp is the project's own: what others keep in it is out of reach, and what a command leaves fools nobody."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.escape.escape_stage import Stage

NAMESPACE = pytest.mark.host("namespace")

READ = """
import sys
for path in sys.argv[1:]:
    try: print(open(path).read())
    except OSError: pass
"""
CONNECT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    print("connected")
"""


LANDLOCK = pytest.mark.host("landlock", "notify")


@pytest.fixture
def hosts() -> Iterator[Path]:
    """A directory of somebody's in the host's /tmp."""
    with tempfile.TemporaryDirectory(prefix="sandgate-hosts-", dir="/tmp") as name:
        os.chmod(name, 0o777)
        (Path(name) / "file").write_text("of the host")
        yield Path(name)


def private(stage: Stage, project: Path | None = None) -> Path:
    """Where the project's own /tmp lies."""
    return stage.state / "tmp" / str(project or stage.repo).replace("/", "+") / "tmp"


@NAMESPACE
def test_a_file_in_the_hosts_directory_is_not_there(stage: Stage, hosts: Path) -> None:
    attack = stage.script(READ, hosts / "file", f"/proc/self/root{hosts}/file", f"/proc/thread-self/root{hosts}/file")
    assert "of the host" in stage.unconfined(attack).stdout
    assert "of the host" in stage.confined(attack, tmp="shared").stdout
    assert stage.confined(attack).stdout == ""


@NAMESPACE
def test_a_socket_in_the_hosts_directory_is_not_there(stage: Stage, hosts: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(hosts / "s"))
        (hosts / "s").chmod(0o777)
        server.listen()
        attack = stage.script(CONNECT, hosts / "s")
        assert stage.unconfined(attack).stdout == "connected\n"
        ran = stage.confined(attack)
        assert (ran.stdout, "No such file" in ran.stderr) == ("", True)


@NAMESPACE
def test_a_socket_that_comes_while_the_command_runs_is_not_there_either(stage: Stage, hosts: Path) -> None:
    """One in a shared directory is listed too late to be covered."""
    code = f"""
import os, socket, sys, time
open({str(stage.repo / "ready")!r}, "w").close()
while not os.path.exists({str(stage.repo / "go")!r}): time.sleep(0.01)
try:
    with socket.socket(socket.AF_UNIX) as client: client.connect(sys.argv[1]); print("connected")
except OSError: print("refused")
"""
    import threading

    def listen_later() -> None:
        while not (stage.repo / "ready").exists():
            over.wait(0.01)
        server.bind(str(hosts / "late"))
        (hosts / "late").chmod(0o777)
        server.listen()
        (stage.repo / "go").write_text("")

    over = threading.Event()
    with socket.socket(socket.AF_UNIX) as server:
        later = threading.Thread(target=listen_later)
        later.start()
        assert stage.confined(stage.script(code, hosts / "late")).stdout == "refused\n"
        later.join()


@NAMESPACE
def test_what_is_written_there_is_kept_for_the_project_and_seen_by_nobody_else(stage: Stage) -> None:
    other = stage.folder / "other"
    other.mkdir()
    stage.own()
    name = f"note-of-{stage.folder.name}-{os.getpid()}"  # nobody else's, whatever lies in the host's /tmp
    assert stage.confined(["sh", "-c", f"echo mine > /tmp/{name}"], tmp_writable=True).exit_code == 0
    assert stage.confined(["cat", f"/tmp/{name}"]).stdout == "mine\n"
    assert stage.confined(["cat", f"/tmp/{name}"], policy_cwd=other, cwd=other).stdout == ""
    assert not os.path.exists(f"/tmp/{name}")
    assert (private(stage) / name).read_text() == "mine\n"


@NAMESPACE
def test_its_place_on_the_host_cannot_be_seen_or_changed_from_inside(stage: Stage) -> None:
    stage.confined(["sh", "-c", "echo mine > /tmp/note"], tmp_writable=True)
    place = private(stage)
    script = (
        f"cat {place}/note; ls {place}; ls {place.parent}; echo x > {place}/planted; mv {stage.state} {stage.repo}/s"
    )
    assert stage.unconfined(["sh", "-c", f"cat {place}/note"]).stdout == "mine\n"
    ran = stage.confined(["sh", "-c", script], tmp_writable=True)
    assert ran.stdout == ""
    assert stage.state.is_dir()
    ours = (str(stage.folder), stage.python, *stage.import_path.split(":"))
    shown = {Path(each).parts[2] for each in ours if each.startswith("/tmp/")}  # a clone there stays what it is
    assert [name for name in os.listdir(place) if not name.startswith("sandgate-") and name not in shown] == ["note"]


@NAMESPACE
def test_a_workspace_below_it_stays_itself_and_cannot_be_moved(stage: Stage) -> None:
    script = f"""
echo made > {stage.repo}/made; cat {stage.home}/kept
for at in {stage.repo} {stage.folder}; do mv $at /tmp/moved && echo moved; rm -rf $at 2>/dev/null; done
mkdir -p /tmp/own && echo own
"""
    (stage.home / "kept").write_text("kept\n")
    stage.own()
    ran = stage.confined(["sh", "-c", script], tmp_writable=True)
    assert ran.stdout == "kept\nown\n"
    assert stage.repo.is_dir()
    assert stage.home.is_dir()


SWAPS = {
    "link to a directory": "ln -s {outside} {name}",
    "link to nothing": "ln -s /nowhere {name}",
    "link to itself": "ln -s {name} {name}",
    "link upwards": "ln -s .. {name}",
    "file": "echo x > {name}",
    "pipe": "mkfifo {name}",
    "full directory": "mkdir {name} && ln -s {outside} {name}/repo && echo x > {name}/x",
}


@NAMESPACE
@pytest.mark.parametrize("swap", SWAPS)
def test_what_a_command_leaves_under_a_name_does_not_fool_the_next_ones_mounts(stage: Stage, swap: str) -> None:
    """The workspace of the second command lies under a name that the first one took in its own /tmp."""
    elsewhere = stage.folder / "elsewhere"
    elsewhere.mkdir()
    (stage.outside / "kept").write_text("kept")
    stage.own()
    stage.confined(["true"], tmp_writable=True)
    name = private(stage) / stage.folder.name
    if name.exists():
        name.rmdir()
    done = stage.unconfined(["sh", "-c", SWAPS[swap].format(outside=stage.outside, name=name)])
    assert done.exit_code == 0, done.stderr
    ran = stage.confined(["sh", "-c", "pwd; echo made > made; ls"], tmp_writable=True)
    assert (ran.failure, ran.stdout) == (None, f"{stage.repo}\nmade\n")
    assert sorted(os.listdir(stage.outside)) == ["kept"]
    assert (stage.outside / "kept").read_text() == "kept"
    assert os.path.lexists(private(stage) / stage.folder.name)


@NAMESPACE
def test_links_in_it_lead_a_write_no_further_than_any_other(stage: Stage) -> None:
    """And the denial names what was meant, though the host has nothing or something else under the name."""
    target = stage.outside / "file"
    target.write_text("old")
    stage.own()
    script = f"ln -s {stage.outside} /tmp/l; echo new > /tmp/l/file; ln -s {target} /tmp/m; echo new > /tmp/m"
    ran = stage.confined(["sh", "-c", script], tmp_writable=True)
    assert target.read_text() == "old"
    assert ran.denied("write", target)


@NAMESPACE
def test_a_link_of_the_hosts_under_the_same_name_makes_no_denial(stage: Stage) -> None:
    with tempfile.TemporaryDirectory(prefix="sandgate-names-", dir="/tmp") as name:
        os.chmod(name, 0o755)
        os.symlink("/etc", f"{name}/l")
        script = f"mkdir -p {name}/l && echo x > {name}/l/file && cat {name}/l/file"
        ran = stage.confined(["sh", "-c", script], tmp_writable=True)
        assert (ran.stdout, ran.denials) == ("x\n", [])


@NAMESPACE
def test_a_hard_link_out_of_it_cannot_be_made(stage: Stage) -> None:
    (stage.repo / "file").write_text("x")
    stage.own()
    ran = stage.confined(["sh", "-c", f"ln {stage.repo}/file /tmp/alias; ln /tmp/alias file2"], tmp_writable=True)
    assert ran.exit_code != 0
    assert (stage.repo / "file").stat().st_nlink == 1


@NAMESPACE
def test_a_granted_path_is_the_hosts(stage: Stage, hosts: Path) -> None:
    attack = stage.script(READ, hosts / "file")
    assert stage.confined(attack, grants=[("read_path", str(hosts / "file"))]).stdout == "of the host\n"
    beside = stage.confined(["sh", "-c", f"echo x > {hosts}/file"], grants=[("read_path", str(hosts / "file"))])
    assert (hosts / "file").read_text() == "of the host", beside
    stage.confined(["sh", "-c", f"echo new > {hosts}/file"], grants=[("write_root", str(hosts))])
    if stage.uid == os.geteuid():
        assert (hosts / "file").read_text() == "new\n"


@NAMESPACE
def test_one_that_is_not_to_be_written_is_not(stage: Stage) -> None:
    ran = stage.confined(["sh", "-c", "echo x > /tmp/note"])
    assert ran.exit_code != 0
    assert not (private(stage) / "note").exists()
    assert ran.denied("create", "/tmp/note")


@NAMESPACE
def test_programs_of_the_project_talk_to_each_other_there(stage: Stage) -> None:
    code = """
import socket, threading
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
    server.bind("/tmp/own.sock"); server.listen()
    client.connect("/tmp/own.sock"); print("connected")
"""
    assert stage.confined(stage.script(code), tmp_writable=True).stdout == "connected\n"


@NAMESPACE
def test_the_variables_lead_there_unless_somebody_opened_where_they_lead(stage: Stage) -> None:
    for leads, expected in (("/var/tmp", "/tmp"), (str(stage.repo), str(stage.repo)), ("/tmp", "/tmp")):
        env = {"TMPDIR": leads, "TMP": leads}
        ran = stage.confined(["sh", "-c", "echo $TMPDIR $TMP"], env=env, tmp_writable=True)
        assert ran.stdout == f"{expected} {expected}\n"
    assert stage.confined(["sh", "-c", "echo ${TMPDIR-unset}"], tmp_writable=True).stdout == "unset\n"


@LANDLOCK
def test_where_nothing_can_lie_at_tmp_the_variable_leads_there(stage: Stage) -> None:
    script = "echo mine > $TMPDIR/note && cat $TMPDIR/note; ls $TMPDIR/../..; mv $TMPDIR $TMPDIR.moved; echo $TMPDIR"
    ran = stage.confined(["sh", "-c", script], backend="landlock", tmp_writable=True)
    assert ran.stdout == f"mine\n{private(stage)}\n"
    assert (private(stage) / "note").read_text() == "mine\n"


@LANDLOCK
def test_with_landlock_one_project_does_not_see_anothers(stage: Stage) -> None:
    other = stage.folder / "other"
    other.mkdir()
    stage.own()
    stage.confined(["sh", "-c", "echo mine > $TMPDIR/note"], backend="landlock", tmp_writable=True)
    attack = stage.script(READ, private(stage) / "note")
    assert stage.unconfined(attack).stdout == "mine\n\n"
    assert stage.confined(attack, backend="landlock", policy_cwd=other, cwd=other, tmp_writable=True).stdout == ""
