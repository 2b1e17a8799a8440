"""Objects that were there, read through the machine's own git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandgate.sandbox import old_objects
from sandgate.sandbox.old_objects import OldObjects, Unreadable


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    steps = (
        "git init -q .; echo x > file; git add file; git -c user.name=n -c user.email=e commit -qm one; "
        "git config core.fsmonitor 'touch obeyed; false'; git config core.sshCommand 'touch obeyed'; "
        "git config core.pager 'touch obeyed'"
    )
    subprocess.run(["sh", "-c", steps], cwd=tmp_path, check=True)
    return tmp_path


def test_type_and_content_of_one_after_the_other(repository: Path) -> None:
    objects = OldObjects(str(repository / ".git"))
    commit = objects.read("HEAD")
    assert commit is not None
    assert commit[0] == b"commit"
    assert commit[1].endswith(b"\n\none\n")
    tree = objects.read("HEAD^{tree}")
    assert tree is not None
    assert tree[1].startswith(b"100644 file\0")
    assert objects.read("HEAD:file") == (b"blob", b"x\n")
    assert objects.read("00" * 20) is objects.read("two words") is objects.read("a\nb") is None
    objects.close()
    assert not (repository / "obeyed").exists()


def test_without_a_git_of_the_machine_it_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_objects, "GIT_PLACES", (str(repository / "git"),))
    (repository / "git").write_text("#!/bin/sh\ntouch obeyed\n")
    (repository / "git").chmod(0o777)
    with pytest.raises(Unreadable, match="there is no git at"):
        OldObjects(str(repository / ".git")).read("HEAD")
    assert not (repository / "obeyed").exists()


def test_a_git_that_ends_or_says_too_much_is_told(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = OldObjects(str(repository / "nowhere"))
    with pytest.raises(Unreadable, match="git has ended"):
        ended.read("HEAD")
    ended.close()
    monkeypatch.setattr(old_objects, "OBJECT_BYTES_MAX", 1)
    large = OldObjects(str(repository / ".git"))
    with pytest.raises(Unreadable, match="larger than 1 bytes"):
        large.read("HEAD:file")
    large.close()
