"""Which existing places are closed by default: in homes, on the machine, and where ssh's settings say that keys lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox import secrets
from sandgate.sandbox.looking import Look
from sandgate.sandbox.secrets import COPIED_BYTES_MAX, SETTINGS_BYTES_MAX, secrets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ORDINARY_UID = 4242


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def known(home: Path) -> set[str]:
    found = secrets_of([str(home)], Look(), uid=ORDINARY_UID).known
    return {str(Path(path).relative_to(home)) for path in found if path.startswith(f"{home}/")}


def put(home: Path, *names: str, text: str = "secret") -> None:
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)


def test_keys_that_ssh_configuration_names_are_hidden_wherever_they_are(home: Path) -> None:
    """Required: keys can live anywhere that the ssh configuration points."""
    put(home, "keys/work", "keys/home", "keys/more", "keys/token-%h")
    put(
        home,
        ".ssh/config",
        text='Host x\n  IdentityFile ~/keys/work\n  identityfile="%d/keys/home"\nInclude conf.d/*\n',
    )
    put(home, ".ssh/conf.d/one", text="IdentityFile ~/keys/more\nIdentityFile ~/keys/token-%h\nIdentityFile ~/gone\n")
    assert known(home) == {".ssh", "keys/work", "keys/home", "keys/more"}


def test_configurations_that_include_each_other_end(home: Path) -> None:
    put(home, ".ssh/config", text="Include config\nIdentityFile ~/k\n")
    put(home, "k")
    assert known(home) == {".ssh", "k"}


def test_a_linked_secret_is_hidden_where_it_really_is(home: Path) -> None:
    put(home, "vault/netrc")
    (home / ".netrc").symlink_to("vault/netrc")
    (home / ".pgpass").symlink_to("gone")
    assert known(home) == {"vault/netrc"}


def test_secrets_can_be_opened_one_by_one(home: Path) -> None:
    put(home, ".npmrc", ".netrc")
    opened = secrets_of([str(home)], Look(), uid=ORDINARY_UID, opened=[str(home / ".npmrc")])
    assert str(home / ".netrc") in opened.known
    assert str(home / ".npmrc") not in opened.known


def test_password_files_matter_only_to_root(home: Path) -> None:
    assert "/etc/shadow" in secrets_of([str(home)], Look(), uid=0).known
    assert "/etc/shadow" not in secrets_of([str(home)], Look(), uid=ORDINARY_UID).known


def test_of_a_file_of_a_known_form_what_is_no_secret_is_found(home: Path) -> None:
    (home / ".npmrc").write_text("registry=https://npm.example.org/\n_auth=s3cret\n")
    found = secrets_of([str(home)], Look(), uid=ORDINARY_UID)
    assert found.copies == ((str(home / ".npmrc"), b"registry=https://npm.example.org/\n"),)
    (home / ".npmrc").write_text("x" * (COPIED_BYTES_MAX + 1))
    assert secrets_of([str(home)], Look(), uid=ORDINARY_UID).copies == ()
    assert secrets_of([str(home)], Look(), uid=ORDINARY_UID, opened=[str(home / ".npmrc")]).copies == ()


SETTINGS = "[github]\n\ttoken = short\n\tuser = me\n"


def shown(home: Path, **more: Any) -> dict[str, bytes | None]:
    """What is closed of settings that are open otherwise, with what is seen in its place."""
    found = secrets_of([str(home)], Look(), uid=ORDINARY_UID, **more)
    copies = dict(found.copies)
    inside = [path for path in found.known if path.startswith(f"{home}/")]
    return {str(Path(path).relative_to(home)): copies.get(path) for path in inside}


def test_settings_are_closed_only_where_a_secret_is_in_them(home: Path) -> None:
    put(home, ".gitconfig", text="[user]\n\tname = x\n[credential]\n\thelper = cache\n")
    put(home, ".cargo/config.toml", text='[net]\ngit-fetch-with-cli = true\n[registry]\ndefault = "corp"\n')
    assert shown(home) == {}
    put(home, ".gitconfig", text=SETTINGS)
    assert shown(home) == {".gitconfig": b"[github]\n\tuser = me\n"}


def test_all_of_gits_settings_are_named_where_one_has_a_secret(home: Path) -> None:
    put(home, ".gitconfig", text="[include]\n\tpath = ~/work/settings\n")
    put(home, "work/settings", text=SETTINGS)
    put(home, ".config/git/config", text="[pull]\n\trebase = true\n")
    assert shown(home) == {
        ".gitconfig": b"[include]\n\tpath = ~/work/settings\n",
        "work/settings": b"[github]\n\tuser = me\n",
        ".config/git/config": b"[pull]\n\trebase = true\n",
    }


def test_settings_that_the_environment_names_count_as_well(home: Path) -> None:
    put(home, "elsewhere/git", text=SETTINGS)
    assert shown(home, settings=(f"{home}/elsewhere/git",)) == {"elsewhere/git": b"[github]\n\tuser = me\n"}


def test_what_somebody_opened_is_seen_as_it_is(home: Path) -> None:
    put(home, ".gitconfig", text=SETTINGS)
    assert shown(home, opened=(f"{home}/.gitconfig",)) == {}


def test_settings_of_an_environment_of_python_on_the_path_are_seen_without_secrets(home: Path) -> None:
    put(home, "venv/pip.conf", text="[global]\nindex-url = https://u:pw@h/simple\n")
    put(home, "venv/bin/python")
    assert shown(home) == {}
    assert shown(home, path=f"{home}/venv/bin") == {"venv/pip.conf": b"[global]\nindex-url = https://h/simple\n"}


def test_settings_of_the_machine_are_seen_without_secrets(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "MACHINES_LESS_SECRETS", {f"{home}/etc/pip.conf": "lines"})
    put(home, "etc/pip.conf", text="[global]\npassword = pw\ntimeout = 9\n")
    assert shown(home) == {"etc/pip.conf": b"[global]\ntimeout = 9\n"}


def test_settings_that_are_too_large_are_closed(home: Path) -> None:
    put(home, ".gitconfig", text="[a]\n\ttoken = x\n" + "# more\n" * SETTINGS_BYTES_MAX)
    assert shown(home) == {".gitconfig": None}


@pytest.mark.parametrize("said", ["~/kept", "$HOME/kept", "{home}/kept"])
def test_files_in_which_git_keeps_passwords_are_closed(home: Path, said: str) -> None:
    put(home, "kept")
    put(home, ".gitconfig", text=f"[credential]\n\thelper = store --file {said.format(home=home)}\n")
    assert shown(home) == {"kept": None}
