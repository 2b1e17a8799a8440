"""`sandgate run` from outside: what people and scripts see. The contract is the command line's reference."""

from __future__ import annotations

import base64
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.process.program import PROGRAM, Sandgate, in_repository

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory beside every writable root: below the home, never below a temporary directory."""
    place = Path("/var/tmp") / f"sandgate-outside-{os.getpid()}-{tmp_path_factory.getbasetemp().name}"
    place.mkdir(exist_ok=True)
    yield place
    subprocess.run(["rm", "-rf", str(place)], check=True)


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    return in_repository(tmp_path)


def test_a_command_that_simply_runs_leaves_only_its_own_output(sandgate: Sandgate) -> None:
    done = sandgate("run", "--", "sh", "-c", "echo out; echo err >&2; echo x > made; exit 7")
    assert (done.code, done.out, done.err) == (7, "out\n", "err\n")
    assert (sandgate.workspace / "made").read_text() == "x\n"


def test_a_denied_write_names_the_path_and_the_grant_and_nothing_is_written(sandgate: Sandgate, outside: Path) -> None:
    done = sandgate("run", "--", "touch", f"{outside}/new")
    assert done.code == 1
    assert f"sandgate: denied: create {outside}/new (outside the writable roots: " in done.err
    assert f"sandgate: grant it once with: --grant new_entry={outside}/new\n" in done.err
    assert list(outside.iterdir()) == []


def test_the_grant_it_names_is_enough(sandgate: Sandgate, outside: Path) -> None:
    assert sandgate("run", "--add-dir", str(outside), "--", "touch", f"{outside}/new").code == 0
    assert (outside / "new").exists()


def test_a_call_that_was_approved_gets_exactly_the_grant_and_the_trail_says_why(
    sandgate: Sandgate, outside: Path
) -> None:
    """Required: the smallest grant, not the way out of the sandbox; one run."""
    (outside / "file").write_text("old")
    script = f"echo new > {outside}/file; touch {outside}/other"
    done = sandgate("run", "--json", "--answer", "approve", "--answer", "deny", "--", "sh", "-c", script)
    (attempt,), decisions = done.last["attempts"], done.last["decisions"]
    assert [(one["stage"], one["decision"], one["source"]) for one in decisions] == [
        ("held", "approved", "script"),
        ("held", "denied", "script"),
    ]
    assert [(one["path"], one["asked"]) for one in attempt["performed"]] == [(f"{outside}/file", True)]
    assert (outside / "file").read_text() == "new\n"
    assert not (outside / "other").exists()


def test_an_approved_retry_gets_exactly_the_grant_and_the_trail_says_why(sandgate: Sandgate, outside: Path) -> None:
    """Required: the smallest grant, not the way out of the sandbox."""
    (outside / "file").write_text("old")
    script = f"echo new > {outside}/file; touch {outside}/other"
    answers = ("--answer", "approve", "--answer", "deny")
    done = sandgate("run", "-c", "sandbox.ask=after", "--json", *answers, "--", "sh", "-c", script)
    last = done.last
    assert [attempt["confined"] for attempt in last["attempts"]] == [True, True]
    assert last["attempts"][1]["allowed_by"] == "approved by script (once)"
    assert last["decisions"][0] | {"grants": []} == {
        "stage": "retry",
        "decision": "approved",
        "source": "script",
        "grants": [],
    }
    assert (outside / "file").read_text() == "new\n"


def test_a_refused_retry_keeps_the_result_of_the_attempt(sandgate: Sandgate, outside: Path) -> None:
    done = sandgate("run", "--json", "--answer", "deny", "--", "touch", f"{outside}/new")
    last = done.last
    assert (done.code, last["outcome"], last["exit_code"], last["refusal"]) == (1, "completed", 1, None)
    assert [decision["decision"] for decision in last["decisions"]] == ["denied"]


def test_a_denial_hidden_behind_success_is_still_reported(sandgate: Sandgate, outside: Path) -> None:
    done = sandgate("run", "--json", "--", "sh", "-c", f"touch {outside}/new 2>/dev/null; true")
    assert done.code == 0
    attempt = done.last["attempts"][0]
    assert attempt["denied"] is True
    assert [(denial["operation"], denial["path"]) for denial in attempt["denials"]] == [("create", f"{outside}/new")]
    assert attempt["denials"][0]["certain"] is True


def test_a_command_that_ends_well_gets_one_line_of_ours_at_most(sandgate: Sandgate, outside: Path) -> None:
    """Here three things would be worth one: a setting that is not kept, its file, and a file that was not made."""
    subprocess.run(["git", "init", "-q", str(sandgate.workspace)], check=True)
    script = f"git config core.editor vim; touch {outside}/new 2>/dev/null; true"
    done = sandgate("run", "--", "sh", "-c", script)
    assert (done.code, len(done.err.splitlines())) == (0, 1), done.err
    assert "`core.editor`" in done.err
    assert f"denied: create {outside}/new" in sandgate("run", "-v", "--", "sh", "-c", script).err


def test_words_about_permission_are_not_a_denial(sandgate: Sandgate) -> None:
    done = sandgate("run", "--json", "--", "sh", "-c", "echo 'Permission denied: sandbox' >&2; exit 1")
    assert done.last["attempts"][0]["denied"] is False


def test_json_is_one_event_a_line_without_gaps_and_ends_with_the_summary(sandgate: Sandgate) -> None:
    done = sandgate("run", "--json", "--", "sh", "-c", "printf 'a\\377'")
    assert [event["seq"] for event in done.events] == list(range(1, len(done.events) + 1))
    assert [event["type"] for event in done.events] == [
        "exec_command_begin",
        "exec_command_output_delta",
        "exec_command_end",
        "run_completed",
    ]
    assert base64.b64decode(done.events[1]["chunk"]) == b"a\xff"
    assert done.last["sandbox"]["backend"] == "namespace"
    assert "network-off" in done.last["sandbox"]["guarantees"]
    assert done.last["risk"]["risk_level"] in ("low", "medium", "high")


@pytest.mark.parametrize("name", [".unknown", ".it's", '.a "b" $(exit 9)', ".back\\slash `x`", ".späť*", ".tab\there",
                                  ".new\nline", ".esc\x1b[31m", ".zero\u200bwidth", ".config/tab\t two", ".nel\x85",
                                  ".config/new\nline"])  # fmt: skip
def test_the_printed_way_to_open_a_closed_entry_works_as_it_stands(sandgate: Sandgate, name: str) -> None:
    """Required: pasted into a shell, whatever the entry's name holds."""
    entry = sandgate.home / name
    entry.mkdir(parents=True)
    (entry / "settings").write_text("theme=dark\n")
    again = ["run", "--", "cat", str(entry / "settings")]
    done = sandgate(*again)
    assert done.code != 0
    (option,) = (line.partition("once with: ")[2] for line in done.err.splitlines() if "grant it once" in line)
    assert option.startswith("-c ")
    line = f"{shlex.join(PROGRAM)} run {option} {shlex.join(again[1:])}"
    opened = subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, check=False, cwd=sandgate.workspace, env=sandgate.env
    )
    assert (opened.returncode, opened.stdout, opened.stderr) == (0, "theme=dark\n", "")


def test_a_tmp_of_its_own_is_promised_and_its_place_said(sandgate: Sandgate) -> None:
    left = f"left-{os.getpid()}"
    for options, own in (((), True), (("-c", 'sandbox.tmp="shared"'), False)):
        done = sandgate("run", *options, "--json", "--", "true")
        assert ("private-tmp" in done.last["sandbox"]["guarantees"]) is own
        said = sandgate("run", *options, "-v", "--", "touch", f"/tmp/{left}").err
        places = [line.partition("its /tmp: ")[2] for line in said.splitlines() if "its /tmp: " in line]
        assert bool(places) is own
        assert all((Path(place) / left).exists() for place in places)
    Path(f"/tmp/{left}").unlink()


def test_stdin_reaches_the_command(sandgate: Sandgate) -> None:
    assert sandgate("run", "--", "cat", stdin=b"\x00\xffbytes").out_bytes == b"\x00\xffbytes"


def test_a_time_limit_kills_the_tree_and_keeps_what_was_printed(sandgate: Sandgate) -> None:
    done = sandgate("run", "--timeout", "0.5", "--", "sh", "-c", "echo before; sleep 60 & sleep 60")
    assert (done.code, done.out) == (124, "before\n")


@pytest.mark.host("namespace", "notify")
def test_an_answer_that_stops_a_command_ends_it_as_a_time_limit_does(sandgate: Sandgate) -> None:
    line = f"echo before; echo x > {sandgate.workspace.parent}/new; echo after"
    done = sandgate("run", "--answer", "abort", "--", "sh", "-c", line)
    assert (done.code, done.out) == (124, "before\n")


def test_a_signal_is_reported_as_the_shell_does(sandgate: Sandgate) -> None:
    done = sandgate("run", "--json", "--", "sh", "-c", "kill -TERM $$")
    assert (done.code, done.last["signal"]) == (128 + signal.SIGTERM, signal.SIGTERM)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("run", "--", "no-such-program"), 127, "no program `no-such-program`"),
        (("run", "--", "/etc/passwd"), 126, "cannot execute `/etc/passwd`"),
        (("run", "ls"), 2, "missing `--`"),
        (("run", "--"), 2, "is empty"),
        (("run", "--", ""), 2, "is empty"),
        (("run", "--nonsense", "--", "ls"), 2, "no option `--nonsense`"),
        (("run", "-C", "/nonexistent", "--", "ls"), 2, "cannot work in the directory"),
        (("run", "--timeout", "soon", "--", "ls"), 2, "is not a time"),
        (("run", "-c", "sandbox_mode=lenient", "--", "ls"), 78, "sandbox_mode"),
        (("run", "-c", "novalue", "--", "ls"), 78, "missing '='"),
        (("run", "--escalate", "--", "ls"), 77, "reject command"),
        (("run", "-a", "untrusted", "--", "touch", "x"), 77, "no reviewer is attached"),
        (("run", "--", "rm", "-rf", "/"), 77, "blocked by policy"),
        (("run", "--backend", "none", "--", "ls"), 78, "danger-full-access"),
    ],
)
def test_bad_input_and_refusals_have_one_line_and_their_code(
    sandgate: Sandgate, arguments: tuple[str, ...], code: int, says: str
) -> None:
    done = sandgate(*arguments)
    assert (done.code, says in done.err, "Traceback" in done.err) == (code, True, False), done


def test_a_broken_rules_file_stops_with_its_place(sandgate: Sandgate) -> None:
    rules = sandgate.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "mine.toml").write_text('[[rule]]\nprefix = = ["ls"]\n')
    done = sandgate("run", "--", "ls")
    assert done.code == 78
    assert "mine.toml" in done.err
    assert "line" in done.err


def test_a_rule_that_forbids_refuses_before_anything_runs(sandgate: Sandgate) -> None:
    rules = sandgate.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "mine.toml").write_text('[[rule]]\nprefix = ["touch"]\ndecide = "forbid"\nbecause = "no new files"\n')
    done = sandgate("run", "--json", "--", "bash", "-c", "ls && touch made")
    assert (done.code, done.last["refusal"]["by"], done.last["attempts"]) == (77, "rule", [])
    assert "no new files" in done.last["refusal"]["why"]
    assert not (sandgate.workspace / "made").exists()


def test_undecodable_bytes_reach_the_command_unchanged(sandgate: Sandgate) -> None:
    assert sandgate("run", "--", b"printf", b"%s", b"\xff\xfe").out_bytes == b"\xff\xfe"


def test_secrets_in_the_environment_do_not_reach_the_command(sandgate: Sandgate) -> None:
    done = sandgate("run", "--env", "GIVEN_TOKEN=on purpose", "--", "env", API_TOKEN="hidden", PLAIN="seen")
    assert "hidden" not in done.out
    assert "PLAIN=seen" in done.out
    assert "GIVEN_TOKEN=on purpose" in done.out


def test_a_closed_stdout_ends_the_command_like_a_broken_pipe(sandgate: Sandgate) -> None:
    with sandgate.start("run", "--", "yes", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(2) == b"y\n"
        process.stdout.close()
        assert process.wait(30) == 128 + signal.SIGPIPE
        assert process.stderr.read() == b""


def test_no_standard_descriptor_at_all_is_survived(sandgate: Sandgate) -> None:
    with sandgate.start("run", "--", "sh", "-c", "exit 5", through=closer("<&- >&- 2>&-")) as process:
        assert process.wait(30) == 5


@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-"])
def test_a_stream_that_is_closed_gives_the_command_no_file_of_ours(sandgate: Sandgate, closing: str) -> None:
    seen = "for number in 0 1 2; do readlink /proc/self/fd/$number; done >seen"
    with sandgate.start(
        "run", "--", "sh", "-c", seen, through=closer(closing), stdin=0, stdout=-1, stderr=-1
    ) as process:
        assert process.wait(30) == 0
    places = (sandgate.workspace / "seen").read_text().splitlines()
    assert [place for place in places if not place.startswith(("pipe:", "/dev/", str(sandgate.workspace)))] == []


def test_a_closed_stdin_is_closed_to_the_command_too(sandgate: Sandgate) -> None:
    with sandgate.start("run", "--", "cat", through=closer("<&-"), stdout=-1, stderr=-1) as process:
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (1, b"")
    assert b"Bad file descriptor" in err


@pytest.mark.parametrize(
    ("command", "code"), [(("echo", "hi"), 125), (("true",), 0), (("sh", "-c", "echo; exit 3"), 3)]
)
def test_output_for_a_closed_stdout_is_no_success(sandgate: Sandgate, command: tuple[str, ...], code: int) -> None:
    """Required: the shell's own `echo hi >&-` fails, and the command cannot know that we hold its other end."""
    with sandgate.start("run", "--", *command, through=closer(">&-"), stderr=-1) as process:
        _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert (b"stdout: it is closed" in err) == (command != ("true",))


@pytest.mark.parametrize(
    ("arguments", "closing", "said"),
    [
        (("patch",), "<&-", "cannot read the patch from standard input"),
        (("mcp",), "<&-", "standard input or output is closed"),
        (("mcp",), ">&-", "standard input or output is closed"),
        (("check", "--", "ls"), ">&-", "cannot write to stdout"),
        (("run", "--json", "--", "true"), ">&-", "cannot write to stdout"),
    ],
)
def test_a_closed_stream_that_is_needed_is_told_plainly(
    sandgate: Sandgate, arguments: tuple[str, ...], closing: str, said: str
) -> None:
    with sandgate.start(*arguments, through=closer(closing), stdin=subprocess.DEVNULL, stderr=-1) as process:
        _, err = process.communicate(timeout=30)
    assert said in err.decode()
    assert process.returncode != 0


def test_killing_sandgate_kills_the_command(sandgate: Sandgate) -> None:
    script = "echo up; sleep 600 & sleep 600"
    with sandgate.start("run", "--", "sh", "-c", script, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(3) == b"up\n"
        process.kill()
        assert process.stdout.read() == b"", "something still held the command's output"


def test_check_and_assess_run_nothing(sandgate: Sandgate) -> None:
    checked = sandgate("check", "--json", "-a", "untrusted", "--", "touch", "made")
    verdict = json.loads(checked.out)
    assert (checked.code, verdict["verdict"], verdict["because"][0]["source"]) == (3, "ask", "policy")
    assessed = sandgate("assess", "--json", "--", "rm", "-rf", str(sandgate.home))
    assert (assessed.code, json.loads(assessed.out)["risk"]["risk_level"]) == (0, "high")
    assert not (sandgate.workspace / "made").exists()
    assert sandgate.home.exists()


@pytest.mark.parametrize(("command", "code"), [(("ls",), 0), (("touch", "x"), 3), (("rm", "-rf", "/"), 3)])
def test_the_exit_code_of_check_is_the_verdict(sandgate: Sandgate, command: tuple[str, ...], code: int) -> None:
    assert sandgate("check", "-a", "untrusted", "--", *command).code == code


def test_a_person_sees_the_denial_and_grants_it(sandgate: Sandgate, outside: Path) -> None:
    terminal = sandgate.at_terminal("run", "--", "touch", f"{outside}/new")
    shown = terminal.sees("Your answer")
    assert "session" not in shown  # which ends with the command
    assert f"Wants: create {outside}/new" in shown
    assert "$ touch" in shown
    terminal.presses("y")
    assert terminal.ends() == 0
    assert (outside / "new").exists()


def test_a_person_who_says_no_keeps_the_result(sandgate: Sandgate, outside: Path) -> None:
    terminal = sandgate.at_terminal("run", "--", "touch", f"{outside}/new")
    terminal.sees("Your answer")
    terminal.presses("n")
    assert terminal.ends() == 1
    assert list(outside.iterdir()) == []


@pytest.mark.slow
def test_control_c_ends_the_command_and_its_children(sandgate: Sandgate) -> None:
    terminal = sandgate.at_terminal("run", "--", "sh", "-c", "trap '' INT; echo up; sleep 600")
    terminal.sees("up")
    terminal.presses("\x03")
    assert terminal.ends() == 130


def test_the_way_out_of_the_sandbox_takes_its_own_key(sandgate: Sandgate, outside: Path) -> None:
    terminal = sandgate.at_terminal("run", "-v", "-c", "sandbox.ask=after", "--", "touch", f"{outside}/new")
    assert "WITHOUT the sandbox" in terminal.sees("Your answer")
    terminal.presses("u")
    assert terminal.ends() == 0
    assert "backend none" in terminal.seen


@pytest.mark.parametrize("backend", ["namespace", "landlock", "none"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ending_sandgate_by_signal_asks_the_command_to_stop_and_leaves_nothing(
    sandgate: Sandgate, backend: str, number: signal.Signals
) -> None:
    """A client that stops a governed server gets a clean shutdown, with every backend."""
    policy = "danger-full-access" if backend == "none" else "workspace-write"
    script = "trap 'echo asked; exit 5' TERM; sleep 600 & echo up; wait"
    options = ("-s", policy, "--backend", backend, "-c", "exec.kill_grace_ms=5000")
    with sandgate.start("run", *options, "--", "sh", "-c", script, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.send_signal(number)
        assert process.stdout.read() == b"asked\n", "something still held the command's output"
        assert process.wait(30) == -number


def test_lost_json_is_no_success(sandgate: Sandgate) -> None:
    with (
        open("/dev/full", "wb") as full,
        sandgate.start("run", "--json", "--", "true", stdout=full, stderr=subprocess.PIPE) as process,
    ):
        assert process.stderr is not None
        said = process.stderr.read().decode()
        assert (process.wait(30), "cannot write to stdout" in said) == (125, True)


def closer(redirections: str) -> list[str]:
    """Starts a program with some streams closed."""
    return ["sh", "-c", f'exec "$@" {redirections}', "sh"]


def test_the_git_directory_of_a_linked_worktree_is_whole_after_it_was_opened(sandgate: Sandgate, outside: Path) -> None:
    """Required: what a denial offers may be granted; its HEAD was once moved away."""
    main, tree = outside / "main", outside / "tree"
    made = ("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "one")
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run(["git", "-C", str(main), *made], check=True)
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", str(tree)], check=True)
    opened = ("--add-dir", f"{main}/.git/worktrees/tree", "--add-dir", f"{main}/.git/objects")
    (tree / "new").write_text("x\n")
    done = sandgate("run", "-C", str(tree), *opened, "--", "git", "add", "new")
    assert (done.code, done.err) == (0, "")
    status = subprocess.run(["git", "-C", str(tree), "status", "--short"], check=True, capture_output=True, text=True)
    assert status.stdout == "A  new\n"


def test_a_yes_lets_a_lock_be_made(sandgate: Sandgate, outside: Path) -> None:
    """Required: who insists on a new name finds no file made for it; git, editors and package managers do."""
    place = outside / "place"
    place.mkdir()
    done = sandgate("run", "--answer", "approve", "--", "sh", "-c", f"set -C; echo mine > {place}/lock")
    assert (done.code, (place / "lock").read_text()) == (0, "mine\n"), done.err


def test_who_asks_to_leave_the_sandbox_is_told_which_policy_asks(sandgate: Sandgate) -> None:
    for policy in ("never", "on-failure", "untrusted"):
        done = sandgate("run", "--escalate", "-a", policy, "--answer", "approve", "--", "true")
        assert done.code == 77
        assert "only with `-a on-request` is a person, or `--answer`, asked about `--escalate`" in done.err
        assert "-a on-failure`" not in done.err
    assert sandgate("run", "--escalate", "-a", "on-request", "--answer", "approve", "--", "true").code == 0


def test_a_place_to_write_that_is_not_there_is_told(sandgate: Sandgate, outside: Path) -> None:
    done = sandgate("run", "--add-dir", f"{outside}/none", "--", "true")
    assert (done.code, done.out) == (2, "")
    assert f"hint: make it first: mkdir -p {outside}/none" in done.err
    setting = f"sandbox_workspace_write.writable_roots=['{outside}/none']"
    done = sandgate("run", "-c", setting, "--", "true")
    warning = f"sandgate: warning: the writable root `{outside}/none` does not exist, so nothing can be written there\n"
    assert (done.code, done.err) == (0, warning)


def test_a_terminal_has_a_name_inside_and_is_the_only_one_there(sandgate: Sandgate) -> None:
    """Its node is the one that the streams are open on; what it may do to it, it may do by descriptor anyway."""
    script = (
        "tty; test -t 0 && test /dev/console -ef /dev/stdin && echo same; echo through > $(tty); ls /dev/pts;"
        " chmod 666 /dev/console || echo kept"
    )
    done = sandgate("run", "--tty", "-a", "never", "--", "sh", "-c", script)
    assert done.code == 0
    lines = done.out.replace("\r", "").splitlines()
    assert lines[:4] == ["/dev/console", "same", "through", "ptmx"]
    assert lines[-1] == "kept"
    assert sandgate("run", "-a", "never", "--", "ls", "/dev/console").code != 0
