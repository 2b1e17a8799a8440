"""What people read while a command passes."""

from __future__ import annotations

import shlex
from errno import EBADF, ENOSPC, EPIPE, ETIMEDOUT

import pytest

from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import ESCALATE, EffectivePermissions, Grant, RuleGrant
from sandgate.protocol.trace import ApprovalAnswered, ApprovalRequested, CommandBegan, CommandEnded, Notice, OutputLost
from sandgate.surfaces.cli.denied_lines import DENIALS_SAID_MAX, NO_DIALOGUE, ONE_YES, denial_lines, grant_hint
from sandgate.surfaces.cli.narrate import Narrator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.execution.capture import Stream
    from sandgate.protocol.decisions import Stage
    from sandgate.protocol.trace import TraceRecord

COMMAND = CommandRequest(("touch", "/etc/motd"), "/repo", {})
WORKSPACE = EffectivePermissions(writable=("/repo",), read_only=("/repo/.git",), absent=("/repo/.codex",))
MOTD = Grant("write_path", "/etc/motd")
MOTD_DENIED = Denial("write", path="/etc/motd", grant=MOTD)
SAID = [
    "sandgate: denied: write /etc/motd (outside the writable roots: /repo)",
    "sandgate: grant it once with: --grant write_path=/etc/motd",
]


def attempt(*denials: Denial, permissions: EffectivePermissions = WORKSPACE, omitted: int = 0) -> Attempt:
    return Attempt(
        confined=True,
        backend="namespace",
        guarantees=("network-off", "tree-kill"),
        result=CommandResult(1, None, "exited", b"", b"", b""),
        denial=DenialReport("denied" if denials else "not_denied", denials, omitted),
        allowed_by="policy on-failure",
        permissions=permissions,
    )


def ended(*denials: Denial) -> CommandEnded:
    return CommandEnded("c", COMMAND, attempt(*denials))


ASKED = ApprovalRequested(ApprovalRequest("r", "c", "retry", COMMAND, "", (MOTD,)))


def answered(decision: Decision) -> ApprovalAnswered:
    return ApprovalAnswered("r", decision)


def told(
    *records: TraceRecord, capture: pytest.CaptureFixture[str], person: bool = False, verbose: bool = False
) -> list[str]:
    narrator = Narrator(asks_a_person=person, verbose=verbose)
    for record in records:
        narrator(record)
    narrator.finish()
    captured = capture.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_a_command_that_simply_ran_is_not_talked_about(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(ended(), capture=capfd) == []


def test_a_command_with_a_terminal_of_its_own_is_not_asked_about_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    """Required: what is named works as it is typed. A dialogue runs once."""
    denied = Denial("create", path="/repo/.codex", grant=Grant("write_path", "/repo/.codex"))
    narrator = Narrator(asks_a_person=False, verbose=False, dialogue=True)
    narrator(ended(denied))
    narrator.finish()
    assert f"{ONE_YES}{NO_DIALOGUE}" in capfd.readouterr().err


def test_nothing_is_said_into_the_picture_of_a_command_that_has_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """Required: it is told after the end; a command without a terminal of its own is told about at once."""
    answer = answered(Decision("held", "approved", "script", (MOTD,)))
    for dialogue in (True, False):
        narrator = Narrator(asks_a_person=False, verbose=False, dialogue=dialogue)
        narrator(CommandBegan("c", COMMAND, 1, "namespace"))
        narrator(answer)
        narrator(Notice("warning", "eight times"))
        meanwhile = capfd.readouterr().err
        narrator(ended())
        narrator.finish()
        assert ("by script" in meanwhile, "eight times" in meanwhile) == (not dialogue, not dialogue)
        assert (meanwhile + capfd.readouterr().err).count("sandgate:") == 2


def test_a_denial_is_said_with_the_way_to_grant_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(ended(MOTD_DENIED), capture=capfd) == SAID


def test_what_a_prompt_shows_is_not_said_twice(capfd: pytest.CaptureFixture[str]) -> None:
    refused = answered(Decision("retry", "denied", "user"))
    assert told(ended(MOTD_DENIED), ASKED, refused, capture=capfd, person=True) == []


def test_a_question_that_no_person_sees_hides_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    given = answered(Decision("retry", "approved", "script", (MOTD,)))
    assert told(ended(MOTD_DENIED), ASKED, given, capture=capfd) == [
        *SAID,
        "sandgate: approved by script: write path /etc/motd",
    ]


@pytest.mark.parametrize(("stage", "end"), [("retry", ": it is not on offer"), ("initial", "")])
def test_a_prepared_answer_that_counts_as_no_says_why_once(
    stage: Stage, end: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Before the first run the refusal says it; after a denial nothing else would."""
    given = answered(Decision(stage, "denied", "script", reason="it is not on offer"))
    assert told(given, capture=capfd) == [f"sandgate: denied by script{end}"]


def test_a_question_that_nobody_could_answer_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    nobody = answered(Decision("retry", "denied", "none", reason="no reviewer is attached"))
    assert told(nobody, capture=capfd) == ["sandgate: not asked: no reviewer is attached"]


def test_verbose_adds_the_layers_and_who_allowed_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(ended(), capture=capfd, verbose=True) == [
        "sandgate: ran with backend namespace (network-off, tree-kill), allowed by policy on-failure"
    ]


@pytest.mark.parametrize(
    ("stream", "errno", "counts"),
    [
        ("stdout", EPIPE, False),
        ("stdout", ENOSPC, True),
        ("stdout", EBADF, True),
        ("stdout", ETIMEDOUT, True),
        ("stderr", ENOSPC, True),
        ("stderr", EBADF, False),
    ],
)
def test_lost_output_is_said_and_counts_unless_nobody_wanted_it(
    stream: Stream, errno: int, counts: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    narrator = Narrator(asks_a_person=False, verbose=False)
    narrator(OutputLost("c", stream, errno, "it is gone"))
    narrator(OutputLost("c", "stdout", EPIPE, "the reader went away"))
    assert narrator.output_lost == counts
    assert capfd.readouterr().err == "sandgate: it is gone\nsandgate: the reader went away\n"


def test_of_a_command_that_ended_well_a_warning_is_the_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    failed = ended(MOTD_DENIED)
    well = failed.but(attempt=failed.attempt.but(result=failed.attempt.final.but(exit_code=0)))
    began, warning = CommandBegan("c", COMMAND, 1, "namespace"), Notice("warning", "look at this")
    line = "sandgate: warning: look at this"
    assert told(began, warning, well, capture=capfd) == [line]
    assert told(began, well, warning, capture=capfd) == [line]
    assert told(began, warning, well, capture=capfd, verbose=True)[-2:] == SAID
    assert told(began, warning, failed, capture=capfd) == [line, *SAID]
    assert told(warning, began, well, capture=capfd) == [line, SAID[0]]  # about something else


def test_a_notice_says_its_kind(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(Notice("warning", "look at this"), capture=capfd) == ["sandgate: warning: look at this"]


def test_many_denials_are_counted() -> None:
    many = [Denial("write", path=f"/etc/{number}") for number in range(DENIALS_SAID_MAX + 2)]
    lines = denial_lines(attempt(*many, omitted=3))
    assert (len(lines), lines[-1]) == (DENIALS_SAID_MAX + 1, "denied: 5 more")


def test_what_several_denials_take_together_is_offered_once() -> None:
    one, other = Grant("new_entry", "/srv/a b"), Grant("new_entry", "/srv/c")
    both = [Denial("create", path="/srv/a b", grant=one, also=(other,)), Denial("create", path="/srv/c", grant=other)]
    hint = "grant it once with: --grant 'new_entry=/srv/a b' --grant new_entry=/srv/c"
    assert denial_lines(attempt(*both))[2:] == [hint]
    turned = Denial("create", path="/srv/c", grant=other, also=(one,))
    assert denial_lines(attempt(both[0], turned))[2:] == [hint]
    assert len(denial_lines(attempt(both[1], Denial("create", path="/srv/a b", grant=one)))) == 4


def test_a_rule_that_gave_a_place_is_named_where_more_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    given = RuleGrant(Grant("new_entry", "/srv/a"), "rule `new_entry /srv/a` in rules.toml:3")
    quiet = ended()
    passed = quiet.but(attempt=quiet.attempt.but(by_rules=(given,)))
    line = "sandgate: given: new_entry /srv/a (rule `new_entry /srv/a` in rules.toml:3)"
    assert line in told(passed, capture=capfd, verbose=True)
    assert line not in told(passed, capture=capfd)


def test_what_was_done_and_not_kept_is_not_called_denied_and_its_hint_comes_although_it_ended_well() -> None:
    """The program was told that it worked: a hook that is not there afterwards is news to everybody."""
    hook = "/repo/.git/hooks/pre-commit"
    unkept = attempt(Denial("create", path=hook, syscall="", grant=Grant("write_path", hook)), MOTD_DENIED)
    why = "protected: it can run code outside the sandbox later"
    assert denial_lines(unkept.but(result=unkept.final.but(exit_code=0))) == [
        f"not kept, though the command ended well: create {hook} ({why}) and 1 more (-v shows them); "
        "grant it once with: --add-dir /repo/.git/hooks"
    ]
    assert denial_lines(unkept)[:2] == [
        f"not kept: create {hook} ({why})",
        "denied: write /etc/motd (outside the writable roots: /repo)",
    ]


def test_what_a_command_did_without_is_one_line_unless_more_is_asked_for() -> None:
    several = attempt(MOTD_DENIED, Denial("connect", address="192.0.2.1:80"), omitted=198)
    coped = several.but(result=several.final.but(exit_code=0))
    assert denial_lines(coped) == ["denied: write /etc/motd and 199 more, which it could do without (-v shows them)"]
    assert denial_lines(coped, verbose=True) == denial_lines(several)
    one = attempt(MOTD_DENIED)
    assert denial_lines(one.but(result=one.final.but(exit_code=0))) == [
        "denied: write /etc/motd (outside the writable roots: /repo)"
    ]


@pytest.mark.parametrize(
    ("denial", "permissions", "line"),
    [
        (Denial("connect", address="192.0.2.1:80"), WORKSPACE, "connect 192.0.2.1:80 (the network is off)"),
        (
            Denial("connect", address="unix:/run/x"),
            WORKSPACE.but(network="on"),
            "connect unix:/run/x (this socket is closed to the sandbox)",
        ),
        (
            Denial("read", path="/home/u/.ssh/id"),
            WORKSPACE,
            "read /home/u/.ssh/id (closed: a secret, or not known to be harmless)",
        ),
        (
            Denial("create", path="/repo/.codex"),
            WORKSPACE,
            "create /repo/.codex (protected: it can run code outside the sandbox later)",
        ),
        (
            Denial("write", path="/repo/.git/config"),
            WORKSPACE,
            "write /repo/.git/config (protected: it can run code outside the sandbox later)",
        ),
        (Denial("metadata", path="/repo/f", errno="EPERM"), WORKSPACE, "metadata /repo/f (the sandbox answered EPERM)"),
        (Denial("write", path="/x"), WORKSPACE.but(writable=()), "write /x (the sandbox is read-only)"),
        (
            Denial("write", path="/repository", certain=False),
            WORKSPACE,
            "write /repository (likely) (outside the writable roots: /repo)",
        ),
        (Denial("other", errno="EPERM"), WORKSPACE, "other something (the sandbox answered EPERM)"),
    ],
)
def test_a_denial_says_why(denial: Denial, permissions: EffectivePermissions, line: str) -> None:
    assert denial_lines(attempt(denial, permissions=permissions)) == [f"denied: {line}"]


@pytest.mark.parametrize(
    ("denial", "hint"),
    [
        (Denial("write", path="/a b", grant=Grant("write_path", "/a b")), "--grant 'write_path=/a b'"),
        (Denial("create", path="/etc/new", grant=Grant("write_path", "/etc/new")), "--add-dir /etc"),
        (Denial("create", path="/root/x", grant=Grant("write_path", "/root/x")), "--grant write_path=/root/x"),
        (Denial("create", path="/home/u/x", grant=Grant("new_entry", "/home/u/x")), "--grant new_entry=/home/u/x"),
        (Denial("delete", path="/srv/x", grant=Grant("remove", "/srv/x")), "--grant remove=/srv/x"),
        (Denial("metadata", path="/srv/x", grant=Grant("metadata", "/srv/x")), "--grant metadata=/srv/x"),
        (
            Denial("rename", path="/a", grant=Grant("remove", "/a"), also=(Grant("new_entry", "/b"),)),
            "--grant remove=/a --grant new_entry=/b",
        ),
        (Denial("write", path="/c/d", grant=Grant("write_root", "/c")), "--add-dir /c"),
        (
            Denial("create", path="/home/u/.npm", grant=Grant("write_root", "/home/u")),
            "-a on-failure --answer approve",
        ),
        (Denial("read", path="/k", grant=Grant("read_path", "/k")), "-c " + shlex.quote('secrets.opened=["/k"]')),
        (Denial("connect", grant=Grant("host", "*")), "--network on"),
        (Denial("connect", grant=Grant("host", "192.0.2.1:80")), ONE_YES),
        (Denial("other", grant=ESCALATE), "-s danger-full-access"),
        (Denial("create", path="/repo/.codex", grant=Grant("write_path", "/repo/.codex")), ONE_YES),
        (Denial("write", path="/x"), ""),
    ],
)
def test_the_grant_is_named_as_an_option(denial: Denial, hint: str) -> None:
    assert grant_hint(denial, attempt(denial).permissions) == hint
