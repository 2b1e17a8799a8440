"""Wrappers that add nothing: which command stands inside, and when that cannot be said."""

from __future__ import annotations

import pytest

from sandgate.policy.safe_wrappers import APPLETS, at_exec, module, through_wrapper


@pytest.mark.parametrize(
    ("argv", "inner"),
    [
        (("timeout", "5", "ls", "-l"), ("ls", "-l")),
        (("nice", "-n", "5", "ls"), ("ls",)),
        (("env", "-i", "A=1", "ls"), ("ls",)),
        (("env", "PATH=/usr/bin:/bin", "ls"), ("ls",)),
        (("busybox", "ls"), ("ls",)),
    ],
)
def test_the_inner_command_is_found(argv: tuple[str, ...], inner: tuple[str, ...]) -> None:
    assert through_wrapper(argv[0], argv, None) == (inner, None)


@pytest.mark.parametrize(
    "argv",
    [
        ("timeout", "5"),
        ("env", "PATH=.:/bin", "ls"),
        ("env", "LD_PRELOAD=x", "ls"),
        ("busybox", "rm", "x"),
        ("strace", "ls"),
        ("ls",),
    ],
)
def test_a_wrapper_with_a_business_of_its_own_has_none(argv: tuple[str, ...]) -> None:
    assert through_wrapper(argv[0], argv, None) is None


def test_what_xargs_runs_gets_words_nobody_knows() -> None:
    assert through_wrapper("xargs", ("xargs", "ls"), None) == (("ls", "x"), ("exact", "unknown"))


def test_a_module_of_python_is_the_program_of_its_name() -> None:
    assert module("python3", ("python3", "-m", "pip", "list"), None) == (("pip", "list"), None)
    assert module("python3", ("python3", "-m", "mine"), None) is None


def test_no_applet_deletes() -> None:
    assert not APPLETS & {"rm", "mv", "cp", "sh", "ash", "wget", "dd", "vi"}


def test_what_fd_runs_for_each_file_gets_a_name_nobody_knows() -> None:
    assert at_exec(("fd", "-e", "py", "-x", "wc", "-l"), None) == (
        ("wc", "-l", "x"),
        ("exact", "exact", "unknown"),
        ("fd", "-e", "py"),
    )


@pytest.mark.parametrize("words", ["-H env -x cat", "key / -x cat", ".env -x cat", "-e py -x", "-e py -x wc ; ls"])
def test_what_fd_may_run_on_secrets_is_not_looked_into(words: str) -> None:
    assert at_exec(("fd", *words.split()), None) is None
