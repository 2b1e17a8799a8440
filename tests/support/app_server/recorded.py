"""What a real client of the lineage (its terminal program, 0.169.0) and its server said to each other.

Three sessions: a turn with an approval and a patch, one that is interrupted, one that is steered. Paths and ids are of
a throw-away machine.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from support.suite.source_tree import REPOSITORY

FOLDER = REPOSITORY / "tests/surfaces/app_server/recorded"


@dataclass
class Recorded:
    """One message. `method` of an answer is that of its request; `by_client`: the client said it."""

    by_client: bool
    kind: str  # "request", "notification", "result", "error"
    method: str
    value: Any  # params, result or error
    whole: dict[str, Any]

    @property
    def described_by(self) -> str:
        """Whose request it belongs to: "client", "server"; of notifications, who tells it."""
        asked = self.by_client == (self.kind in ("request", "notification"))
        return "client" if asked else "server"


def recorded() -> list[Recorded]:
    """All of them, in their order."""
    return [message for file in sorted(FOLDER.glob("*.jsonl")) for message in _of(file.read_text().splitlines())]


def _of(lines: list[str]) -> list[Recorded]:
    found: list[Recorded] = []
    asked: dict[tuple[bool, Any], str] = {}
    for entry in map(json.loads, lines):
        if entry["dir"] == "http":
            continue
        by_client, message = entry["dir"] == "c2s", entry["msg"]
        if "method" not in message:
            kind = "result" if "result" in message else "error"
            method = asked[not by_client, message["id"]]
            found.append(Recorded(by_client, kind, method, message[kind], message))
            continue
        kind = "request" if "id" in message else "notification"
        if kind == "request":
            asked[by_client, message["id"]] = message["method"]
        found.append(Recorded(by_client, kind, message["method"], message.get("params"), message))
    return found
