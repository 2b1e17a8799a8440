"""What docs/how-to/acp.md has editors start is a server of their protocol."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.docs.how_to_pages import blocks
from support.process.program import PROGRAM, WAIT_SECONDS

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}


@pytest.mark.parametrize("number", [0, 1])
def test_the_line_that_an_editor_is_given_speaks_its_protocol(number: int, tmp_path: Path) -> None:
    entry = json.loads(blocks("acp.md", "json")[number])["agent_servers"]["Sandgate"]
    assert entry["command"] == "sandgate"
    done = subprocess.run(
        [*PROGRAM, *entry["args"]],
        input=json.dumps(HELLO) + "\n",
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["protocolVersion"] == 1
