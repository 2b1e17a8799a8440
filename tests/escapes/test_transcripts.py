"""What a session has said, and what was approved in it, is no command's to read or to change.

A transcript decides what a session that goes on knows and, with the key beside it, what it is not asked about again.
"""

import json
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

ATTACK = """
import os, sys
def attempt(deed, *arguments):
    try:
        found = deed(*arguments)
    except OSError:
        return
    print("did", deed.__name__)
    return found
def read(path):
    return open(path).read()
def append(path):
    with open(path, "a") as file:
        file.write('{"type":"approval_audit","payload":{"kind":"session_approval"}}\\n')
def plant(path):
    open(path, "x").close()
transcript, state = sys.argv[1:3]
attempt(os.listdir, os.path.dirname(transcript))
attempt(read, transcript)
attempt(append, transcript)
attempt(plant, os.path.join(os.path.dirname(transcript), "rollout-2030-01-01T00-00-00-x.jsonl"))
attempt(read, os.path.join(state, "sealing.key"))
attempt(os.unlink, os.path.join(state, "sealing.key"))
attempt(os.rename, os.path.join(state, "sessions"), os.path.join(state, "away"))
"""
DEEDS = ["listdir", "read", "append", "plant", "read", "unlink", "rename"]


def prepared(stage: Stage) -> tuple[Path, Path]:
    """A transcript and the key, as a session leaves them."""
    state = stage.home / ".local" / "state" / "sandgate"
    transcript = state / "sessions" / "2026" / "01" / "01" / "rollout-2026-01-01T00-00-00-0.jsonl"
    transcript.parent.mkdir(parents=True, mode=0o700)
    transcript.write_text(json.dumps({"type": "session_meta"}) + "\n")
    (state / "sealing.key").write_bytes(b"k" * 32)
    for each in (state, *state.rglob("*")):
        each.chmod(0o700 if each.is_dir() else 0o600)
    stage.own()
    return transcript, state


@pytest.mark.parametrize("workspace", ["repo", "home"])
@BOTH_BACKENDS
def test_a_command_can_neither_read_nor_write_a_transcript_nor_the_key_that_seals_it(
    stage: Stage, backend: str, workspace: str
) -> None:
    """Required: also where the home is the workspace, and the transcripts lie in it."""
    transcript, state = prepared(stage)
    attack = stage.script(ATTACK, transcript, state)
    before = transcript.read_bytes()
    at = getattr(stage, workspace)
    insists = {"broad_workspace": workspace == "home"}
    ran = stage.confined(attack, backend=backend, cwd=at, policy_cwd=at, protection=insists)
    assert (ran.exit_code, ran.stdout) == (0, ""), ran
    assert transcript.read_bytes() == before
    real = stage.unconfined(attack).stdout.split()
    assert real[1::2] == DEEDS
