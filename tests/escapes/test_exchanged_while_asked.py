"""Whatever is exchanged while somebody is asked, what they said yes to is what runs, or they are asked again."""

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.escape.escape_stage import Stage
from support.escape.exchanging import conversation

pytestmark = pytest.mark.host("namespace")

ON_EACH = pytest.mark.parametrize(
    ("backend", "sandbox", "escalate"),
    [
        pytest.param("namespace", "workspace-write", False, id="namespace"),
        pytest.param("landlock", "workspace-write", False, marks=pytest.mark.host("landlock", "notify"), id="landlock"),
        pytest.param("namespace", "workspace-write", True, id="escalated"),
        pytest.param("namespace", "danger-full-access", False, id="unconfined"),
    ],
)

SHOWN, OTHER = "echo shown >> $LOG\n", "echo other >> $LOG\n"


def settled(stage: Stage) -> Path:
    """A workspace with a script to approve, and another directory and script that commands could have prepared."""
    work = stage.repo / "work"
    elsewhere = stage.repo / "elsewhere"
    for directory, script in ((work, SHOWN), (elsewhere, OTHER)):
        directory.mkdir()
        (directory / "deploy.sh").write_text("#!/bin/sh\n" + script)
        (directory / "deploy.sh").chmod(0o755)
        (directory / "Makefile").write_text(f"all:\n\t@{script.replace('$', '$$')}")
    stage.own()
    return work


EXCHANGES = {
    "link": "os.rename(W, W + '.old'); os.symlink(E, W)",
    "rename": "os.rename(W, W + '.old'); os.rename(E, W)",
    "file": "os.rename(E + '/' + F, W + '/' + F)",
    "file-link": "os.unlink(W + '/' + F); os.symlink(E + '/' + F, W + '/' + F)",
    "hard-link": "os.unlink(W + '/' + F); os.link(E + '/' + F, W + '/' + F)",
    "in-place": "open(W + '/' + F, 'w').write(open(E + '/' + F).read())",
}
COMMANDS = {
    "interpreter": (["sh", "deploy.sh"], "deploy.sh"),
    "own": (["./deploy.sh"], "deploy.sh"),
    "in-script": (["bash", "-c", "true && . ./deploy.sh"], "deploy.sh"),
    "make": (["make", "-s"], "Makefile"),
}


def run(stage: Stage, command: str, exchange: str, mode: tuple[str, str, bool], **options: Any) -> dict[str, Any]:
    backend, sandbox, escalate = mode
    argv, file = COMMANDS[command]
    work = stage.repo / "work"
    words = {
        "cwd": str(work),
        "escalate": escalate,
        "set_variables": {"LOG": str(stage.repo / "log")},
    }
    code = f"W, E, F = {str(work)!r}, {str(stage.repo / 'elsewhere')!r}, {file!r}\n{exchange}"
    policy = "on-request" if escalate else "untrusted"
    return conversation(
        stage, [(argv, words, "")], exchanges=[code], backend=backend, sandbox=sandbox, policy=policy, **options
    )


def log(stage: Stage) -> str:
    place = stage.repo / "log"
    return place.read_text() if place.exists() else ""


@ON_EACH
@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_exchanged_meanwhile_is_shown_before_it_runs(
    stage: Stage, command: str, backend: str, sandbox: str, escalate: bool
) -> None:
    if command == "make" and not os.path.exists("/usr/bin/make"):
        pytest.skip("no make on this host")
    settled(stage)
    exchange = random.Random(f"{command}{backend}{sandbox}").choice(sorted(EXCHANGES))
    found = run(stage, command, EXCHANGES[exchange], (backend, sandbox, escalate), answers=["approve", "deny"])
    assert len(found["asked"]) == 2, found
    assert found["asked"][0]["changed"] == ""
    assert found["asked"][1]["changed"], "the second question says what changed"
    assert log(stage) == ""


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_the_same_exchanges_without_the_looks_run_what_nobody_saw(stage: Stage, exchange: str) -> None:
    settled(stage)
    run(stage, "interpreter", EXCHANGES[exchange], ("namespace", "workspace-write", True), trusting=True)
    assert log(stage) == "other\n"


@ON_EACH
def test_nothing_exchanged_runs_after_one_question(stage: Stage, backend: str, sandbox: str, escalate: bool) -> None:
    settled(stage)
    for command in ("interpreter", "own", "in-script"):
        found = run(stage, command, "", (backend, sandbox, escalate))
        assert len(found["asked"]) == 1, found
    assert log(stage) == "shown\n" * 3


def test_what_is_approved_again_runs_as_it_is_now(stage: Stage) -> None:
    settled(stage)
    found = run(stage, "interpreter", EXCHANGES["in-place"], ("namespace", "workspace-write", True))
    assert [bool(each["changed"]) for each in found["asked"]] == [False, True]
    assert "deploy.sh" in found["asked"][1]["changed"]
    assert log(stage) == "other\n"


def test_what_changes_with_every_question_is_refused_in_the_end(stage: Stage) -> None:
    work = settled(stage)
    writing = f"open({str(work / 'deploy.sh')!r}, 'a').write('# more\\n')"
    found = conversation(
        stage, [(["sh", "deploy.sh"], {"cwd": str(work), "set_variables": {"LOG": "log"}}, "")], exchanges=[writing] * 9
    )
    by, why = found["said"][0]["refusal"]
    assert (by, "deploy.sh" in why) == ("policy", True)
    assert not (work / "log").exists()


def test_any_exchanges_in_any_order_never_run_what_nobody_saw(stage: Stage) -> None:
    """Siblings: random steps at every question. What ran in the end is what lay there when the last question came."""
    dice = random.Random(13)
    steps = [
        *EXCHANGES.values(),
        "os.chmod(W + '/' + F, 0o700)",
        "os.rename(W + '/..', W + '/../../aside'); os.symlink(W.rsplit('/', 2)[0] + '/aside', W.rsplit('/', 1)[0])",
        "os.rename(W + '/' + F, W + '/kept'); os.rename(W + '/kept', W + '/' + F)",
        "os.utime(W + '/' + F)",
        "import shutil; shutil.rmtree(W); shutil.copytree(E, W)",
        "open(W + '/GNUmakefile', 'w').write(open(E + '/Makefile').read())",
        "pass",
    ]
    guarded = "\n".join(["try:", "    {}", "except OSError:", "    pass"])
    for number in range(10):
        folder = stage.repo / f"round{number}"
        work = folder / "work"
        (folder / "elsewhere").mkdir(parents=True)
        work.mkdir()
        for directory, word in ((work, "shown"), (folder / "elsewhere", "other")):
            (directory / "deploy.sh").write_text(f"#!/bin/sh\necho {word} >> $LOG\n")
            (directory / "deploy.sh").chmod(0o755)
        stage.own()
        log_file = stage.repo / f"log{number}"
        argv = dice.choice([["sh", "deploy.sh"], ["./deploy.sh"], ["sh", "-c", "cd . && ./deploy.sh"]])
        chosen = [dice.choice(steps) for _ in range(3)]
        codes = [
            f"W, E, F = {str(work)!r}, {str(folder / 'elsewhere')!r}, 'deploy.sh'\n"
            f"S = open({str(stage.repo / f'seen{number}')!r}, 'w')\n"
            "try: S.write(open(W + '/' + F).read())\nexcept OSError: pass\nS.close()\n" + guarded.format(step)
            for step in [*chosen, "pass"]
        ]
        words = {"cwd": str(work), "escalate": True, "set_variables": {"LOG": str(log_file)}}
        found = conversation(stage, [(argv, words, "")], exchanges=codes, policy="on-request")
        shown = (stage.repo / f"seen{number}").read_text()
        ran = log_file.read_text().strip() if log_file.exists() else ""
        assert ran == "" or f"echo {ran} " in shown, (argv, chosen, found)


CHANGE = "open({path!r}, 'w').write('echo other >> $LOG')"


def in_session(
    stage: Stage, answer: str, *, escalate: bool = False, argv: tuple[str, ...] = ("sh", "deploy.sh")
) -> Any:
    """The same command three times, its script another one before the third."""
    work = settled(stage)
    words = {"cwd": str(work), "escalate": escalate, "set_variables": {"LOG": str(stage.repo / "log")}}
    change = CHANGE.format(path=str(work / "deploy.sh"))
    return conversation(
        stage,
        [(argv, words, ""), (argv, words, ""), (argv, words, change)],
        answers=[answer, "deny"],
        policy="on-request" if escalate else "untrusted",
    )


@pytest.mark.parametrize("escalate", [False, True])
@pytest.mark.parametrize("argv", [("sh", "deploy.sh"), ("bash", "-c", ". ./deploy.sh"), ("env", "sh", "./deploy.sh")])
def test_an_approval_for_the_session_ends_when_what_it_executes_changes(
    stage: Stage, escalate: bool, argv: tuple[str, ...]
) -> None:
    found = in_session(stage, "approve-session", escalate=escalate, argv=argv)
    assert len(found["asked"]) == 2, found
    assert log(stage) == "shown\n" * 2


def test_it_holds_for_what_changes_where_that_was_answered(stage: Stage) -> None:
    found = in_session(stage, "approve-session-changing")
    assert len(found["asked"]) == 1, found
    assert log(stage) == "shown\nshown\nother\n"
    assert all(each["confined"] == [True] for each in found["said"])


def test_outside_the_sandbox_that_is_no_answer(stage: Stage) -> None:
    settled(stage)
    found = run(stage, "interpreter", "", ("namespace", "workspace-write", True), answers=["deny"])
    assert "approve-session-changing" not in found["asked"][0]["choices"]


@ON_EACH
def test_an_approval_that_cannot_be_written_down_runs_nothing(
    stage: Stage, backend: str, sandbox: str, escalate: bool
) -> None:
    settled(stage)
    (stage.home / ".local").write_text("no directory")
    stage.own()
    mode = (backend, sandbox, escalate)
    found = run(stage, "interpreter", "", mode)
    assert "could not be written down" in found["said"][0]["refusal"][1]
    assert log(stage) == ""
    run(stage, "interpreter", "", mode, overrides=["approvals.require_record=false"])
    assert log(stage) == "shown\n"


@pytest.mark.parametrize("escalate", [False, True])
def test_a_rule_that_leaves_the_sandbox_ends_when_what_it_executes_changes(stage: Stage, escalate: bool) -> None:
    if not os.path.exists("/usr/bin/make"):
        pytest.skip("no make on this host")
    work = settled(stage)
    words = {"cwd": str(work), "escalate": escalate, "set_variables": {}}
    to_log = CHANGE.format(path=str(work / "Makefile")).replace("$LOG", str(stage.repo / "log"))
    exchange = to_log.replace("'echo", "'all:\\n\\t@echo").replace("other", "first")
    change = exchange.replace("first", "other")
    argv = ["make", "-s", "all"]
    found = conversation(
        stage,
        [(argv, words, exchange), (argv, words, ""), (argv, words, change)],
        answers=["approve-always", "deny"],
        policy="on-request" if escalate else "untrusted",
    )
    changed_too = "" if escalate else "other\n"
    assert [len(found["asked"]), log(stage)] == [2 if escalate else 1, "first\nfirst\n" + changed_too], found


@ON_EACH
@pytest.mark.parametrize("exchange", ["link", "file", "in-place"])
def test_what_is_exchanged_after_the_last_look_is_seen_by_who_starts_it(
    stage: Stage, exchange: str, backend: str, sandbox: str, escalate: bool
) -> None:
    work = settled(stage)
    words = {"cwd": str(work), "escalate": escalate, "set_variables": {"LOG": str(stage.repo / "log")}}
    found = conversation(
        stage,
        [(["sh", "deploy.sh"], words, "")],
        answers=["approve", "deny"],
        backend=backend,
        sandbox=sandbox,
        policy="on-request" if escalate else "untrusted",
        late=f"W, E, F = {str(work)!r}, {str(stage.repo / 'elsewhere')!r}, 'deploy.sh'\n{EXCHANGES[exchange]}",
    )
    assert [bool(each["changed"]) for each in found["asked"]] == [False, True], found
    assert log(stage) == ""


def test_a_live_command_runs_what_was_shown_or_is_asked_about_again(stage: Stage) -> None:
    work = settled(stage)
    script = f"LOG={stage.repo / 'log'}; export LOG; sh deploy.sh"
    for exchange, asked, logged in (("", 1, "shown\n"), (EXCHANGES["link"], 2, "shown\n")):
        code = f"W, E, F = {str(work)!r}, {str(stage.repo / 'elsewhere')!r}, 'deploy.sh'\n{exchange}"
        found = conversation(
            stage, [([script], {"cwd": str(work)}, "")], exchanges=[code], answers=["approve", "deny"], live=True
        )
        assert (len(found["asked"]), log(stage)) == (asked, logged), found


@ON_EACH
def test_a_program_of_the_workspace_runs_under_its_own_name(
    stage: Stage, backend: str, sandbox: str, escalate: bool
) -> None:
    """It may be executed by descriptor, which must not show."""
    shutil.copy("/bin/cat", stage.repo / "tool")
    stage.own()
    words = {"cwd": str(stage.repo), "escalate": escalate}
    found = conversation(
        stage,
        [(["./tool", "/proc/self/cmdline"], words, "")],
        backend=backend,
        sandbox=sandbox,
        policy="on-request" if escalate else "untrusted",
    )
    assert found["said"][0]["out"] == "./tool\0/proc/self/cmdline\0"
