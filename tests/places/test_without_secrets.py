"""What of a configuration file commands see: registries stay, tokens go, and what is not understood is closed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.places.secrets import SEEN_BESIDE_SECRETS
from sandgate.places.without_secrets import _FORMS, without_secrets
from support.suite.rows import every

NPM, PIP, DOCKER, MAVEN = "npm", "pip", "docker", "maven"
TOKEN = "npm_Zs81kQ0vTn5wXyAb3CdEfGhIjKlMnOpQrStU"


def test_every_form_that_is_looked_for_is_known() -> None:
    assert set(SEEN_BESIDE_SECRETS.values()) == set(_FORMS)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("registry=https://npm.example.org/\n", "registry=https://npm.example.org/\n"),
        (
            f"; mine\n@corp:registry = https://u:{TOKEN}@npm.example.org:8443/repo/npm-group/\n"
            f"//npm.example.org/:_authToken={TOKEN}\nsave-exact=true\n_auth={TOKEN}\nemail=me@example.org\n",
            "@corp:registry=https://npm.example.org:8443/repo/npm-group/\nsave-exact=true\n",
        ),
        (f"//npm.example.org:443/:_authToken={TOKEN}", ""),
        (f'key="-----BEGIN\\n{TOKEN}"\nignore-scripts', "ignore-scripts\n"),
        ('registry="https://npm.example.org/"', "registry=https://npm.example.org/\n"),
        ("", ""),
    ],
)
def test_npm(text: str, shown: str) -> None:
    assert without_secrets(NPM, text) == shown


@every(
    "text",
    [
        f"registry=https://npm.example.org/{TOKEN}/",
        f"registry=https://npm.example.org/?token={TOKEN}",
        "registry=https://npm.example.org/#x",
        "registry=https://user:12/34@npm.example.org/",
        "registry=https://user:pass/word@npm.example.org/",
        f"registry={TOKEN}",
        "registry=https://dl.example.org/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/npm/",
        "registry=https://dl.example.org/AbCdEfGhIjKlMnOpQr/npm/",
        "registry=ftp://npm.example.org/",
        "proxy=user:s3cret@npm.example.org:80",
        "noproxy=localhost,user:s3cret@npm.example.org",
        "registry=https://npm.example.org:/",
        "registry=https://${HOST}/",
        f"save-prefix={TOKEN}",
        f"@{TOKEN}:registry=https://npm.example.org/",
        "[section]",
        TOKEN,
        "registry='https://npm.example.org/",
        "registry=https://npm.example.org/\x00",
        "registry=https://npm.example.org/\udcff",
        "registry=https://npm.example.org/\x1b[2J",
        "registry=https://npm.example.org/\u202e",
    ],
)
def test_what_is_not_understood_or_may_be_a_secret_closes_the_file(text: str) -> None:
    """Required: never a guess. A registry that were dropped alone would be the public one without a word."""
    assert without_secrets(NPM, f"save-exact=true\n{text}\n") is None


def test_pip() -> None:
    text = (
        "[global]\n# of the company\nindex-url = https://me:s3cret@pypi.example.org/simple\n"
        "extra_index_url:\n    https://token@one.example.org/simple/\n    https://two.example.org/simple/\n"
        "password = s3cret\n    s3cret\ntimeout = 60\n\n[install]\ntrusted-host = pypi.example.org\n"
    )
    assert without_secrets(PIP, text) == (
        "[global]\nindex-url = https://pypi.example.org/simple\n"
        "extra-index-url = \n    https://one.example.org/simple/\n    https://two.example.org/simple/\n"
        "timeout = 60\n[install]\ntrusted-host = pypi.example.org\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "    s3cret",
        "[global",
        "s3cret",
        f"[global]\nindex-url = https://h/{TOKEN}",
        "[a]\n= s3cret",
        f"[{TOKEN}]\n",
        "[global]\nproxy = user:s3cret@proxy.example.org:3128\n",
    ],
)
def test_pip_of_another_form_is_closed(text: str) -> None:
    assert without_secrets(PIP, text) is None


def test_docker() -> None:
    text = json.dumps(
        {
            "auths": {"registry.example.org:5000": {"auth": "dXNlcjpzM2NyZXQ="}, "https://index.docker.io/v1/": {}},
            "credsStore": "desktop",
            "HttpHeaders": {"X-Token": TOKEN},
            "psFormat": "table {{.ID}}\\t{{.Names}}",
            "experimental": True,
        },
        indent=2,
    )
    shown = without_secrets(DOCKER, text)
    assert shown is not None
    assert json.loads(shown) == {
        "auths": {"registry.example.org:5000": {}, "https://index.docker.io/v1/": {}},
        "psFormat": "table {{.ID}}\\t{{.Names}}",
        "experimental": True,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "{} x",
        '{"auths": []}',
        f'{{"auths": {{"{TOKEN}": {{}}}}}}',
        '{"psFormat": {"a": 1}}',
        '{"psFormat": "table user:s3cret@host"}',
        f'{{"psFormat": "{{{{.ID}}}} {TOKEN}"}}',
        "[" * 9_999,
    ],
)
def test_docker_of_another_form_is_closed(text: str) -> None:
    assert without_secrets(DOCKER, text) is None


SETTINGS = f"""<?xml version="1.0" encoding="UTF-8"?>
<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">
  <!-- {TOKEN} -->
  <localRepository>${{user.home}}/.m2/repository</localRepository>
  <servers><server><id>corp</id><username>me</username><password>s3cret</password></server></servers>
  <mirrors><mirror><id>corp</id><mirrorOf>*,!snapshots</mirrorOf><url>https://me:s3cret@maven.example.org/all</url></mirror></mirrors>
  <profiles><profile><id>p</id><properties><token>s3cret</token></properties>
    <repositories><repository><id>r</id><url>https://maven.example.org/r</url>
      <releases><enabled>true</enabled></releases></repository></repositories></profile></profiles>
  <activeProfiles><activeProfile>p</activeProfile></activeProfiles>
</settings>
"""


def test_maven() -> None:
    assert without_secrets(MAVEN, SETTINGS) == (
        "<settings><localRepository>${user.home}/.m2/repository</localRepository>"
        "<mirrors><mirror><id>corp</id><mirrorOf>*,!snapshots</mirrorOf><url>https://maven.example.org/all</url></mirror></mirrors>"
        "<profiles><profile><id>p</id><repositories><repository><id>r</id><url>https://maven.example.org/r</url>"
        "<releases><enabled>true</enabled></releases></repository></repositories></profile></profiles>"
        "<activeProfiles><activeProfile>p</activeProfile></activeProfiles></settings>\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<settings>",
        f"<settings>{TOKEN}</settings>",
        f"<settings><mirrors><mirror>{TOKEN}<id>x</id></mirror></mirrors></settings>",
        f"<settings><mirrors><mirror><url>https://h/{TOKEN}</url></mirror></mirrors></settings>",
        f"<settings><mirrors><mirror><name>{TOKEN}</name></mirror></mirrors></settings>",
        f'<settings><mirrors a="{TOKEN}"/></settings>',
        '<!DOCTYPE x [<!ENTITY e "s3cret">]><settings><offline>&e;</offline></settings>',
        "<settings><mirrors><mirror><url>https://${host}/</url></mirror></mirrors></settings>",
        "<settings>" + "<x>" * 99 + "</x>" * 99 + "</settings>",
    ],
)
def test_maven_of_another_form_is_closed(text: str) -> None:
    assert without_secrets(MAVEN, text) is None


@given(st.sampled_from(sorted(_FORMS)), st.text(max_size=200), st.text(max_size=200))
def test_nothing_makes_it_fail_or_lets_a_token_through(inner: str, before: str, after: str) -> None:
    """Required: whatever stands around it."""
    assert TOKEN not in (without_secrets(inner, before + TOKEN + after) or "")


@given(
    st.lists(
        st.sampled_from(
            ["registry", "=", "://", "https", "@", "/", ":", "\n", " ", '"', "index-url", "[global]", "#", "a.b", TOKEN]
        ),
        max_size=24,
    )
)
def test_no_way_of_writing_it_does(parts: list[str]) -> None:
    for inner in (NPM, PIP):
        assert TOKEN not in (without_secrets(inner, "".join(parts)) or "")
