"""A command that refuses to stop asking neither fills our memory nor outlives a kill (threat table, row 37)."""

import time

from support.escape.escape_stage import BOTH_BACKENDS, Stage

FLOOD = """
import os, sys
for number in range(int(sys.argv[2])):
    try:
        os.open(f"{sys.argv[1]}/{number}", os.O_WRONLY | os.O_CREAT)
    except OSError:
        pass
print("done")
"""
ENDLESS = """
import os, sys, threading
def ask():
    while True:
        try:
            os.mkdir(sys.argv[1] + "/x")
        except OSError:
            pass
for _ in range(8):
    threading.Thread(target=ask).start()
"""
KILL_MARGIN_S = 5


@BOTH_BACKENDS
def test_a_flood_of_refusals_is_counted_and_capped(stage: Stage, backend: str) -> None:
    ran = stage.confined(stage.script(FLOOD, stage.outside, "3000"), backend=backend)
    assert (ran.stdout, ran.verdict) == ("done\n", "denied"), ran
    assert 0 < len(ran.denials) <= 64


@BOTH_BACKENDS
def test_a_command_that_floods_forever_ends_with_its_time_limit(stage: Stage, backend: str) -> None:
    began = time.monotonic()
    ran = stage.confined(stage.script(ENDLESS, stage.outside), backend=backend, timeout_ms=1000)
    assert (ran.exit_code, ran.termination) == (124, "timed_out")
    assert time.monotonic() - began < 1 + KILL_MARGIN_S
