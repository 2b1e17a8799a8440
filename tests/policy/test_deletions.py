"""What a line surely deletes, and when that is no reason to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from sandgate.commandline import segments
from sandgate.policy.approval import verdict_for
from sandgate.policy.deletions import made_again
from sandgate.policy.program_places import ProgramPlaces
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.deletions import Deletion
from sandgate.protocol.permissions import DangerFullAccess, WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Ask, Forbid
from support.suite.rows import every

if TYPE_CHECKING:
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy

REMADE = frozenset(("build", "node_modules", "*.o", "b", "c d", "build/*", "dist"))


def is_remade(deletion: Deletion) -> bool:
    """A disk on which these can be made again, in the directory of the line and in `deep`."""
    places = REMADE.issuperset((*deletion.words, *deletion.patterns, *filter(None, (deletion.name,))))
    return places and deletion.directory in ("", "deep") and not deletion.may_arrive


def places(asked: list[Deletion] | None = None) -> ProgramPlaces:
    def remade(deletion: Deletion) -> bool:
        if asked is not None:
            asked.append(deletion)
        return is_remade(deletion)

    return ProgramPlaces("/repo", "/usr/bin", ("/repo",), remade=remade)


def verdict(
    *argv: str,
    policy: ApprovalPolicy = "never",
    sandbox: SandboxPolicy | None = None,
    wish: Literal["use_default", "require_escalated"] = "use_default",
    backend_available: bool = True,
) -> Allow | Ask | Forbid:
    return verdict_for(
        CommandRequest(argv, "/repo", {"PATH": "/usr/bin"}, wish=wish),
        policy=policy,
        sandbox=sandbox or WorkspaceWrite(),
        backend_available=backend_available,
        programs=places(),
    )


FREE = (
    "rm -rf build",
    "rm -rf build node_modules",
    "rm -fr -- build",
    "rm -f *.o",
    "rm -rf {build,dist}",
    "rm -rf 'c d' b",
    "rm -rf build && mkdir build && cd build",
    "cd deep && rm -rf build",
    "rm -rf build > log 2>&1",
    "if test -d build; then rm -rf build; fi",
    "git clean -fdX && rm -rf build",
    "find . -name build -exec rm -rf {} +",
    "find . -name build -type d -prune -exec rm -rf {} ';'",
    "find src lib -type d -maxdepth 3 -name 'node_modules' -exec rm -rf -- {} \\;",
    "find -name dist -exec rm -fr {} \\; && rm -rf build",
    "cd deep && find . -name '*.o' -exec rm -f {} +",
    'd=$(mktemp -d); trap \'rm -rf "$d"\' EXIT; ls "$d"',
    'd="$(mktemp -d -t x.XXXX)" && rm -rf "${d}"',
)
ASKED = (
    "rm -rf notes",
    "rm -rf build notes",
    "rm -rf '*.o' build; rm -rf /",
    "rm -rf \"$X/build\"",
    "rm -rf $X",
    "rm -rf ~/build",
    "rm -rf build*/../c",
    "rm -rf \"\" build",
    "rm -rf --no-preserve-root build",
    "cd other && rm -rf build",
    "cd deep; cd ..; rm -rf build",
    "(cd other); rm -rf build",
    "ls; cd deep && rm -rf build",
    "cd - && rm -rf build",
    "cd $X && rm -rf build",
    "mv notes b && rm -rf b",
    "ln -s notes b && rm -rf b/",
    "rm -rf build; ssh host rm -rf build",
    "rm -rf build; docker exec c rm -rf build",
    "echo build | xargs rm -rf",
    "sudo rm -rf build",
    "rm -rf build & rm -rf /etc",
    "d=$(mktemp -d); d=/home; rm -rf $d",
    "d=$(mktemp -d); read d; rm -rf $d",
    "d=$(mktemp -d || echo /home); rm -rf $d",
    "d=$(mktemp -u); rm -rf $d",
    "for d in /home; do rm -rf $d; done; d=$(mktemp -d)",
    "d=$(mktemp -d); rm -rf $d/..",
    "d=$(mktemp -d); rm -rf $d /home/x",
    "d=$(ls); rm -rf $d",
    "find . -exec rm -rf {} +",
    "find . -type d -exec rm -rf {} +",
    "find . -name notes -exec rm -rf {} +",
    "find . ! -name build -exec rm -rf {} +",
    "find . -not -name build -exec rm -rf {} +",
    "find . -name build -o -name notes -exec rm -rf {} +",
    "find . -name build , -exec rm -rf {} +",
    "find . '(' -name build ')' -exec rm -rf {} +",
    "find -L . -name build -exec rm -rf {} +",
    "find . -iname build -exec rm -rf {} +",
    "find . -name $X -exec rm -rf {} +",
    "find . -name build -exec rm -rf {}/.. +",
    "find . -name build -exec rm -rf notes {} +",
    "find . -name build -exec rm -rf {} + -exec rm -rf / +",
    "find . -name build -exec sudo rm -rf {} +",
    "find . -name build -exec rm -rf {} + ; ls | xargs rm -rf {}",
    "builtin cd deep && find . -name build -exec rm -rf {} +",
    "command cd .. && rm -rf build",
    "mv notes build && find . -name build -exec rm -rf {} +",
    "git clean -fdx",
    "git clean -fd",
    "git clean -ffdX",
    "git clean -fdX -e '*'",
    "git clean -fdX :/",
    "git -C / clean -fdX",
    "git -c core.excludesFile=all clean -fdX",
)  # fmt: skip


def with_git_remade(deletion: Deletion) -> bool:
    return deletion.ignored_only or is_remade(deletion.but(may_arrive=False))


@pytest.mark.parametrize("line", FREE)
def test_what_can_be_made_again_is_deleted_without_a_question(line: str) -> None:
    """Required: also where nobody is attached, and never outside of the sandbox."""
    programs = ProgramPlaces("/repo", "/usr/bin", ("/repo",), remade=with_git_remade)
    command = CommandRequest(("bash", "-c", line), "/repo", {"PATH": "/usr/bin"})
    said = verdict_for(command, policy="never", sandbox=WorkspaceWrite(), programs=programs)
    assert isinstance(said, Allow), said
    assert not said.bypass_sandbox


@every("line", ASKED)
def test_everything_else_is_asked_about_as_before(line: str) -> None:
    assert isinstance(verdict("bash", "-c", line), Forbid)
    assert isinstance(verdict("bash", "-c", line, policy="on-request"), Ask)


def test_without_a_shell_every_word_is_what_it_says() -> None:
    asked: list[Deletion] = []
    assert made_again(segments(("rm", "-rf", "*.o", "build")), places(asked)) == {("rm", "-rf", "*.o", "build")}
    assert asked == [Deletion(("*.o", "build"))]
    assert isinstance(verdict("rm", "-rf", "build"), Allow)
    assert isinstance(verdict("rm", "-rf", "$X"), Forbid)


def test_patterns_and_the_directory_are_told_apart_from_words() -> None:
    asked: list[Deletion] = []
    made_again(segments(("bash", "-c", "cd deep && rm -f *.o '*.o' b")), places(asked))
    assert asked == [Deletion(("*.o", "b"), ("*.o",), "deep")]


def test_what_is_found_by_its_name_is_told_with_where_it_is_looked_for() -> None:
    asked: list[Deletion] = []
    line = "find src lib -type d -name build -exec rm -rf {} +"
    assert made_again(segments(tuple(line.split())), places(asked)) == {("rm", "-rf", "{}")}
    made_again(segments(("bash", "-c", f"cd deep; {line}")), places(asked))
    found = Deletion(below=("src", "lib"), name="build")
    assert asked == [found, found.but(directory="deep")]


def test_the_same_words_quoted_once_are_judged_by_both_meanings() -> None:
    programs = ProgramPlaces("/repo", "/usr/bin", (), remade=lambda deletion: not deletion.patterns)
    assert not made_again(segments(("bash", "-c", "rm -f '*.o'; rm -f *.o")), programs)
    assert not made_again(segments(("bash", "-c", "rm -f *.o; rm -f '*.o'")), programs)


def test_nothing_is_spared_outside_of_the_sandbox() -> None:
    """Required: what confines a mistake is the sandbox."""
    for said in (
        verdict("rm", "-rf", "build", policy="on-request", wish="require_escalated"),
        verdict("rm", "-rf", "build", policy="on-request", backend_available=False),
        verdict("rm", "-rf", "build", policy="on-request", sandbox=DangerFullAccess()),
    ):
        assert isinstance(said, Ask)


def test_where_nobody_knows_the_disk_nothing_can_be_made_again() -> None:
    command = CommandRequest(("rm", "-rf", "build"), "/repo", {})
    assert isinstance(verdict_for(command, policy="never", sandbox=WorkspaceWrite()), Forbid)


def test_long_lines_are_not_looked_through() -> None:
    asked: list[Deletion] = []
    made_again(segments(("rm", "-rf", *["build"] * 100)), places(asked))
    made_again(segments(("bash", "-c", "rm -rf build\n" + "rm -f b\n" * 100)), places(asked))
    made_again(segments(("bash", "-c", "rm -rf " + "{build,b}" * 10)), places(asked))
    assert asked == []
