"""Paths are bytes, not text for a shell (threat table, row 33)."""

import os

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

ODD = [b"with space", b"quote'\"s", b"new\nline", b"--remount-ro", b"\xff\xfe", b"$(touch evil)", b"*", b"-- x"]


@BOTH_BACKENDS
@pytest.mark.parametrize("name", ODD, ids=repr)
def test_an_odd_directory_is_confined_like_any_other(stage: Stage, backend: str, name: bytes) -> None:
    odd = os.fsdecode(os.path.join(os.fsencode(stage.repo), name))
    os.mkdir(odd)
    os.mkdir(os.path.join(odd, ".git"))
    stage.own()
    attack = ["sh", "-c", "echo good > file; echo evil > .git/config; echo evil > ../../outside/file; echo $?"]
    ran = stage.confined(attack, backend=backend, cwd=stage.repo / odd, policy_cwd=stage.repo / odd)
    assert (ran.exit_code, ran.error) == (0, None), ran
    assert sorted(os.listdir(odd)) == [".git", "file"]
    assert os.listdir(os.path.join(odd, ".git")) == []
    assert list(stage.outside.iterdir()) == []


@BOTH_BACKENDS
def test_arguments_arrive_unchanged(stage: Stage, backend: str) -> None:
    arguments = [b"", *ODD, b"a" * 5000]
    show = b"import os, sys; print([os.fsencode(word).hex() for word in sys.argv[1:]])"
    argv: list[str | bytes] = [stage.python, "-I", "-S", "-c", show, *arguments]
    expected = str([word.hex() for word in arguments]) + "\n"
    assert stage.unconfined(argv).stdout == expected
    assert stage.confined(argv, backend=backend).stdout == expected
