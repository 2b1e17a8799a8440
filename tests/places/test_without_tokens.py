"""Settings that stay open: the secrets in them go, all else stays as it was written."""

from __future__ import annotations

import tomllib

import pytest

from sandgate.commandline.words import words_of
from sandgate.places.home import standing
from sandgate.places.secrets import SEEN_BESIDE_SECRETS, SEEN_LESS_SECRETS, may_hold_secrets
from sandgate.places.without_tokens import (
    _FORMS,
    ADDRESSES_MAX,
    HEAD_CHARS_MAX,
    LINE_CHARS_MAX,
    LINES_MAX,
    stores_of_git,
    without_tokens,
)
from support.suite.rows import every

TOKEN = "ghp_Zs81kQ0vTn5wXyAb3CdEfGhIjKlMnOpQrStU"
USUAL = """\
# Basic settings
[user]
	name = A. Person
	email = person@example.org
	signingkey = ABCDEF0123456789
[core]
	editor = vim -c "set tw=72"
	sshCommand = ssh -i ~/.ssh/id_work -p2222
[commit]
	gpgsign = true
[log]
	showSignature = true
[trailer "sign"]
	key = "Signed-off-by: "
[alias]
	key = log --format=%h:%an
	wip = "!git add -A && \\
		git commit -m wip"
[credential "https://dev.example.org"]
	helper = cache --timeout=60
	useHttpPath = true
[url "git@github.com:"]
	insteadOf = https://github.com/
[url "ssh://git@git.example.org:2222/"]
	insteadOf = work:
[http]
	sslKey = ~/keys/client
[includeIf "gitdir:~/work/"]
	path = ~/work/settings
"""


def test_every_form_is_known_and_every_place_is_open() -> None:
    assert set(SEEN_LESS_SECRETS.values()) <= set(_FORMS)
    for place in SEEN_LESS_SECRETS:
        assert standing(place.replace("*", "x")) == "harmless", place
    for place in SEEN_BESIDE_SECRETS:
        assert standing(place) == "secret", place


ELSEWHERE = words_of("""
    .yarnrc.yml .yarnrc .m2/settings-security.xml .gradle/gradle.properties .config/composer/auth.json
    .composer/auth.json .bunfig.toml .pypirc .netrc .condarc
    .config/uv/uv.toml .nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config .cargo/credentials .cargo/credentials.toml
    .config/git/credentials .git-credentials .gem/credentials .bundle/config .config/pypoetry/auth.toml
    .config/pdm/config.toml .mambarc .wgetrc .curlrc .hgrc
    .bazelrc .rye/credentials .config/containers/auth.json .config/helm/registry/config.json
    """)


@every("place", sorted(ELSEWHERE))
def test_what_else_tells_programs_where_to_fetch_from_and_holds_secrets_is_closed(place: str) -> None:
    """Required: of all these nothing is shown; no program of theirs reads one without saying that it cannot."""
    assert standing(place) in ("secret", "unknown"), place


def test_git_settings_without_secrets_are_left_alone() -> None:
    assert without_tokens("git", USUAL) == USUAL


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (f"[github]\n\ttoken = {TOKEN}\n\tuser = me\n", "[github]\n\tuser = me\n"),
        ("[gitlab] token = short\n\tuser = me\n", "[gitlab]\n\tuser = me\n"),
        ('[http "https://h/"]\n\textraHeader = "X-Mine: abc"\n', '[http "https://h/"]\n'),
        ("[http]\n\textraHeader=AUTHORIZATION: basic abc\n\tproxy = http://u:pw@p:8080\n",
         "[http]\n\tproxy = http://p:8080\n"),
        ("[http]\n\tproxy = u:pw@p:8080\n", "[http]\n"),
        (f'[url "https://me:{TOKEN}@github.com/"]\n\tinsteadOf = https://github.com/\n',
         '[url "https://github.com/"]\n\tinsteadOf = https://github.com/\n'),
        (f'[url "https://{TOKEN}@github.com/"]\n\tinsteadOf = gh:\n',
         '[url "https://github.com/"]\n\tinsteadOf = gh:\n'),
        ("[sendemail]\n\tsmtpUser = me\n\tsmtpPass = pw\n", "[sendemail]\n\tsmtpUser = me\n"),
        ("[imap]\n\thost = imaps://h\n\tpass = pw\n", "[imap]\n\thost = imaps://h\n"),
        ('[credential]\n\thelper = "!f() { echo username=x; echo password=s3cret; }; f"\n', "[credential]\n"),
        (f"[alias]\n\tx = \"!curl -H 'Authorization: Bearer {TOKEN}' h\"\n\tco = checkout\n",
         "[alias]\n\tco = checkout\n"),
        ("# token = old\n[a]\n; password: pw\n\tb = c\n", "[a]\n\tb = c\n"),
        ("[github]\n\ttoken = a\\\nb\n\tuser = me\n", "[github]\n\tuser = me\n"),
    ],
)  # fmt: skip
def test_secrets_in_git_settings_go_and_the_rest_stays(line: str, left: str) -> None:
    assert may_hold_secrets(line)
    assert without_tokens("git", USUAL + line) == USUAL + left


@pytest.mark.parametrize(
    "text",
    [
        "[a]\n\tb = c # \\\n\ttoken = x\n",  # one line to us, and two to git
        f"[{TOKEN}]\n\tb = c\n",
        "[url \"https://u:a/b@h/\"]\n\tinsteadOf = x\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n",
        "[a]\n\tb = c\\",
    ],
)  # fmt: skip
def test_git_settings_that_cannot_be_told_apart_are_not_shown(text: str) -> None:
    assert without_tokens("git", text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a=b\n" * (LINES_MAX + 1),
        f"[a]\n\tb = {'c' * LINE_CHARS_MAX}\n",
        "[a]\n\tb = c\\\n" + "d\\\n" * LINES_MAX,
        f'[a "{"b" * HEAD_CHARS_MAX}"]\n\tc = d\n',
        "[a]\n\tb = " + "http://h " * (ADDRESSES_MAX + 1),
    ],
    ids=["lines", "line", "line that goes on", "head", "addresses"],
)
def test_what_is_larger_than_people_write_is_not_shown(text: str) -> None:
    """A command may write what git's settings of a home include, and have us look through it."""
    assert without_tokens("git", text) is None


def test_the_files_in_which_git_keeps_secrets_are_found() -> None:
    text = (
        "[http]\n\tcookieFile = ~/c\n\tsslKey = /k\n[credential]\n\thelper = store --file ~/a\n"
        '[credential "https://h"]\n\thelper = store --file="~/b"\n\thelper = cache\n\thelper = store\n'
    )
    assert list(stores_of_git(text)) == ["~/c", "/k", "~/a", "~/b"]


CARGO = """\
# of the company
[registries.corp]
index = "sparse+https://cargo.example.org/index/"
credential-provider = ["cargo:token-from-stdout", "pass"]

[source.crates-io]
replace-with = "corp"

[build]
rustflags = [
  "-C", "link-arg=-fuse-ld=lld",
]

[env]
RUST_LOG = "debug"
KEYBOARD = { value = "us", force = true }
"""


def test_cargos_settings_without_secrets_are_left_alone() -> None:
    assert without_tokens("toml", CARGO) == CARGO


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ('[registry]\ntoken = "abc"\ndefault = "corp"\n', '[registry]\ndefault = "corp"\n'),
        ('[registries.two]\nindex = "https://u:pw@h/i"\n"token" = "Bearer abc"\n',
         '[registries.two]\nindex = "https://h/i"\n'),
        ('[registries]\ntwo = { index = "https://h/i", token = "x" }\n',
         '[registries]\ntwo = { index = "https://h/i"}\n'),
        ('[registries]\ntwo.index = "https://h/i"\ntwo.secret-key = "x"\n',
         '[registries]\ntwo.index = "https://h/i"\n'),
        ('[http]\nproxy = "u:pw@h:1"\n', "[http]\n"),
        (f'[env]\nMY_TOKEN = "x"\nA = "{TOKEN}"\nB = "b"\n', '[env]\nB = "b"\n'),
        ('[env]\nAWS_SECRET_ACCESS_KEY = { value = "x", force = true }\n', "[env]\n"),
        ('#token = "x"\n# password = "x"\n', ""),
        ('[a] # token = "x"\nb = 1 # token = "x"\nc = 1 # mine\n', "[a] \nb = 1 \nc = 1 # mine\n"),
    ],
)  # fmt: skip
def test_secrets_in_cargos_settings_go_and_the_rest_stays(more: str, left: str) -> None:
    assert may_hold_secrets(more)
    shown = without_tokens("toml", CARGO.replace("[env]", "[env.x]") + more)
    assert shown == CARGO.replace("[env]", "[env.x]") + left
    tomllib.loads(shown)


@pytest.mark.parametrize(
    "text",
    [
        'token = """\nabc"""\n',
        'a = """\ntoken = "x"\n"""\n',
        "a = [\n  1, # token = x\n]\n",
        '"t\\u006fken" = "x"\n',
        "a = { b = 1\n",
        "a = 'b\n'\n",
        "a\n",
        "[a]]\n",
        f"a = {'[' * 40}{']' * 40}\n",
        'tokens = [\n  "abc",\n]\n',
        'index = "sparse+https://dl.example.org/Ab12Cd34Ef56Gh78Ij/x/"\n',
    ],
)
def test_toml_that_cannot_be_told_apart_is_not_shown(text: str) -> None:
    assert without_tokens("toml", text) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("GOPROXY=https://u:pw@proxy.example.org,direct\nGOFLAGS=-mod=mod\n",
         "GOPROXY=https://proxy.example.org,direct\nGOFLAGS=-mod=mod\n"),
        (f":sources:\n- https://{TOKEN}@gems.example.org/\n:rubygems_api_key: abc\ngem: --no-document\n",
         ":sources:\n- https://gems.example.org/\ngem: --no-document\n"),
        ("-- password:\nusername: me\npassword: pw\ntokens:\n  - abc\njobs: 4\n",
         "-- password:\nusername: me\ntokens:\njobs: 4\n"),
        ("[global]\nindex-url = https://u:pw@h/simple\npassword = pw\ntimeout = 9\n",
         "[global]\nindex-url = https://h/simple\ntimeout = 9\n"),
        ("credentials { username = 'u'; password = 'pass' }\njcenter()\n", "jcenter()\n"),
    ],
)  # fmt: skip
def test_secrets_in_lines_go_and_the_rest_stays(text: str, left: str) -> None:
    assert may_hold_secrets(text)
    assert without_tokens("lines", text) == left
    assert without_tokens("lines", left) == left


SECRET = "S3cr3tValue"  # of no known shape


@every(
    "form, text",
    [
        # Git joins what quotes and lines that go on take apart.
        ("git", f'[remote "o"]\n\turl = https://u:"{SECRET}@h/x"\n'),
        ("git", f'[remote "o"]\n\turl = https://u:\\\n{SECRET}@h/x\n'),
        ("git", f'[remote "o"]\n\turl = https://u:{SECRET}\\\n@h/x\n'),
        ("git", f'[remote "o"]\n\turl = https:\\\n//u:{SECRET}@h/x\n'),
        ("git", f"[http]\n\tproxy = u:{SECRET}@h\n"),
        ("git", f'[credential]\n\thelper = "!echo password=\\"{SECRET}\\""\n'),
        ("git", f"[credential]\n\thelper = \"!printf 'password=%s' {SECRET}\"\n"),
        ("git", f'[credential]\n\thelper = "!x --password {SECRET}"\n'),
        ("git", f'[alias]\n\tx = "!curl -u me:{SECRET} h"\n'),
        ("git", f'[core]\n\tsshCommand = "sshpass -p {SECRET} ssh"\n'),
        ("git", f'[filter "x"]\n\tclean = openssl enc -pass pass:{SECRET}\n'),
        ("git", f"[user]\n\tname = x # password {SECRET}\n"),
        ("git", f"#token {SECRET}\n"),
        ("git", f"[azure]\n\tpat = {SECRET}\n[gitlab]\n\toauth = {SECRET}\n[x]\n\tpwd = {SECRET}\n"),
        ("toml", f'[registries.x]\n"to\\u006ben" = "{SECRET}"\n'),
        ("toml", f'index = "https:/\\u002Fu:{SECRET}@h"\n'),
        ("toml", f'[env]\nX_TOKEN.value = "{SECRET}"\n'),
        ("toml", f'[env.API_KEY]\nvalue = "{SECRET}"\nforce = true\n'),
        ("toml", f'[pypi-token]\npypi = "{SECRET}"\n'),
        ("toml", f'[alias]\nx = ["run", "--token", "{SECRET}"]\n'),
        ("toml", f'x = 1 # token = "{SECRET}"\n'),
        ("lines", f"proxy: u:{SECRET}@h\n"),
        ("lines", f"password: >\n\n  {SECRET}\n"),
        ("lines", f"tokens:\n- {SECRET}\n"),
        ("lines", f'password: "a\n{SECRET}"\n'),
        ("lines", f"password: [\n{SECRET}\n]\n"),
        ("lines", f"password =\n{SECRET}\n"),
        ("lines", f"authorization: {SECRET}\n"),
        ("lines", f"channel_alias: https://h/t/{SECRET}/x\n"),
        ("code", f'def password = "{SECRET}"\n'),
        ("code", f'credentials {{ setPassword("{SECRET}") }}\n'),
        ("code", f'token<-"{SECRET}"\n'),
        ("code", f'/* password = "{SECRET}" */\n'),
    ],
)
def test_a_secret_goes_however_it_is_written(form: str, text: str) -> None:
    """Required: what the program reads counts, not how one line looks."""
    assert may_hold_secrets(text)
    assert SECRET not in (without_tokens(form, text) or "")


def test_programs_are_shown_as_they_are_or_not_at_all() -> None:
    text = 'options(repos = c(CRAN = "https://cran.example.org"))\n'
    assert without_tokens("code", text) == text
    assert without_tokens("code", text + 'Sys.setenv(GITHUB_PAT = "x")\n') is None


def test_what_is_short_of_any_sign_is_not_looked_through() -> None:
    assert not may_hold_secrets("[user]\n\tname = x\n\temail = x@example.org\n[pull]\n\trebase = true\n")
