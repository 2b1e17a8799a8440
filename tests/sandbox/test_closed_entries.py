"""A command that failed is told which closed entry its program is known to use."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from sandgate.gate.attempts import closed_to_it
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.closed_entries import closed_to, fetched_without, is_closed, not_passed_on

QUIET = DenialReport("not_denied")


def plan(home: Path, *argv: str, hidden: tuple[str, ...] = (), reopened: tuple[str, ...] = ()) -> ConfinedCommand:
    permissions = EffectivePermissions(
        hidden=tuple(f"{home}/{name}" for name in hidden), reopened=tuple(f"{home}/{name}" for name in reopened)
    )
    return ConfinedCommand(
        backend="namespace", argv=argv, cwd="/", env={"HOME": str(home)}, permissions=permissions, mounts=()
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".config" / "gh").mkdir(parents=True)
    (tmp_path / ".netrc").touch()
    return tmp_path


@pytest.mark.parametrize("argv", [("gh", "pr", "list"), ("/usr/bin/gh",), ("bash", "-lc", "cd x && gh pr list | cat")])
def test_the_line_names_program_entry_and_setting(home: Path, argv: tuple[str, ...]) -> None:
    said = closed_to(plan(home, *argv, hidden=(".config",)), QUIET)
    assert said == (
        f'`gh` may want {home}/.config/gh, closed to commands; to open: secrets.opened = ["{home}/.config/gh"]'
    )


def test_nothing_is_said_of_what_is_open_is_not_there_is_not_used_or_was_told(home: Path) -> None:
    assert closed_to(plan(home, "gh", hidden=(".config",), reopened=(".config/gh",)), QUIET) is None
    assert closed_to(plan(home, "gh"), QUIET) is None
    assert closed_to(plan(home, "kubectl", hidden=(".kube",)), QUIET) is None
    assert closed_to(plan(home, "git", "status", hidden=(".netrc",)), QUIET) is None
    told = DenialReport("denied", (Denial("read", path=f"{home}/.config/gh"),))
    assert closed_to(plan(home, "gh", hidden=(".config",)), told) is None


def test_nobody_is_told_to_open_keys_for_a_connection_that_was_refused(home: Path) -> None:
    """`git fetch https://…` with the network off wants no `~/.ssh`."""
    fetch = plan(home, "git", "fetch", hidden=(".netrc",))
    assert closed_to(fetch, QUIET) is not None
    refused = Denial("connect", address="example.com")
    assert closed_to(fetch, DenialReport("denied", (refused,))) is None
    assert closed_to(fetch, DenialReport("denied", (refused.but(certain=False),))) is not None


@pytest.mark.parametrize(
    ("others", "how"),
    [
        ((), "seen without the secrets in it"),
        ((".npm-token",), "closed to commands, or seen without the secrets in it"),
    ],
)
def test_of_what_is_seen_in_part_it_is_said(
    home: Path, others: tuple[str, ...], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who fetches is told where from then; who failed may have failed for what was left out."""
    monkeypatch.setattr("sandgate.sandbox.closed_entries.entries_of", lambda *_: (".npmrc", *others))
    for name in (".npmrc", *others):
        (home / name).touch()
    made = plan(home, "npm", "install", hidden=(".npmrc", *others))
    made = made.but(permissions=made.permissions.but(copies=((f"{home}/.npmrc", b"registry=x"),)))
    said = closed_to(made, QUIET)
    assert said is not None
    assert f", {how}; to open: secrets.opened = [" in said
    assert fetched_without(made) is None
    assert fetched_without(made.but(backend="landlock")) is not None


def shown_in_part(home: Path, *argv: str) -> ConfinedCommand:
    (home / ".npmrc").write_bytes(b"registry=x\n//x/:_authToken=t\n")
    made = plan(home, *argv, hidden=(".npmrc",))
    return made.but(permissions=made.permissions.but(copies=((f"{home}/.npmrc", b"registry=x"),)))


@pytest.mark.parametrize("failed", [True, False])
@pytest.mark.parametrize("text", ["cat ~/.npmrc", 'grep -c x "$HOME/.npmrc"; true', "wc -c <${HOME}/.npmrc"])
def test_who_names_a_file_that_is_seen_in_part_is_told_also_when_it_went_well(
    home: Path, text: str, failed: bool
) -> None:
    """Required: an empty file, read without an error, says that nothing is in it."""
    said = closed_to_it(shown_in_part(home, "sh", "-c", text), QUIET, failed=failed)
    assert said == f'{home}/.npmrc: seen without the secrets in it; to open: secrets.opened = ["{home}/.npmrc"]'


def test_the_file_is_named_by_path_and_by_where_the_command_stands(home: Path) -> None:
    assert closed_to_it(shown_in_part(home, "cat", f"{home}/.npmrc"), QUIET, failed=False) is not None
    assert closed_to_it(shown_in_part(home, "cat", ".npmrc").but(cwd=str(home)), QUIET, failed=False) is not None
    assert closed_to_it(shown_in_part(home, "cat", ".npmrc").but(cwd="/project"), QUIET, failed=False) is None


@pytest.mark.parametrize("text", ["cat ~/.npmrc.bak", "cat web/.npmrc", "ls ~", "cat a~/.npmrc"])
def test_another_file_is_no_reason_to_speak(home: Path, text: str) -> None:
    assert closed_to_it(shown_in_part(home, "sh", "-c", text), QUIET, failed=False) is None


def test_what_is_shown_whole_or_was_told_is_not_told_again(home: Path) -> None:
    made = shown_in_part(home, "cat", f"{home}/.npmrc")
    whole = made.permissions.but(copies=((f"{home}/.npmrc", Path(f"{home}/.npmrc").read_bytes()),))
    assert closed_to_it(made.but(permissions=whole), QUIET, failed=False) is None
    opened = made.permissions.but(hidden=(), reopened=(f"{home}/.npmrc",))
    assert closed_to_it(made.but(permissions=opened), QUIET, failed=False) is None
    assert closed_to_it(made.but(backend="landlock"), QUIET, failed=False) is None
    told = DenialReport("denied", (Denial("read", path=f"{home}/.npmrc"),))
    assert closed_to_it(made, told, failed=False) is None


@pytest.mark.parametrize(
    "argv", [("npm", "install"), ("sh", "-c", "cd web && npm ci"), ("npx", "tool"), ("yarn", "add", "left")]
)
def test_who_fetches_without_what_says_from_where_is_named_with_the_setting(home: Path, argv: tuple[str, ...]) -> None:
    """Required: it silently fetches from the public registry, where anybody may have put that name."""
    (home / ".npmrc").write_text("registry=https://npm.example.test/\n")
    said = fetched_without(plan(home, *argv, hidden=(".npmrc",)))
    assert said is not None
    assert f"fetches without {home}/.npmrc, closed to commands" in said
    assert said.endswith(f'to open: secrets.opened = ["{home}/.npmrc"]')


def test_a_dropped_variable_that_names_a_registry_is_told_and_its_value_is_not(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:s3cret@pypi.example.test/simple")
    said = fetched_without(plan(home, "python3", "-m", "pip", "install", "x"))
    assert said is not None
    assert "without $PIP_INDEX_URL" in said
    assert said.endswith("to open: --env PIP_INDEX_URL=…")
    assert "s3cret" not in said


@pytest.mark.parametrize("argv", [("npm", "test"), ("npm", "run", "build"), ("ls",), ("git", "clone", "npm")])
def test_who_fetches_nothing_is_not_named(home: Path, argv: tuple[str, ...]) -> None:
    (home / ".npmrc").touch()
    assert fetched_without(plan(home, *argv, hidden=(".npmrc",))) is None
    assert fetched_without(plan(home, "npm", "install")) is None


@pytest.mark.parametrize(
    ("network", "failed", "told"), [("on", False, True), ("off", False, False), ("on", True, True)]
)
def test_it_is_told_where_something_can_be_fetched_also_when_it_went_well(
    home: Path, network: Literal["on", "off"], failed: bool, told: bool
) -> None:
    (home / ".npmrc").touch()
    made = plan(home, "npm", "install", hidden=(".npmrc",))
    made = made.but(permissions=made.permissions.but(network=network))
    assert (closed_to_it(made, QUIET, failed=failed) is not None) == told


def test_the_deepest_entry_decides() -> None:
    permissions = EffectivePermissions(hidden=("/h/.config",), reopened=("/h/.config/git",), writable=("/h/.config/w",))
    shown = ("/h/x", "/h/.config/git/config", "/h/.config/w/x", "/h")
    assert [path for path in shown if is_closed(path, permissions)] == []
    assert is_closed("/h/.config/gh/hosts.yml", permissions)
    assert is_closed("/h/.config", permissions)


@pytest.mark.parametrize(
    ("name", "written"),
    [("ta\tb", '["/h/ta\\tb/.netrc"]'), ("new\nline", '["/h/new\\nline/.netrc"]'), ('q"', '["/h/q\\"/.netrc"]')],
)
def test_the_setting_is_written_as_toml_has_it(monkeypatch: pytest.MonkeyPatch, name: str, written: str) -> None:
    monkeypatch.setattr("os.path.lexists", lambda _path: True)
    said = closed_to(plan(Path("/h") / name, "ftp", hidden=(".netrc",)), QUIET)
    assert said is not None
    assert said.isprintable()
    assert said.endswith(f"to open: secrets.opened = {written}")


@pytest.mark.parametrize(
    ("argv", "output", "named"),
    [
        (("sh", "-c", 'test -n "$SANDGATE_OWN_TOKEN"'), b"", True),
        (("sh", "script"), b"script: 1: SANDGATE_OWN_TOKEN: parameter not set\n", True),
        (("sh", "script"), b"SANDGATE_OWN_TOKENS: parameter not set\n", False),
        (("sh", "script"), b"x_SANDGATE_OWN_TOKEN SANDGATE_OWN_TOKEN", True),
        (("true",), b"", False),
    ],
)
def test_a_variable_that_is_set_here_and_named_is_told(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], output: bytes, named: bool
) -> None:
    monkeypatch.setenv("SANDGATE_OWN_TOKEN", "secret")
    made = plan(Path("/h"), *argv)
    said = not_passed_on(made, output)
    whole = (
        "$SANDGATE_OWN_TOKEN is set here and not passed on to commands; "
        'to pass on: --env SANDGATE_OWN_TOKEN="$SANDGATE_OWN_TOKEN"'
    )
    assert said == (whole if named else None)
    assert not_passed_on(made.but(env={**made.env, "SANDGATE_OWN_TOKEN": "x"}), output) is None


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("npm", "publish"), ["$NPM_CONFIG_X"]),
        (("sh", "-c", "cd p && aws s3 ls; true"), ["$AWS_PROFILE", "$AWS_SECRET_X"]),
        (("npm", "test"), []),
        (("cat", "aws"), []),
    ],
)
def test_a_variable_that_a_program_uses_is_told_though_nothing_names_it(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], told: list[str]
) -> None:
    """Required: it complains of what it has not found, and never says where it looked."""
    monkeypatch.setattr("os.environ", {})
    for name in ("NPM_CONFIG_X", "AWS_PROFILE", "AWS_SECRET_X", "XAWS_X"):
        monkeypatch.setenv(name, "s3cret")
    made = plan(Path("/h"), *argv)
    said = not_passed_on(made, b"Unable to locate credentials") or ""
    assert [word.rstrip(",") for word in said.partition(";")[0].split() if word[0] == "$"] == told
    assert "s3cret" not in said
    assert said.count("--env ") == len(told)
