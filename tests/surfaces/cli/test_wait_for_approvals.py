"""How long a question waits, and for whom; `tests/serving/test_other_terminal.py` has somebody answer."""

from __future__ import annotations

import pytest

from sandgate.surfaces.cli.parse import parse
from sandgate.surfaces.cli.wait_for_approvals import APPROVAL_TIMEOUT_S_MAX, approval_timeout_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize("command", [("mcp",), ("run", "--wait-for-approvals")])
def test_the_time_a_question_stays_open_has_a_default_and_a_limit(command: tuple[str, ...]) -> None:
    after = ("--", "true") if command[0] == "run" else ()
    assert approval_timeout_s(parse([*command, *after])) == 600
    most = str(APPROVAL_TIMEOUT_S_MAX)
    assert approval_timeout_s(parse([*command, "--approval-timeout", most, *after])) == 24 * 3600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--approval-timeout", "5"), "`--approval-timeout` belongs to `--wait-for-approvals`"),
        (("--wait-for-approvals", "--approval-timeout", "0"), "`--approval-timeout 0` is not a time"),
        (("--wait-for-approvals", "--approval-timeout", "soon"), "is not a time"),
        (("--wait-for-approvals", "--approval-timeout", "86401"), "is not a time"),
    ],
)
def test_wrong_usage_of_run_is_one_clear_error(program: Any, arguments: tuple[str, ...], said: str) -> None:
    assert program("run", *arguments, "--", "true") == 2
    assert said in program.err
    assert program.out == ""
