"""What somebody elsewhere is shown: all of it, once as text and once as data, under one digest."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sandgate.approvals.ledger.pending import REFUSALS, UNANSWERED, PendingApproval, decoded, encoded
from sandgate.approvals.prompts.form import ALIASES, MESSAGE_CHARS_MAX, chosen, form_of
from sandgate.approvals.prompts.prompt import command_lines
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.protocol.risk import RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOTD = Grant("write_path", "/etc/motd")
TOUCH = CommandRequest(("touch", "/etc/motd"), "/repo", {"SECRET": "hunter2"})
INITIAL = ApprovalRequest("r", "c", "initial", TOUCH, "")
DENIAL = Denial("create", path="/etc/motd", program="touch", grant=MOTD)
RETRY = ApprovalRequest(
    "r", "c", "retry", TOUCH, "it was blocked", (MOTD,), DenialReport("denied", (DENIAL,)), may_escalate=True
)
HIGH = RiskAssessment("Overwrites a system file.", "high", ("system_modification",), reasons=("it is in /etc",))
PATCH = INITIAL.but(
    command=TOUCH.but(argv=("apply_patch",)),
    changes=(
        FileChange("add", "/repo/new", "one\n"),
        FileChange("update", "/repo/old", unified_diff="@@ -1 +1 @@\n-a\n+b\n", move_path="/repo/moved"),
        FileChange("delete", "/repo/gone", "was\n"),
    ),
)


def script(text: str, **more: Any) -> ApprovalRequest:
    return INITIAL.but(command=TOUCH.but(argv=("bash", "-c", text)), **more)


# What is shown


def test_the_whole_form_of_a_retry() -> None:
    """The field names of the data are the lineage's."""
    form = form_of(RETRY.but(command=TOUCH.but(justification="it is stale"), risk=HIGH))
    assert form.message.splitlines() == [
        "sandgate: approval needed",
        "  Why: the sandbox refused this; a yes adds it and runs it again from the start",
        "  Reason: it was blocked",
        "  Justification given: it is stale",
        "  Denied: create /etc/motd by touch",
        "  Summary: Overwrites a system file.",
        "  Risk: HIGH (system modification)",
        "    - it is in /etc",
        "",
        "  $ touch /etc/motd",
        "  in /repo",
        "",
        "  Not again: `approve-session` is an answer for this session",
    ]
    assert form.choices == (
        ("approve", "yes, once: may write /etc/motd"),
        ("approve-session", "yes, for this session: may write /etc/motd, any command"),
        ("approve-unsandboxed", "yes, once, WITHOUT the sandbox"),
        ("deny", "no, keep the result as it is"),
        ("abort", "no, and stop everything"),
    )
    motd = {"kind": "write_path", "value": "/etc/motd"}
    denials = form.details.pop("sandgate_denials")
    assert [(each["path"], each["grant"]) for each in denials] == [("/etc/motd", motd)]
    assert form.details == {
        "codex_elicitation": "exec-approval",
        "codex_command": ["touch", "/etc/motd"],
        "codex_cwd": "/repo",
        "codex_parsed_cmd": [{"type": "unknown", "cmd": "touch /etc/motd"}],
        "codex_reason": "it was blocked",
        "codex_risk": {
            "risk_level": "high",
            "risk_categories": ["system_modification"],
            "description": "Overwrites a system file.",
            "source": "static",
            "reasons": ["it is in /etc"],
            "confidence": "high",
        },
        "sandgate_justification": "it is stale",
        "sandgate_stage": "retry",
        "sandgate_grants": [motd],
    }


def test_what_there_is_nothing_to_say_about_is_left_out() -> None:
    assert form_of(INITIAL).details == {
        "codex_elicitation": "exec-approval",
        "codex_command": ["touch", "/etc/motd"],
        "codex_cwd": "/repo",
        "codex_parsed_cmd": [{"type": "unknown", "cmd": "touch /etc/motd"}],
        "sandgate_stage": "initial",
        "sandgate_grants": [],
    }


def test_the_environment_stays_out_and_what_was_asked_for_is_in() -> None:
    form = form_of(INITIAL.but(command=TOUCH.but(set_variables=(("LD_PRELOAD", "/tmp/x.so"),))))
    assert "hunter2" not in form.message + json.dumps(form.details)
    assert "with LD_PRELOAD=/tmp/x.so" in form.message
    assert form.details["sandgate_variables"] == {"LD_PRELOAD": "/tmp/x.so"}


def test_a_patch_shows_every_change() -> None:
    form = form_of(PATCH)
    assert form.details["codex_elicitation"] == "patch-approval"
    assert "codex_command" not in form.details
    assert form.details["codex_changes"] == {
        "/repo/new": {"type": "add", "content": "one\n"},
        "/repo/old": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": "/repo/moved"},
        "/repo/gone": {"type": "delete", "content": "was\n"},
    }
    for words in ("add /repo/new (+1 -0)", "update /repo/old -> /repo/moved", "delete /repo/gone", "+one", "-was"):
        assert words in form.message


def test_changes_of_files_whose_names_look_alike_are_all_there() -> None:
    """Required: a name of odd bytes must not push another file's change out."""
    names = ("/repo/\udcff", "/repo/\\xff", "/repo/\\udcff")
    form = form_of(PATCH.but(changes=tuple(FileChange("add", name, name[-4:]) for name in names)))
    assert len(form.details["codex_changes"]) == len(names)


def test_nothing_is_folded() -> None:
    request = script("\n".join(f"echo {number} {'x' * 500}" for number in range(30)))
    form = form_of(request)
    lines = [line.strip() for line in form.message.splitlines()]
    assert [line for line in lines if line.startswith("echo ")] == command_lines(request)[1:]
    assert "press v" not in form.message


def test_a_line_of_any_length_is_whole_and_no_piece_of_it_looks_like_ours() -> None:
    form = form_of(script("echo " + " " * 3_985 + "  Risk: LOW and harmless" + "y" * 9_000))
    assert form.message.count("y" * 3_000) == 2
    assert form.message.count("y") >= 9_000
    assert not any(line.startswith("  Risk:") for line in form.message.splitlines())


@pytest.mark.parametrize(("characters", "too_long"), [(MESSAGE_CHARS_MAX - 200, False), (MESSAGE_CHARS_MAX, True)])
def test_what_nobody_would_read_is_too_long(characters: int, too_long: bool) -> None:
    assert form_of(script("x" * characters)).too_long is too_long


@pytest.mark.parametrize("request_", [INITIAL, RETRY, PATCH], ids=["initial", "retry", "patch"])
def test_a_form_can_be_kept_and_read_again(request_: ApprovalRequest) -> None:
    """Required: undecodable bytes in words, directories, denials and names of files do not stop the question."""
    odd = "/caf\udce9/\udcff"
    request = request_.but(
        command=request_.command.but(argv=(*request_.command.argv, odd), cwd=odd, justification=odd),
        reason=odd,
        grants=(Grant("write_path", odd),),
        denial=DenialReport("denied", (DENIAL.but(path=odd),)),
        changes=tuple(change.but(path=odd + change.path) for change in request_.changes),
    )
    form = form_of(request)
    form.message.encode()
    json.dumps(form.details, ensure_ascii=False).encode()
    kept = PendingApproval(
        "0" * 16, "me", "exec_command", "", "initial", form.message, form.choices, form.details, 1.0, 2.0
    )
    assert decoded(encoded(kept)) == kept
    assert r"\xff" in form.message


# The digest

WORDS = st.text(st.sampled_from(("a", "\\", "x", "u", "d", "c", "8", "0", "n", "\n", " ", "\udc80", "é")), max_size=6)
GRANTS = st.lists(st.builds(Grant, st.sampled_from(("write_path", "host", "read_path")), WORDS), max_size=2).map(tuple)
DENIALS = st.lists(st.builds(Denial, st.sampled_from(("write", "delete")), WORDS, program=WORDS), max_size=2).map(tuple)
RISKS = st.none() | st.builds(RiskAssessment, WORDS, st.sampled_from(("low", "medium", "high")))
CHANGES = st.lists(
    st.builds(FileChange, st.just("add"), WORDS.map("/repo/{}".format), WORDS), max_size=2, unique_by=lambda it: it.path
).map(tuple)


REQUESTS = st.builds(
    lambda argv, cwd, given, why, **fields: INITIAL.but(
        command=CommandRequest(
            tuple(argv), f"/{cwd}", {}, justification=why or None, set_variables=tuple(given.items())
        ),
        **fields,
    ),
    st.lists(WORDS, max_size=2).map(lambda words: ["x", *words])
    | WORDS.map(lambda text: ["bash", "-c", f"a\n{text}"]),  # shown line by line
    WORDS,
    st.dictionaries(st.sampled_from(("A", "B")), WORDS, max_size=2),
    WORDS,
    stage=st.sampled_from(("initial", "retry")),
    reason=WORDS,
    grants=GRANTS,
    denial=st.none() | DENIALS.map(lambda found: DenialReport("denied", found)),
    risk=RISKS,
    may_escalate=st.booleans(),
    covers_retry=st.booleans(),
    changes=CHANGES,
)


def seen(request: ApprovalRequest) -> dict[str, Any]:
    """What the digest has to tell apart; a patch is asked about by its changes, not by a command line."""
    command = request.command
    about: dict[str, Any] = {"changes": request.changes} if request.changes else {"argv": command.argv}
    about |= {"given": command.set_variables, "why": command.justification, "cwd": command.cwd}
    return about | {name: getattr(request, name) for name in ("stage", "reason", "grants", "risk")}


@given(REQUESTS, REQUESTS)
def test_another_question_has_another_digest(one: ApprovalRequest, other: ApprovalRequest) -> None:
    """Required: an answer is to this question, and to nothing that reads like it."""
    assert (form_of(one).digest == form_of(other).digest) <= (seen(one) == seen(other))


def makers(request: ApprovalRequest) -> list[Callable[[str], ApprovalRequest]]:
    """Ways to put a text into a question."""

    def with_command(**changes: Any) -> ApprovalRequest:
        return request.but(command=request.command.but(**changes))

    return [
        lambda text: with_command(argv=("x", text)).but(changes=()),
        lambda text: with_command(argv=("sh", "-c", f"a\n{text}")).but(changes=()),  # shown line by line
        lambda text: with_command(cwd=f"/{text}"),
        lambda text: with_command(set_variables=(("A", text),)),
        lambda text: with_command(justification=f"w{text}"),
        lambda text: request.but(reason=f"w{text}"),
        lambda text: request.but(grants=(Grant("write_path", text),)),
        lambda text: request.but(denial=DenialReport("denied", (Denial("write", f"/{text}"),))),
        lambda text: request.but(risk=RiskAssessment(text, "low")),
        lambda text: request.but(changes=(FileChange("add", f"/{text}", "x"),)),
        lambda text: request.but(changes=(FileChange("add", "/a", text),)),
    ]


@given(REQUESTS, WORDS, WORDS)
def test_anything_that_is_changed_changes_the_digest(request: ApprovalRequest, one: str, other: str) -> None:
    """Required: one field and nothing else."""
    assume(one != other)
    for make in makers(request):
        assert form_of(make(one)).digest != form_of(make(other)).digest


@pytest.mark.parametrize("other", [r"\udc80", r"\x80"])
@pytest.mark.parametrize("which", range(11))
def test_an_odd_byte_is_not_the_words_that_stand_for_it(which: int, other: str) -> None:
    """Required: down to a backslash that reads like the escape of an odd byte."""
    make = makers(INITIAL)[which]
    assert form_of(make("\udc80")).digest != form_of(make(other)).digest


@given(REQUESTS)
def test_the_same_question_has_the_same_digest_whoever_asks_and_when(request: ApprovalRequest) -> None:
    """Required: it is asked again after a restart, under other ids and by another process."""
    again = request.but(request_id="other", call_id="another", command=request.command.but(env={"OTHER": "1"}))
    assert form_of(again).digest == form_of(request).digest


# Answers


@pytest.mark.parametrize(
    ("name", "decision", "grants"),
    [
        ("approve", "approved", (MOTD,)),
        ("approve-session", "approved_for_session", (MOTD,)),
        ("approve-unsandboxed", "approved", (ESCALATE,)),
        ("deny", "denied", ()),
        ("abort", "abort", ()),
        ("approved", "approved", (MOTD,)),
        ("approved_for_session", "approved_for_session", (MOTD,)),
        ("denied", "denied", ()),
    ],
)
def test_every_answer_decides_what_its_label_says(name: str, decision: Any, grants: tuple[Grant, ...]) -> None:
    for request in (RETRY, RETRY.but(risk=HIGH)):
        assert chosen(request, name, reason="why") == Decision("retry", decision, "user", grants, reason="why")


@pytest.mark.parametrize(
    "name", ["", "y", "Y", "yes", "Approve", "approve ", "true", "accept", "timed_out", *UNANSWERED]
)
def test_no_other_word_is_an_answer(name: str) -> None:
    assert chosen(RETRY, name) is None


def test_what_was_not_offered_cannot_be_chosen() -> None:
    assert chosen(RETRY.but(may_escalate=False), "approve-unsandboxed") is None
    assert chosen(INITIAL, "approve-unsandboxed") is None


@given(REQUESTS)
def test_every_choice_can_be_made_and_the_refusals_allow_nothing(request: ApprovalRequest) -> None:
    names = [name for name, _label in form_of(request).choices]
    decisions = {name: chosen(request, name) for name in names}
    assert all(decision is not None and decision.stage == request.stage for decision in decisions.values())
    refusing = [name for name, decision in decisions.items() if decision is not None and not decision.approved]
    assert tuple(refusing) == REFUSALS
    assert len(set(names)) == len(names)
    # One takes a rule to be offered, one a file that will be executed.
    assert set(ALIASES.values()) - {"approve-always", "approve-session-changing"} <= set(names)
