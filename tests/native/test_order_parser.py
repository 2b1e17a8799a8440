"""The reader of answers to held calls, under the compiler's sanitizers."""

import subprocess
from pathlib import Path

import pytest

from sandgate.kernel.grant_codec import answers
from sandgate.protocol.held_calls import FoundHost
from sandgate.protocol.permissions import Grant
from support.kernel.fuzzers import compiled

SOURCE = Path(__file__).parent / "orders_fuzz.c"
ROUNDS = 200_000
GRANTS = (
    Grant("new_entry", "/a/b"),
    Grant("host", "10.0.0.1:443"),
    Grant("unix_socket", "/run/s"),
    Grant("write_path", "/" + "x" * 200),
    Grant("metadata", "/\udcff"),
)


@pytest.mark.slow
def test_damaged_answers_never_lead_outside_their_bytes(tmp_path: Path) -> None:
    """Required: whatever stands in an answer, all that it gives is given or nothing, and each is answered once."""
    (message,) = answers(7, GRANTS, (FoundHost("a.example", ("192.0.2.1", "2001:db8::1"), ("192.0.2.1",)),))
    saved = tmp_path / "answer"
    saved.write_bytes(message)
    fuzzer = compiled(SOURCE, tmp_path)
    done = subprocess.run([str(fuzzer), str(saved), str(ROUNDS)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    accepted = int(done.stdout.split()[0])
    assert 0 < accepted < ROUNDS, "both the refusing and the accepting path were taken"
