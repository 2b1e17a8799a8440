"""docs/how-to/auto-review.md, followed with a real server that refuses."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.docs.how_to_pages import LAUNCHER, blocks
from support.model.responses_server import ResponsesServer, says

PAGE = "auto-review.md"
LIMIT_S = 300  # with the making of the environment on first use

pytestmark = [pytest.mark.slow, pytest.mark.host("namespace", "notify")]


def test_the_page_refuses_and_a_person_overrides() -> None:
    (config,), (commands,) = blocks(PAGE, "toml"), blocks(PAGE, "sh")
    own = config.replace('"openai" ', '"mine" ').replace("# [model", "[model").replace("# base_url", "base_url")
    refusal = says('{"outcome": "deny", "risk_level": "medium", "rationale": "Not wanted."}')
    with (
        tempfile.TemporaryDirectory(prefix="sandgate-reader-", dir="/var/tmp") as home,
        ResponsesServer(refusal) as server,
    ):
        work, settings = Path(home, "work"), Path(home, ".sandgate")
        work.mkdir()
        settings.mkdir(mode=0o700)
        (settings / "config.toml").write_text(own.replace("http://localhost:8000/v1", server.url))
        (settings / "config.toml").chmod(0o600)

        def sandgate(words: str) -> subprocess.CompletedProcess[str]:
            environ = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
            script = words.replace("sandgate", LAUNCHER, 1)
            return subprocess.run(
                ["sh", "-c", script],
                cwd=work,
                env=environ,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )

        wanted = "sandgate run --escalate -- touch ~/made"
        refused = sandgate(wanted)
        assert refused.returncode == 77, refused
        log, override = commands.strip().splitlines()
        action = refused.stderr.rpartition("approvals override ")[2][:12]
        assert action in sandgate(log).stdout
        assert sandgate(override.replace("3f2a9c01b7de", action)).returncode == 0
        assert sandgate(wanted).returncode == 0
        assert Path(home, "made").exists()
