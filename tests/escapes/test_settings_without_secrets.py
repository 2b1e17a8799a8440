"""Settings of programs with secrets in them are seen without these (threat table, row 20)."""

from __future__ import annotations

import pytest

from escape_stage import BOTH_BACKENDS, Stage

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
