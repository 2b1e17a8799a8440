"""The page about ports: its Python runs and prints what it says, and what it says of Landlock is so."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.sandbox.select import LANDLOCK_LOSSES
from sandgate.terminals.port_owners import showing
from support.docs.how_to_pages import PAGES
from support.suite.source_tree import REPOSITORY
from support.terminal.live_sessions import Workplace, place, run_to_end

__all__ = ["place"]

PAGE = (PAGES / "ports.md").read_text()
((CODE, SAYS),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
LOSS = "an empty or refused port is not told with who serves another, and no port can be shown"
LIMIT_S = 60


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


@pytest.mark.host("namespace", "notify")
def test_its_python_shows_a_port(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    host_port = free_port()
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY / "src")}
    command = [sys.executable, "-c", CODE.replace("8080", host_port)]
    done = subprocess.run(
        command, cwd=tmp_path / "repo", env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert (done.stdout, done.returncode) == (SAYS.replace("8080", host_port), 0), done.stderr


def test_it_quotes_the_line_that_a_model_reads() -> None:
    assert f"Notice: {showing((5173,))}\n" in PAGE


def test_what_landlock_lacks_is_on_the_page_and_said_by_doctor() -> None:
    assert LOSS in LANDLOCK_LOSSES
    assert LOSS in " ".join(PAGE.split())


@pytest.mark.host("namespace", "notify", "landlock")
@pytest.mark.parametrize(("backend", "told"), [("namespace", True), ("landlock", False)])
@pytest.mark.parametrize("network", ["off", "on"])
def test_who_serves_another_port_is_told_by_namespaces_alone(
    place: Workplace, backend: str, told: bool, network: str
) -> None:
    """What we know to be missing under Landlock, on either network; on the host's own nobody needs it."""
    session, port, empty = place.session(backend=backend, network=network), free_port(), free_port()
    serve = (
        f"import socket; server = socket.create_server(('127.0.0.1', {port})); print('up', flush=True); server.accept()"
    )
    started = session.exec_command(f'{sys.executable} -c "{serve}"', login=False, yield_time_ms=0, tty=True)
    if started.session_id is not None and "up" not in started.output:
        started = session.write_stdin(started.session_id, wait_for=("up",), yield_time_ms=LIMIT_S * 1000)
    assert ("up" in started.output) is (backend == "namespace" or network == "on"), started
    seek = f"import socket, sys; sys.exit(socket.socket().connect_ex(('127.0.0.1', {empty})))"
    notices = run_to_end(session, f'{sys.executable} -c "{seek}"').notices
    assert any(f"listens on {port}" in each for each in notices) is (told and network == "off"), notices
