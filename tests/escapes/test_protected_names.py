"""Names that carry code for later cannot be changed, replaced or made (threat table, rows 13 and 14)."""

import os

import pytest

from escape_stage import BOTH_BACKENDS, Stage
from sandgate.sandbox.protected import AGENT_NAMES, CODE_CARRIERS

NAMES = (".git", *AGENT_NAMES, *CODE_CARRIERS)

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
for name in sys.argv[1:]:
    attempt(write, name)
    attempt(write, name + "/evil")
    attempt(os.mkdir, name)
    attempt(os.symlink, "evil", name)
    os.makedirs("prepared/" + name, exist_ok=True)
    attempt(os.rename, name, "moved" + name)
    attempt(os.rename, "prepared/" + name, name)
    write("prepared-file")
    attempt(os.unlink, name)
    attempt(os.rename, "prepared-file", name)
    attempt(os.link, "prepared-file", name)
    attempt(os.chmod, name, 0o777)
    attempt(os.utime, name, (1, 1))
    attempt(os.mknod, name, 0o100644)
"""


@BOTH_BACKENDS
def test_names_that_do_not_exist_cannot_be_made(stage: Stage, backend: str) -> None:
    """Required: and nothing of it is left on the disk afterwards."""
    attack = stage.script(REPLACE, *NAMES)
    ran = stage.confined(attack, backend=backend)
    assert ran.exit_code == 0, ran
    left = {path.name for path in stage.repo.iterdir()}
    assert left <= {"prepared", "prepared-file"}
    assert ran.verdict == "denied"


@pytest.mark.host("namespace")
def test_the_same_script_makes_every_one_of_them_outside(stage: Stage) -> None:
    assert stage.unconfined(stage.script(REPLACE, *NAMES)).exit_code == 0
    assert set(NAMES) <= {path.name for path in stage.repo.iterdir()}


@BOTH_BACKENDS
@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_names_that_exist_keep_their_content(stage: Stage, backend: str, kind: str) -> None:
    (stage.repo / "decoy").mkdir()
    for name in NAMES:
        if kind == "directory":
            (stage.repo / name).mkdir()
            (stage.repo / name / "content").write_text("good")
        elif kind == "file":
            (stage.repo / name).write_text("good")
        else:
            (stage.repo / name).symlink_to("decoy")
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
