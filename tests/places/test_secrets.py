"""Where secrets are kept: one table, and what the sandbox hides and the judge calls a secret is in it."""

from __future__ import annotations

import pytest

from sandgate.assessment.places import place_of
from sandgate.places.secrets import (
    IN_HOME,
    ON_MACHINE,
    in_secret_tree,
    inside_home,
    kept_in_home,
    kept_on_machine,
    may_match_kept,
    named_for_secrets,
    sounds_like,
)
from sandgate.policy.secret_names import names_secret
from support.command.assessing import HOME, PROJECT, facts
from support.suite.rows import every

# The judge calls these what runs by itself: reading them is harmless, changing them is not.
STARTUP_TOO = {".ssh/"}


@every("place", sorted(IN_HOME))
def test_what_a_home_keeps_is_a_secret_for_whoever_asks_and_for_the_judge(place: str) -> None:
    file = f"{place}x" if place.endswith("/") else place
    assert names_secret(f"~/{file}")
    assert names_secret(f"/home/someone/{file}")
    assert place_of(f"{HOME}/{file}", facts()).kind == "credentials"


@every("place", sorted(ON_MACHINE))
def test_what_a_machine_keeps_is_a_secret_for_whoever_asks_and_for_the_judge(place: str) -> None:
    file = f"{place}x" if place.endswith("/") else place
    assert names_secret(file)
    assert place_of(file, facts()).kind in ("credentials", "device")


@pytest.mark.parametrize("inner", [".program/auth.json", ".x/oauth_creds.json", ".config/y/Cookies", ".z/my_token"])
def test_a_hidden_directory_of_a_program_nobody_knows_keeps_what_is_named_so(inner: str) -> None:
    assert kept_in_home(inner)
    assert place_of(f"{HOME}/{inner}", facts()).kind == "credentials"


@pytest.mark.parametrize(
    "inner",
    ["auth.json", ".config/nvim/init.lua", ".cargo/registry/src/x/token.rs", ".claude/settings.json", "code/.env.md"],
)
def test_sources_and_settings_below_a_home_are_none(inner: str) -> None:
    assert not kept_in_home(inner)


def test_the_settings_of_a_project_are_named_and_their_examples_are_not() -> None:
    names = (".env", ".env.production", "secrets.yaml", "server.key", "tls-key.pem", "privkey.pem", "id_ed25519")
    assert [name for name in names if not named_for_secrets(name)] == []
    harmless = (".env.example", ".env.template", "id_rsa.pub", "ca.pem", "env", "secrets.py", "keys.ts", "tokens.css")
    assert [name for name in harmless if named_for_secrets(name)] == []


def test_a_name_in_the_project_is_no_place_of_a_home() -> None:
    for name in ("src/auth.json", ".npmrc", ".vscode/settings.json", "config/credentials.yml.enc"):
        assert place_of(f"{PROJECT}/{name}", facts()).kind == "workspace"
        assert not names_secret(name)


def test_certificates_beside_the_keys_of_a_machine_are_public() -> None:
    assert kept_on_machine("/etc/kubernetes/pki/apiserver.key")
    assert not kept_on_machine("/etc/kubernetes/pki/apiserver.crt")


def test_a_home_is_known_by_each_of_its_names() -> None:
    spelled = ("~/.a/b", "$HOME/.a/b", "${HOME}/.a/b", "/home/u/.a/b", "/Users/u/.a/b", "/root/.a/b", "~u/.a/b")
    assert {inside_home(path) for path in spelled} == {".a/b"}
    assert inside_home("/srv/.a/b") is None


def test_a_pattern_means_what_it_may_match() -> None:
    assert may_match_kept(".codex/*.json")
    assert not may_match_kept(".config/nvim/*.lua")
    assert sounds_like("id_")
    assert not sounds_like("README")
    assert in_secret_tree(".aws/config")
