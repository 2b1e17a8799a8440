"""The readers of questions to name servers and of what names stand for, under the compiler's sanitizers."""

import struct
import subprocess
from pathlib import Path

import pytest

from sandgate.kernel.grant_codec import answers
from sandgate.protocol.held_calls import FoundHost
from support.kernel.fuzzers import compiled

SOURCE = Path(__file__).parent / "names_fuzz.c"
ROUNDS = 200_000
HEAD_BYTES = 16  # of an answer, before its first text
NAME = (b"a" * 63, b"example", b"b" * 63, b"org")


@pytest.mark.slow
def test_damaged_names_never_lead_outside_their_bytes(tmp_path: Path) -> None:
    """Required: what a command sends as a question is read by a process outside its sandbox."""
    labels = b"".join(bytes([len(label)]) + label for label in NAME) + b"\0"
    question = struct.pack(">6H", 7, 0x0100, 1, 0, 0, 1) + labels + struct.pack(">2H", 1, 1) + bytes(11)
    addresses = tuple(f"192.0.2.{number}" for number in range(8)) + tuple(f"2001:db8::{number}" for number in range(8))
    (message,) = answers(7, (), (FoundHost("a.example", addresses, addresses[:3]),))
    too_many = message[HEAD_BYTES:-1] + b" c0000201 -c0000202\0"  # as many as it takes when it is cut off
    for name, content in (("question", question), ("answer", too_many)):
        (tmp_path / name).write_bytes(content)
    words = [str(compiled(SOURCE, tmp_path)), str(tmp_path / "question"), str(tmp_path / "answer"), str(ROUNDS)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    read, learned = map(int, done.stdout.split()[:2])
    assert 0 < read < ROUNDS, "both the refusing and the accepting path were taken"
    assert 0 < learned < ROUNDS
