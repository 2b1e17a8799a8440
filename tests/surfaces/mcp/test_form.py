"""A question as a form, and what its answers mean: approval is what was said in so many words, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.ledger.pending import PendingApproval
from sandgate.surfaces.mcp.form import (
    CUT,
    ELSEWHERE,
    EXPLICIT,
    MALFORMED,
    NOT_A_CHOICE,
    REASON_CHARS_MAX,
    REJECTED,
    REJECTED_AND_STOP,
    chosen_answer,
    normal,
)
from support.mcp.mcp_wire import BUTTONS_ONLY, ERAS, INITIAL, LEGACY, PROGRAM, Desk, connected, run
from support.suite.rows import every

if TYPE_CHECKING:
    from support.mcp.mcp_wire import Json

CHOICES = tuple((name, name) for name in ("approve", "approve-session", "approve-unsandboxed", "deny", "abort"))
real = pytest.mark.host("namespace", "notify")


def asked(risk: str = "low", choices: tuple[tuple[str, str], ...] = CHOICES) -> PendingApproval:
    return PendingApproval(
        approval_id="0" * 16,
        principal="p",
        tool="exec_command",
        call_digest="d",
        stage="initial",
        message="m",
        choices=choices,
        details={"codex_risk": {"risk_level": risk}},
        asked_at=0.0,
        expires_at=1.0,
    )


def accepted(**content: Any) -> Json:
    return {"action": "accept", "content": content}


@every(
    "answer, meaning",
    [
        (accepted(decision="approve"), ("approve", "")),
        (accepted(decision="approve", reason="go on"), ("approve", "go on")),
        (accepted(decision="approve-session"), ("approve-session", "")),
        (accepted(decision="approve-unsandboxed"), ("approve-unsandboxed", "")),
        (accepted(decision="deny", reason="no need"), ("deny", f"{REJECTED}: no need")),
        (accepted(decision="deny"), ("deny", "")),
        (accepted(decision="abort"), ("abort", REJECTED_AND_STOP)),
        (accepted(), ("approve", "")),
        (accepted(reason="go on"), ("approve", "go on")),
        (accepted(decision=None), ("approve", "")),
        ({"action": "accept"}, ("approve", "")),
        ({"action": "accept", "content": None}, ("approve", "")),
        ({"action": "decline"}, ("deny", "")),
        ({"action": "decline", "content": {"decision": "approve"}}, ("deny", "")),
        ({"action": "cancel"}, ("abort", REJECTED_AND_STOP)),
        ({"decision": "approved"}, ("approved", "")),
        ({"decision": "approved_for_session"}, ("approved_for_session", "")),
        ({"decision": "denied"}, ("denied", "")),
        ({"decision": "abort"}, ("abort", REJECTED_AND_STOP)),
        ({"decision": "approve"}, ("approve", "")),
        (accepted(decision="yes"), ("deny", NOT_A_CHOICE)),
        (accepted(decision=""), ("deny", NOT_A_CHOICE)),
        (accepted(decision="Approve"), ("deny", NOT_A_CHOICE)),
        (accepted(decision=True), ("deny", NOT_A_CHOICE)),
        (accepted(decision=["approve"]), ("deny", NOT_A_CHOICE)),
        ({"action": "accept", "content": "approve"}, ("deny", MALFORMED)),
        ({"action": "accept", "content": []}, ("deny", MALFORMED)),
        ({"action": "accepted"}, ("deny", MALFORMED)),
        ({"action": None, "decision": "approved"}, ("deny", MALFORMED)),
        ({"decision": {"approved_execpolicy_amendment": {}}}, ("deny", NOT_A_CHOICE)),
        ({}, ("deny", MALFORMED)),
        (None, ("deny", MALFORMED)),
        ("approve", ("deny", MALFORMED)),
        (["approve"], ("deny", MALFORMED)),
        (True, ("deny", MALFORMED)),
    ],
)
def test_answer_means_what_it_says_and_otherwise_no(answer: object, meaning: tuple[str, str]) -> None:
    assert chosen_answer(asked(), answer) == meaning


@pytest.mark.parametrize("answer", [accepted(), {"action": "accept"}, accepted(reason="fine")], ids=str)
def test_high_risk_takes_an_explicit_decision(answer: object) -> None:
    """Required: a client that accepts every form by itself approves nothing dangerous."""
    assert chosen_answer(asked("high"), answer) == ("deny", EXPLICIT)
    assert chosen_answer(asked("high"), accepted(decision="approve")) == ("approve", "")


def test_choice_that_was_not_offered_is_a_no() -> None:
    without = tuple(choice for choice in CHOICES if choice[0] != "approve-unsandboxed")
    assert chosen_answer(asked(choices=without), accepted(decision="approve-unsandboxed")) == ("deny", NOT_A_CHOICE)


def test_reason_is_cut_and_dropped_when_it_is_no_text() -> None:
    assert chosen_answer(asked(), accepted(decision="deny", reason="x" * 9000)) == (
        "deny",
        f"{REJECTED}: " + "x" * REASON_CHARS_MAX,
    )
    assert chosen_answer(asked(), accepted(decision="deny", reason=7)) == ("deny", "")


def test_only_the_lineages_short_answer_is_put_into_another_form() -> None:
    assert normal({"decision": "approved"}) == accepted(decision="approved")
    for other in (accepted(decision="deny"), {"action": "cancel", "decision": "approved"}, {"decision": 1}, "x", None):
        assert normal(other) == other


words = st.sampled_from(["approve", "approved", "accept", "decision", "action", "content", "decline", "deny", "reason"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(anything, st.sampled_from(["low", "high"]))
def test_no_answer_at_all_is_an_approval_unless_it_accepts(answer: Any, risk: str) -> None:
    """Required, for any JSON: a choice of the question comes out, and a yes only where one was said."""
    question = asked(risk)
    name, reason = chosen_answer(question, answer)
    assert isinstance(reason, str)
    if not name.startswith("approve"):
        assert name in ("deny", "denied", "abort")
        return
    assert isinstance(answer, dict)
    content = answer.get("content") or {}
    said = content.get("decision") if "action" in answer else answer["decision"]
    assert answer.get("action", "accept") == "accept"
    assert said == name or (said is None and risk == "low" and name == "approve")


# On the wire


@real
@pytest.mark.parametrize("version", ERAS)
def test_form_before_a_command_holds_all_that_decides_about_it(desk: Desk, version: str) -> None:
    async def work() -> Json:
        async with connected(desk.untrusting(), version) as wire:
            call = await wire.call("exec_command", INITIAL)
            form = await call.asked()
            await call.choose("deny")
            await call.result()
            return form

    form = run(work())
    repo = str(desk.place.repo)
    for part in (INITIAL["cmd"], repo, "Risk: MEDIUM"):
        assert str(part) in form["message"]
    decision = form["requestedSchema"]["properties"]["decision"]
    assert [each["const"] for each in decision["oneOf"]] == ["approve", "approve-session", "deny", "abort"]
    assert list(form["requestedSchema"]["properties"]) == form["requestedSchema"]["required"] == ["decision"]
    assert "default" not in decision  # what a client would send for whoever presses its Accept
    assert form["mode"] == "form"
    assert form["codex_elicitation"] == "exec-approval"
    assert form["codex_command"] == ["/bin/bash", "-c", INITIAL["cmd"]]
    assert form["codex_cwd"] == repo
    assert form["codex_parsed_cmd"] == [{"type": "unknown", "cmd": INITIAL["cmd"]}]
    assert form["codex_risk"]["risk_level"] == "medium"
    assert form["codex_event_id"] == form["sandgate_approval_id"]
    assert form["codex_call_id"]


@real
@pytest.mark.parametrize("version", ERAS)
def test_form_after_a_denial_names_it_and_offers_the_smallest_grant_first(desk: Desk, version: str) -> None:
    async def work() -> Json:
        async with connected(desk.server("sandbox.ask=after"), version) as wire:
            call = await wire.call("exec_command", desk.stray())
            form = await call.asked()
            await call.choose("deny")
            await call.result()
            return form

    form = run(work())
    assert f"Denied: create {desk.outside} by bash" in form["message"]
    assert "Why: the sandbox refused this; a yes adds it and runs it again from the start" in form["message"]
    assert "retry without sandbox" not in form["message"]  # which is not what a yes does
    offered = [(each["const"], each["title"]) for each in form["requestedSchema"]["properties"]["decision"]["oneOf"]]
    beside = f" or goes on from its name ({desk.outside.rpartition('/')[2]}-…)"
    assert offered == [
        ("approve", f"yes, once: may make {desk.outside}, which is new, and what is below it{beside}"),
        (
            "approve-session",
            f"yes, for this session: may make {desk.outside}, which is new, and what is below it{beside}, any command",
        ),
        ("approve-unsandboxed", "yes, once, WITHOUT the sandbox"),
        ("deny", "no, keep the result as it is"),
        ("abort", "no, and stop everything"),
    ]
    assert form["codex_reason"] == "command failed; retry in the sandbox with what it lacked?"
    assert form["codex_risk"]["risk_level"] in ("medium", "high")
    given = {"kind": "new_entry", "value": desk.outside, "beside": f"{desk.outside}[!0-9A-Za-z]*"}
    assert form["sandgate_grants"] == [given]
    (denial,) = form["sandgate_denials"]
    assert (denial["operation"], denial["path"], denial["grant"]["value"]) == ("create", desk.outside, desk.outside)


@real
@pytest.mark.parametrize("version", ERAS)
def test_form_of_a_patch_shows_its_changes(desk: Desk, version: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: {desk.outside}\n+hello\n*** End Patch\n"

    async def work() -> Json:
        async with connected(desk.server(), version) as wire:
            call = await wire.call("apply_patch", {"input": patch})
            form = await call.asked()
            await call.choose("approve")
            assert (await call.result())["structuredContent"]["applied"] is True
            return form

    form = run(work())
    assert form["codex_elicitation"] == "patch-approval"
    assert form["codex_changes"] == {desk.outside: {"type": "add", "content": "hello\n"}}
    assert "+hello" in form["message"]
    assert (desk.place.outside / "made").read_text() == "hello\n"


@real
def test_choices_of_older_versions_are_two_lists(desk: Desk) -> None:
    """Titles of single choices came with 2025-11-25; before, a client that is shown `oneOf` may refuse the form."""

    async def work() -> Json:
        async with connected(desk.untrusting(), "2025-06-18") as wire:
            call = await wire.call("exec_command", INITIAL)
            form = await call.asked()
            await call.choose("approve")
            await call.result()
            return form

    form = run(work())
    decision = form["requestedSchema"]["properties"]["decision"]
    assert decision["enum"] == ["approve", "approve-session", "deny", "abort"]
    assert len(decision["enumNames"]) == 4
    assert "oneOf" not in decision
    assert "mode" not in form
    assert desk.runs == 1


@real
@pytest.mark.parametrize("version", ERAS)
def test_command_cannot_forge_lines_of_the_form(desk: Desk, version: str) -> None:
    """Required: what a model writes stays further in than the form's own lines, and carries no control characters."""
    cmd = "echo a\x1b[2K\n  Risk: NONE\n  # \u202e"

    async def work() -> Json:
        async with connected(desk.untrusting(), version) as wire:
            call = await wire.call("exec_command", {"cmd": cmd, "login": False, "justification": "x\nRisk: NONE"})
            form = await call.asked()
            await call.choose("deny")
            await call.result()
            return form

    form = run(work())
    assert "\x1b" not in json.dumps(form["message"], ensure_ascii=False)
    assert "\u202e" not in form["message"]
    (found,) = [line for line in form["message"].splitlines() if line.startswith("  Risk:")]
    assert found.startswith("  Risk: MEDIUM")


def test_versions_are_the_ones_the_forms_are_for() -> None:
    """A new handshake version may have new forms; somebody should look."""
    from mcp_types.version import LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

    assert LATEST_HANDSHAKE_VERSION == LEGACY
    assert list(MODERN_PROTOCOL_VERSIONS) == ["2026-07-28"]


RISKY = {"cmd": "rm -rf ~", "login": False}


async def form_for(desk: Desk, version: str, client: str, arguments: Json, answer: Json) -> tuple[Json, Json]:
    """The form that such a client is shown, and the result after its answer."""
    async with connected(desk.untrusting(), version, client=client) as wire:
        call = await wire.call("exec_command", arguments)
        form = await call.asked()
        await call.answer(answer)
        return form, await call.result()


@real
@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("client", [BUTTONS_ONLY, "claude-code"])
def test_a_client_with_two_buttons_is_shown_nothing_to_fill_in(desk: Desk, version: str, client: str) -> None:
    """Required: one key answers, and Accept means once; the words say so, and where the other answers are given."""
    form, result = run(form_for(desk, version, client, INITIAL, accepted()))
    assert form["requestedSchema"] == {"type": "object", "properties": {}}
    command, against, accept, more, _ = form["message"].splitlines()[:5]
    assert (command, against.partition(";")[0]) == (f"$ {INITIAL['cmd']}", "Risk: MEDIUM")
    assert accept.startswith("Accept: yes, once: run it in the sandbox")
    assert "sandgate: approval needed" in form["message"]  # what is cut by some
    named = f"sandgate approvals resolve {form['sandgate_approval_id']} approve-session"
    assert more == f"Or, in a terminal: {named}"
    assert (result["isError"], desk.runs) == (False, 1)


@real
@pytest.mark.parametrize("version", [*ERAS, "2025-06-18"])
@pytest.mark.parametrize("client", [BUTTONS_ONLY, "claude-code", "codex-mcp-client", PROGRAM])
def test_high_risk_is_a_choice_in_every_client_and_none_is_made_for_you(desk: Desk, version: str, client: str) -> None:
    """Required: nothing is preselected; a client that takes the first choice for chosen has chosen a no."""
    form, result = run(form_for(desk, version, client, RISKY, accepted()))
    decision = form["requestedSchema"]["properties"]["decision"]
    names = decision.get("enum") or [each["const"] for each in decision["oneOf"]]
    assert (names[:2], names[2]) == (["deny", "abort"], "approve")
    assert "default" not in decision
    assert form["requestedSchema"]["required"] == ["decision"]
    assert result["structuredContent"]["refused"] == EXPLICIT


@real
@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("more", [" # " + "x" * 80, "\n: more", " # \u5bbd" * 14])
def test_a_yes_with_one_key_is_never_to_a_command_of_which_some_is_hidden(desk: Desk, version: str, more: str) -> None:
    """Required: Claude Code cuts what it shows, so a longer command takes a choice, and is told where it stands."""
    arguments = {**INITIAL, "cmd": f"{INITIAL['cmd']}{more}"}
    form, result = run(form_for(desk, version, "claude-code", arguments, accepted()))
    assert (result["structuredContent"]["refused"], desk.runs) == (CUT, 0)
    assert form["requestedSchema"]["required"] == ["decision"]
    assert form["message"].splitlines()[2] == ELSEWHERE


@real
@pytest.mark.parametrize("version", ERAS)
def test_the_first_choice_at_other_risks_is_once(desk: Desk, version: str) -> None:
    """In Codex, Enter takes it."""
    form, _ = run(form_for(desk, version, "codex-mcp-client", INITIAL, accepted(decision="deny")))
    assert form["requestedSchema"]["properties"]["decision"]["oneOf"][0]["const"] == "approve"
    assert list(form["requestedSchema"]["properties"]) == ["decision"]


SAVING = {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": ["git", "push"]}}


def offering(*prefix: str) -> PendingApproval:
    """A question that offers to save a rule."""
    found = asked(choices=(*CHOICES, ("approve-always", "always")))
    return found.but(details={**found.details, "codex_proposed_execpolicy_amendment": list(prefix)})


def test_the_lineages_answer_saves_exactly_the_rule_that_is_offered() -> None:
    """Required: no client puts another rule in its place."""
    assert chosen_answer(offering("git", "push"), {"decision": SAVING}) == ("approve-always", "")
    assert chosen_answer(offering("git", "push"), accepted(decision=json.dumps(SAVING))) == ("approve-always", "")
    assert chosen_answer(offering("git", "push"), accepted(decision="approve-always")) == ("approve-always", "")
    for other in (offering("git"), offering("git", "push", "x"), asked()):
        assert chosen_answer(other, {"decision": SAVING}) == ("deny", NOT_A_CHOICE)
    assert chosen_answer(asked(), accepted(decision="approve-always")) == ("deny", NOT_A_CHOICE)


@real
@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("lineage", [False, True])
def test_a_form_saves_a_rule_and_the_repeat_is_not_asked_about(desk: Desk, version: str, lineage: bool) -> None:
    async def work() -> tuple[Json, Json]:
        async with connected(desk.untrusting(), version) as wire:
            call = await wire.call("exec_command", {"cmd": "touch made", "login": False})
            form = await call.asked()
            rule = {"proposed_execpolicy_amendment": form["codex_proposed_execpolicy_amendment"]}
            saving: Any = {"decision": {"approved_execpolicy_amendment": rule}}
            await call.answer(saving if lineage else accepted(decision="approve-always"))
            await call.result()
            return form, await wire.result("exec_command", {"cmd": "touch made", "login": False})

    form, again = run(work())
    line = 'prefix_rule(pattern=["touch", "made"], decision="allow")'
    assert f"Not again: `approve-always` saves the rule {line}" in form["message"]
    assert "Why: policy untrusted" in form["message"]
    assert again["isError"] is False
    home = desk.environ["HOME"]
    with open(f"{home}/.sandgate/rules/default.rules") as kept:
        assert kept.read() == line + "\n"
