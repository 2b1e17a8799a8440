"""Files that something obeys later are told when a command made or changed them, and others are not."""

import time
from pathlib import Path
from typing import Literal

import pytest

from sandgate.execution import planted_files
from sandgate.execution.planted_files import Planted
from sandgate.places.git import STEPS
from sandgate.places.run_later import CLOSED, USUAL, rows
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.listing import Listing, join, read_listing
from support.suite.rows import every

Known = tuple[int, int, int, Listing]


def plan(root: Path, *, confined: bool = True) -> ConfinedCommand:
    permissions = EffectivePermissions(writable=(str(root),), confined=confined)
    backend: Literal["landlock", "none"] = "landlock" if confined else "none"
    return ConfinedCommand(backend=backend, argv=("true",), cwd=str(root), env={}, permissions=permissions)


def known_below(root: Path) -> dict[str, Known]:
    """As a search leaves it behind: three levels, each with its mark."""
    found: dict[str, Known] = {}
    level = [str(root)]
    for _ in range(3):
        below = []
        for directory in level:
            about = Path(directory).lstat()
            listing = read_listing(directory, lambda _one, _other: False)
            # A change time that cannot be the next one, as those of settled directories are not.
            found[directory] = (about.st_dev, about.st_ino, about.st_ctime_ns - 1, listing)
            below += [join(directory, name) for name in listing.directories]
        level = below
    return found


def before(root: Path) -> Planted:
    return Planted(plan(root), known_below(root))


def settled(root: Path) -> None:
    """Waits until the clock that files are stamped with shows a later time than everything below `root` bears."""
    newest = max(path.lstat().st_ctime_ns for path in root.rglob("*"))
    while time.clock_gettime_ns(planted_files.FILES_CLOCK) <= newest:
        pass


def put(path: Path, text: str = "new") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def example(name: str) -> str:
    return "planted" + name[1:] if name[0] == "*" else name


TOLD = [name for name, _, decision, _ in rows() if decision in ("told", "told-when-made")]
WATCHED = [example(name) for name in (*TOLD, *CLOSED)]
OPEN = [name for name, _, decision, _ in rows() if decision == "open"]


@every("name", WATCHED)
@every("place", ["", "sub/", "made/meanwhile/"])
def test_every_watched_name_is_told_when_it_is_made(tmp_path: Path, name: str, place: str) -> None:
    (tmp_path / "sub").mkdir()
    told = before(tmp_path)
    put(tmp_path / f"{place}{name}")
    told.look()
    assert [*told.made] == [str(tmp_path / f"{place}{name}")]
    assert f"`{tmp_path / place}" in told.sentence()


@every("name", WATCHED)
def test_it_is_told_however_it_came(tmp_path: Path, name: str) -> None:
    """Required: by a rename, a link, a directory, or moved with what holds it."""
    put(tmp_path / "ready" / name)
    told = before(tmp_path)
    (tmp_path / "ready").rename(tmp_path / "moved")
    told.look()
    assert [*told.made] == [str(tmp_path / "moved" / name)]


@every("name", [name for name, _, decision, _ in rows() if decision == "told"])
def test_a_change_is_told_where_the_table_says_so(tmp_path: Path, name: str) -> None:
    place = tmp_path / "sub" if name.count("/") < 2 else tmp_path  # a search knows three levels
    put(place / example(name), "old")
    told = before(tmp_path)
    put(place / example(name), "changed")
    told.look()
    assert f"`{place}/" in told.sentence()
    assert not told.made


@every("name", [name for name, _, decision, _ in rows() if decision == "told-when-made"] + OPEN)
def test_an_everyday_change_is_not_told(tmp_path: Path, name: str) -> None:
    put(tmp_path / example(name), "old")
    told = before(tmp_path)
    put(tmp_path / example(name), "changed")
    put(tmp_path / "other.txt")
    told.look()
    assert told.sentence() == ""


@every("name", OPEN)
def test_an_everyday_file_that_is_made_is_not_told(tmp_path: Path, name: str) -> None:
    told = before(tmp_path)
    put(tmp_path / name)
    told.look()
    assert told.sentence() == ""


def test_what_is_inside_a_directory_that_is_obeyed_counts(tmp_path: Path) -> None:
    put(tmp_path / ".github" / "workflows" / "ci.yml", "old")
    told = before(tmp_path)
    put(tmp_path / ".github" / "workflows" / "ci.yml", "changed")
    told.look()
    assert [*told.changed] == [f"{tmp_path}/.github/workflows/ci.yml"]


PACKAGES = ".venv/lib/python3.11/site-packages"


@pytest.mark.parametrize("name", ["evil.pth", "sitecustomize.py", "usercustomize.py", "EVIL.PTH"])
@pytest.mark.parametrize("how", ["written", "moved", "linked"])
@pytest.mark.parametrize("environment", ["", "sub/"])
def test_what_every_python_of_an_environment_obeys_is_told(
    tmp_path: Path, name: str, how: str, environment: str
) -> None:
    packages = tmp_path / (environment + PACKAGES)
    put(packages / "old.pth")
    put(packages.parents[2] / "pyvenv.cfg")
    put(tmp_path / "ready", "import evil")
    settled(tmp_path)
    told = before(tmp_path)
    if how == "written":
        put(packages / name)
    elif how == "moved":
        (tmp_path / "ready").rename(packages / name)
    else:
        (packages / name).hardlink_to(tmp_path / "ready")
    put(packages / "module.py")
    told.look()
    assert [*told.made] == [str(packages / name)]


def test_the_packages_of_a_directory_that_is_no_environment_are_not_looked_at(tmp_path: Path) -> None:
    put(tmp_path / PACKAGES / "old.pth")
    told = before(tmp_path)
    put(tmp_path / PACKAGES / "new.pth")
    told.look()
    assert told.sentence() == ""


def test_only_so_many_environments_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted_files, "ENVIRONMENTS_MAX", 1)
    for name in "ab":
        put(tmp_path / name / PACKAGES[6:] / "old.py")
        put(tmp_path / name / "pyvenv.cfg")
    told = before(tmp_path)
    for name in "ab":
        put(tmp_path / name / PACKAGES[6:] / "new.pth")
    told.look()
    assert len(told.made) == 1


def test_a_line_names_a_few_and_counts_the_others(tmp_path: Path) -> None:
    told = before(tmp_path)
    for number in range(planted_files.NAMED_MAX + 2):
        put(tmp_path / str(number) / "AGENTS.md")
    told.look()
    assert told.sentence().endswith(" and 2 more")


def test_what_is_moved_away_is_not_told_as_left(tmp_path: Path) -> None:
    told = before(tmp_path)
    for name in (".envrc", ".vscode"):
        put(tmp_path / name)
    told.look()
    assert ".vscode" in told.sentence((f"{tmp_path}/.envrc",))
    assert ".envrc" not in told.sentence((f"{tmp_path}/.envrc",))
    assert told.sentence((f"{tmp_path}/.envrc", f"{tmp_path}/.vscode")) == ""


def test_an_unconfined_run_is_not_watched(tmp_path: Path) -> None:
    told = Planted(plan(tmp_path, confined=False), known_below(tmp_path))
    put(tmp_path / "AGENTS.md")
    told.look()
    assert told.sentence() == ""


def test_only_so_many_directories_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted_files, "DIRECTORIES_MAX", 2)
    for name in "abc":
        (tmp_path / name).mkdir()
    told = before(tmp_path)
    for name in "abc":
        put(tmp_path / name / "AGENTS.md")
    put(tmp_path / "AGENTS.md")
    told.look()
    assert f"{tmp_path}/AGENTS.md" in told.made
    assert len(told.made) == 2


@pytest.mark.parametrize("git", [".git", "sub/.git", ".git/worktrees/other"])
def test_what_a_waiting_rebase_has_to_do_is_told(tmp_path: Path, git: str) -> None:
    """Required: its `exec` lines run at the person's next `git rebase --continue`."""
    todo = tmp_path / git / STEPS
    todo.parent.parent.mkdir(parents=True)
    told = before(tmp_path)
    put(todo, "exec evil")
    told.look()
    assert told.made == {str(todo): "git rebase --continue"}
    told = before(tmp_path)
    put(todo, "exec worse and longer")
    told.look()
    assert told.changed == {str(todo): "git rebase --continue"}


def test_nothing_is_told_of_a_rebase_that_no_command_may_touch(tmp_path: Path) -> None:
    todo = tmp_path / ".git" / STEPS
    todo.parent.parent.mkdir(parents=True)
    closed = plan(tmp_path)
    told = Planted(
        closed.but(permissions=closed.permissions.but(read_only=(str(tmp_path / ".git"),))), known_below(tmp_path)
    )
    put(todo, "the person's own")
    told.look()
    assert told.sentence() == ""


def test_the_same_permissions_are_asked_once_which_git_directories_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    asked: list[str] = []
    may_write = EffectivePermissions.may_write

    def counted(self: EffectivePermissions, path: str) -> bool:
        asked.append(path)
        return may_write(self, path)

    monkeypatch.setattr(EffectivePermissions, "may_write", counted)
    same, known = plan(tmp_path), known_below(tmp_path)
    for _ in range(3):
        Planted(same, known)
    assert asked == [f"{tmp_path}/.git/{STEPS}"]
    Planted(plan(tmp_path), known)
    assert len(asked) == 2


SHIM = USUAL["distutils-precedence.pth"][0].decode()


@pytest.mark.parametrize(("text", "told"), [(SHIM, False), (SHIM + "import evil\n", True), ("import evil", True)])
@pytest.mark.parametrize("fresh", [True, False])
def test_what_every_new_environment_has_is_no_news_with_just_that_content(
    tmp_path: Path, text: str, told: bool, fresh: bool
) -> None:
    """Required: `python3 -m venv` with an older Python ends without a line."""
    packages = tmp_path / PACKAGES
    if not fresh:
        put(packages / "old.pth")
        put(packages.parents[2] / "pyvenv.cfg")
        settled(tmp_path)
    looking = before(tmp_path)
    put(packages / "distutils-precedence.pth", text)
    looking.look()
    assert [*looking.made] == ([str(packages / "distutils-precedence.pth")] if told else [])
