"""Too long to be judged, too long to be repeated."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.commandline import segments
from sandgate.policy.approval import verdict_for
from sandgate.policy.explanation import PARTS_MAX, PolicyCircumstances, explanation_tree
from sandgate.policy.lengths import ECHOED_CHARACTERS_MAX, JUDGED_MAX, TOO_LONG, echoed, too_long
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Ask, Forbid, Verdict
from support.command.assessing import ENVIRONMENT, PROJECT, judged
from support.suite.searches import examples

UNFINISHED = "the command is too long to be judged"


def verdict(script: str, policy: str = "untrusted") -> Verdict:
    request = CommandRequest(("bash", "-lc", script), PROJECT, ENVIRONMENT)
    return verdict_for(request, policy=policy, sandbox=WorkspaceWrite())  # type: ignore[arg-type]  # a policy's name


@pytest.mark.parametrize("between", ["; ", "\n", " && ", " | "])
def test_more_commands_than_are_judged_are_asked_about(between: str) -> None:
    """Required: verdict and risk agree on what has not been judged."""
    fits, more = between.join(["ls"] * 900), between.join(["ls"] * 20_000)
    assert isinstance(verdict(fits), Allow)
    found = verdict(more)
    assert isinstance(found, Ask)
    assert [each.detail for each in found.because] in ([TOO_LONG], ["dangerous: " + _danger(found)])
    assert judged(more).risk_level == "high"


def _danger(found: Ask) -> str:
    return found.because[0].detail.removeprefix("dangerous: ")


def test_the_last_command_that_is_judged_still_runs_unasked() -> None:
    assert isinstance(verdict(";".join(["ls"] * (JUDGED_MAX - 1))), Allow)
    assert UNFINISHED not in judged(";".join(["ls"] * (JUDGED_MAX - 1))).reasons
    assert isinstance(verdict(";".join(["ls"] * JUDGED_MAX)), Ask)


PIECES = st.sampled_from(
    [
        "ls",
        "timeout 3 nice -n 2 ls",
        "env A=1 ls",
        "bash -c 'ls; pwd'",
        "eval ls",
        "find . -exec cat {} ;",
        "git status",
    ]
)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=6), st.integers(1, 700), st.sampled_from([";", "&&", "\n"]))
def test_what_runs_unasked_has_been_judged_to_its_end(pieces: list[str], times: int, between: str) -> None:
    script = between.join(pieces * times)
    if isinstance(verdict(script), Allow):
        assert UNFINISHED not in judged(script).reasons


def test_scripts_inside_a_script_count_with_what_they_hold() -> None:
    inner = "bash -c '" + ";".join(["ls"] * 150) + "'"
    assert not too_long(segments(("bash", "-c", inner)))
    assert too_long(segments(("bash", "-c", ";".join([inner] * 20))))
    assert too_long(segments(("env", "bash", "-c", ";".join(["ls"] * 3_000))))


def test_many_words_of_one_command_are_not_many_commands() -> None:
    assert not too_long(segments(("ls", *["file"] * 10_000)))
    assert not too_long(segments(("bash", "-c", "cat " + "file " * 10_000)))


def test_a_long_command_is_repeated_without_its_middle_and_says_how_much_is_missing() -> None:
    argv = ("rm", "-rf", "a" * 100_000 + "THE-END")
    found = echoed(argv)
    assert len(found) < ECHOED_CHARACTERS_MAX + 50
    assert found.startswith("rm -rf aaaa")
    assert found.endswith("THE-END")
    assert "98014 characters left out" in found
    assert echoed(("ls", "-la")) == "ls -la"


def test_no_verdict_repeats_a_long_command_in_full() -> None:
    found = verdict("rm -rf " + "x" * 100_000, "never")
    assert isinstance(found, Forbid)
    assert len(found.reason) < 3 * ECHOED_CHARACTERS_MAX
    assert all(len(each.detail) < 2 * ECHOED_CHARACTERS_MAX for each in found.because)


def test_a_long_list_of_parts_says_how_many_more_there_are() -> None:
    here = PolicyCircumstances("untrusted", WorkspaceWrite())
    for count in (300, 20_000):
        request = CommandRequest(("bash", "-lc", ";".join(["ls"] * count)), PROJECT, ENVIRONMENT)
        found = explanation_tree(request, here)
        assert (len(found.parts), found.left_out) == (PARTS_MAX, count - PARTS_MAX)
