"""Names that carry code for later cannot be changed, replaced or made (threat table, rows 13 and 14)."""

import os

import pytest

from sandgate.places.run_later import CLOSED, CLOSED_NAMES
from support.escape.escape_stage import BOTH_BACKENDS, Stage

# Every closed name of the table; an ending stands there as one name that has it.
NAMES = (".git", *CLOSED_NAMES, *("planted" + name[1:] for name in CLOSED if name[0] == "*"))

# Every way of getting new content under a name: one script, so that each name costs one run.
REPLACE = """
import os, sys
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        pass
def write(path):
    with open(path, "w") as file:
        file.write("evil")
names = sys.argv[1:]
for name in names:
    above = os.path.dirname(name)
    os.makedirs("prepared/" + name, exist_ok=True)
    if above:
        os.makedirs("spare/" + name, exist_ok=True)
        attempt(os.rename, "spare/" + above, above)
        attempt(os.symlink, "spare/" + above, above)
        attempt(os.makedirs, above)
        attempt(os.rename, "spare/" + above, above)
        attempt(os.rename, above, f"aside-{names.index(name)}")
        attempt(os.symlink, "spare/" + above, above)
        attempt(os.unlink, above)
        attempt(os.makedirs, above)
    attempt(write, name)
    attempt(write, name + "/evil")
    attempt(os.mkdir, name)
    attempt(os.symlink, "evil", name)
    attempt(os.rename, name, "moved" + os.path.basename(name))
    attempt(os.rename, "prepared/" + name, name)
    write("prepared-file")
    attempt(os.unlink, name)
    attempt(os.rename, "prepared-file", name)
    attempt(os.link, "prepared-file", name)
    attempt(os.chmod, name, 0o777)
    attempt(os.utime, name, (1, 1))
    attempt(os.mknod, name, 0o100644)
    if os.path.lexists(name):
        print(name)
"""


@BOTH_BACKENDS
def test_names_that_do_not_exist_cannot_be_made(stage: Stage, backend: str) -> None:
    """Required: and nothing of it is left on the disk afterwards."""
    attack = stage.script(REPLACE, *NAMES)
    ran = stage.confined(attack, backend=backend)
    assert (ran.exit_code, ran.stdout) == (0, ""), ran
    assert [name for name in NAMES if os.path.lexists(stage.repo / name)] == []
    assert not [name for name in ran.created if not os.path.basename(name).startswith("aside")]
    assert ran.verdict == "denied"


@pytest.mark.host("namespace")
def test_the_same_script_makes_every_one_of_them_outside(stage: Stage) -> None:
    assert stage.unconfined(stage.script(REPLACE, *NAMES)).stdout.splitlines() == [*NAMES]


@BOTH_BACKENDS
@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_names_that_exist_keep_their_content(stage: Stage, backend: str, kind: str) -> None:
    (stage.repo / "decoy").mkdir()
    for name in NAMES:
        (stage.repo / name).parent.mkdir(parents=True, exist_ok=True)
        if kind == "directory":
            (stage.repo / name).mkdir()
            (stage.repo / name / "content").write_text("good")
        elif kind == "file":
            (stage.repo / name).write_text("good")
        else:
            (stage.repo / name).symlink_to(stage.repo / "decoy")
    stage.own()
    names = {f"{stage.repo}/{name}" for name in NAMES}
    before = {path: about for path, about in stage.tree().items() if any(path.startswith(name) for name in names)}
    ran = stage.confined(stage.script(REPLACE, *NAMES), backend=backend)
    assert ran.exit_code == 0, ran
    after = {path: about for path, about in stage.tree().items() if any(path.startswith(name) for name in names)}
    assert after == before


@BOTH_BACKENDS
def test_a_nested_repository_cannot_be_swapped_for_an_impostor(stage: Stage, backend: str) -> None:
    """Required: moving the directory away moves the protection with it, so the directory must not move."""
    git = stage.repository(stage.repo / "vendor" / "lib")
    attack = ["sh", "-c", "mv vendor old && mkdir -p vendor/lib/.git && echo evil > vendor/lib/.git/config"]
    ran = stage.confined(attack, backend=backend)
    assert ran.exit_code != 0
    assert "evil" not in (git / "config").read_text()
    assert stage.unconfined(attack).exit_code == 0


@BOTH_BACKENDS
def test_hooks_cannot_be_planted(stage: Stage, backend: str) -> None:
    git = stage.repository()
    attack = ["sh", "-c", "echo evil > .git/hooks/pre-commit; git -C . config core.fsmonitor evil; ls .git/hooks"]
    ran = stage.confined(attack, backend=backend)
    assert ran.stdout == ""
    assert list((git / "hooks").iterdir()) == []
    assert "pre-commit" in stage.unconfined(attack).stdout


@BOTH_BACKENDS
def test_commits_work_and_hooks_do_not_in_the_split_form(stage: Stage, backend: str) -> None:
    stage.unconfined(["git", "init", "-q", "."])
    commit = (
        "echo x > file && git add file && git -c user.name=n -c user.email=e commit -qm message && git log --format=%s"
    )
    attack = "; echo evil > .git/hooks/post-commit; mv .git/hooks .git/h; mv .git old; ls .git/hooks/post-commit"
    ran = stage.confined(["sh", "-c", commit + attack], backend=backend, protection={"git": "hooks-and-config"})
    assert ran.stdout == "message\n", ran
    assert not (stage.repo / "old").exists()
    assert (stage.repo / ".git" / "hooks").is_dir()


@BOTH_BACKENDS
def test_a_grant_by_name_lets_exactly_that_name_be_made(stage: Stage, backend: str) -> None:
    grants = [("write_path", str(stage.repo / ".codex"))]
    attack = ["sh", "-c", "mkdir .codex && echo good > .codex/config.toml; mkdir .claude"]
    ran = stage.confined(attack, backend=backend, grants=grants)
    assert (stage.repo / ".codex" / "config.toml").read_text() == "good\n", ran
    assert not os.path.lexists(stage.repo / ".claude")
