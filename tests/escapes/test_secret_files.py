"""Credentials on the disk are not readable (threat table, row 20)."""

import os

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

SECRET = "correct horse battery"
PLACES = (".aws/credentials", ".ssh/id_ed25519", ".netrc", ".config/gh/hosts.yml", ".bash_history", "keys/deploy")


def plant(stage: Stage) -> None:
    for place in PLACES:
        (stage.home / place).parent.mkdir(parents=True, exist_ok=True)
        (stage.home / place).write_text(SECRET)
    (stage.home / ".ssh" / "config").write_text("Host *\n  IdentityFile ~/keys/deploy\n")
    (stage.state / "auth.json").write_text(SECRET)
    stage.own()


@BOTH_BACKENDS
def test_no_secret_is_found_by_searching_everything(stage: Stage, backend: str) -> None:
    plant(stage)
    attack = ["grep", "-rls", SECRET, str(stage.home), str(stage.state)]
    assert len(stage.unconfined(attack).stdout.split()) == len(PLACES) + 1
    assert stage.confined(attack, backend=backend).stdout == ""


@BOTH_BACKENDS
@pytest.mark.parametrize("place", PLACES)
def test_reading_one_is_explained_with_the_grant_that_allows_it(stage: Stage, backend: str, place: str) -> None:
    plant(stage)
    ran = stage.confined(["cat", str(stage.home / place)], backend=backend)
    assert (ran.stdout, ran.verdict) == ("", "denied"), ran
    operation, path, grant = ran.denials[0]
    assert operation == "read"
    assert str(stage.home / place).startswith(path)
    opened = stage.confined(["cat", str(stage.home / place)], backend=backend, grants=[tuple(grant)])
    assert opened.stdout == SECRET, opened


@BOTH_BACKENDS
def test_a_link_in_the_workspace_does_not_open_one(stage: Stage, backend: str) -> None:
    plant(stage)
    (stage.repo / "link").symlink_to(stage.home / ".netrc")
    assert stage.unconfined(["cat", "link"]).stdout == SECRET
    assert stage.confined(["cat", "link"], backend=backend).stdout == ""


@BOTH_BACKENDS
def test_our_own_state_stays_closed_whatever_is_granted(stage: Stage, backend: str) -> None:
    plant(stage)
    target = stage.state / "auth.json"
    ran = stage.confined(["cat", str(target)], backend=backend, grants=[("read_path", str(target))])
    assert SECRET not in ran.said


@pytest.mark.skipif(os.geteuid() != 0, reason="password hashes are readable by root only")
@BOTH_BACKENDS
def test_password_hashes_are_closed_even_to_root(stage: Stage, backend: str) -> None:
    if stage.uid == 0:
        assert stage.unconfined(["cat", "/etc/shadow"]).stdout != ""
    assert stage.confined(["cat", "/etc/shadow"], backend=backend).stdout == ""
