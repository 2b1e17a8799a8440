"""Settings of programs with secrets in them are seen without these (threat table, row 20)."""

from __future__ import annotations

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

pytestmark = pytest.mark.host("namespace", "notify")

TOKEN = "npm_Zs81kQ0vTn5wXyAb3CdEfGhIjKlMnOpQrStU"
SETTINGS = {
    ".npmrc": (
        f"@corp:registry=https://npm.example.org/\n//npm.example.org/:_authToken={TOKEN}\n",
        "@corp:registry=https://npm.example.org/\n",
    ),
    ".config/pip/pip.conf": (
        f"[global]\nindex-url = https://me:{TOKEN}@pypi.example.org/simple\n",
        "[global]\nindex-url = https://pypi.example.org/simple\n",
    ),
    ".pip/pip.conf": (
        f"[global]\npassword = {TOKEN}\ntimeout = 9\n",
        "[global]\ntimeout = 9\n",
    ),
    ".docker/config.json": (
        f'{{"auths": {{"registry.example.org": {{"auth": "{TOKEN}"}}}}}}',
        '{"auths": {"registry.example.org": {}}}\n',
    ),
    ".m2/settings.xml": (
        f"<settings><servers><server><password>{TOKEN}</password></server></servers><offline>true</offline></settings>",
        "<settings><offline>true</offline></settings>\n",
    ),
}


def plant(stage: Stage, **others: str) -> None:
    for place, (text, _) in SETTINGS.items():
        (stage.home / place).parent.mkdir(parents=True, exist_ok=True)
        (stage.home / place).write_text(others.get(place, text))
    for beside in (".docker/contexts", ".m2/settings-security.xml", ".config/pip/token"):
        (stage.home / beside).write_text(TOKEN)
    stage.own()


# Open, as programs fail without them; only what is secret in them is not seen.
OPEN_SETTINGS = {
    ".gitconfig": (
        f"[user]\n\tname = A. Person\n[include]\n\tpath = ~/dotfiles/work\n[github]\n\ttoken = {TOKEN}\n",
        "[user]\n\tname = A. Person\n[include]\n\tpath = ~/dotfiles/work\n[github]\n",
    ),
    "dotfiles/work": (
        f'[user]\n\temail = me@example.org\n[url "https://me:{TOKEN}@git.example.org/"]\n\tinsteadOf = work:\n',
        '[user]\n\temail = me@example.org\n[url "https://git.example.org/"]\n\tinsteadOf = work:\n',
    ),
    ".config/git/config": (
        f'[http "https://git.example.org/"]\n\textraHeader = "X-Mine: {TOKEN}"\n\tsslVerify = true\n',
        '[http "https://git.example.org/"]\n\tsslVerify = true\n',
    ),
    ".gitconfig-elsewhere": (f"[sendemail]\n\tsmtpPass = {TOKEN}\n", "[sendemail]\n"),
    ".cargo/config.toml": (
        f'[registries.corp]\nindex = "sparse+https://cargo.example.org/i/"\ntoken = "{TOKEN}"\n',
        '[registries.corp]\nindex = "sparse+https://cargo.example.org/i/"\n',
    ),
    ".cargo/config": (f'[env]\nMY_TOKEN = "{TOKEN}"\nOTHER = "1"\n', '[env]\nOTHER = "1"\n'),
    ".config/go/env": (f"GOPROXY=https://me:{TOKEN}@go.example.org\n", "GOPROXY=https://go.example.org\n"),
    ".gemrc": (f":sources:\n- https://{TOKEN}@gems.example.org/\n", ":sources:\n- https://gems.example.org/\n"),
}


def plant_open(stage: Stage, **others: str) -> None:
    for place, (text, _) in OPEN_SETTINGS.items():
        (stage.home / place).parent.mkdir(parents=True, exist_ok=True)
        (stage.home / place).write_text(others.get(place, text))
    stage.own()


@BOTH_BACKENDS
def test_no_token_is_found_in_settings_that_are_open(stage: Stage, backend: str) -> None:
    plant_open(stage)
    (stage.home / "kept").write_text(f"https://me:{TOKEN}@example.org\n")
    (stage.home / ".gitconfig-stores").write_text("[credential]\n\thelper = store --file ~/kept\n")
    (stage.home / ".cargo/credentials.toml").write_text(f'[registry]\ntoken = "{TOKEN}"\n')
    stage.own()
    attack = ["grep", "-rls", TOKEN, str(stage.home)]
    assert len(stage.unconfined(attack).stdout.split()) == len(OPEN_SETTINGS) + 2
    assert stage.confined(attack, backend=backend).stdout == ""


def test_the_rest_of_settings_that_are_open_is_seen(stage: Stage) -> None:
    plant_open(stage)
    attack = ["cat", *(str(stage.home / place) for place in OPEN_SETTINGS)]
    assert stage.unconfined(attack).stdout.count(TOKEN) == len(OPEN_SETTINGS)
    ran = stage.confined(attack, backend="namespace")
    assert (ran.stdout, ran.denials) == ("".join(shown for _, shown in OPEN_SETTINGS.values()), []), ran


def test_git_goes_on_with_its_settings(stage: Stage) -> None:
    plant_open(stage)
    asked = ["git", "config", "--get-regexp", "user|url|github"]
    assert TOKEN in stage.unconfined(asked).stdout
    ran = stage.confined(asked, backend="namespace")
    assert ran.stdout.splitlines() == [
        "user.name A. Person", "user.email me@example.org", "url.https://git.example.org/.insteadof work:"
    ], ran  # fmt: skip


def test_git_goes_on_without_its_settings_under_landlock(stage: Stage) -> None:
    """It fails where it cannot read a file of them, which it takes for readable."""
    stage.repository()
    (stage.home / "work").write_text(f"[github]\n\ttoken = {TOKEN}\n")
    (stage.home / ".gitconfig").write_text("[user]\n\tname = A. Person\n[include]\n\tpath = ~/work\n")
    stage.own()
    asked = ["sh", "-c", "git config --get --default=none user.name && git status --short"]
    assert stage.unconfined(asked).stdout == "A. Person\n"
    ran = stage.confined(asked, backend="landlock")
    assert (ran.exit_code, ran.said) == (0, "none\n"), ran


@BOTH_BACKENDS
def test_settings_without_secrets_stay_as_they_are(stage: Stage, backend: str) -> None:
    plant_open(stage, **{place: shown for place, (_, shown) in OPEN_SETTINGS.items()})
    attack = ["cat", *(str(stage.home / place) for place in OPEN_SETTINGS)]
    ran = stage.confined(attack, backend=backend)
    assert (ran.stdout, ran.denials) == ("".join(shown for _, shown in OPEN_SETTINGS.values()), []), ran


def test_a_link_to_settings_shows_what_the_file_shows(stage: Stage) -> None:
    """As people who keep their settings in one place have it."""
    (stage.home / "dotfiles").mkdir()
    (stage.home / "dotfiles/gitconfig").write_text(OPEN_SETTINGS[".gitconfig"][0])
    (stage.home / ".gitconfig").symlink_to("dotfiles/gitconfig")
    stage.own()
    for name in (".gitconfig", "dotfiles/gitconfig"):
        attack = ["cat", str(stage.home / name)]
        assert TOKEN in stage.unconfined(attack).stdout
        assert stage.confined(attack, backend="namespace").stdout == OPEN_SETTINGS[".gitconfig"][1]


@BOTH_BACKENDS
def test_settings_of_another_form_with_a_secret_are_closed(stage: Stage, backend: str) -> None:
    plant_open(stage, **{".cargo/config.toml": f'x = """\ntoken = "{TOKEN}"\n"""\n'})
    attack = ["cat", str(stage.home / ".cargo/config.toml")]
    assert TOKEN in stage.unconfined(attack).stdout
    assert stage.confined(attack, backend=backend).stdout == ""


@BOTH_BACKENDS
def test_no_token_is_found_by_searching_everything(stage: Stage, backend: str) -> None:
    plant(stage)
    attack = ["grep", "-rls", TOKEN, str(stage.home)]
    assert len(stage.unconfined(attack).stdout.split()) == len(SETTINGS) + 3
    assert stage.confined(attack, backend=backend).stdout == ""


def test_what_is_no_secret_is_seen_at_its_place(stage: Stage) -> None:
    plant(stage)
    attack = ["cat", *(str(stage.home / place) for place in SETTINGS)]
    assert stage.unconfined(attack).stdout.count(TOKEN) == len(SETTINGS)
    ran = stage.confined(attack, backend="namespace")
    assert (ran.stdout, ran.denials) == ("".join(shown for _, shown in SETTINGS.values()), []), ran


def test_nothing_of_a_file_of_another_form_is_seen(stage: Stage) -> None:
    plant(stage, **dict.fromkeys(SETTINGS, f"whatever {TOKEN}"))
    attack = ["cat", *(str(stage.home / place) for place in SETTINGS)]
    assert stage.unconfined(attack).stdout.count(TOKEN) == len(SETTINGS)
    assert stage.confined(attack, backend="namespace").stdout == ""


def test_under_landlock_all_of_it_is_closed_as_nothing_can_lie_there_instead(stage: Stage) -> None:
    plant(stage)
    assert stage.confined(["cat", str(stage.home / ".npmrc")], backend="landlock").stdout == ""


@pytest.mark.parametrize("place", [".npmrc", ".config/pip/pip.conf"])
def test_it_cannot_be_changed_and_what_lies_there_is_not(stage: Stage, place: str) -> None:
    """Required: neither the copy, for later commands, nor the file."""
    plant(stage)
    file = stage.home / place
    for change in ("echo changed > {0}", "chmod 666 {0}; echo changed >> {0}", "rm -f {0}; mv {0} {0}.old"):
        ran = stage.confined(["sh", "-c", change.format(file)], backend="namespace")
        assert ran.exit_code != 0, ran
        assert stage.confined(["cat", str(file)], backend="namespace").stdout == SETTINGS[place][1]
    assert file.read_text() == SETTINGS[place][0]


def test_a_change_of_the_file_is_seen_by_the_next_command(stage: Stage) -> None:
    plant(stage)
    npmrc = stage.home / ".npmrc"
    for name in ("one", "two"):
        npmrc.write_text(f"registry=https://{name}.example.org/\n_auth={TOKEN}\n")
        ran = stage.confined(["cat", str(npmrc)], backend="namespace")
        assert ran.stdout == f"registry=https://{name}.example.org/\n"


def test_a_grant_shows_the_file_itself(stage: Stage) -> None:
    plant(stage)
    file = str(stage.home / ".npmrc")
    ran = stage.confined(["cat", file], backend="namespace", grants=[("read_path", file)])
    assert TOKEN in ran.stdout


def test_a_link_is_not_followed_to_something_else(stage: Stage) -> None:
    """Our choice: what lies elsewhere is closed there, under its own name."""
    plant(stage)
    (stage.home / ".npmrc").unlink()
    (stage.home / ".private").write_text(SETTINGS[".npmrc"][0])
    (stage.home / ".npmrc").symlink_to(".private")
    stage.own()
    attack = ["cat", str(stage.home / ".npmrc")]
    assert TOKEN in stage.unconfined(attack).stdout
    assert stage.confined(attack, backend="namespace").stdout == ""


def test_a_workspace_may_be_the_home(stage: Stage) -> None:
    """Then it is writable around the file, and the file is covered all the same."""
    plant(stage)
    ran = stage.confined(
        ["sh", "-c", "cat ~/.npmrc; echo changed > ~/.npmrc"],
        backend="namespace",
        grants=[("write_root", str(stage.home))],
    )
    assert TOKEN not in ran.said
    assert (stage.home / ".npmrc").read_text() == SETTINGS[".npmrc"][0]
