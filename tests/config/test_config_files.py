"""Files that cannot be used: what is said, and that nothing runs on half a policy."""

import os
from pathlib import Path

import pytest

from sandgate.config.files import FILE_BYTES_MAX
from sandgate.config.source import line_setting
from sandgate.errors import ConfigError
from support.config.config_machine import Machine

WRONG = [
    ('sandbox_mode = "ro"', 1, "sandbox_mode", "`ro` is not one of them", "allowed: read-only, workspace-write"),
    ("\n[sandbox]\nnotify = true", 3, "sandbox.notify", "`true` is not one of them", "allowed: report, off"),
    ("sandbox = 3", 1, "sandbox", "it must be a table", "[sandbox]"),
    ("rules.enabled = 1", 1, "rules.enabled", "`1` is not a switch", "allowed: true, false"),
    ("exec.timeout_ms = 0", 1, "exec.timeout_ms", "`0` is out of range", "allowed: whole numbers, 1 to"),
    ("exec.timeout_ms = true", 1, "exec.timeout_ms", "`true` is out of range", "allowed: whole numbers"),
    ("exec.timeout_ms = 1.5", 1, "exec.timeout_ms", "`1.5` is out of range", "allowed: whole numbers"),
    ("secrets.hidden = [1]", 1, "secrets.hidden", "`[1]` is not a list of texts", "for example"),
    ('secrets.hidden = "/x"', 1, "secrets.hidden", "`/x` is not a list of texts", "for example"),
    ('secrets.hidden = [""]', 1, "secrets.hidden", "`` is not a path", ""),
    ('secrets.hidden = ["a\\u0000b"]', 1, "secrets.hidden", "`a\\x00b` is not a path", ""),
    ('sandbox.protected_names = ["../x"]', 1, "sandbox.protected_names", "`../x` is not a name", "for example"),
    ("profile = 1", 1, "profile", "`1` is not text", ""),
    (
        'approval_policy = "ask"',
        1,
        "approval_policy",
        "`ask` is not a policy",
        "untrusted, on-request, on-failure, never",
    ),
    (
        "approval_policy.granular = { rules = true }",
        1,
        "approval_policy",
        "`granular.sandbox_approval` must be true or false",
        "skill_approval, request_permissions may be left out, which means refused",
    ),
    (
        "approval_policy.granular = { sandbox_approval = true, rules = true, mcp_elicitations = true, "
        "request_permissions = true }",
        1,
        "approval_policy",
        "`granular.request_permissions` would ask about permissions that a model requests beforehand, and no tool here "
        "does",
        "leave `request_permissions` out",
    ),
    (
        "approval_policy.reject = { sandbox_approval = true, rules = true, mcp_elicitations = true, "
        "skill_approval = false }",
        1,
        "approval_policy",
        "`reject.skill_approval` would ask about skills, and there are none here",
        "leave `skill_approval` out",
    ),
    ("approval_policy.granular = { rule = true }", 1, "approval_policy", "`granular` has no field `rule`", "required"),
    (
        "[shell_environment_policy.set]\nN = 1",
        2,
        "shell_environment_policy.set.N",
        "`1` is not text",
        'write it in quotes: "..."',
    ),
    (
        '[shell_environment_policy]\nset = { "A=B" = "1" }',
        2,
        "shell_environment_policy.set",
        "`A=B` cannot be the name of a variable",
        "",
    ),
    ('[projects."/x"]\ntrust_level = "yes"', 2, 'projects."/x".trust_level', "`yes` is not one of them", "trusted"),
]


@pytest.mark.parametrize(("text", "line", "key", "why", "hint"), WRONG)
def test_a_wrong_value_names_the_place_the_key_and_what_is_allowed(
    machine: Machine, text: str, line: int, key: str, why: str, hint: str
) -> None:
    user = machine.write_user(text)
    with pytest.raises(ConfigError) as caught:
        machine.load()
    assert (caught.value.what, caught.value.why) == (f"cannot use `{key}` in {user}, line {line}", why)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a = 1\nb = = 2", "it is not valid TOML: Invalid value (at line 2, column 5)"),
        (b"a = 1\nb = '\xff'", "it is not UTF-8 (line 2)"),
        (b"a = " + b"[" * 100_000, "its values are nested too deeply"),
        (b"#" * (FILE_BYTES_MAX + 1), f"it is larger than {FILE_BYTES_MAX} bytes"),
    ],
)
def test_a_file_that_does_not_parse_is_an_error_with_its_position(machine: Machine, content: bytes, why: str) -> None:
    user = machine.write_user("")
    user.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        machine.load()
    assert (caught.value.what, caught.value.why) == (f"cannot use `{user}`", why)


def test_what_is_no_regular_file_is_an_error_and_never_waited_for(machine: Machine) -> None:
    os.mkfifo(machine.own / "config.toml")
    with pytest.raises(ConfigError, match="it is not a regular file"):
        machine.load()


def test_a_home_that_is_no_directory_has_no_configuration(machine: Machine) -> None:
    assert machine.load(environ={"HOME": "/dev/null"}).layers == ()


@pytest.mark.parametrize("writable", ["file", "directory"])
def test_a_file_that_others_can_write_is_an_error(machine: Machine, writable: str) -> None:
    """Our choice: obeying it is unsafe, and ignoring it could drop a restriction."""
    user = machine.write_user("")
    place = user if writable == "file" else user.parent
    place.chmod(place.stat().st_mode | 0o002)
    with pytest.raises(ConfigError) as caught:
        machine.load()
    assert (caught.value.why, caught.value.hint) == ("other users can write to it", f"chmod go-w {place}")


def test_a_file_that_belongs_to_somebody_else_is_an_error(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    user = machine.write_user("")
    somebody_else = os.geteuid() + 1
    if os.geteuid() == 0:
        os.chown(user, somebody_else, 0)
    else:
        monkeypatch.setattr("os.geteuid", lambda: somebody_else)
    with pytest.raises(ConfigError, match="who is neither you nor root"):
        machine.load()


def test_a_users_file_may_be_a_link_into_their_dotfiles(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("exec.timeout_ms = 3")
    (machine.own / "config.toml").symlink_to(tmp_path / "dotfiles.toml")
    assert machine.load().settings.timeout_ms == 3


def test_messages_hold_no_control_characters(machine: Machine) -> None:
    machine.write_user('"bad\\u001b[2Jkey" = 1')
    assert "\x1b" not in machine.load().warnings[0]
    machine.write_user('sandbox_mode = "\\u001b[2J"')
    with pytest.raises(ConfigError) as caught:
        machine.load()
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "line"),
    [("a", 1), ("t.b", 4), ("t.c.d", 5), ("t.missing", 3), ("t.c", 5), ("t.u.x", 7), ("u2", 8), ("nowhere", None)],
)
def test_the_line_of_a_key_is_found_in_the_ordinary_spellings(key: str, line: int | None) -> None:
    assert line_setting("a = 1\n# t.b = 0\n[t]  # table\nb = 2\nc.d = 3\n\nu = { x = 1 }\n[u2]\n", key) == line
