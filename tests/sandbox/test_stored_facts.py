"""What outlives a session: used for the same question while nothing has changed, and never else."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path
from types import ModuleType

import pytest

from sandgate.errors import ConfinementError
from sandgate.policy.effective import WorkspaceFacts
from sandgate.protocol.permissions import Grant, WorkspaceWrite
from sandgate.sandbox import facts as facts_module
from sandgate.sandbox import filesystems, looking, own_code, sockets, stored_facts, survey
from sandgate.sandbox.facts import workspace_facts
from sandgate.sandbox.grounds import Grounds
from sandgate.sandbox.memory import Memory
from support.process.waiting import until_the_clock_of_files_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


TRIES = 100  # a neighbour's change in a directory above the workspace spoils some


class Project:
    """A workspace in a home, and one session after the other in it."""

    def __init__(self, place: Path, patch: pytest.MonkeyPatch) -> None:
        self.repo, self.home, self.file = place / "home/repo", place / "home", place / "ours/facts"
        (self.repo / ".git").mkdir(parents=True)
        (self.repo / "src").mkdir()
        for name in (".ssh", ".config/unknown"):
            (self.home / name).mkdir(parents=True)
        self.file.parent.mkdir(mode=0o700)
        self.asked = 0
        whole = survey.survey

        def counted(*given: Any) -> Any:
            self.asked += 1
            return whole(*given)

        patch.setattr(survey, "survey", counted)

    def look(self, stored: bool = True, **more: Any) -> WorkspaceFacts:
        """The first command of a session."""
        memory = Memory()
        environ = {"HOME": str(self.home), **more.pop("environ", {})}
        state, file = str(self.home / "state"), str(self.file) if stored else ""
        policy = more.pop("policy", WorkspaceWrite())
        facts = workspace_facts(
            policy, policy_cwd=str(self.repo), environ=environ, state_directory=state, private_tmp="/", memory=memory,
            stored=file, **more,
        )  # fmt: skip
        stored_facts.save(memory)
        return facts

    def is_known(self, **more: Any) -> bool:
        """Whether the disk was not asked, and what is said is true."""
        before = self.asked
        found = self.look(**more)
        is_known = self.asked == before
        assert found == self.look(stored=False, **more)
        return is_known

    def becomes_known(self, **more: Any) -> bool:
        return any(self.is_known(**more) for _ in range(TRIES))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
    monkeypatch.setattr(looking, "UNSETTLED_WHOLE_SECONDS_NS", -time.time_ns())
    # Beside this test others write where our own code lies and in /tmp, and have sockets.
    monkeypatch.setattr(facts_module, "listening_names", lambda: ())
    monkeypatch.setattr(sockets, "TMP", str(tmp_path))
    monkeypatch.setattr(own_code, "own_grounds", lambda: Grounds((), (), ()))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:  # in /tmp something changes all the time
        found = Project(Path(place), monkeypatch)
        found.look()
        yield found


def test_the_next_session_need_not_ask(project: Project) -> None:
    assert project.becomes_known()
    assert project.becomes_known()


@pytest.mark.parametrize(
    "change",
    [
        lambda p: (p.repo / ".envrc").touch(),
        lambda p: (p.repo / ".git/hooks").mkdir(),
        lambda p: (p.repo / ".git").rename(p.repo / "git"),
        lambda p: (p.repo / "src/.git").mkdir(),
        lambda p: (p.home / ".newcomer").touch(),
        lambda p: (p.home / ".ssh").rename(p.home / "ssh"),
        lambda p: (p.home / ".config").rename(p.home / "config"),
        lambda p: (p.home / ".gitconfig").write_text("[core]\n\thooksPath = hooks\n"),
        lambda p: (p.repo.rename(p.home / "away"), p.repo.mkdir()),
    ],
)
def test_any_change_of_what_it_rests_on_is_noticed(project: Project, change: Any) -> None:
    """Required: nothing that was made or moved since is taken for what it was."""
    until_the_clock_of_files_moves(project.home)
    change(project)
    assert not project.is_known()
    assert project.becomes_known()


def test_a_link_in_place_of_the_workspace_is_noticed(project: Project) -> None:
    project.repo.rename(project.home / "away")
    project.repo.symlink_to(project.home / "away")
    with pytest.raises(ConfinementError, match="is another one now"):
        project.is_known()


def test_another_question_is_another(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    more = project.home / "more"
    (project.home / "tmp").mkdir()
    more.mkdir()
    project.look()
    for other in (
        {"grants": (Grant("write_root", str(more)),)},
        {"environ": {"XDG_RUNTIME_DIR": str(more)}},
        {"opened_secrets": (str(project.home / ".ssh"),)},
    ):
        assert not project.is_known(**other)
        assert project.becomes_known(**other)
    assert project.becomes_known()
    monkeypatch.setattr(sys, "path", [*sys.path, str(more)])
    assert not project.is_known()


def test_only_the_last_questions_are_kept(project: Project) -> None:
    for number in range(stored_facts.ENTRIES_MAX):
        assert not project.is_known(environ={"XDG_RUNTIME_DIR": f"/none-{number}"})
    assert project.becomes_known(environ={"XDG_RUNTIME_DIR": "/none-0"})
    assert not project.is_known()


def test_a_session_goes_on_from_what_was_stored(project: Project) -> None:
    """Required: its second command notices what the first one did."""
    environ, state = {"HOME": str(project.home)}, str(project.home / "state")

    def command(memory: Memory) -> WorkspaceFacts:
        return workspace_facts(
            WorkspaceWrite(), policy_cwd=str(project.repo), environ=environ, state_directory=state, private_tmp="/",
            memory=memory, stored=str(project.file),
        )  # fmt: skip

    def both_are_known() -> bool:
        project.look()
        before = project.asked
        return command(memory := Memory()) is command(memory) and project.asked == before

    assert any(both_are_known() for _ in range(TRIES))
    memory = Memory()
    command(memory)
    assert str(project.repo) in memory.listings
    until_the_clock_of_files_moves(project.home)
    (project.repo / ".envrc").touch()
    assert str(project.repo / ".envrc") in command(memory).protected


def test_what_has_just_changed_is_not_stored(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "UNSETTLED_NS", 3_600 * 10**9)
    (project.repo / ".envrc").touch()
    for _ in range(2):
        assert not project.is_known()


def test_the_next_version_of_our_code_asks_again(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: it may know more names."""
    code = tmp_path / "table.py"
    code.write_text("NAMES = 1")
    table = ModuleType("sandgate.table")
    table.__file__ = str(code)
    monkeypatch.setitem(sys.modules, "sandgate.table", table)
    project.file.unlink()
    project.look()
    assert project.becomes_known()
    code.write_text("NAMES = 12")
    assert not project.is_known()


def test_a_module_that_was_loaded_at_once_is_not_looked_at_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked at with another time or size says nothing of this one."""
    assert project.becomes_known()
    looked: list[str] = []
    look = stored_facts._is_source

    def counted(file: str, mtime_ns: int, size: int) -> bool:
        looked.append(file)
        return look(file, mtime_ns, size)

    monkeypatch.setattr(stored_facts, "_is_source", counted)
    sources = {*stored_facts._sources()}
    monkeypatch.setattr(stored_facts, "first_sources", lambda: {(file, time + 1, size) for file, time, size in sources})
    assert project.becomes_known()
    assert {*looked} == {file for file, _, _ in sources}
    looked.clear()
    monkeypatch.setattr(stored_facts, "first_sources", lambda: sources)
    assert project.becomes_known()
    assert looked == []


def test_what_a_killed_session_left_half_written_is_taken_over(project: Project) -> None:
    project.file.rename(f"{project.file}{stored_facts.UNFINISHED}")
    project.look()
    assert project.becomes_known()
    assert os.listdir(project.file.parent) == [project.file.name]


def test_while_one_session_writes_another_lets_it(project: Project) -> None:
    """Required: what a session reads is whole."""
    before = project.file.read_bytes()
    with open(f"{project.file}{stored_facts.UNFINISHED}", "wb") as writing:
        flock(writing, LOCK_EX)
        writing.write(b"half")
        writing.flush()
        until_the_clock_of_files_moves(project.home)
        (project.repo / ".envrc").touch()
        assert not project.is_known()
        assert (project.file.read_bytes(), Path(writing.name).read_bytes()) == (before, b"half")
    assert project.becomes_known()


def test_who_comes_as_the_last_one_is_finished_leaves_it_alone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: between opening and locking, what was being written can have become the file that others read."""
    new = f"{project.file}{stored_facts.UNFINISHED}"

    def finished_meanwhile(descriptor: int, how: int) -> None:
        os.rename(new, project.file)
        flock(descriptor, how)

    Path(new).write_bytes(whole := project.file.read_bytes())
    monkeypatch.setattr("fcntl.flock", finished_meanwhile)
    until_the_clock_of_files_moves(project.home)
    (project.repo / ".envrc").touch()
    assert not project.is_known()
    assert project.file.read_bytes() == whole


def test_a_change_of_where_we_lie_is_noticed(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "environment"
    place.mkdir()
    look = looking.Look()
    look.names(str(place))
    monkeypatch.setattr(own_code, "own_grounds", look.grounds)
    project.file.unlink()
    project.look()
    assert project.becomes_known()
    until_the_clock_of_files_moves(tmp_path)
    (place / "pyvenv.cfg").touch()
    assert not project.is_known()


def into_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-100]),
        lambda file: file.write_bytes(b"i\0\0\0\0"),
        lambda file: file.write_bytes(file.read_bytes().replace(b"sandgate facts", b"sandgate fakts")),
        lambda file: file.chmod(0o622),
        lambda file: (file.rename(f"{file}.real"), file.symlink_to(f"{file}.real")),
        lambda file: (file.unlink(), file.mkdir()),
        into_a_pipe,
        lambda file: file.unlink(),
    ],
)
def test_a_file_that_is_not_as_we_write_it_counts_as_none(project: Project, spoil: Any) -> None:
    """Required: bad bytes, another user's, a link, something else: the disk is asked, and nothing fails."""
    spoil(project.file)
    assert not project.is_known()


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a file away")
def test_a_file_of_another_user_counts_as_none(project: Project) -> None:
    os.chown(project.file, 65534, 65534)
    assert not project.is_known()


def test_a_directory_that_cannot_be_written_costs_nothing(project: Project) -> None:
    project.file.unlink()
    project.file.parent.rmdir()
    project.file.parent.write_text("")
    assert not project.is_known()


def test_an_answer_that_rests_on_too_much_is_not_stored(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_facts, "MARKS_MAX", 1)
    project.file.unlink()
    project.look()
    assert not project.file.exists()


def test_what_lies_on_an_image_is_not_stored(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: its times were written by whoever made it, and another one may show the same."""
    assert project.becomes_known()
    project.file.unlink()
    kind = filesystems.Filesystems().type_of(os.path.realpath(project.repo))
    monkeypatch.setattr(filesystems, "OF_IMAGES", frozenset((kind,)))
    assert not any(project.is_known() for _ in range(3))
    assert not project.file.exists()


def test_a_script_of_the_same_name_elsewhere_is_another_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sandgate"])
    assert project.becomes_known()
    monkeypatch.chdir(project.home)
    assert not project.is_known()


EXCHANGED_LAYER = """
import os, subprocess, sys
from pathlib import Path
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.sandbox import looking, stored_facts
from sandgate.sandbox.facts import workspace_facts
from sandgate.sandbox.memory import Memory

looking.UNSETTLED_NS = looking.UNSETTLED_WHOLE_SECONDS_NS = -1 << 62
place = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
for name in ("one", "other/.vscode", "upper", "work", "home/repo", "ours"):
    (place / name).mkdir(parents=True)
repo, file = place / "home/repo", place / "ours/facts"

def mount(layer):
    options = f"lowerdir={place}/{layer},upperdir={place}/upper,workdir={place}/work"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, repo], check=True)

def look(stored=str(file)):
    memory = Memory()
    facts = workspace_facts(
        WorkspaceWrite(), policy_cwd=str(repo), environ={"HOME": str(place / "home")}, memory=memory,
        state_directory=str(place / "home/state"), private_tmp="/", stored=stored)
    stored_facts.save(memory)
    return facts, memory.answers.keys() == {"restored"}

def is_exchanged_unseen():  # a device number that is free again may be a neighbour's by now
    mount("one")
    file.unlink(missing_ok=True)
    assert any(look()[1] for _ in range(100)), "nothing was stored"
    before = os.stat(repo)
    subprocess.run(["umount", repo], check=True)
    mount("other")
    now = os.stat(repo)
    return (before.st_dev, before.st_ino, before.st_ctime_ns) == (now.st_dev, now.st_ino, now.st_ctime_ns)

print(any(is_exchanged_unseen() or subprocess.run(["umount", repo], check=True) is None for _ in range(100)))
print(str(repo / ".vscode") in look()[0].protected)
"""


def test_another_layer_below_the_same_directory_is_looked_at(tmp_path: Path) -> None:
    """Required, both halves: the directory shows the same mark, and what the other layer has is closed."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts")
    words = ("unshare", "--mount", sys.executable, "-c", EXCHANGED_LAYER, tmp_path)
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, env=dict(os.environ))
    assert ran.stdout.split() == ["True", "True"], ran
