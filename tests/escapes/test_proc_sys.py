"""No kernel setting can be written, not even by root (threat table, row 6)."""

import os

import pytest

from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace")

OPEN_ALL = """
import os, sys
opened = []
for top in sys.argv[1:]:
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                opened.append(path)
            except OSError:
                pass
print(len(opened), *opened[:5])
"""


def test_no_file_in_proc_sys_opens_for_writing(stage: Stage) -> None:
    attack = stage.script(OPEN_ALL, "/proc/sys")
    if stage.uid == 0:
        assert int(stage.unconfined(attack).stdout.split()[0]) > 100
    assert stage.confined(attack).stdout == "0\n"


@pytest.mark.parametrize("path", ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/sys/power/state"])
def test_the_dangerous_switches_do_not_open(stage: Stage, path: str) -> None:
    attack = stage.script("import os, sys; os.close(os.open(sys.argv[1], os.O_WRONLY)); print('opened')", path)
    if stage.uid == 0 and os.path.exists(path):
        assert stage.unconfined(attack).stdout == "opened\n"
    assert stage.confined(attack).stdout == ""


def test_kernel_memory_is_not_readable(stage: Stage) -> None:
    attack = ["sh", "-c", "head -c 16 /proc/kcore | wc -c"]
    assert stage.confined(attack).stdout.strip() == "0"
