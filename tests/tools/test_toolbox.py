"""What a model's call becomes: which shell, where, with what environment, and patches that hide in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import sandgate
from sandgate.errors import ConfigError, RequestError, VerificationFailed
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import Notice, PatchBegan, TerminalBegan
from sandgate.sandbox.backend import WITHOUT_NEWS, WITHOUT_RETRIES
from sandgate.testing import ReviewerDouble
from sandgate.tools.arguments import ExecCommandArguments
from support.terminal.live_sessions import BACKENDS, Workplace, run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.runtime import Runtime

pytestmark = pytest.mark.host("namespace", "notify")

PROGRAMS = f"{Path(sandgate.__file__).parent}/patch/bin"
ADD = "*** Begin Patch\n*** Add File: {name}\n+hello\n*** End Patch"
LOGIN = pytest.mark.parametrize("login", [True, False], ids=["login", "no-login"])


def environment_of(runtime: Runtime, *, login: bool = False) -> dict[str, str]:
    """What `env` prints, as a mapping."""
    answer = run_to_end(runtime, "env -0 | tr '\\0' '\\1'", login=login)
    return dict(each.split("=", 1) for each in answer.output.split("\1") if each)


def heredoc(name: str) -> str:
    return f"apply_patch <<'EOF'\n{ADD.format(name=name)}\nEOF\n"


# Environment


def test_environment_is_exactly_the_plain_values_and_our_own(place: Workplace) -> None:
    """Idea 6: nothing inherited, and what the shell itself adds left aside."""
    runtime = place.session('shell_environment_policy.inherit="none"', environ={"USER_NOTE": "not passed on"})
    found = environment_of(runtime)
    for name in ("PWD", "SHLVL", "_"):
        found.pop(name, None)
    ours = {name for name in found if name.startswith(("SANDGATE_", "CODEX_")) and name != "SANDGATE_CI"}
    assert {
        name: value
        for name, value in found.items()
        if name not in ours | {"PATH", "GIT_OPTIONAL_LOCKS"} | WITHOUT_NEWS.keys() | WITHOUT_RETRIES.keys()
    } == {
        "NO_COLOR": "1",
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "LC_CTYPE": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "COLORTERM": "",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GH_PAGER": "cat",
        "SANDGATE_CI": "1",
    }


def test_plain_values_win_and_the_path_stays(place: Workplace) -> None:
    """Idea 7."""
    runtime = place.session(
        environ={"NO_COLOR": "0", "TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "OTHER": "kept"}
    )
    found = environment_of(runtime)
    assert (found["NO_COLOR"], found["TERM"], found["OTHER"]) == ("1", "dumb", "kept")
    assert found["PATH"] == f"{PROGRAMS}:/usr/bin:/bin"


# Directory


def test_workdir_is_relative_to_the_session_or_absolute(place: Workplace) -> None:
    """Idea 23."""
    (place.repo / "sub").mkdir()
    runtime = place.session()
    asked = (None, "", "sub", "sub/..", str(place.outside))
    found = [run_to_end(runtime, "pwd", workdir=each).output.strip() for each in asked]
    assert found == [str(place.repo), str(place.repo), f"{place.repo}/sub", str(place.repo), str(place.outside)]


def test_workdir_of_the_model_does_not_become_writable(place: Workplace) -> None:
    """Required: the directory that counts is the session's."""
    answer = run_to_end(place.session(), "touch made", workdir=str(place.outside))
    assert (answer.exit_code, list(place.outside.iterdir())) == (1, [])


# Shells


@pytest.mark.parametrize(("usual", "default"), [(False, "[]"), (True, "[yes]")])
def test_scripts_are_run_by_a_login_shell_where_somebody_says_so_or_it_is_usual(
    place: Workplace, usual: bool, default: str
) -> None:
    """Ideas 22 and 49. For MCP clients and Python it is not usual: profiles cost time and print."""
    (place.home / ".bash_profile").write_text("export FROM_PROFILE=yes\n")
    runtime = place.session()
    assert not runtime.login_is_usual
    runtime.login_is_usual = usual
    asked = {"default": None, "yes": True, "no": False}
    said = {
        name: runtime.exec_command("echo [$FROM_PROFILE]", shell="bash", login=login).output.strip()
        for name, login in asked.items()
    }
    assert said == {"default": default, "yes": "[yes]", "no": "[]"}
    place_shells = [each.command.argv[1] for each in place.told(TerminalBegan)]
    assert place_shells == ["-lc" if usual else "-c", "-lc", "-c"]


def test_login_shell_that_the_configuration_forbids_is_refused_and_not_the_default(place: Workplace) -> None:
    """Idea 49."""
    (place.home / ".bash_profile").write_text("export FROM_PROFILE=yes\n")
    runtime = place.session("allow_login_shell=false")
    with pytest.raises(RequestError) as refused:
        runtime.exec_command("true", login=True)
    assert str(refused.value) == "login shell is disabled by config; omit `login` or set it to false."
    assert runtime.exec_command("echo [$FROM_PROFILE]", shell="bash").output == "[]\n"


def test_shell_that_is_not_there_is_replaced_and_the_model_told(place: Workplace) -> None:
    answer = place.session().exec_command("echo ran", shell="/opt/bin/fish", login=False)
    assert (answer.output, len(answer.notices)) == ("ran\n", 1)
    assert "`/opt/bin/fish` is no shell we know" in answer.notices[0]
    assert f"Notice: {answer.notices[0]}\n" in answer.text()


# Wishes


@pytest.mark.parametrize(
    ("approval", "name"), [("never", "Never"), ("on-failure", "OnFailure"), ("untrusted", "UnlessTrusted")]
)
def test_wish_to_leave_the_sandbox_is_refused_in_the_words_models_know(
    place: Workplace, approval: str, name: str
) -> None:
    runtime = place.session(reviewer=ReviewerDouble(always="approve"), approval_policy=approval)
    answer = runtime.exec_command("touch made", sandbox_permissions="require_escalated")
    assert answer.text() == (
        f"approval policy is {name}; reject command — you cannot ask for escalated permissions if the approval "
        f"policy is {name}"
    )
    assert list(place.repo.iterdir()) == []


def test_granted_wish_leaves_the_sandbox(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    answer = run_to_end(
        runtime, f"touch {place.outside}/made", sandbox_permissions="require_escalated", justification="it has to be"
    )
    assert (answer.exit_code, (place.outside / "made").exists()) == (0, True)
    assert [asked.command.justification for asked in colleague.asked] == ["it has to be"]


def test_limits_that_do_not_fit_together_are_refused_before_anything_runs(place: Workplace) -> None:
    runtime = place.session(environ={"SANDGATE_EXEC_MIN_YIELD_MS": "50000"})
    with pytest.raises(ConfigError, match="SANDGATE_EXEC_MIN_YIELD_MS"):
        runtime.exec_command("touch made", login=False)
    assert list(place.repo.iterdir()) == []


class Explaining(ReviewerDouble):
    """Says why."""

    def __init__(self, answer: str, reason: str) -> None:
        super().__init__(always=answer)
        self.reason = reason

    def review(self, request: ApprovalRequest) -> Decision:
        return super().review(request).but(reason=self.reason)


AFTER = 'sandbox.ask="after"'


def test_why_a_denied_command_was_not_run_again_is_said(place: Workplace) -> None:
    runtime = place.session(AFTER, reviewer=Explaining("denied", "not\nthere"), approval_policy="on-failure")
    answer = run_to_end(runtime, f"touch {place.outside}/made")
    refused, why = answer.notices
    assert refused.startswith(f"the sandbox refused: create {place.outside}/made by touch (allowed by: may make")
    assert why == "not run again with more freedom: not\nthere"
    assert "Notice: not run again with more freedom: not\\nthere\n" in answer.text()


@pytest.mark.parametrize("asks", ["at-call", "after"])
def test_there_is_no_notice_when_a_yes_let_it_succeed(place: Workplace, asks: str) -> None:
    runtime = place.session(
        f"sandbox.ask={asks}", reviewer=Explaining("approved", "fine"), approval_policy="on-failure"
    )
    assert run_to_end(runtime, f"touch {place.outside}/made").notices == ()


NOES = [("denied", "the user said no"), ("abort", "the user said no, and wants you to stop")]


@pytest.mark.parametrize(("answer", "said"), NOES)
def test_a_no_without_a_reason_is_told_as_one(place: Workplace, answer: str, said: str) -> None:
    runtime = place.session(AFTER, reviewer=Explaining(answer, ""), approval_policy="on-failure")
    notices = run_to_end(runtime, f"touch {place.outside}/made").notices
    assert notices[-1] == f"not run again with more freedom: {said}"


@pytest.mark.parametrize(("answer", "said"), NOES)
def test_a_no_while_it_waits_is_told_with_what_was_refused(place: Workplace, answer: str, said: str) -> None:
    """And nothing tells how it could be had: somebody has just said that it is not to be had."""
    runtime = place.session(reviewer=Explaining(answer, ""), approval_policy="on-failure")
    found = run_to_end(runtime, f"touch {place.outside}/made", yield_time_ms=30_000)
    assert found.notices == (f"the sandbox refused: create {place.outside}/made by touch ({said})",)
    assert [(each.grant, each.why) for each in found.denials] == [(None, said)]


def test_why_somebody_said_no_while_it_waits_is_told(place: Workplace) -> None:
    runtime = place.session(reviewer=Explaining("denied", "not\nthere"), approval_policy="on-failure")
    text = run_to_end(runtime, f"touch {place.outside}/made", yield_time_ms=30_000).text()
    assert f"Notice: the sandbox refused: create {place.outside}/made by touch (not\\nthere)\n" in text


def test_that_nobody_could_be_asked_is_no_no(place: Workplace) -> None:
    """Required: never is said that somebody decided who did not; how it can be had is still told."""

    class Failing(ReviewerDouble):
        def review(self, request: ApprovalRequest) -> Decision:
            return Decision(request.stage, "denied", "none", reason="nobody is there")

    runtime = place.session(reviewer=Failing(), approval_policy="on-failure")
    refused, why = run_to_end(runtime, f"touch {place.outside}/made", yield_time_ms=30_000).notices
    assert "(allowed by: may " in refused
    assert why == "what it wanted was not carried out: nobody is there"


def test_a_refusal_before_the_first_run_is_the_answer_and_no_notice(place: Workplace) -> None:
    runtime = place.session(reviewer=Explaining("denied", "no"), approval_policy="untrusted")
    answer = runtime.exec_command("touch made", login=False)
    assert (answer.notices, bool(answer.refused)) == ((), True)


# Patches in disguise


@LOGIN
def test_patch_in_a_script_is_applied_as_a_patch(place: Workplace, login: bool) -> None:
    """Idea 21: no command is told about, and the model is warned."""
    runtime = place.session()
    answer = runtime.exec_command(heredoc("made"), login=login)
    assert (place.repo / "made").read_text() == "hello\n"
    assert (answer.chunk_id, answer.exit_code, answer.session_id, answer.original_token_count) == (None,) * 4
    assert answer.text().startswith("Wall time: 0.0000 seconds\nOutput:\nExit code: 0\n")
    assert answer.text().endswith("Output:\nSuccess. Updated the following files:\nA made\n")
    assert place.told(TerminalBegan) == []
    assert len(place.told(PatchBegan)) == 1
    assert [notice.message for notice in place.told(Notice)] == [
        "apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command."
    ]


def test_patch_after_cd_and_in_a_workdir_lands_there(place: Workplace) -> None:
    (place.repo / "a" / "b").mkdir(parents=True)
    place.session().exec_command(f"cd b && {heredoc('made')}", workdir="a")
    assert (place.repo / "a" / "b" / "made").exists()


def test_patch_after_cd_to_nowhere_is_the_shells_to_refuse(place: Workplace) -> None:
    answer = place.session().exec_command(f"cd gone && {heredoc('made')}", login=False)
    assert answer.exit_code != 0
    assert list(place.repo.iterdir()) == []


def test_patch_without_its_command_is_not_run_by_a_shell(place: Workplace) -> None:
    with pytest.raises(VerificationFailed) as refused:
        place.session().exec_command(ADD.format(name="made"))
    assert str(refused.value).startswith("patch detected without explicit call to apply_patch. Rerun as")
    assert (list(place.repo.iterdir()), place.told(TerminalBegan)) == ([], [])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "*** Begin Patch\n*** Update File: file\n@@\n-not there\n+x\n*** End Patch",
            "Failed to find expected lines in",
        ),
        ("*** Begin Patch\n*** Uproot File: file\n*** End Patch", "invalid hunk at line 2"),
    ],
)
def test_patch_that_does_not_verify_is_not_run_by_a_shell(place: Workplace, body: str, said: str) -> None:
    (place.repo / "file").write_text("line\n")
    with pytest.raises(VerificationFailed) as refused:
        place.session().exec_command(f"apply_patch <<'EOF'\n{body}\nEOF\n")
    assert str(refused.value).startswith(f"apply_patch verification failed: {said}")
    assert ((place.repo / "file").read_text(), place.told(TerminalBegan)) == ("line\n", [])


@LOGIN
@pytest.mark.parametrize("backend", BACKENDS)
def test_program_is_there_for_scripts_that_do_more(place: Workplace, backend: str, login: bool) -> None:
    """A login shell may have set PATH anew; the program is found all the same, and runs where the script runs."""
    (place.home / ".bash_profile").write_text("PATH=/usr/bin:/bin\n")
    runtime = place.session(backend=backend)
    answer = runtime.exec_command(f"echo before; {heredoc('made')}echo after", login=login, shell="bash")
    assert (answer.exit_code, answer.output.splitlines()) == (
        0,
        ["before", "Success. Updated the following files:", "A made", "after"],
    )
    assert (place.repo / "made").read_text() == "hello\n"


@pytest.mark.parametrize("backend", BACKENDS[:2])
def test_program_is_held_by_the_sandbox_around_it(place: Workplace, backend: str) -> None:
    runtime = place.session(backend=backend)
    answer = runtime.exec_command(f"echo before; {heredoc(f'{place.outside}/made')}", login=False)
    assert (answer.exit_code != 0, list(place.outside.iterdir())) == (True, [])


def test_program_is_not_taken_from_the_workspace(place: Workplace) -> None:
    """Required: a repository that brings its own `apply_patch` or Python package gets nothing from it."""
    (place.repo / "apply_patch").write_text("#!/bin/sh\necho planted\n")
    (place.repo / "apply_patch").chmod(0o755)
    (place.repo / "sandgate").mkdir()
    (place.repo / "sandgate" / "__init__.py").write_text("print('planted')\n")
    answer = place.session().exec_command(f"echo before; {heredoc('made')}", login=False)
    assert ("planted" in answer.output, os.path.exists(place.repo / "made")) == (False, True)


# Rules that a call wishes for


@pytest.mark.parametrize("escalated", [True, False])
def test_the_rule_a_call_wishes_for_is_heard_where_it_asks_to_leave_the_sandbox(
    place: Workplace, escalated: bool
) -> None:
    runtime = place.session()
    wish: Any = "require_escalated" if escalated else "use_default"
    arguments = ExecCommandArguments("cargo install x", sandbox_permissions=wish, prefix_rule=("cargo", "install"))
    assert runtime.tools.command(arguments).prefix_rule == (("cargo", "install") if escalated else ())


def test_the_rule_a_model_wished_for_is_offered_and_lets_the_next_call_out(place: Workplace) -> None:
    """Required: scenario 52, through the tool."""
    reviewer = ReviewerDouble("approve-always")
    runtime = place.session(approval_policy="on-request", reviewer=reviewer)
    call = {"cmd": f"touch {place.outside}/made", "login": False, "sandbox_permissions": "require_escalated"}
    runtime.call_tool("exec_command", {**call, "prefix_rule": ["touch", f"{place.outside}/made"]})
    assert [request.amendment and request.amendment.sandbox for request in reviewer.asked] == ["bypass"]
    runtime.call_tool("exec_command", call)
    assert len(reviewer.asked) == 1


def test_a_model_is_told_of_the_names_that_a_patch_left_alone(place: Workplace) -> None:
    (place.repo / "file").write_text("line\n")
    (place.repo / "other").hardlink_to(place.repo / "file")
    patch = "*** Begin Patch\n*** Update File: file\n@@\n-line\n+x\n*** End Patch"
    answer = place.session().call_tool("apply_patch", patch)
    assert answer.text.endswith(f"M file\nNotice: {place.repo}/file has another name, which keeps the old content\n")


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("exec_list", '{"all": true}', "unknown field `all`"),
        ("exec_kill", "{}", "missing field `session_id`"),
        ("exec_kill", '{"session_id": "1"}', "invalid type: string"),
        ("exec_kill", '{"session_id": 1.5}', "invalid type: floating point `1.5`"),
        ("check_command", "{}", "missing field `cmd`"),
        ("check_command", '{"cmd": "ls", "yield_time_ms": 1}', "unknown field `yield_time_ms`"),
        ("check_command", '{"cmd": "a\\u0000"}', "NUL"),
        ("check_command", '{"cmd": "ls", "login": true}', "login shell is disabled"),
        ("exec_list", "[]", "invalid type"),
        ("exec_everything", "{}", "unsupported call: exec_everything"),
    ],
)
def test_wrong_arguments_are_answered_with_a_sentence(place: Workplace, name: str, arguments: str, says: str) -> None:
    output = place.session("allow_login_shell=false").call_tool(name, arguments)
    assert (output.success, output.structured) == (False, None)
    assert says in output.text
