"""The words of a prompt; `test_human` shows them at a terminal."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.prompts.prompt import (
    COMMAND_LINES_MAX,
    CONTINUATION,
    DENIALS_SHOWN_MAX,
    LINE_CHARACTERS_MAX,
    PATCH_LINES_MAX,
    Choice,
    choice_lines,
    choices,
    command_lines,
    denial_text,
    grant_text,
    grants_text,
    is_folded,
    prompt_lines,
    question,
    wrapped,
)
from sandgate.protocol.bindings import Binding, Seen
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.protocol.risk import Fact, RiskAssessment

MOTD = Grant("write_path", "/etc/motd")
TOUCH = CommandRequest(("touch", "/etc/motd"), "/repo", {})
INITIAL = ApprovalRequest("r", "c", "initial", TOUCH, "")
DENIED = DenialReport("denied", (Denial("create", path="/etc/motd", program="touch", grant=MOTD),))
RETRY = ApprovalRequest("r", "c", "retry", TOUCH, "it was blocked", (MOTD,), DENIED, may_escalate=True)
HIGH = RiskAssessment("Overwrites a system file.", "high", ("system_modification",))


def test_a_retry_offers_the_smallest_grant_first_and_the_way_out_under_its_own_key() -> None:
    assert choices(RETRY) == (
        Choice("y", "approve", "yes, once: may write /etc/motd", "approved", (MOTD,)),
        Choice(
            "a",
            "approve-session",
            "yes, for this session: may write /etc/motd, any command",
            "approved_for_session",
            (MOTD,),
        ),
        Choice("u", "approve-unsandboxed", "yes, once, WITHOUT the sandbox", "approved", (ESCALATE,)),
        Choice("n", "deny", "no, keep the result as it is", "denied"),
        Choice("q", "abort", "no, and stop everything", "abort"),
    )


def test_what_may_not_leave_the_sandbox_is_not_offered_to() -> None:
    assert [choice.key for choice in choices(RETRY.but(may_escalate=False))] == ["y", "a", "n", "q"]


def test_what_leaves_the_sandbox_anyway_is_offered_once() -> None:
    assert [(choice.key, choice.grants) for choice in choices(RETRY.but(grants=(ESCALATE,)))] == [
        ("y", (ESCALATE,)),
        ("a", (ESCALATE,)),
        ("n", ()),
        ("q", ()),
    ]


def test_an_answer_for_a_session_is_not_offered_where_it_ends_with_the_command() -> None:
    request = RETRY.but(lasting=False)
    assert [choice.key for choice in choices(request)] == ["y", "u", "n", "q"]
    assert not [line for line in prompt_lines(request, colour=False) if "session" in line]
    assert prompt_lines(request, colour=False)[-2:] != ["", ""]


def test_a_high_risk_takes_capital_letters_to_approve_and_small_ones_to_refuse() -> None:
    """Required: a habit must not approve it."""
    request = RETRY.but(risk=HIGH)
    assert [choice.key for choice in choices(request)] == ["Y", "A", "U", "n", "q"]
    assert question(request) == "Your answer [Y/A/U/n/q]: "
    assert choice_lines(request)[-1] == "  (high risk: approving takes the capital letter)"


def test_the_first_question_is_about_running_inside_the_sandbox() -> None:
    assert choices(INITIAL)[0].label == "yes, once: run it in the sandbox"
    covering = choices(INITIAL.but(covers_retry=True))[0].label
    assert covering == "yes, once: run it in the sandbox (if blocked, once more with what it lacked in the workspace)"
    assert [choice.label for choice in choices(INITIAL)][-2:] == ["no", "no, and stop everything"]


@pytest.mark.parametrize(
    ("grant", "words"),
    [
        (Grant("write_root", "/cache"), "may write below /cache"),
        (MOTD, "may write /etc/motd"),
        (
            Grant("new_entry", "/home/u/base.db"),
            "may make /home/u/base.db, which is new, and what is below it or goes on from its name (base.db-…)",
        ),
        (Grant("new_entry", "/home/u/.netrc"), "may make /home/u/.netrc, which is new, and what is below it"),
        (Grant("read_path", "/home/u/.ssh"), "may read /home/u/.ssh"),
        (Grant("host", "*"), "may use the network"),
        (Grant("host", "192.0.2.1:443"), "may connect to 192.0.2.1:443"),
        (Grant("host", "a.example"), "may look up a.example and connect to its public addresses"),
        (Grant("unix_socket", "/run/x"), "may use the socket /run/x"),
        (ESCALATE, "run it WITHOUT the sandbox"),
        (Grant("write_path", "/a\nb\x1b[2J"), "may write /a\\nb\\x1b[2J"),
    ],
)
def test_every_grant_in_words(grant: Grant, words: str) -> None:
    assert grant_text(grant) == words


def test_several_grants_are_all_named() -> None:
    assert grants_text((MOTD, Grant("host", "*"))) == "may write /etc/motd, may use the network"


@pytest.mark.parametrize(
    ("denial", "words"),
    [
        (Denial("connect", address="192.0.2.1:80"), "connect 192.0.2.1:80"),
        (Denial("write", path="/a\x07", program="sh\n"), "write /a\\x07 by sh\\n"),
        (Denial("other", certain=False), "other something (likely, judged from its output)"),
    ],
)
def test_a_denial_says_what_where_who_and_how_sure_we_are(denial: Denial, words: str) -> None:
    assert denial_text(denial) == words


def test_the_whole_prompt_of_a_retry() -> None:
    request = RETRY.but(command=TOUCH.but(justification="the message is stale"), risk=HIGH)
    assert prompt_lines(request, colour=False, position=" (2 of 3)") == [
        "sandgate: approval needed (2 of 3)",
        "  Why: the sandbox refused this; a yes adds it and runs it again from the start",
        "  Reason: it was blocked",
        "  Justification given: the message is stale",
        "  Denied: create /etc/motd by touch",
        "  Summary: Overwrites a system file.",
        "  Risk: HIGH (system modification)",
        "",
        "  $ touch /etc/motd",
        "  in /repo",
        "",
        "  Not again: `A` is an answer for this session",
        "",
    ]


def test_colour_paints_the_level_and_nothing_else() -> None:
    plain, painted = (prompt_lines(RETRY.but(risk=HIGH), colour=colour) for colour in (False, True))
    assert [line for line in painted if line not in plain] == [
        "  Risk: \033[1m\033[31mHIGH\033[0m (system modification)"
    ]


def test_many_denials_are_folded_but_never_a_deletion() -> None:
    writes = tuple(Denial("write", path=f"/etc/{number}") for number in range(DENIALS_SHOWN_MAX + 3))
    report = DenialReport("denied", (*writes, Denial("delete", path="/etc/passwd")), omitted=10)
    shown = [line for line in prompt_lines(RETRY.but(denial=report), colour=False) if "Denied" in line]
    assert len(shown) == DENIALS_SHOWN_MAX + 2
    assert shown[-2:] == ["  Denied: delete /etc/passwd", "  Denied: 13 more"]


def test_a_script_is_shown_line_by_line_with_everything_visible() -> None:
    request = INITIAL.but(command=TOUCH.but(argv=("/bin/bash", "-c", "cd /\nrm -rf \u202e*")))
    assert command_lines(request) == ["/bin/bash -c ↵", "cd /", "rm -rf \\u202e*"]


@pytest.mark.parametrize(
    "script",
    ["\n".join("x" * (COMMAND_LINES_MAX + 1)), "echo " + "x" * LINE_CHARACTERS_MAX],
    ids=["many lines", "a long line"],
)
def test_a_long_command_is_folded_and_says_so(script: str) -> None:
    request = INITIAL.but(command=TOUCH.but(argv=("bash", "-c", script)))
    assert is_folded(request)
    lines = prompt_lines(request, colour=False)
    assert any("press v to see all of it" in line for line in lines)
    assert max(map(len, lines)) <= LINE_CHARACTERS_MAX + len("  $ ")


@pytest.mark.parametrize(
    "request_",
    [
        INITIAL.but(command=TOUCH.but(argv=("bash", "-c", "\n".join(f"echo {n}" for n in range(PATCH_LINES_MAX + 1))))),
        INITIAL.but(command=TOUCH.but(argv=("bash", "-c", "echo " + "x" * LINE_CHARACTERS_MAX))),
        INITIAL.but(changes=(FileChange("add", "/repo/new", "line\n" * (PATCH_LINES_MAX + 1)),)),
    ],
    ids=["many lines", "a long line", "a long patch"],
)
def test_what_cannot_be_unfolded_later_is_shown_whole_at_once(request_: ApprovalRequest) -> None:
    """Required: a form has no key to see the rest."""
    assert is_folded(request_)
    lines = prompt_lines(request_, colour=False, columns=4_000, whole=True)
    shown = [line[4:] for line in lines if line.startswith(("  $ ", "    "))]
    assert [line.removeprefix("apply_patch").strip() for line in shown if line != "apply_patch"] == [
        line.strip() for line in command_lines(request_)
    ]
    assert "press v" not in "".join(lines)


def test_a_short_command_is_not_folded() -> None:
    assert not is_folded(INITIAL)


def test_variables_that_were_asked_for_are_shown() -> None:
    """One of them can make a harmless program run another; an attacker hid LD_PRELOAD this way."""
    command = RETRY.command.but(set_variables=(("LD_PRELOAD", "/tmp/x.so"),))
    assert "  with LD_PRELOAD=/tmp/x.so" in prompt_lines(RETRY.but(command=command), colour=False)


def test_a_long_line_is_cut_behind_a_mark_so_that_no_piece_looks_like_ours() -> None:
    command = RETRY.command.but(cwd="/" + "x" * 90 + "  Risk: LOW")
    lines = prompt_lines(RETRY.but(command=command), colour=False, columns=60)
    assert all(len(line) <= 60 for line in lines)
    assert not any(line.startswith("  Risk: LOW") for line in lines)
    assert any(line.startswith("      ┆ ") for line in lines)


@given(st.lists(st.text("ab日", min_size=1, max_size=10), min_size=1, max_size=40).map(" ".join), st.integers(60, 120))
def test_a_line_is_cut_between_words_and_nothing_of_it_is_lost(text: str, columns: int) -> None:
    """Required: a cut inside a word shows another word. Only one too long for half a row is cut, at the row's end."""
    pieces = wrapped(text, columns)
    rest = [piece.removeprefix(CONTINUATION) for piece in pieces[1:]]
    assert "".join([pieces[0], *rest]) == text
    for piece, following in pairwise([pieces[0], *rest]):
        assert piece[-1] == " " or following[0] == " "


def test_a_word_longer_than_half_a_row_is_cut_at_the_end_of_the_row() -> None:
    pieces = wrapped("rm " + "x" * 100, 60)
    assert pieces[0] == "rm " + "x" * 57


def test_where_the_policy_has_no_sandbox_a_yes_does_not_promise_one() -> None:
    labels = [choice.label for choice in choices(INITIAL.but(confined=False))]
    assert any("NO sandbox" in label for label in labels)
    assert not any("in the sandbox" in label for label in labels)


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (Fact("writes", "/home/u/x", "creates files"), True),
        (Fact("deletes", "/home/u/tree", "deletes recursively"), True),
        (Fact("reads", "/home/u/x", "reads"), False),
        (Fact("writes", "/tmp/x", "creates files"), False),
        (Fact("writes", "git push", "sends commits"), False),
    ],
)
def test_a_rule_is_said_to_open_no_place_where_its_command_names_one_outside(fact: Fact, said: bool) -> None:
    """What it allows is to start; the next start meets the sandbox again."""
    risk = RiskAssessment("x", "medium", facts=(fact,))
    request = INITIAL.but(amendment=Amendment(("touch", "x")), risk=risk)
    (label,) = [choice.label for choice in choices(request) if choice.name == "approve-always"]
    assert ("in the sandbox, which opens nothing outside the workspace for them" in label) is said
    assert "opens nothing" not in choices(request.but(amendment=Amendment(("touch",), "bypass")))[2].label


def test_a_rule_has_its_own_key_and_is_shown_whole_before_it_is_saved() -> None:
    request = INITIAL.but(amendment=Amendment(("git", "push")), why="policy untrusted: not known to only read")
    assert choices(request)[2] == Choice(
        "p",
        "approve-always",
        "yes, and always allow commands starting with `git push` (now: run it in the sandbox)",
        "approved_with_amendment",
        (),
        Amendment(("git", "push")),
    )
    lines = prompt_lines(request, colour=False, columns=200)
    assert lines[1] == "  Why: policy untrusted: not known to only read"
    assert '  Not again: `p` saves the rule prefix_rule(pattern=["git", "push"], decision="allow")' in lines


def test_a_rule_that_leaves_the_sandbox_says_so_in_capitals() -> None:
    """Required: nobody gives that away by habit."""
    label = choices(INITIAL.but(amendment=Amendment(("make",), "bypass"), grants=(ESCALATE,)))[2].label
    assert "WITHOUT the sandbox all commands starting with `make`" in label


def test_stable_words_for_machines_are_not_shown_to_people() -> None:
    """They say "without sandbox" where a yes keeps it."""
    lines = prompt_lines(RETRY.but(reason="command failed; retry without sandbox?"), colour=False)
    assert not any("without sandbox" in line for line in lines)


def test_a_question_of_a_sub_agent_says_so_before_anything_that_it_chose_itself() -> None:
    """Required: a person must not take it for the agent that they talk to."""
    assert prompt_lines(RETRY.but(asked_by="a sub-agent"), colour=False)[1] == "  Asked by: a sub-agent"
    assert not any("Asked by" in line for line in prompt_lines(RETRY, colour=False))


SCRIPT = Binding((Seen("directory", "/repo", "1:2:/repo"), Seen("file", "/repo/deploy.sh", "sha256:aa")))
RUNS_SCRIPT = INITIAL.but(command=TOUCH.but(argv=("bash", "deploy.sh")), binding=SCRIPT)


def test_what_is_executed_makes_two_answers_for_the_session() -> None:
    labels = {choice.name: choice.label for choice in choices(RUNS_SCRIPT)}
    assert labels["approve-session"] == ("yes, for this session, while deploy.sh stays as it is: run it in the sandbox")
    assert labels["approve-session-changing"] == (
        "yes, for this session, also when deploy.sh changes (it stays in the sandbox): run it in the sandbox"
    )
    assert "  with deploy.sh as it is now" in prompt_lines(RUNS_SCRIPT, colour=False)


@pytest.mark.parametrize(
    "request_",
    [
        RUNS_SCRIPT.but(confined=False),
        RUNS_SCRIPT.but(grants=(ESCALATE,)),
        RUNS_SCRIPT.but(command=RUNS_SCRIPT.command.but(wish="require_escalated")),
        RUNS_SCRIPT.but(binding=None),
        RUNS_SCRIPT.but(binding=Binding(SCRIPT.places[:1])),
    ],
)
def test_outside_the_sandbox_what_changes_is_always_asked_about(request_: ApprovalRequest) -> None:
    assert "approve-session-changing" not in [choice.name for choice in choices(request_)]


def test_what_changed_meanwhile_stands_first() -> None:
    lines = prompt_lines(RUNS_SCRIPT.but(changed="`/repo/deploy.sh` is not what it was"), colour=False)
    assert lines[1] == "  Asked again: `/repo/deploy.sh` is not what it was"


def test_many_files_are_counted() -> None:
    many = Binding(tuple(Seen("file", f"/repo/{number}.sh", "sha256:a") for number in range(9)))
    assert "  with 0.sh, 1.sh, 2.sh, 3.sh, 4.sh, 5.sh and 3 more as they are now" in prompt_lines(
        RUNS_SCRIPT.but(binding=many), colour=False, columns=200
    )
