"""docs/how-to/model-risk.md, followed at a real terminal with a real server that answers as the page has it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from support.docs.how_to_pages import LAUNCHER, blocks
from support.model.responses_server import LIMIT_S, ResponsesServer, assesses, waits_for

PAGE = "model-risk.md"
FIRST_USE_LIMIT_S = 300

pytestmark = [pytest.mark.slow, pytest.mark.host("namespace", "notify")]


def test_the_page_shows_what_a_person_sees() -> None:
    subprocess.run([LAUNCHER, "--version"], check=True, capture_output=True, timeout=FIRST_USE_LIMIT_S)
    (config,), (command,), (shown,) = blocks(PAGE, "toml"), blocks(PAGE, "sh"), blocks(PAGE, "text")
    assert "http://localhost:11434/v1" in config
    may_answer = threading.Event()
    words = "Creates an empty file among what programs keep."
    with (
        tempfile.TemporaryDirectory(prefix="sandgate-reader-", dir="/var/tmp") as home,
        ResponsesServer(waits_for(may_answer, assesses("high", words, ["system_modification"]))) as server,
    ):
        own, work = Path(home, ".sandgate"), Path(home, "work")
        own.mkdir(mode=0o700)
        work.mkdir()
        Path(home, ".cache").mkdir()
        (own / "config.toml").write_text(config.replace("http://localhost:11434/v1", server.url))
        (own / "config.toml").chmod(0o600)
        master, slave = pty.openpty()
        script = command.replace("sandgate", LAUNCHER, 1).strip()
        environ = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "NO_COLOR": "1"}
        running = subprocess.Popen(
            ["setsid", "--ctty", "--wait", "sh", "-c", script],
            cwd=work, env=environ, stdin=slave, stdout=slave, stderr=slave,
        )  # fmt: skip
        os.close(slave)
        seen = ""

        def sees(text: str) -> None:
            nonlocal seen
            while text not in seen:
                assert select.select([master], [], [], 3 * LIMIT_S)[0], f"never saw {text!r} in {seen!r}"
                seen += os.read(master, 4096).decode().replace("\r\n", "\n")

        sees("[y/n/q]: ")
        may_answer.set()
        sees("[Y/n/q]: ")
        os.write(master, b"n")
        running.wait(LIMIT_S)
        os.close(master)
        assert not Path(home, ".cache", "note").exists()
    lines = [line for line in seen.split("\n") if line.strip()]
    places = [lines.index(line) for line in shown.split("\n") if line.strip() and not line.startswith("Your answer")]
    assert places == sorted(places)
