"""Three lines of a question: what would run comes first, and what is cut is never called whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.prompts.brief import COMMAND_CELLS_MAX, LINE_CHARS_MAX, brief_of
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import Grant
from support.approval.reviewing import request_for

NOTE = Grant("write_path", "/home/note")


def test_a_short_command_is_all_there_with_what_was_denied_and_what_a_yes_gives() -> None:
    denied = DenialReport("denied", (Denial("create", path="/home/note", program="bash", grant=NOTE),) * 3)
    brief = brief_of(
        request_for("/bin/bash", "-c", "echo hi > ~/note", stage="retry", grants=(NOTE,)).but(denial=denied)
    )
    assert (brief.command, brief.accept, brief.whole) == (
        "$ echo hi > ~/note",
        "Accept: yes, once: may write /home/note",
        True,
    )
    assert brief.against == "Risk: MEDIUM; denied: create /home/note by bash and 2 more"


@pytest.mark.parametrize("shell", ["/tmp/bash", "bash", "./sh"])
def test_a_shell_that_may_be_any_program_is_named(shell: str) -> None:
    assert brief_of(request_for(shell, "-c", "ls")).command == f"$ {shell} -c ls"


def test_patches_variables_and_long_grants_are_never_whole() -> None:
    patch = request_for("apply_patch").but(changes=(FileChange("add", "a", content="x\n"),))
    assert not brief_of(patch).whole
    plain = request_for("ls")
    assert brief_of(plain).whole
    assert not brief_of(plain.but(command=plain.command.but(set_variables=(("LD_PRELOAD", "x"),)))).whole
    assert not brief_of(plain.but(grants=(Grant("write_path", "/" + "x" * LINE_CHARS_MAX),))).whole


@given(st.text(min_size=1))
def test_what_is_called_whole_fits_and_hides_nothing(script: str) -> None:
    """Required, for any text: one line, no control characters, and every character of the command."""
    brief = brief_of(request_for("/bin/sh", "-c", script))
    assert brief.command.isprintable()
    assert len(brief.command) <= COMMAND_CELLS_MAX + len("$ ")
    if brief.whole:
        assert "\n" not in script
        assert "…" not in brief.command or "…" in script
