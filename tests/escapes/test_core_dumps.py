"""A crash hands nothing to the host's crash handler (threat table, row 25)."""

from support.escape.escape_stage import BOTH_BACKENDS, Stage


@BOTH_BACKENDS
def test_core_dumps_are_off_and_cannot_be_turned_on(stage: Stage, backend: str) -> None:
    attack = ["sh", "-c", "ulimit -c unlimited; ulimit -Hc; ulimit -c"]
    assert stage.confined(attack, backend=backend).stdout.split() == ["0", "0"]
