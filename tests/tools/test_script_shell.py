"""Which shell runs a script."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.tools.script_shell import (
    FALLBACKS,
    UTF8_PREFIX,
    ScriptShell,
    chosen_shell,
    login_wanted,
    shell_argv,
    shell_kind,
    user_shell,
)


def belongs_to(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = pwd.struct_passwd(("u", "x", os.getuid(), os.getgid(), "", "/home/u", shell))
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: entry)


def program(path: Path, *, mode: int = 0o755) -> str:
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return str(path)


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


def test_a_directory_is_no_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bash").mkdir()
    belongs_to(str(tmp_path / "bash"), monkeypatch)
    assert user_shell() in FALLBACKS


def test_a_user_without_an_account_gets_a_shell_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> pwd.struct_passwd:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert subprocess.run(shell_argv("echo $((1 + 1))"), capture_output=True, check=True).stdout == b"2\n"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bash", "bash"),
        ("/usr/local/bin/zsh", "zsh"),
        ("sh", "sh"),
        ("powershell.exe", "pwsh"),
        ("/opt/pwsh", "pwsh"),
        ("cmd.exe", "cmd"),
        ("bash.exe.bak", "bash"),
        ("fish", None),
        ("nu", None),
        ("dash", None),
        ("bash5", None),
        ("Bash", None),
        (".bash", None),
        ("", None),
        ("/bin/", None),
    ],
)
def test_a_shell_is_known_by_its_name(name: str, kind: str | None) -> None:
    """Required."""
    assert shell_kind(name) == kind


@pytest.mark.parametrize(
    ("shell", "login", "argv"),
    [
        (ScriptShell("/bin/zsh", "zsh"), True, ("/bin/zsh", "-lc", "x")),
        (ScriptShell("/bin/sh", "sh"), False, ("/bin/sh", "-c", "x")),
        (ScriptShell("/p", "pwsh"), True, ("/p", "-Command", f"{UTF8_PREFIX}\nx")),
        (ScriptShell("/p", "pwsh"), False, ("/p", "-NoProfile", "-Command", f"{UTF8_PREFIX}\nx")),
        (ScriptShell("/c", "cmd"), True, ("/c", "/c", "x")),
        (ScriptShell("/c", "cmd"), False, ("/c", "/c", "x")),
    ],
)
def test_each_kind_is_told_in_its_own_way(shell: ScriptShell, login: bool, argv: tuple[str, ...]) -> None:
    """Required."""
    assert shell.argv("x", login=login) == argv


def test_powershell_is_told_about_utf8_once() -> None:
    assert ScriptShell("/p", "pwsh").argv(f"{UTF8_PREFIX}x")[-1] == f"{UTF8_PREFIX}x"


def test_a_named_shell_runs_the_script() -> None:
    assert shell_argv("exit 3", shell="/bin/sh", login=True) == ("/bin/sh", "-lc", "exit 3")


def test_a_path_that_exists_is_taken_as_it_is(tmp_path: Path) -> None:
    own = program(tmp_path / "zsh")
    assert chosen_shell(own) == ScriptShell(own, "zsh")


def test_a_name_means_the_shell_of_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    belongs_to("/usr/bin/fish", monkeypatch)
    assert chosen_shell("bash") == ScriptShell("/bin/bash", "bash")


def test_a_name_prefers_the_users_own_shell_of_that_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(tmp_path / "bash")
    belongs_to(own, monkeypatch)
    assert chosen_shell("bash") == ScriptShell(own, "bash")


@pytest.mark.parametrize(
    ("wanted", "used", "why"),
    [
        ("/usr/bin/fish", ScriptShell("/bin/sh", "sh"), "is no shell we know"),
        ("hal9000\nNotice: fake", ScriptShell("/bin/sh", "sh"), "is no shell we know"),
        ("/nowhere/bash", ScriptShell("/bin/bash", "bash"), "cannot be run"),
        ("./bash", ScriptShell("/bin/bash", "bash"), "cannot be run"),
        ("/bin/\0/bash", ScriptShell("/bin/bash", "bash"), "cannot be run"),
        ("cmd.exe", ScriptShell("/bin/sh", "sh"), "is not installed"),
        ("", ScriptShell("/bin/sh", "sh"), "is no shell we know"),
    ],
)
def test_another_shell_than_asked_for_is_named(
    wanted: str, used: ScriptShell, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: the model must know which shell read its script."""
    belongs_to("/usr/bin/fish", monkeypatch)
    chosen = chosen_shell(wanted)
    assert chosen.but(notice="") == used
    assert chosen.notice.endswith(f"{why}; `{used.path}` ran the command instead")
    assert chosen.notice.isprintable()


def test_a_planted_program_does_not_become_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: the first entry of PATH is often a directory that a command may write to."""
    belongs_to("/usr/bin/fish", monkeypatch)
    program(tmp_path / "bash")
    program(tmp_path / "sh")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.chdir(tmp_path)
    assert [chosen_shell(name).path for name in ("bash", "sh", "./bash")] == ["/bin/bash", "/bin/sh", "/bin/bash"]


def test_a_shell_that_root_did_not_install_is_found_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    belongs_to("/usr/bin/fish", monkeypatch)
    (tmp_path / "first").mkdir()
    program(tmp_path / "first" / "cmd", mode=0o644)
    monkeypatch.setenv("PATH", f".::{tmp_path}/first:{tmp_path}")
    monkeypatch.chdir(tmp_path / "first")
    assert chosen_shell("cmd") == ScriptShell(
        "/bin/sh", "sh", "the shell `cmd` is not installed; `/bin/sh` ran the command instead"
    )
    own = program(tmp_path / "cmd")
    assert chosen_shell("cmd") == ScriptShell(own, "cmd")


@pytest.mark.parametrize(
    ("asked", "allowed", "usual", "login"),
    [
        (None, True, True, True),
        (None, True, False, False),
        (None, False, True, False),
        (False, True, True, False),
        (False, False, True, False),
        (True, True, False, True),
    ],
)
def test_login_is_what_was_asked_or_else_what_is_usual_and_allowed(
    asked: bool | None, allowed: bool, usual: bool, login: bool
) -> None:
    """Required."""
    assert login_wanted(asked, allowed=allowed, usual=usual) is login


def test_a_login_shell_that_is_not_allowed_is_refused_in_the_words_of_the_wire() -> None:
    with pytest.raises(RequestError) as caught:
        login_wanted(True, allowed=False, usual=True)
    assert str(caught.value) == "login shell is disabled by config; omit `login` or set it to false."
