"""A program that commands may have written is never the one that a rule or a list means."""

from __future__ import annotations

import itertools
from posixpath import normpath

import pytest

from sandgate.policy.amendments import proposed_amendment
from sandgate.policy.approval import verdict_for
from sandgate.policy.program_places import ProgramPlaces, said_by
from sandgate.policy.rules.model import HostExecutable, Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Ask, Verdict

WORKSPACE = "/home/u/app"
# A disk: where a program lies, and what it is in the end.
DISK = {
    "/usr/bin/git": "/usr/bin/git",
    "/usr/bin/ls": "/usr/bin/ls",
    "/usr/bin/bash": "/usr/bin/bash",
    "/usr/bin/timeout": "/usr/bin/timeout",
    "/usr/local/bin/linked": f"{WORKSPACE}/tools/linked",
    f"{WORKSPACE}/git": f"{WORKSPACE}/git",
    f"{WORKSPACE}/bin/git": f"{WORKSPACE}/bin/git",
    f"{WORKSPACE}/bin/ls": f"{WORKSPACE}/bin/ls",
    f"{WORKSPACE}/links/git": "/usr/bin/git",
    "/tmp/git": "/tmp/git",
    "/opt/git/bin/git": "/opt/git/bin/git",
}
ALLOW = RuleSet(tuple(Rule(((name,), ("push",)), "allow") for name in ("git", "linked")))


def on_disk(path: str) -> str | None:
    return DISK.get(normpath(path))


def places(path: str, cwd: str = WORKSPACE) -> ProgramPlaces:
    return ProgramPlaces(cwd, path, (WORKSPACE,), on_disk)


def verdict(script: str | tuple[str, ...], path: str = "/usr/bin:/bin", rules: RuleSet = ALLOW) -> Verdict:
    argv = ("/usr/bin/bash", "-c", script) if isinstance(script, str) else script
    command = CommandRequest(argv, WORKSPACE, {"PATH": path})
    return verdict_for(command, policy="untrusted", sandbox=WorkspaceWrite(), rules=rules, programs=places(path))


@pytest.mark.parametrize(
    "program",
    ["./git", "git", f"{WORKSPACE}/git", f"{WORKSPACE}/bin/../git", "/tmp/git", "/tmp/../tmp/git", "bin/git",
     f"{WORKSPACE}/links/git", "/var/tmp/git", "/dev/shm/git", "../app/git", "/usr/../home/u/app/git"],
)  # fmt: skip
def test_only_the_installed_program_is_the_one_a_rule_names(program: str) -> None:
    installed = program == "git"
    for spelled in (f"{program} push", (program, "push"), f"true && {program} push", f"timeout 5 {program} push"):
        allowed = isinstance(verdict(spelled), Allow)
        assert allowed is (installed and "timeout" not in spelled)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/usr/bin:/bin", True),
        (f"/usr/bin:{WORKSPACE}/bin", True),  # the first that has it
        (f"{WORKSPACE}/none:/usr/bin", True),
        (f"{WORKSPACE}/bin:/usr/bin", False),
        ("bin:/usr/bin", False),
        ("./bin:/usr/bin", False),
        (":/usr/bin", False),
        (".:/usr/bin", False),
        ("/nowhere::/usr/bin", False),
        ("/tmp:/usr/bin", False),
        (f"{WORKSPACE}/links:/usr/bin", False),  # the link could be another one in a moment
        ("/opt/git/bin:/usr/bin", True),
        ("/usr/bin/../../home/u/app/bin:/usr/bin", False),
    ],
)
def test_the_program_that_path_leads_to_counts(path: str, meant: bool) -> None:
    assert isinstance(verdict("git push", path), Allow) is meant
    assert isinstance(verdict(("git", "push"), path), Allow) is meant
    offered = proposed_amendment(
        CommandRequest(("git", "fetch"), WORKSPACE, {"PATH": path}),
        policy="untrusted", sandbox=WorkspaceWrite(), programs=places(path),
    )  # fmt: skip
    assert (offered is not None) is meant


def test_a_link_from_a_system_directory_into_the_workspace_is_a_program_of_the_workspace() -> None:
    assert not isinstance(verdict("linked push", "/usr/local/bin:/usr/bin"), Allow)
    assert not isinstance(verdict("/usr/local/bin/linked push"), Allow)


def test_the_list_of_safe_programs_means_the_installed_ones_too() -> None:
    for script in ("ls", "ls | ls", "timeout 5 ls", "bash -c ls", "ls && pwd", "if true; then ls; fi", "x=1; ls"):
        assert isinstance(verdict(script), Allow)
        assert not isinstance(verdict(script, f"{WORKSPACE}/bin:/usr/bin"), Allow)


def test_a_shell_of_the_workspace_vouches_for_nothing() -> None:
    path = f"{WORKSPACE}/sh:/usr/bin"
    known = {**DISK, f"{WORKSPACE}/sh/bash": f"{WORKSPACE}/sh/bash"}
    for script in ("ls", "git push"):
        command = CommandRequest(("bash", "-c", script), WORKSPACE, {"PATH": path})
        found = verdict_for(
            command, policy="untrusted", sandbox=WorkspaceWrite(), rules=ALLOW,
            programs=ProgramPlaces(WORKSPACE, path, (WORKSPACE,), known.get),
        )  # fmt: skip
        assert isinstance(found, Ask)


def test_who_names_the_path_means_the_program_there() -> None:
    for program in ("./git", f"{WORKSPACE}/bin/git"):
        named = RuleSet((Rule(((program,), ("push",)), "allow"),))
        assert isinstance(verdict(f"{program} push", rules=named), Allow)
    host = RuleSet(ALLOW.rules, (HostExecutable("git", (f"{WORKSPACE}/bin/git",)),))
    assert isinstance(verdict("git push", f"{WORKSPACE}/bin:/usr/bin", host), Allow)
    assert not isinstance(verdict("git push", f"{WORKSPACE}:/usr/bin", host), Allow)


def test_a_rule_that_forbids_means_the_name_wherever_it_lies() -> None:
    never = RuleSet((Rule((("git",), ("push",)), "forbid"),))
    for program, path in itertools.product(("git", "./git", "/tmp/git"), ("/usr/bin", f"{WORKSPACE}/bin:/usr/bin")):
        assert type(verdict(f"{program} push", path, never)).__name__ == "Forbid"


def test_the_reason_says_why_the_rule_does_not_count() -> None:
    found = verdict("git push", f"{WORKSPACE}/bin:/usr/bin")
    assert isinstance(found, Ask)
    assert (
        "rule `git push` does not count, as `git` leads to a place where commands may write" in found.because[0].detail
    )


def test_without_a_disk_the_words_alone_are_judged() -> None:
    command = CommandRequest(("git",), WORKSPACE, {"PATH": "bin"})
    said = said_by(command, WorkspaceWrite(("/srv/out",)))
    assert [said.planted(each) for each in ("git", "./git", "/srv/out/git", "/usr/bin/git")] == [
        "", f"{WORKSPACE}/git", "/srv/out/git", "",
    ]  # fmt: skip
