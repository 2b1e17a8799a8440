"""What a home keeps is closed unless it is known to be harmless, and what people's tools need to run is."""

import os
import random
import string
from pathlib import Path

import pytest

from sandgate.places.home import CLOSED_TOO, standing
from sandgate.places.secrets import IN_HOME
from support.escape.escape_stage import BOTH_BACKENDS, Stage

SECRET = "correct horse battery"
KNOWN = sorted({*(place + "x" if place.endswith("/") else place for place in IN_HOME), *CLOSED_TOO})
SEED = 20130
UNKNOWN_MIN = 60

# Whoever knows a name asks for it, by every way to say it.
READER = """
import os, sys
home, repo, secret, names = sys.argv[1], sys.argv[2], sys.argv[3], open("names").read().split("\\n")
def ways(name):
    yield f"{home}/{name}"
    yield f"/proc/self/root{home}/{name}"
    yield f"/proc/self/cwd/../home/{name}"
    yield f"{home}//./{name}"
    yield f"{home}/src/../{name}"
    yield f"links/{name.replace('/', '%')}"
for name in names:
    for way in ways(name):
        try:
            if secret in open(way).read():
                print(name)
                break
        except OSError:
            pass
    try:
        os.link(f"{home}/{name}", "hard")
        print("linked", name, open("hard").read())
    except OSError:
        pass
"""

TOOLS = (
    ".pyenv/versions/3.12.1/bin", ".pyenv/shims", ".nvm/versions/node/v20/bin",
    ".local/share/fnm/node-versions/v20/bin", ".volta/bin", ".rustup/toolchains/stable/bin", ".cargo/bin", "go/bin",
    ".sdkman/candidates/java/current/bin", "miniconda3/bin", "miniforge3/envs/x/bin", ".conda/envs/x/bin",
    ".local/share/uv/python/cpython-3.12/bin", ".local/share/uv/tools/ruff/bin", ".local/pipx/venvs/x/bin",
    ".local/share/pipx/venvs/x/bin", ".local/bin", ".bun/bin", ".deno/bin", "flutter/bin", ".pub-cache/bin",
    ".jdks/jdk-21/bin", ".rbenv/shims", ".rbenv/versions/3/bin", ".asdf/shims", ".local/share/mise/shims",
    ".local/share/mise/installs/node/20/bin", ".local/share/pnpm", ".yarn/bin", ".poetry/bin",
    ".local/share/pypoetry/venv/bin", ".ghcup/bin", ".cabal/bin", ".stack/programs", ".opam/default/bin",
    ".juliaup/bin", ".julia/juliaup/bin", ".dotnet", ".dotnet/tools", "Android/Sdk/platform-tools",
    ".nix-profile/bin", ".linuxbrew/bin", ".krew/bin", ".docker/cli-plugins", ".elan/bin", ".nimble/bin",
    ".composer/vendor/bin", ".config/composer/vendor/bin", ".gem/ruby/3.2.0/bin", ".virtualenvs/x/bin",
    ".npm-global/bin", ".fly/bin", ".foundry/bin", ".wasmer/bin", ".terraform.versions", ".vscode-server/bin/x",
    ".oh-my-zsh/tools", "bin", "sdk/go1.22/bin", ".m2/wrapper/dists", ".gradle/wrapper/dists/gradle-8/bin",
    ".claude/skills/x/scripts",
)  # fmt: skip


def put(home: Path, place: str, text: str) -> None:
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    (home / place).write_text(text)


def unknown_places(count: int) -> list[str]:
    """Made up: no list can know them."""
    chosen = random.Random(SEED)
    letters = string.ascii_letters + string.digits + "-_."
    places: dict[str, None] = {}
    while len(places) < count:
        name = "".join(chosen.choice(letters) for _ in range(chosen.randint(1, 14))).strip(".") or "x"
        above = chosen.choice((".", ".", ".config/", ".config/.", ".local/", ".local/share/", ".local/state/"))
        place = above + name + chosen.choice(("", "/token", "/deep/er/key"))
        if standing(place) == "unknown":
            places[place] = None
    for known in KNOWN[::7]:  # another case is another name
        places[known.upper() if known[0] == "." else f".{known.upper()}"] = None
    return [place for place in places if not any(other.startswith(f"{place}/") for other in places)]


def plant(stage: Stage, places: list[str]) -> list[str]:
    (stage.home / "src").mkdir(exist_ok=True)
    (stage.repo / "links").mkdir()
    planted = []
    for place in places:
        try:
            put(stage.home, place, SECRET)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
        planted.append(place)
        (stage.repo / "links" / place.replace("/", "%")).symlink_to(stage.home / place)
    (stage.repo / "names").write_text("\n".join(planted))
    stage.own()
    return planted


def read_all(stage: Stage) -> list[str]:
    return stage.script(READER, stage.home, stage.repo, SECRET)


@BOTH_BACKENDS
def test_no_known_place_is_readable_by_any_of_its_names(stage: Stage, backend: str) -> None:
    planted = plant(stage, KNOWN)
    assert len(planted) > len(KNOWN) * 0.9
    unconfined = stage.unconfined(read_all(stage)).stdout
    assert set(planted) <= set(unconfined.splitlines())
    ran = stage.confined(read_all(stage), backend=backend)
    assert (ran.exit_code, ran.stdout) == (0, ""), ran


@BOTH_BACKENDS
def test_no_entry_that_nobody_knows_is_readable_by_any_of_its_names(stage: Stage, backend: str) -> None:
    """Required: searches for siblings; the names are made up, in every place that is closed."""
    planted = plant(stage, unknown_places(UNKNOWN_MIN))
    assert len(planted) >= UNKNOWN_MIN
    assert set(planted) <= set(stage.unconfined(read_all(stage)).stdout.splitlines())
    ran = stage.confined(read_all(stage), backend=backend)
    assert (ran.exit_code, ran.stdout) == (0, ""), ran


@BOTH_BACKENDS
def test_tools_that_people_install_in_their_home_run(stage: Stage, backend: str) -> None:
    for place in TOOLS:
        put(stage.home, f"{place}/tool", f"#!/bin/sh\n. {stage.home}/{place}/beside\necho ran $beside\n")
        put(stage.home, f"{place}/beside", f"beside={place}\n")
        (stage.home / place / "tool").chmod(0o755)
    stage.own()
    script = "; ".join(f"{stage.home}/{place}/tool" for place in TOOLS)
    ran = stage.confined(["sh", "-c", script], backend=backend)
    assert ran.stdout.split("\n")[:-1] == [f"ran {place}" for place in TOOLS], ran.stderr


@BOTH_BACKENDS
def test_settings_that_are_known_to_be_harmless_are_read(stage: Stage, backend: str) -> None:
    names = """
        .gitconfig .config/git/ignore .bashrc .profile .inputrc .ssh/config .ssh/known_hosts .ssh/id_rsa.pub
        .cargo/config.toml .m2/repository/a/b.jar .npm/_cacache/x .cache/pip/x .local/share/fonts/x.ttf .vimrc
        Documents/x src/.hidden/y .gradle/caches/z
    """
    open_ones = names.split()
    for place in (*open_ones, ".cargo/credentials.toml", ".gradle/gradle.properties", ".ssh/id_rsa"):
        put(stage.home, place, "read\n")
    stage.own()
    ran = stage.confined(["cat", *(f"{stage.home}/{place}" for place in open_ones)], backend=backend)
    assert ran.stdout == "read\n" * len(open_ones), ran.stderr


@BOTH_BACKENDS
def test_what_git_includes_is_read_and_nothing_beside_it(stage: Stage, backend: str) -> None:
    put(stage.home, ".gitconfig", "[include]\n\tpath = ~/.work-settings\n")
    put(stage.home, ".work-settings", "included\n")
    put(stage.home, ".work-token", SECRET)
    stage.own()
    ran = stage.confined(["sh", "-c", "cat ~/.work-settings; cat ~/.work-token"], backend=backend)
    assert ran.stdout == "included\n"


@BOTH_BACKENDS
@pytest.mark.parametrize("place", [".config/nvim", ".dotfiles", ".local/src/x", ".local/share", ".config"])
def test_a_workspace_below_a_closed_entry_is_worked_in_and_its_neighbours_stay_closed(
    stage: Stage, backend: str, place: str
) -> None:
    work = stage.home / place
    put(work, "mine", "mine\n")
    closed = (".config/gh/hosts.yml", ".local/share/keyrings/login", ".foorc", ".netrc")
    for name in closed:
        put(stage.home, name, SECRET)
    stage.own()
    theft = f"cd {stage.home}; cat {' '.join(closed)}"
    assert stage.unconfined(["sh", "-c", theft]).stdout.count(SECRET) == len(closed)
    attack = ["sh", "-c", f"cat mine; echo more >> mine; cat mine; {theft}"]
    ran = stage.confined(attack, backend=backend, cwd=work, policy_cwd=work)
    assert SECRET not in ran.said, ran
    assert ran.stdout == "mine\nmine\nmore\n", ran


@BOTH_BACKENDS
def test_a_linked_entry_is_closed_where_it_leads(stage: Stage, backend: str) -> None:
    put(stage.outside, "keys/id", SECRET)
    put(stage.outside, "elsewhere/token", SECRET)
    (stage.home / ".ssh").symlink_to(stage.outside / "keys")
    (stage.home / ".tool").symlink_to(stage.outside / "elsewhere")
    stage.own()
    attack = ["cat", f"{stage.outside}/keys/id", f"{stage.outside}/elsewhere/token", f"{stage.home}/.ssh/id"]
    assert stage.unconfined(attack).stdout.count(SECRET) == 3
    assert SECRET not in stage.confined(attack, backend=backend).said


@BOTH_BACKENDS
def test_what_is_opened_by_hand_is_read_and_nothing_beside_it(stage: Stage, backend: str) -> None:
    put(stage.home, ".config/foo/x", "opened\n")
    put(stage.home, ".config/bar/x", SECRET)
    stage.own()
    attack = ["sh", "-c", "cat ~/.config/foo/x; cat ~/.config/bar/x"]
    ran = stage.confined(attack, backend=backend)
    denied = {path for operation, path, _ in ran.denials if operation == "read"}
    assert denied == {f"{stage.home}/.config/foo", f"{stage.home}/.config/bar"}, ran
    grant = next(tuple(grant) for _, path, grant in ran.denials if path.endswith("foo"))
    opened = stage.confined(attack, backend=backend, grants=[grant])
    assert opened.stdout == "opened\n", opened


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make the home of another user")
@BOTH_BACKENDS
def test_homes_of_others_and_mail_are_closed(stage: Stage, backend: str) -> None:
    other = Path("/home") / f"sandgate-test-{os.getpid()}"
    mail = Path("/var/mail") / other.name
    other.mkdir(mode=0o755)
    try:
        put(other, "notes", SECRET)
        mail.write_text(SECRET)
        os.chown(other, 4243, 4243)
        mail.chmod(0o644)
        attack = ["cat", str(other / "notes"), str(mail)]
        assert stage.unconfined(attack).stdout.count(SECRET) == 2
        assert SECRET not in stage.confined(attack, backend=backend).said
    finally:
        (other / "notes").unlink()
        other.rmdir()
        mail.unlink()


LINKED = {  # on PATH → where it leads, in places that nobody knows
    ".local/bin/foo": "../../.foo/bin/foo",
    ".local/bin/bar": "{home}/.bar/versions/1/bin/bar",
    ".local/bin/both": "{home}/.both/bin/both",
    "bin/qux": "{home}/.qux/qux",
    "bin/deep": "{home}/.config/deep/sbin/deep",
}
PROGRAM = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
beside=$(cat "$here/../lib/beside" 2>&-)
echo ran "${0##*/}" $beside
"""


@BOTH_BACKENDS
def test_a_program_that_the_path_only_links_to_runs_and_what_lies_beside_it_stays_closed(
    stage: Stage, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = stage.home
    paths = f"{home}/.local/bin:{home}/bin:/usr/local/bin:/usr/bin:/bin"
    monkeypatch.setattr(stage, "environment", lambda: {"PATH": paths, "HOME": str(home), "LANG": "C.UTF-8"})
    for place in (".foo/bin/foo", ".bar/versions/1/bin/bar", ".real/bin/both", ".qux/qux", ".config/deep/sbin/deep"):
        put(home, place, PROGRAM)
        (home / place).chmod(0o755)
    for place in (".foo", ".bar/versions/1", ".real", ".config/deep"):
        put(home, f"{place}/lib/beside", "beside")
    (home / ".bar" / "current").symlink_to("versions/1")
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "bin" / "by-link").symlink_to(home / ".bar" / "current" / "bin" / "bar")
    (home / ".local" / "bin" / "nowhere").symlink_to(home / ".gone" / "bin" / "x")
    (home / ".local" / "bin" / "loop").symlink_to("loop")
    (home / ".both" / "bin").mkdir(parents=True)
    (home / ".both" / "bin" / "both").symlink_to(home / ".real" / "bin" / "both")
    for link, target in LINKED.items():
        (home / link).parent.mkdir(parents=True, exist_ok=True)
        (home / link).symlink_to(target.format(home=home))
    secrets = [".foo/token", ".bar/token", ".both/token", ".real/token", ".qux/token", ".config/deep/token", ".aws/key"]
    for secret in secrets:
        put(home, secret, SECRET)
    (home / "bin" / "key").symlink_to(home / ".aws" / "key")
    stage.own()
    script = ["sh", "-c", "foo; bar; both; qux; deep; cd; cat ~/bin/key " + " ".join(secrets)]
    ran = ["ran foo beside", "ran bar beside", "ran both beside", "ran qux", "ran deep beside"]
    outside, inside = stage.unconfined(script), stage.confined(script, backend=backend)
    assert inside.error is None, inside
    assert inside.stdout is not None, inside
    assert outside.stdout.splitlines()[:5] == ran
    assert outside.stdout.count(SECRET) == len(secrets) + 1
    assert inside.stdout.splitlines() == ran, inside
