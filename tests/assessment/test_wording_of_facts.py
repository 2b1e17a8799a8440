"""What people read about a command: whole phrases, about what it will really touch."""

from __future__ import annotations

import pytest

from sandgate.protocol.risk import IF_REPLACED, NOT_HERE
from support.command.assessing import HOME, PROJECT, judged


def facts_of(*argv: str) -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.target, fact.why) for fact in judged(argv).facts]


@pytest.mark.parametrize(
    ("argv", "description", "reason"),
    [
        (("ls",), "Looks at the working directory.", "looks at the working directory"),
        (("ls", "src"), "Looks at src.", "looks at files"),
        (("wc", "-l"), "Looks at its input.", "looks at its input"),
        (("cat", "a.txt"), "Reads a.txt.", "reads files"),
    ],
)
def test_a_reason_says_of_what(argv: tuple[str, ...], description: str, reason: str) -> None:
    risk = judged(argv)
    assert risk.description.startswith(description)
    assert risk.reasons[0] == reason


def test_a_variable_that_no_shell_replaces_is_judged_as_meant_and_told_as_it_stands() -> None:
    """Our choice: the level is that of what was meant; the words do not claim that it happens."""
    risk = judged(("rm", "-rf", "$HOME"))
    assert risk.risk_level == "high"
    assert "if a shell replaces `$HOME`" in risk.description
    assert facts_of("touch", "$HOME/x")[0] == (
        "writes",
        f"{HOME}/x",
        f"outside the workspace: your own files ({IF_REPLACED})",
    )
    assert not any(IF_REPLACED in fact.why for fact in judged('touch "$HOME/x"').facts)
    assert ("writes", f"{PROJECT}/$HOME/x", "changes the workspace") in [
        (fact.kind, fact.target, fact.why) for fact in judged("touch '$HOME/x'").facts
    ]


def test_what_another_machine_deletes_is_a_fact_about_that_machine() -> None:
    risk = judged(("ssh", "host", "rm -rf /etc"))
    assert [(fact.kind, fact.why, fact.here) for fact in risk.facts if fact.target == "/etc"] == [
        ("deletes", NOT_HERE, False)
    ]


@pytest.mark.parametrize(
    "script",
    [
        "kubectl delete pod x",
        "terraform destroy",
        "aws s3 rm s3://b/x",
        "sudo apt-get install x",
        "redis-cli -h db get x",
    ],
)
def test_what_needs_the_network_says_that_it_contacts_somebody(script: str) -> None:
    assert "contacts" in [fact.kind for fact in judged(script).facts]


def test_only_a_host_is_called_one() -> None:
    def hosts(script: str) -> list[str]:
        return [fact.host for fact in judged(script).facts if fact.host]

    assert (hosts("redis-cli -h db get x"), hosts("ssh build ls"), hosts("psql -h 10.0.0.1")) == (
        ["db"],
        ["build"],
        ["10.0.0.1"],
    )
    assert [
        hosts(script) for script in ("npm publish", "gh pr create", "psql", "git push", "kubectl delete pod x")
    ] == ([[]] * 5)


@pytest.mark.parametrize(
    ("script", "level", "description"),
    [
        ("code .", "medium", "Opens . in an editor."),
        ("code --install-extension x", "medium", "Installs or removes extensions of an editor."),
        ("terraform plan", "low", "Shows what Terraform would change."),
        ("uv run .", "medium", f"Runs the program in {PROJECT}."),
        ("git branch --delete --force x", "high", "Deletes a branch, merged or not."),
        ("git branch -df x", "high", "Deletes a branch, merged or not."),
        ("git branch -f x HEAD~", "high", "Moves a branch by force."),
        ("rg -n main src", "low", "Searches src."),
        ("rg main", "low", "Searches the working directory."),
        ("grep -e main a.txt b.txt", "low", f"Searches a.txt and b.txt. Reads {PROJECT}/a.txt."),
        ("jq . f", "low", "Searches f."),
        ("df -h", "low", "Prints information."),
        ("nano ./README.md", "medium", "Edits ./README.md."),
        ("nano a.md b.md", "medium", f"Edits a.md and b.md. Edits {PROJECT}/a.md."),
    ],
)
def test_a_summary_says_what_happens_and_says_it_once(script: str, level: str, description: str) -> None:
    risk = judged(script)
    assert (risk.risk_level, risk.description) == (level, description)


@pytest.mark.parametrize(
    "runner",
    ["direnv exec .", "direnv exec /srv --", "aws-vault exec staging", "aws-vault exec staging -d 1h --", "uv run --"],
)
def test_a_runner_is_judged_by_what_it_runs(runner: str) -> None:
    """Required: the directory or profile that stands before it is not taken for it."""
    risk = judged(f"{runner} rm -rf ~")
    assert (risk.risk_level, risk.risk_categories) == ("high", ("data_deletion",))


def test_h_is_no_question_for_help_where_it_means_something_else() -> None:
    """Required: `shutdown -h` halts the machine."""
    assert judged("shutdown -h").risk_level == "high"
    assert judged("git -h").risk_level == "low"
