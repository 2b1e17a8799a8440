"""Starts any MCP server that speaks HTTP, and any Node program that speaks to one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.machine.host_features import PEERS

START_LIMIT_S = 20
"""How long a server may take until it says where it listens."""

RUN_LIMIT_S = 90
"""How long another's program may take; a suite takes seconds."""

TOKEN_VARIABLE = "SANDGATE_MCP_TOKEN"

ADDRESS = re.compile(r"http://\S+/mcp\b")


@contextmanager
def serving(command: Sequence[str], environ: Mapping[str, str]) -> Iterator[str]:
    """The address that the server prints, on either of its streams. It is ended, and its pipe closed, afterwards."""
    process = subprocess.Popen(
        command,
        env=environ,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines: list[str] = []
    told = threading.Event()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if ADDRESS.search(line):
                told.set()
        told.set()

    reader = threading.Thread(target=listen)
    reader.start()
    try:
        assert told.wait(START_LIMIT_S), f"{command} says nothing"
        found = ADDRESS.search("".join(lines))
        assert found, "".join(lines)
        yield found[0]
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(START_LIMIT_S)
        finally:
            process.kill()
            process.wait()
            reader.join()
            assert process.stdout is not None
            process.stdout.close()


def node(script: str, *arguments: str, home: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Runs `script`, a path below `.peers/node_modules`, with a home folder of its own."""
    # Resolved, because a script that finds itself under another name than it was started with does nothing.
    command = [str(PEERS / "bin/node"), str((PEERS / "node_modules" / script).resolve()), *arguments]
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1", **environ}
    return subprocess.run(
        command,
        env=surroundings,
        cwd=home,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=RUN_LIMIT_S,
    )
