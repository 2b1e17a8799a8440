"""A server made with the official SDK for tests of those who use servers: good tools, hostile ones, and bad manners.

Run as a program: `python external_stage.py stdio [MANNER]` or `python external_stage.py http`, which says its address.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ANY: dict[str, Any] = {"type": "object"}


def say(text: str) -> None:
    os.write(2, f"{text}\n".encode())


def misbehave(manner: str, note: str) -> None:
    """Before, or instead of, serving."""
    match manner:
        case "stubborn":  # does not go when asked, and has children: one in its session, one that left it
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            stays = subprocess.Popen(["sleep", "600"])
            leaves = subprocess.Popen(["sleep", "600"], start_new_session=True)
            with open(note, "w") as file:
                file.write(f"{os.getpid()} {stays.pid} {leaves.pid}")
        case "parent":  # goes when asked, and leaves a child that nothing marks
            child = subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"]})
            with open(note, "w") as file:
                file.write(str(child.pid))
        case "mute":
            with open(note, "w") as file:
                file.write(str(os.getpid()))
            signal.pause()
        case "crash":
            say("warming up")
            say("no licence\x1b[2J found")
            sys.exit(4)
        case "endless":
            while True:
                os.write(1, b"x" * 65536)
        case "chatty":
            print("this is no message\n{nor this", flush=True)
        case "demanding":
            for number in range(1000):
                asked = {"jsonrpc": "2.0", "id": f"q{number}", "method": "sampling/createMessage", "params": {}}
                print(json.dumps(asked), flush=True)


def serve_modern() -> None:
    """By hand: a server that only knows the version without a greeting."""
    info = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    results: dict[str, dict[str, Any]] = {
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **info},
        "tools/list": {"tools": [{"name": "echo", "inputSchema": ANY}], **info},
        "tools/call": {"content": [{"type": "text", "text": "modern"}], "resultType": "complete"},
    }
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
        if asked["method"] in results:
            answer["result"] = results[asked["method"]]
        else:
            data = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
            answer["error"] = {"code": -32022, "message": "unsupported", "data": data}
        print(json.dumps(answer), flush=True)


def main() -> None:
    logging.disable()
    kind, manner, note = (*sys.argv[1:], "", "")[:3]
    misbehave(manner, note)
    if kind == "modern":
        serve_modern()
        return
    from support.mcp.external_sdk_server import serve_http, serve_stdio

    if kind == "http":
        serve_http(os.environ.get("STAGE_TOKEN", ""))
    else:
        asyncio.run(serve_stdio())
        if manner == "stubborn":
            while True:
                signal.pause()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main()
