"""Answers that are not what we send, to the helper of a real command."""

import os
import random
import sys
from pathlib import Path
from socket import MSG_NOSIGNAL

import pytest

from sandgate.kernel.grant_codec import ORDER_BYTES_MAX, answers
from sandgate.kernel.helper import HelperChild
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import HeldRun
from support.kernel.helper_runs import plan_for
from support.suite import sampling

ROUNDS = 400 if sampling.full() else 60


def _damaged(message: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(message[: chance.randrange(len(message) + 1)] if chance.random() < 0.3 else message)
    for _ in range(chance.randrange(4)):
        if damaged:
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 4, 7, 8, 0x2F, 0xFF, chance.randrange(256)))
    if chance.random() < 0.1:
        damaged += chance.randbytes(chance.randrange(ORDER_BYTES_MAX))
    return bytes(damaged)


@pytest.mark.host("namespace", "notify")
def test_a_damaged_answer_gives_the_command_nothing_else(helper: str, tmp_path: Path) -> None:
    """Required: it is what it says, a no, or the command's end; the helper outlives it and nothing else comes to be."""
    place = tmp_path / "outside"
    place.mkdir()
    chance = random.Random(sampling.seed())
    code = "import sys; open(sys.argv[1], 'x').close()"
    plan = plan_for(sys.executable, "-I", "-S", "-c", code, str(place / "made")).but(holds_calls=True)
    right = answers(1, (Grant("new_entry", str(place / "made")), Grant("remove", str(place / "gone"))))[0]
    for _ in range(ROUNDS):
        run = HeldRun(helper, plan)
        run.serve(until=lambda run=run: run.child.held)  # type: ignore[misc] # the run of this round
        damaged = _damaged(right, chance)
        assert isinstance(run.child, HelperChild)
        assert run.child._status is not None
        run.child._status.send(damaged or b"\0", MSG_NOSIGNAL)
        run.child.stop_holding()
        outcome = run.finish()
        assert (outcome.exit_code == 0) == bool(os.listdir(place)), damaged
        assert set(os.listdir(place)) <= {"made"}
        (place / "made").unlink(missing_ok=True)
