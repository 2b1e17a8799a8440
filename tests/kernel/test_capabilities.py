"""Root's powers after a thread gave them up."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os
from sandgate.kernel.capabilities import drop_powers
drop_powers(for_good={for_good})
def held(which):
    with open("/proc/thread-self/status") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith(which))
print(held("CapEff:") & ~0b11011, os.waitstatus_to_exitcode(os.system("grep -q 'CapEff:.*1b$' /proc/self/status")))
"""


def test_what_is_dropped_stays_dropped_over_exec_only_when_for_good() -> None:
    import os

    told = []
    for for_good in (True, False):
        program = PROGRAM.format(for_good=for_good)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=True)
        told.append(done.stdout.decode().split())
    if os.geteuid() == 0:
        assert told == [["0", "0"], ["0", "1"]]
    else:
        assert [effective for effective, _ in told] == ["0", "0"]
