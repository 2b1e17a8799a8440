"""Which project a directory belongs to, who trusts it, and what follows."""

import os
from pathlib import Path

import pytest

from sandgate.errors import ConfigError
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from support.config.config_machine import Machine


def linked_worktree(machine: Machine, at: Path, *, agreed: bool = True) -> Path:
    """A linked worktree as `git worktree add` leaves it; `agreed` says whether the main checkout knows it."""
    private = machine.project / ".git" / "worktrees" / "wt"
    private.mkdir(parents=True)
    at.mkdir()
    (at / ".git").write_text(f"gitdir: {private}\n")
    (private / "commondir").write_text("../..\n")
    (private / "gitdir").write_text(f"{at if agreed else at.parent / 'other'}/.git\n")
    return at


@pytest.mark.parametrize(
    ("level", "sandbox", "approval"),
    [
        ("trusted", WorkspaceWrite(), "on-request"),
        ("untrusted", ReadOnly(), "untrusted"),
        (None, ReadOnly(), "on-request"),
    ],
)
def test_the_defaults_follow_the_trust(machine: Machine, level: str | None, sandbox: object, approval: str) -> None:
    if level:
        machine.trust(level=level)
    settings = machine.load().settings
    assert (settings.trust, settings.sandbox, settings.approval) == (level or "unknown", sandbox, approval)


def test_trust_covers_the_project_from_its_root_down(machine: Machine) -> None:
    machine.trust()
    deep = machine.project / "a" / "b"
    deep.mkdir(parents=True)
    assert machine.load(cwd=deep).settings.trust == "trusted"
    assert machine.load(cwd=deep).settings.project_root == str(machine.project)


def test_a_repository_inside_a_trusted_one_is_a_project_of_its_own(machine: Machine) -> None:
    machine.trust()
    cloned = machine.project / "vendor" / "theirs"
    (cloned / ".git").mkdir(parents=True)
    assert machine.load(cwd=cloned).settings.trust == "unknown"


def test_other_spellings_of_a_path_are_the_same_project(machine: Machine, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(machine.project)
    machine.write_user(f'[projects."{alias}/../alias/"]\ntrust_level = "trusted"')
    assert machine.load().settings.trust == "trusted"
    machine.trust()
    assert machine.load(cwd=alias).settings.trust == "trusted"


@pytest.mark.parametrize("levels", [("trusted", "untrusted"), ("untrusted", "trusted")])
def test_of_two_spellings_the_stricter_word_counts(machine: Machine, levels: tuple[str, str]) -> None:
    alias = machine.home / "alias"
    alias.symlink_to(machine.project)
    spellings = (str(machine.project), str(alias))
    machine.write_user(
        "".join(
            f'[projects."{path}"]\ntrust_level = "{level}"\n' for path, level in zip(spellings, levels, strict=True)
        )
    )
    assert machine.load().settings.trust == "untrusted"


def test_a_linked_worktree_is_trusted_like_its_main_checkout(machine: Machine, tmp_path: Path) -> None:
    machine.trust()
    assert machine.load(cwd=linked_worktree(machine, tmp_path / "worktree")).settings.trust == "trusted"


def test_a_directory_cannot_make_itself_a_worktree_of_a_trusted_project(machine: Machine, tmp_path: Path) -> None:
    """The pointer file is the directory's own word; only the main checkout's counts."""
    machine.trust()
    forged = linked_worktree(machine, tmp_path / "forged", agreed=False)
    assert machine.load(cwd=forged).settings.trust == "unknown"


def test_a_forged_git_directory_does_not_reach_a_trusted_project(machine: Machine, tmp_path: Path) -> None:
    machine.trust()
    forged = tmp_path / "forged"
    private = forged / "fake" / ".git" / "worktrees" / "x"
    private.mkdir(parents=True)
    (forged / ".git").write_text("gitdir: fake/.git/worktrees/x\n")
    (private / "gitdir").write_text(f"{forged}/.git\n")
    (private / "commondir").write_text(f"{machine.project}/.git\n")
    assert machine.load(cwd=forged).settings.trust == "unknown"


def test_files_inside_a_trusted_project_do_not_vouch_for_a_worktree(machine: Machine, tmp_path: Path) -> None:
    """What lies in a project may come from anybody; only what lies in its `.git` is the user's."""
    machine.trust()
    forged = tmp_path / "forged"
    vendored = machine.project / "vendor" / "lib" / "x"
    vendored.mkdir(parents=True)
    forged.mkdir()
    (forged / ".git").write_text(f"gitdir: {vendored}\n")
    (vendored / "gitdir").write_text(f"{forged}/.git\n")
    assert machine.load(cwd=forged).settings.trust == "unknown"


@pytest.mark.parametrize("kind", ["pipe", "directory", "noise"])
def test_a_strange_git_pointer_is_no_worktree(machine: Machine, tmp_path: Path, kind: str) -> None:
    machine.trust()
    place = tmp_path / "strange"
    place.mkdir()
    pointer = place / ".git"
    if kind == "pipe":
        os.mkfifo(pointer)
    elif kind == "directory":
        pointer.mkdir()
    else:
        pointer.write_bytes(b"gitdir: \xff\0")
    assert machine.load(cwd=place).settings.trust == "unknown"


def test_trust_can_be_given_on_the_command_line(machine: Machine) -> None:
    assert machine.load(f'projects."{machine.project}".trust_level=trusted').settings.trust == "trusted"


def test_a_project_nobody_trusts_is_not_read_and_its_user_is_told(machine: Machine) -> None:
    """Required: the layer is listed with the reason, has no effect, and a broken file is no error."""
    file = machine.write_project("this is not TOML")
    loaded = machine.load()
    assert [(layer.name, layer.file, layer.disabled) for layer in loaded.layers] == [
        ("project", str(file), "the project is not trusted")
    ]
    assert loaded.warnings == (
        f"ignored {file.parent}: the project is not trusted; to use it, write "
        f'`[projects."{machine.project}"]` with `trust_level = "trusted"` into the user configuration',
    )
    assert [directory.owner for directory in loaded.rules] == ["system", "user"]


def test_a_project_marked_untrusted_is_ignored_in_silence(machine: Machine) -> None:
    machine.write_project("this is not TOML")
    machine.trust(level="untrusted")
    loaded = machine.load()
    assert (loaded.warnings, loaded.layers[-1].disabled) == ((), "the project is marked untrusted")


def test_a_broken_file_of_a_trusted_project_is_an_error(machine: Machine) -> None:
    machine.trust()
    machine.write_project("this is not TOML")
    with pytest.raises(ConfigError, match=r"it is not valid TOML: .*line 1"):
        machine.load()


def test_the_closest_project_file_wins_and_paths_start_at_its_directory(machine: Machine) -> None:
    machine.trust()
    machine.write_project('exec.timeout_ms = 20\nsecrets.hidden = ["outer"]')
    machine.write_project('exec.timeout_ms = 10\nsecrets.hidden = ["inner"]', below="a")
    settings = machine.load(cwd=machine.project / "a").settings
    assert settings.timeout_ms == 10
    assert settings.secrets_hidden == (f"{machine.project}/.sandgate/outer", f"{machine.project}/a/.sandgate/inner")


def test_the_home_directory_is_never_a_project(machine: Machine) -> None:
    machine.write_user(f'exec.capture_bytes = 5\n[projects."{machine.home}"]\ntrust_level = "trusted"')
    loaded = machine.load(cwd=machine.home)
    assert [layer.name for layer in loaded.layers] == ["user"]
    assert loaded.warnings == ()


def test_other_markers_make_other_roots(machine: Machine) -> None:
    (machine.project / "a" / "b").mkdir(parents=True)
    (machine.project / "a" / "pyproject.toml").touch()
    machine.write_user('project_root_markers = ["pyproject.toml"]')
    assert machine.load(cwd=machine.project / "a" / "b").settings.project_root == f"{machine.project}/a"
