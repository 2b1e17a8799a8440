"""Which deletions a real disk allows without a question: what is ignored or built, and what else lies there."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.deletions import Deletion
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from sandgate.sandbox import deletion_facts
from sandgate.sandbox.deletion_facts import can_be_made_again
from sandgate.sandbox.program_facts import programs_on_disk
from support.process.waiting import until_the_clock_of_files_moves

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes a repository")


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def git(repo: Path, *words: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(["git", "-C", repo, *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Tracked: `src`, `.gitignore` and `forced/a.o`, which is ignored besides; the rest never was."""
    top = tmp_path / "repo"
    for name in ("src/s.c", "forced/a.o", "notes", "build/a", "build/deep/b", "dist/d", "a.o", "mixed/a.o", "mixed/n",
                 "only/a.o", "only/deep/b.o", ".env", "node_modules/p/i.js", "Build2/x"):  # fmt: skip
        put(top / name)
    put(top / ".gitignore", "build/\ndist\n*.o\n.env\nlinked\n*.key\n")
    git(tmp_path, "init", "-q", str(top))
    git(top, "add", "src", ".gitignore")
    git(top, "add", "-f", "forced/a.o")
    git(top, "commit", "-qm", "one")
    return top


def remade(repo: Path, *words: str, patterns: tuple[str, ...] = (), roots: tuple[Path, ...] = ()) -> bool:
    deletion = Deletion(words, patterns)
    return can_be_made_again(deletion, str(repo), [str(repo), *map(str, roots)], private_tmp=False)


def found(repo: Path, name: str, *below: str, may_arrive: bool = False) -> bool:
    deletion = Deletion(below=below or (".",), name=name, may_arrive=may_arrive)
    return can_be_made_again(deletion, str(repo), [str(repo)], private_tmp=False)


TICK_NS = 20 * 10**6  # more than one tick of the clock of files


def made_here(repo: Path, word: str, *, ran: Callable[[int], bool]) -> bool:
    return can_be_made_again(Deletion((word,)), str(repo), [str(repo)], private_tmp=False, ran=ran)


def test_a_file_that_was_born_and_changed_while_commands_ran_may_go(repo: Path) -> None:
    until_the_clock_of_files_moves(repo)
    since = time.time_ns()
    put(repo / "scratch")
    put(repo / "out/deep/scratch")
    assert made_here(repo, "scratch", ran=lambda moment: moment > since - TICK_NS)
    assert made_here(repo, "out", ran=lambda moment: moment > since - TICK_NS)
    assert not made_here(repo, "scratch", ran=lambda _moment: False)


def test_a_file_of_before_that_was_only_changed_stays(repo: Path) -> None:
    until_the_clock_of_files_moves(repo)
    since = time.time_ns() - TICK_NS // 2
    put(repo / "notes", "changed")
    put(repo / "mixed/new")
    assert not made_here(repo, "notes", ran=lambda moment: moment > since)
    assert not made_here(repo, "mixed", ran=lambda moment: moment > since)


def test_a_new_file_that_was_changed_later_stays(repo: Path) -> None:
    until = put(repo / "scratch").stat().st_ctime_ns
    assert made_here(repo, "scratch", ran=lambda moment: moment <= until)
    until_the_clock_of_files_moves(repo)
    put(repo / "scratch", "somebody's own words")
    assert not made_here(repo, "scratch", ran=lambda moment: moment <= until)


@pytest.mark.parametrize("name", ["id_rsa", ".git", "src/s.c"])
def test_what_nothing_brings_back_stays_whoever_made_it(repo: Path, name: str) -> None:
    put(repo / "id_rsa")
    assert not made_here(repo, name, ran=lambda _moment: True)


def test_a_second_name_of_a_file_says_that_it_is_somewhere_else_too(repo: Path) -> None:
    os.link(put(repo / "scratch"), repo / "second")
    assert not made_here(repo, "scratch", ran=lambda _moment: True)


@pytest.mark.parametrize(
    "word", ["build", "build/", "./build", "build/a", "src/../build", "dist", "a.o", "only", "gone"]
)
def test_what_git_ignores_and_what_is_not_there_may_go(repo: Path, word: str) -> None:
    assert remade(repo, word)
    assert remade(repo, str(repo / word))


@pytest.mark.parametrize(
    "word",
    [".", "..", "./", "src", "src/s.c", "notes", "forced", "forced/a.o", "mixed", ".env", "node_modules", ".git",
     ".git/config", "build/..", "build/../src", "/", "", "../repo", "Build2", "build/.git"],
)  # fmt: skip
def test_everything_else_may_not(repo: Path, word: str) -> None:
    """Required: tracked, never seen by git, a secret, git's own, or no name of something at all."""
    assert not remade(repo, word)
    assert not remade(repo, "build", word)


def test_patterns_stand_for_what_they_fit(repo: Path) -> None:
    assert remade(repo, patterns=("*.o",))
    assert remade(repo, patterns=("build/*", "only/*/*.o", "nothing*"))
    assert not remade(repo, patterns=("*",))
    assert not remade(repo, patterns=("forced/*",))
    assert not remade(repo, patterns=("*.[oc]", "s*/*.c"))
    assert not remade(repo, patterns=(".*",))
    assert not remade(repo, patterns=("*/../notes",))
    put(repo / "key.key")
    assert not remade(repo, patterns=("*.key",))


def test_links_are_not_followed_and_do_not_lead_out(repo: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside/build/a")
    (repo / "linked").symlink_to(repo / "src")
    (repo / "out").symlink_to(tmp_path / "outside")
    (repo / "inwards").symlink_to(repo / "build")
    assert remade(repo, "linked")
    assert not remade(repo, "linked/")
    assert not remade(repo, "linked/s.c")
    assert not remade(repo, "out/build")
    assert not remade(repo, patterns=("out/*",))
    assert not remade(repo, "inwards")
    assert remade(repo, "inwards/a")


def test_a_repository_inside_is_never_made_again(repo: Path) -> None:
    put(repo / "build/deep/lib/.GIT/config")
    assert not remade(repo, "build")
    assert remade(repo, "build/a")


def test_a_root_or_a_mount_inside_stays(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not remade(repo, "build", roots=(repo / "build/deep",))
    assert not remade(repo, "build/deep", roots=(repo / "build/deep",))
    mounts = put(tmp_path / "mounts", f"1 2 0:1 / {repo}/build/deep rw - tmpfs none rw\n1 2 0:1 / /a\\040b rw\n")
    monkeypatch.setattr(deletion_facts, "MOUNTS", str(mounts))
    assert not remade(repo, "build")
    assert not remade(repo, "build/deep")
    assert remade(repo, "build/a")


def test_what_a_build_made_is_known_by_what_lies_beside_it_or_in_it(repo: Path, tmp_path: Path) -> None:
    """Required: with and without a repository, and never against one that knows the file."""
    plain = tmp_path / "plain"
    for place in (repo, plain):
        for name in ("web/node_modules/p/i", "web/package.json", "venv/pyvenv.cfg", "venv/x", "c/x.c", "c/y.o",
                     "pkg/__pycache__/m.pyc", "w/CMakeCache.txt", "z/pyvenv.cfg.txt", "t/Cargo.toml/x",
                     "t/target/y"):  # fmt: skip
            put(place / name)
        put(place / "cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
        put(place / "false/CACHEDIR.TAG", "Signature: none\n")
        put(place / "c/x.o")
        for name in ("web/node_modules", "venv", "c/x.o", "pkg/__pycache__", "w", "cache"):
            assert remade(place, name), name
        for name in ("web", "pkg/m.py", "z", "false", "t/target", "t", "web/package.json", "c"):
            assert not remade(place, name) or not (place / name).exists(), name
    assert not remade(plain, "c/y.o")
    git(repo, "add", "-f", "venv/x")
    assert not remade(repo, "venv")


def test_ignored_files_go_as_a_whole_unless_a_secret_is_among_them(repo: Path) -> None:
    """Required: `git clean -fdX` takes `.env` as well."""
    whole = Deletion(ignored_only=True)
    roots = [str(repo)]
    assert not can_be_made_again(whole, str(repo), roots, private_tmp=False)
    assert can_be_made_again(whole, str(repo / "src"), roots, private_tmp=False)
    (repo / ".env").unlink()
    assert can_be_made_again(whole, str(repo), roots, private_tmp=False)
    put(repo / "src/deep/server.key")
    assert not can_be_made_again(whole, str(repo), roots, private_tmp=False)
    assert not can_be_made_again(whole, str(repo.parent), [str(repo.parent)], private_tmp=False)
    assert not can_be_made_again(whole, str(repo), [], private_tmp=False)


def test_the_projects_own_tmp_holds_nothing_but_what_commands_made(repo: Path) -> None:
    words = Deletion(("/tmp/anything",))
    assert can_be_made_again(words, str(repo), [str(repo)], private_tmp=True)
    assert not can_be_made_again(words, str(repo), [str(repo)], private_tmp=False)
    assert not can_be_made_again(Deletion(("/tmp",)), str(repo), [str(repo)], private_tmp=True)
    assert not can_be_made_again(Deletion(("/tmp/a",)), str(repo), ["/tmp/a/ws"], private_tmp=True)
    assert not can_be_made_again(Deletion(("/tmp/../etc",)), str(repo), [str(repo)], private_tmp=True)


def test_what_a_line_moves_may_be_there_by_then(repo: Path) -> None:
    assert not can_be_made_again(Deletion(("gone",), may_arrive=True), str(repo), [str(repo)], private_tmp=False)
    missing = Deletion(("build",), directory="missing")  # the `cd` fails, and the line goes on
    assert not can_be_made_again(missing, str(repo), [str(repo)], private_tmp=False)
    assert can_be_made_again(Deletion(("../build",), directory="src"), str(repo), [str(repo)], private_tmp=False)


@pytest.mark.parametrize("limit", ["PATHS_MAX", "ENTRIES_MAX", "LISTED_MAX", "JUDGED_MAX", "INDEX_BYTES_MAX"])
def test_behind_each_limit_somebody_is_asked(repo: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    assert remade(repo, "build", "only", patterns=("*.o",))
    monkeypatch.setattr(deletion_facts, limit, 1)
    assert not remade(repo, "build", "only", patterns=("*.o",))


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_whatever_form_the_index_has_what_git_knows_stays(repo: Path, version: str) -> None:
    git(repo, "update-index", "--index-version", version)
    assert not remade(repo, "forced/a.o")
    assert remade(repo, "build") is (version != "4")


def test_a_policy_that_does_not_write_the_workspace_spares_nothing(repo: Path) -> None:
    command = CommandRequest(("rm", "-rf", "build"), str(repo), {})
    deletion = Deletion(("build",))
    assert programs_on_disk(WorkspaceWrite(), str(repo))(command).makes_again(deletion)
    assert not programs_on_disk(ReadOnly(), str(repo))(command).makes_again(deletion)
    elsewhere = command.but(env={"CDPATH": "/"})
    assert not programs_on_disk(WorkspaceWrite(), str(repo))(elsewhere).makes_again(deletion)


def test_what_cannot_be_read_is_asked_about(repo: Path) -> None:
    os.mkfifo(repo / "pipe")
    (repo / ".git/index").unlink()
    (repo / ".git/index").mkdir()
    assert not remade(repo, "build")
    assert not remade(repo, "x" * 300)
    assert not remade(repo, "build\0")


def test_what_find_finds_by_its_name_is_judged_one_by_one(repo: Path) -> None:
    for place in ("src/__pycache__/s.pyc", "src/.hidden/__pycache__/h.pyc", "notes.d/__pycache__/n.pyc"):
        put(repo / place)
    assert found(repo, "__pycache__")
    assert found(repo, "__py*", "src", "notes.d/")
    assert found(repo, "build")
    assert found(repo, "*.o", "only")
    assert found(repo, "no-such-name")
    assert found(repo, "build", "build/")
    assert not found(repo, "__pycache__", may_arrive=True)


@pytest.mark.parametrize(
    ("name", "below"),
    [("*.o", "."), ("*", "."), ("s.c", "."), ("src", "src"), ("src", "src/"), ("src", "src//"), (".", "."),
     ("config", ".git"), ("hooks", "."), ("*", ".."), (".env", ".")],
)  # fmt: skip
def test_one_that_is_found_and_cannot_be_made_again_keeps_them_all(repo: Path, name: str, below: str) -> None:
    """Required: what git knows, its own directory, secrets, and whatever lies outside, wherever they are found."""
    (repo / "linked-out").symlink_to(repo.parent)
    put(repo / "src/__pycache__/s.pyc")
    assert not found(repo, name, below)
    assert not found(repo, name, "build", below)


def test_a_link_where_looking_begins_is_only_itself(repo: Path) -> None:
    (repo / "elsewhere").symlink_to(repo / "src")
    assert found(repo, "s.c", "elsewhere")
    assert not found(repo, "s.c", "elsewhere/")


@pytest.mark.parametrize("name", ["??", "s?c", "*?o"])
def test_whatever_find_itself_finds_is_judged(repo: Path, name: str) -> None:
    """Required: where the locale knows no letters of two bytes, too; the real find says so."""
    put(repo / "é")
    for locale in ("C", "C.UTF-8"):
        words = ("find", ".", "-name", name)
        real = subprocess.run(words, cwd=repo, env={"LC_ALL": locale, "PATH": os.environ["PATH"]}, capture_output=True)
        listed = [os.fsdecode(line) for line in real.stdout.splitlines()]
        assert listed
        assert all(remade(repo, path) for path in listed) or not found(repo, name)
