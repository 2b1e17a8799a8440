"""Only 0, 1 and 2 reach the command (threat table, row 12)."""

import os

from support.escape.escape_stage import BOTH_BACKENDS, Stage

LIST = "import os; print(sorted(int(name) for name in os.listdir('/proc/self/fd')))"
INHERITED = 50


@BOTH_BACKENDS
def test_descriptors_of_the_agent_are_closed(stage: Stage, backend: str) -> None:
    (stage.outside / "secret").write_text("x")
    held = [os.open(stage.outside / "secret", os.O_RDONLY) for _ in range(INHERITED)]
    try:
        for descriptor in held:
            os.set_inheritable(descriptor, True)
        ran = stage.confined(stage.script(LIST), backend=backend, keep_open=held)
    finally:
        for descriptor in held:
            os.close(descriptor)
    assert ran.stdout == "[0, 1, 2, 3]\n"  # 3 is the listing itself
