"""A user interface for `sandgate app-server` in fifty lines: talk, watch, and answer what is asked.

Made for reading. `sandgate app-server schema --out .` writes the client that it needs beside it; then

    python app_server_ui.py sandgate app-server --model NAME
"""

from __future__ import annotations

import sys

from app_server_client import AppServerClient, ServerMessage

DECISIONS = {"y": "accept", "a": "acceptForSession", "n": "decline"}


def main(command: list[str]) -> None:
    """Talks until nothing more is said."""
    with AppServerClient(command) as client:
        client.initialize({"clientInfo": {"name": "fifty lines", "version": "1"}})
        client.initialized()
        thread = client.thread_start()["thread"]["id"]
        while said := ask("> "):
            client.turn_start({"threadId": thread, "input": [{"type": "text", "text": said}]})
            for message in client.messages():
                show(client, message)
                if message["method"] == "turn/completed":
                    break


def show(client: AppServerClient, message: ServerMessage) -> None:
    """One thing that happened, or is asked."""
    if message["method"] == "item/agentMessage/delta" or message["method"] == "item/commandExecution/outputDelta":
        print(message["params"]["delta"], end="", flush=True)
    elif message["method"] == "item/started" and message["params"]["item"]["type"] == "commandExecution":
        print("$", message["params"]["item"]["command"])
    elif message["method"] == "item/completed" and message["params"]["item"]["type"] == "agentMessage":
        print(message["params"]["item"]["text"])
    elif message["method"] == "error":
        print("!", message["params"]["error"]["message"])
    elif message["method"] == "item/commandExecution/requestApproval":
        about = message["params"]
        print(f"May it run?\n  $ {about.get('command')}\n  {about.get('reason')}")
        client.answer(message, {"decision": DECISIONS.get(ask("[y/a/n] "), "decline")})
    elif message["method"] == "item/fileChange/requestApproval":
        print(f"May it change these files?\n  {message['params'].get('reason')}")
        client.answer(message, {"decision": DECISIONS.get(ask("[y/a/n] "), "decline")})


def ask(prompt: str) -> str:
    """What the person types."""
    print(prompt, end="", flush=True)
    return sys.stdin.readline().strip()


if __name__ == "__main__":
    main(sys.argv[1:] or ["sandgate", "app-server"])
