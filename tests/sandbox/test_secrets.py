"""Which existing places are closed by default: in homes, on the machine, and where ssh's settings say that keys lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox.looking import Look
from sandgate.sandbox.secrets import COPIED_BYTES_MAX, secrets_of

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
