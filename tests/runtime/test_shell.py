"""Which shell runs a script."""

import os
import pwd
import subprocess

import pytest

from sandgate.runtime.shell import FALLBACKS, shell_argv, user_shell


def belongs_to(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = pwd.struct_passwd(("u", "x", os.getuid(), os.getgid(), "", "/home/u", shell))
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: entry)


def test_the_users_own_shell_runs_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    belongs_to("/bin/sh", monkeypatch)
    assert shell_argv("exit 3 | exit 4") == ("/bin/sh", "-c", "exit 3 | exit 4")


def test_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: it can be forged."""
    belongs_to("/bin/sh", monkeypatch)
    monkeypatch.setenv("SHELL", "/repo/evil/bash")
    assert user_shell() == "/bin/sh"


@pytest.mark.parametrize("own", ["/usr/bin/fish", "/usr/sbin/nologin", "", "/nowhere/bash"])
def test_a_shell_we_do_not_understand_or_cannot_run_is_replaced(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    belongs_to(own, monkeypatch)
    assert user_shell() in FALLBACKS


def test_a_user_without_an_account_gets_a_shell_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> pwd.struct_passwd:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert subprocess.run(shell_argv("echo $((1 + 1))"), capture_output=True, check=True).stdout == b"2\n"
