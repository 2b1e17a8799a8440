"""A refused call waits for an answer: one question, one run, and nothing opened beside what was shown."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sandgate.approvals.prompts.asked_again import again_lines
from sandgate.kernel.process_tree import descendants
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.permissions import Grant
from sandgate.runtime.aio import open_gate
from support.process.program import WAIT_SECONDS, Finished, Sandgate

BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Counts its runs and reads its input once; then does what it is told, and tries the file beside it.
SCRIPT = """
echo run >> runs
read -r line && echo "read $line"
{0}
code=$?
echo "did $code"
echo more >> {1}/neighbour 2>/dev/null && echo "open beside it"
exit $code
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that no command may write to, below no /tmp."""
    place = Path("/var/tmp") / f"sandgate-held-{os.getpid()}"
    (place / "ws").mkdir(parents=True)
    (place / ".ssh").mkdir(mode=0o700)
    (place / "note").write_text("note\nmore\n")
    (place / "neighbour").write_text("closed\n")
    yield place
    shutil.rmtree(place)


@pytest.fixture
def sandgate(home: Path) -> Sandgate:
    return Sandgate(home / "ws", home)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Calls wait in both."""
    return str(request.param)


def asking(backend: str) -> tuple[str, ...]:
    return ("--backend", backend, "-c", 'sandbox.ask="at-call"', "-a", "on-failure")


def asked(sandgate: Sandgate, backend: str, does: str, answer: str = "approve") -> Finished:
    """With one answer: a second question would be refused."""
    script = SCRIPT.format(does, sandgate.home)
    options = (*asking(backend), "--json", "--answer", answer)
    return sandgate("run", *options, "--", "sh", "-c", script, stdin=b"typed\n")


def questions(found: Finished) -> list[dict[str, Any]]:
    return [each for each in found.events if each["type"] == "exec_approval_request"]


def needs(program: str) -> str:
    if shutil.which(program, path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"no {program} here")
    return program


def make_repository(place: Path, *files: str) -> None:
    place.mkdir()
    git = ("git", "-C", str(place), "-c", "user.name=x", "-c", "user.email=x@y")
    for file in files:
        (place / file).write_text(file)
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "x")):
        subprocess.run([*git, *words], check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(place)})


def make_packages(place: Path) -> None:
    """What npm and pip install without asking any registry."""
    package = place / "package"
    package.mkdir()
    (package / "package.json").write_text('{"name": "made", "version": "1.0.0", "bin": {"made": "made.js"}}')
    (package / "made.js").write_text("#!/usr/bin/env node\n")
    about = {
        "METADATA": "Metadata-Version: 2.1\nName: made\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": "[console_scripts]\nmade = made:main\n",
        "RECORD": "made.py,,\n",
    }
    with zipfile.ZipFile(place / "made-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("made.py", "def main(): ...\n")
        for name, text in about.items():
            wheel.writestr(f"made-1.0.dist-info/{name}", text)


def setting_up(home: Path) -> None:
    """What the journeys below work with."""
    packed = home / "packed"
    packed.mkdir()
    for number in range(200):
        (packed / f"f{number}").write_text(str(number))
    (packed / "below").mkdir()
    (packed / "below/link").symlink_to("../f1")
    for form in ("tar", "zip"):
        shutil.make_archive(str(home / "ws/many"), form, home, "packed")
    shutil.rmtree(packed)
    make_repository(home / "ws/source", "file")
    make_packages(home / "ws")
    install = "install:\n\tmkdir -p $(PREFIX)/bin\n\tcp Makefile $(PREFIX)/bin/x\n"
    (home / "ws/Makefile").write_text(install)


JOURNEYS = {
    "ssh-keygen": ("ssh-keygen -q -t ed25519 -N '' -f {0}/.ssh/k2", ".ssh/k2.pub", ""),
    "git": ("git config --global user.name X", ".gitconfig", "name = X"),
    "sed": ("sed -i s/note/NOTE/ {0}/note", "note", "NOTE"),
    "vim": ("vim -es -u NONE '+%s/more/MORE/' '+wq!' {0}/note", "note", "MORE"),
    "sqlite3": ("sqlite3 {0}/note.db 'create table t(a)'", "note.db", ""),
    "tar": ("tar x -f many.tar -C {0}", "packed/f199", "199"),
    "make": ("make -s install PREFIX={0}/x", "x/bin/x", "install:"),
    "mkdir": ("mkdir {0}/d && touch {0}/d/f && mkdir -p {0}/d/e/g", "d/e/g", ""),
    "ln": ("ln -s /etc/motd {0}/link", "link", ""),
    "git clone": ("git clone -q source {0}/clone", "clone/file", "file"),
    "mv": ("mv Makefile {0}/", "Makefile", "install:"),
    "mv directory": ("mv package {0}", "package/made.js", "node"),
    "npm": ("npm install -g --silent --offline --no-audit --no-fund --prefix {0}/n ./package", "n/bin/made", ""),
    "pip3": ("pip3 install -q --no-index --break-system-packages --target {0}/p ./*.whl", "p/made.py", "main"),
    "pip3 --user": (
        "PYTHONUSERBASE={0}/p pip3 install -q --no-index --user --break-system-packages ./*.whl",
        "p/bin/made",
        "made",
    ),
    "python3 -m venv": ("python3 -m venv --without-pip {0}/venv", "venv/pyvenv.cfg", "version"),
    "sqlite3 new": ("sqlite3 {0}/new.db 'create table t(a)'", "new.db", ""),
    "unzip": ("unzip -q many.zip -d {0}/x", "x/packed/f199", "199"),
    "cp -r": ("cp -r source {0}/x", "x/file", "file"),
    "tar from tar": ("mkdir {0}/x && tar c source | tar x -C {0}/x", "x/source/file", "file"),
    "ln -sf": ("ln -sf /etc/motd {0}/link", "link", ""),
    "ln -sf again": ("ln -sf /etc/motd {0}/note", "note", ""),
    "mv over": ("mv Makefile {0}/note", "note", "install:"),
    "install over": ("install -m 755 Makefile {0}/note", "note", "install:"),
    "python3 sqlite": (
        """python3 -c 'import sqlite3; base = sqlite3.connect("{0}/p.db"); base.execute("create table t(a)")'""",
        "p.db",
        "",
    ),
    "gzip": ("cp Makefile {0}/m && gzip {0}/m", "m.gz", ""),
    "install -D": ("install -D -m 755 Makefile {0}/a/b/c", "a/b/c", "install:"),
    "touch": ("touch -d @9 {0}/note", "note", "note"),
    "chmod": ("chmod 600 {0}/note", "note", "note"),
    "cp": ("cp Makefile {0}/copied", "copied", "install:"),
}


def test_the_setting_that_a_question_names_ends_it(sandgate: Sandgate, home: Path, backend: str) -> None:
    """Required: what stands under "Not again" is typed literally, and gives that file alone."""
    asked_about, note = CommandRequest(("sh",), "/", {"HOME": str(home)}), home / "note"
    shown = ApprovalRequest("r", "c", "held", asked_about, "", grants=(Grant("write_path", str(note)),))
    (setting,) = [each.removesuffix(" in config.toml") for each in again_lines(shown, session="", always="")]
    script = f"sed -i s/note/NOTE/ {note}; echo x >> {note}; echo more >> {home}/neighbour"
    done = sandgate("run", *asking(backend), "-c", setting, "--json", "--answer", "deny", "--", "sh", "-c", script)
    assert note.read_text() == "NOTE\nmore\nx\n"
    assert [each["grants"][0]["value"] for each in questions(done)] == [f"{home}/neighbour"]


@pytest.mark.parametrize("program", JOURNEYS)
def test_one_question_and_one_run(sandgate: Sandgate, backend: str, home: Path, program: str) -> None:
    """Required: carried out for a yes; run once, read once, printed once; what lies beside it stays closed."""
    needs(program.split()[0])
    if backend == "landlock" and program == "npm":
        pytest.skip("no layers lie over caches there: npm asks for its own as well")
    setting_up(home)
    does, made, content = JOURNEYS[program]
    found = asked(sandgate, backend, does.format(home))
    assert found.code == 0, found
    (question,) = questions(found)[:1]
    assert question["stage"] == "held"
    assert len([each for each in questions(found) if f"{home}/neighbour" not in str(each["grants"])]) == 1
    assert (home / "ws/runs").read_text() == "run\n"
    printed = [each for each in found.events if each["type"] == "exec_command_end"]
    assert [each["stdout"] for each in printed] == ["read typed\ndid 0\n"]
    assert os.path.lexists(home / made)
    assert content in ((home / made).read_text() if content else "")
    assert (home / "neighbour").read_text() == "closed\n"


@pytest.mark.parametrize("program", ["ssh-keygen", "git", "sed", "tar", "make", "mkdir"])
def test_after_a_no_nothing_is_left(sandgate: Sandgate, backend: str, home: Path, program: str) -> None:
    """Required: the call fails, the command goes on, and nobody is asked about it again."""
    needs(program.split()[0])
    setting_up(home)
    does, made, _ = JOURNEYS[program]
    before = (home / "note").read_text()
    found = asked(sandgate, backend, does.format(home), "deny")
    assert found.code != 0
    assert (home / "ws/runs").read_text() == "run\n"
    assert made == "note" or not os.path.lexists(home / made)
    assert (home / "note").read_text() == before
    assert {each.name for each in home.iterdir()} <= {
        "ws",
        ".ssh",
        "note",
        "neighbour",
        ".sandgate",
        ".local",
        ".cache",
    }


def test_it_is_told_what_waited_and_what_was_carried_out(sandgate: Sandgate, backend: str, home: Path) -> None:
    found = asked(sandgate, backend, f"mkdir {home}/d && touch {home}/d/f && chmod 600 {home}/d/f")
    (attempt,) = found.last["attempts"]
    first = attempt["held"][0]
    assert (first["denial"]["path"], first["decision"], first["source"]) == (f"{home}/d", "approved", "script")
    assert [each["path"] for each in attempt["performed"] if each["asked"]] == [f"{home}/d"]
    assert all(each["error"] == 0 for each in attempt["performed"] if each["path"].startswith(f"{home}/d"))
    assert {each["allowed_by"] for each in attempt["performed"]} == {"approved by script (once)"}
    log = sandgate("approvals", "log").out
    assert f"    create {home}/d: approved by script (once)\n" in log
    assert f"    metadata {home}/d/f: within what was approved by script (once)\n" in log


def test_without_anybody_attached_a_command_is_refused_as_ever(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: nothing waits where nobody answers."""
    options = (*asking(backend), "--json")
    found = sandgate("run", *options, "--", "touch", f"{home}/new")
    assert found.code != 0
    assert [each["stage"] for each in questions(found)] in ([], ["retry"])
    assert not (home / "new").exists()


def test_a_private_class_of_writes_is_refused_without_a_question(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: what programs do without is never a question, and does not wait."""
    found = asked(sandgate, backend, f"name=history; echo x > {home}/.bash_$name")
    assert [each for each in questions(found) if "bash_" in str(each["grants"])] == []
    assert not (home / ".bash_history").exists()


ATTACK = """
exec 3<&0
while :; do printf SPO''OFED >&3; sleep 0.01; done &
painter=$!
while :; do dd bs=1 count=1 <&3 2>/dev/null; done >/dev/null &
thief=$!
mkdir {0}/d && echo "made it"
kill $painter $thief
"""


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TtZ"


def test_a_command_neither_paints_over_the_question_nor_takes_its_answer(
    sandgate: Sandgate, backend: str, home: Path
) -> None:
    """Required: what shares the terminal does both before the question, and is still while it stands."""
    options = asking(backend)
    os.mkfifo(home / "ws/go")
    script = ATTACK.format(home).replace("mkdir", f"read _ < {home}/ws/go; mkdir")
    terminal = sandgate.at_terminal("run", *options, "--", "sh", "-c", script)
    terminal.sees("SPOOFED")  # the attack is real
    (home / "ws/go").write_text("go\n")
    before = len(terminal.sees("Your answer ["))
    supervisor, *below = descendants(terminal.pid)
    inside = below if backend == "landlock" else descendants(supervisor)[1:]
    assert len(inside) >= 3
    until(lambda: all(stopped(pid) for pid in inside if Path(f"/proc/{pid}/comm").read_text() != "mkdir\n"))
    terminal.presses("YYYY" if "capital letter" in terminal.seen else "yyyy")
    shown = terminal.sees("made it")[before:]
    assert terminal.ends() == 0, terminal.seen
    question = terminal.seen.rpartition("sandgate: approval needed")[2].partition("Your answer [")[0]
    assert "SPOOFED" not in question
    assert "may make" in question
    assert "SPOOFED" not in shown.partition("\n")[0]
    assert (home / "d").is_dir()
    assert below


def test_control_c_at_the_question_ends_the_command_and_nothing_is_done(
    sandgate: Sandgate, backend: str, home: Path
) -> None:
    options = asking(backend)
    terminal = sandgate.at_terminal("run", *options, "--", "mkdir", f"{home}/d")
    terminal.sees("Your answer [")
    terminal.presses("\x03")
    assert terminal.ends() == 130
    assert not (home / "d").exists()


def test_when_sandgate_is_killed_at_the_question_nothing_is_done(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: the call that waits fails, and its command ends."""
    terminal = sandgate.at_terminal("run", *asking(backend), "--", "mkdir", f"{home}/d")
    terminal.sees("Your answer [")
    below = descendants(terminal.pid)
    assert below
    os.kill(terminal.pid, 9)
    for pid in below if backend == "landlock" else ():
        os.kill(pid, signal.SIGCONT)  # it was stopped for the question, and nobody is left who lets it go on
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
    assert terminal.ends() == -9
    assert not (home / "d").exists()


def test_the_question_says_that_the_command_waits_and_goes_on(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: never that it runs again from the start, because it does not."""
    options = asking(backend)
    terminal = sandgate.at_terminal("run", *options, "--", "mkdir", f"{home}/d")
    shown = terminal.sees("Your answer [").replace("\r\n", "\n")
    assert "it has stopped at this very call" in shown
    assert "from the start" not in shown
    terminal.presses("n")
    assert terminal.ends() != 0
    assert not (home / "d").exists()
    assert "approval needed" not in terminal.seen.partition("Your answer [")[2]


def test_a_coroutine_is_asked_and_its_answer_for_the_session_is_for_every_command(home: Path, backend: str) -> None:
    """Required: the program's loop goes on, and the place is not asked about again by another command."""
    asked_about: list[ApprovalRequest] = []

    async def yes(request: ApprovalRequest) -> str:
        asked_about.append(request)
        return "approve-session"

    async def session() -> None:
        overrides = (f'sandbox.backend="{backend}"', 'sandbox.ask="at-call"', 'approval_policy="on-failure"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        async with open_gate(str(home / "ws"), reviewer=yes, overrides=overrides, environ=environ) as gate:
            first = await gate.run(f"echo run >> runs; mkdir {home}/d")
            second = await gate.run(f"for n in 1 2 3 4 5 6 7 8 9 10; do touch {home}/d/$n || exit 1; done")
        assert [each.result.exit_code for each in (first, second) if each.result] == [0, 0]

    asyncio.run(session())
    assert [(request.stage, request.grants[0].value) for request in asked_about] == [("held", f"{home}/d")]
    assert (home / "ws/runs").read_text() == "run\n"
    assert len(list((home / "d").iterdir())) == 10


def test_what_a_person_makes_where_a_session_made_something_is_asked_about(home: Path, backend: str) -> None:
    """Required: "for the session" was about the directory that its command made, not about its name."""
    asked_about: list[str] = []

    async def yes_once(request: ApprovalRequest) -> str:
        asked_about.append(request.grants[0].value)
        return "approve-session" if len(asked_about) == 1 else "deny"

    async def session() -> list[int]:
        overrides = (f'sandbox.backend="{backend}"', 'sandbox.ask="at-call"', 'approval_policy="on-failure"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        async with open_gate(str(home / "ws"), reviewer=yes_once, overrides=overrides, environ=environ) as gate:
            passages = [await gate.run(f"mkdir {home}/d"), await gate.run(f"touch {home}/d/own")]
            shutil.rmtree(home / "d")
            (home / "d").mkdir()
            (home / "d/letter").write_text("mine\n")
            passages.append(await gate.run(f"echo x >> {home}/d/letter"))
        return [each.result.exit_code for each in passages if each.result]

    first, second, third = asyncio.run(session())
    assert (first, second, third != 0) == (0, 0, True)
    assert asked_about == [f"{home}/d", f"{home}/d/letter"]
    assert (home / "d/letter").read_text() == "mine\n"


def test_a_yes_for_the_session_after_a_failure_is_for_every_command(home: Path, backend: str) -> None:
    """Required: as at the call. Another command with the same target runs once, unasked; beside it all is closed."""
    asked_about: list[ApprovalRequest] = []

    async def yes(request: ApprovalRequest) -> str:
        asked_about.append(request)
        return "approve-session"

    async def session() -> list[int]:
        overrides = (f'sandbox.backend="{backend}"', 'sandbox.ask="after"', 'approval_policy="on-failure"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        scripts = (
            f"mkdir -p {home}/d && echo x >> {home}/note",
            f"echo run >> runs; mkdir -p {home}/d/e && touch {home}/d/e/f",
            f"echo run >> runs; sed -i s/x/y/ {home}/note",
        )
        async with open_gate(str(home / "ws"), reviewer=yes, overrides=overrides, environ=environ) as gate:
            passages = [await gate.run(script) for script in scripts]
            before = len(asked_about)
            assert all(request.stage == "retry" for request in asked_about)
            await gate.run(f"echo more >> {home}/neighbour")
            assert len(asked_about) == before + 1
        return [each.result.exit_code for each in passages if each.result]

    assert asyncio.run(session()) == [0, 0, 0]
    places = [grant.value for request in asked_about for grant in request.grants]
    assert sorted(places) == sorted([f"{home}/d", f"{home}/note", f"{home}/neighbour"])
    assert (home / "ws/runs").read_text() == "run\nrun\n"
    assert "y" in (home / "note").read_text()


FETCH = """python3 -I -c '
from urllib.request import urlopen
print(urlopen("http://127.0.0.1:{0}/").status)' && python3 -I -c '
from urllib.request import urlopen
print(urlopen("http://127.0.0.1:{0}/").status)'"""


def test_a_connection_that_waited_is_made_and_the_next_one_is_not_asked_about(sandgate: Sandgate, backend: str) -> None:
    """Required: a server of the host's is reached by one question, by the same run."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        found = asked(sandgate, backend, FETCH.format(server.server_port))
        server.shutdown()
        serving.join()
    (question,) = [each for each in questions(found) if "neighbour" not in str(each["grants"])]
    assert question["grants"] == [{"kind": "host", "value": f"127.0.0.1:{server.server_port}"}]
    assert (found.code, (sandgate.workspace / "runs").read_text()) == (0, "run\n")
    end = next(each for each in found.events if each["type"] == "exec_command_end")
    assert end["stdout"] == "read typed\n200\n200\ndid 0\n"


@pytest.mark.host("namespace", "notify")
def test_a_host_that_was_given_for_the_session_after_a_failure_is_for_every_command(home: Path) -> None:
    """Required: another program reaches the same server in its first run, and no other one."""
    asked_about: list[ApprovalRequest] = []

    async def yes(request: ApprovalRequest) -> str:
        asked_about.append(request)
        return "approve-session" if len(asked_about) == 1 else "deny"

    async def session(port: int, other: int) -> list[int]:
        overrides = ('sandbox.ask="after"', 'approval_policy="on-failure"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        connects = "python3 -I -c 'import socket; socket.create_connection((\"127.0.0.1\", {0}))'"
        scripts = (connects.format(port), f"echo run >> runs; {connects.format(port)}", connects.format(other))
        async with open_gate(str(home / "ws"), reviewer=yes, overrides=overrides, environ=environ) as gate:
            passages = [await gate.run(script) for script in scripts]
        return [each.result.exit_code for each in passages if each.result]

    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        port, another = server.getsockname()[1], other.getsockname()[1]
        assert asyncio.run(session(port, another)) == [0, 0, 1]
    assert [each.grants[0].value for each in asked_about] == [f"127.0.0.1:{port}", f"127.0.0.1:{another}"]
    assert (home / "ws/runs").read_text() == "run\n"


def test_a_host_given_for_the_session_is_given_to_its_next_command(home: Path, backend: str) -> None:
    """Required: one question for the session, and the next command connects without any."""
    asked_about: list[ApprovalRequest] = []

    async def yes(request: ApprovalRequest) -> str:
        asked_about.append(request)
        return "approve-session"

    async def session(port: int) -> list[int | None]:
        overrides = (f'sandbox.backend="{backend}"', 'sandbox.ask="at-call"', 'approval_policy="on-failure"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        async with open_gate(str(home / "ws"), reviewer=yes, overrides=overrides, environ=environ) as gate:
            ran = [await gate.run(FETCH.format(port)) for _ in range(2)]
        return [each.result.exit_code for each in ran if each.result]

    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        codes = asyncio.run(session(server.server_port))
        server.shutdown()
        serving.join()
    assert codes == [0, 0]
    (request,) = asked_about
    assert (request.stage, request.grants[0].value) == ("held", f"127.0.0.1:{server.server_port}")


@pytest.mark.parametrize("answer", ["approve", "deny"])
def test_a_protected_name_that_somebody_said_yes_to_stays(sandgate: Sandgate, backend: str, answer: str) -> None:
    """Required: what was allowed by name is not moved away afterwards; without the yes it is not made at all."""
    found = asked(sandgate, backend, "mkdir -p .vscode && echo '{}' > .vscode/settings.json", answer)
    settings = sandgate.workspace / ".vscode" / "settings.json"
    assert (found.code == 0, settings.exists()) == (answer == "approve", answer == "approve")
    assert not (sandgate.home / ".sandgate" / "quarantine").exists()
