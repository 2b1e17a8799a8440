"""Every hint of a refusal is typed as it stands, and then the command does what it could not do."""

from __future__ import annotations

import itertools
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS
from support.process.program import Sandgate

pytestmark = pytest.mark.host("namespace", "notify")

HINT = "sandgate: grant it once with: "


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = Path("/var/tmp") / f"sandgate-hints-{os.getpid()}-{tmp_path_factory.getbasetemp().name}"
    (place / "folder").mkdir(parents=True)
    (place / "exists").write_text("old\n")
    (place / "folder" / "in").write_text("old\n")
    yield place
    subprocess.run(["rm", "-rf", str(place)], check=True)


@pytest.fixture
def sandgate(outside: Path) -> Sandgate:
    """In a home below no /tmp, as homes are."""
    workspace, home = outside / "repo", outside / "home"
    workspace.mkdir()
    home.mkdir()
    (home / ".ssh").mkdir(parents=True)
    (home / ".local" / "bin" / "other").mkdir(parents=True)
    (home / ".unknown").mkdir()
    (home / ".unknown" / "there").write_text("x\n")
    (home / ".unknown" / "empty").mkdir()
    (home / ".unknown" / "full").mkdir()
    (home / ".unknown" / "full" / "inner").write_text("x\n")
    (home / ".ssh" / "key").write_text("secret\n")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / ".ssh" / "signing")], check=True)
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / ".git" / "hooks").mkdir(exist_ok=True)
    (workspace / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\n")
    (workspace / ".envrc").write_text("export A=1\n")
    return Sandgate(workspace, home)


COMMANDS = {
    "new file": "echo x > '{outside}/a new one'",
    "new file, exclusively": "set -C; echo x > {outside}/new",
    "existing file": "echo x >> {outside}/exists",
    "replaced file": "echo x > {outside}/folder/t && mv {outside}/folder/t {outside}/exists",
    "removed file": "rm {outside}/exists",
    "removed tree": "rm -r {outside}/folder",
    "renamed file": "mv {outside}/exists {outside}/other",
    "attributes": "chmod 600 {outside}/exists",
    "directory": "mkdir {outside}/d",
    "files below a new directory": "mkdir -p {outside}/x/y && echo x > {outside}/x/y/z",
    "many files": "for i in 1 2 3 4 5 6; do echo x > {outside}/folder/$i || exit 1; done",
    "directory in the home": "mkdir ~/made",
    "new file in the home": "echo x > ~/made",
    "what shows of a closed directory": "set -C; echo x > ~/.local/bin/other/made",
    "several directories in a closed one": "mkdir -p ~/.unknown/a/b/c && echo x > ~/.unknown/a/b/c/d",
    "what pip makes in a home": "mkdir -p ~/.local/lib/python3/site-packages/x",
    "new file in a closed directory": "echo x > ~/.unknown/new",
    "existing file in a closed directory": "echo x >> ~/.unknown/there",
    "protected file": "echo x >> .envrc",
    "protected name that is not there": "echo x > .git/../.pre-commit-config.yaml; echo x > .gitconfig",
    "protected directory that is not there": "mkdir .vscode",
    "what is moved to a protected name": "mkdir made; mv made .vscode",
    "secret": "cat ~/.ssh/key",
    "key that signs": "ssh-keygen -q -Y sign -n git -f ~/.ssh/signing.pub < /dev/null > /dev/null",
    "socket": "{python} -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{outside}/service\")'",
    "host": "{python} -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'",
}
HINTS_TYPED_MAX = 4  # one after another: what is behind a first refusal shows only then


# In a directory that is closed because nobody knows what lies there. What is deleted, moved and linked needs all of it.
IN_CLOSED = {
    "removed file": "rm ~/.unknown/there",
    "removed directory": "rmdir ~/.unknown/empty",
    "removed tree": "rm -r ~/.unknown/full",
    "removed file further in": "rm ~/.unknown/full/inner",
    "renamed file": "mv ~/.unknown/there ~/.unknown/other",
    "renamed directory": "mv ~/.unknown/full ~/.unknown/other",
    "file moved out": "mv ~/.unknown/there .",
    "file moved in": "mv mine ~/.unknown/",
    "file moved over another": "mv mine ~/.unknown/there",
    "name of a file inside": "ln ~/.unknown/there ~/.unknown/link",
    "name of a file outside": "ln mine ~/.unknown/link || cp mine ~/.unknown/link",
    "symbolic link": "ln -s there ~/.unknown/link",
    "exclusive file": "set -C; echo x > ~/.unknown/new",
    "pipe": "mkfifo ~/.unknown/pipe",
    "directory": "mkdir -p ~/.unknown/new",
}


@pytest.mark.parametrize("what", IN_CLOSED)
@BOTH_BACKENDS
def test_a_change_of_names_in_a_closed_directory_has_a_hint(sandgate: Sandgate, backend: str, what: str) -> None:
    """Required: it opens no more than that directory; neither a home nor what is known to be a secret."""
    (sandgate.workspace / "mine").write_text("mine\n")
    command = ["--backend", backend, "--", "sh", "-c", IN_CLOSED[what]]
    options = typed_until_it_works(sandgate, command)
    opened = [word for option, word in itertools.pairwise(options) if option in ("--add-dir", "--grant")]
    assert opened
    assert all(each.partition("=")[2].startswith(f"{sandgate.home}/.unknown") for each in opened if "=" in each)
    assert all(each.startswith(f"{sandgate.home}/.unknown") for each in opened if "=" not in each)


AMONG_SECRETS = {
    "rm ~/.ssh/key": "--grant remove={home}/.ssh/key",
    "ln -s key ~/.ssh/other": "--grant new_entry={home}/.ssh/other",
    "set -C; echo x > ~/.ssh/made": "--grant new_entry={home}/.ssh/made",
}


@pytest.mark.parametrize("words", AMONG_SECRETS)
@BOTH_BACKENDS
def test_among_secrets_the_one_name_is_given(sandgate: Sandgate, backend: str, words: str) -> None:
    """Required: nothing around it opens, to be read or written."""
    where = ("run", "--backend", backend)
    refused = sandgate(*where, "--", "sh", "-c", words)
    (hint,) = [line.removeprefix(HINT) for line in refused.err.splitlines() if HINT in line]
    assert hint == AMONG_SECRETS[words].format(home=sandgate.home)
    beside = "cat ~/.ssh/key; echo x >> ~/.ssh/key; echo x > ~/.ssh/more"
    done = sandgate(*where, *shlex.split(hint), "--", "sh", "-c", f"{words} && {{ {beside}; true; }}")
    assert done.code == 0, done
    assert "secret" not in done.out
    assert not (sandgate.home / ".ssh/more").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("rm -r ~/.unknown", "nothing smaller than all of {home} allows it: do it yourself, outside the sandbox"),
        ("mv ~/.unknown ~/other", "nothing smaller than all of {home} allows it: do it yourself, outside the sandbox"),
        ("mv ~/.ssh/key ~/.ssh/other", "it lies among secrets: do it yourself, outside the sandbox"),
        ("mkdir ~/.ssh/made", "it lies among secrets: do it yourself, outside the sandbox"),
    ],
)
@BOTH_BACKENDS
def test_where_nothing_small_would_do_the_line_says_what_to_do(
    sandgate: Sandgate, backend: str, words: str, why: str
) -> None:
    """Required: no home and no place of secrets is ever offered for a name in it."""
    refused = sandgate("run", "--backend", backend, "--", "sh", "-c", words)
    assert refused.code != 0
    assert f"({why.format(home=sandgate.home)})\n" in refused.err
    hints = [word for line in refused.err.splitlines() if HINT in line for word in shlex.split(line)]
    assert not {"--add-dir", str(sandgate.home), "/"} & set(hints), refused.err


def typed_until_it_works(sandgate: Sandgate, command: list[str]) -> list[str]:
    """The options that the hints come to."""
    options: list[str] = []
    refused = sandgate("run", *command)
    assert refused.code != 0
    for _ in range(HINTS_TYPED_MAX):
        hints = [line.removeprefix(HINT) for line in refused.err.splitlines() if line.startswith(HINT)]
        assert hints, refused
        options += [word for hint in hints for word in shlex.split(hint)]
        refused = sandgate("run", *options, *command)
        if refused.code == 0:
            return options
    pytest.fail(str(refused))


@pytest.mark.parametrize("what", COMMANDS)
@BOTH_BACKENDS
def test_the_hint_is_enough(sandgate: Sandgate, outside: Path, backend: str, what: str) -> None:
    with socket.socket(socket.AF_UNIX) as service, socket.create_server(("127.0.0.1", 0)) as host:
        service.bind(f"{outside}/service")
        service.listen()
        named = {"outside": outside, "port": host.getsockname()[1], "python": "/usr/bin/python3"}
        # The home lies below /tmp, which is the host's with Landlock, and could be written.
        where = ["--backend", backend, "-c", "sandbox_workspace_write.exclude_slash_tmp=true"]
        command = [*where, "--", "sh", "-c", COMMANDS[what].format(**named)]
        typed_until_it_works(sandgate, command)


@pytest.mark.parametrize("mode", ["all", "draft"])
@pytest.mark.parametrize("name", ["pre-commit", "post-commit"])
def test_the_hint_for_a_hook_is_enough(sandgate: Sandgate, name: str, mode: str) -> None:
    """In a draft the command itself meets no refusal, so it ends well and only `-v` says what opens the file."""
    command = ["--", "sh", "-c", f"echo x >> .git/hooks/{name}"]
    hook = sandgate.workspace / ".git" / "hooks" / name
    before = hook.read_text() if hook.exists() else ""
    refused = sandgate("run", "-v", "-c", f"sandbox.protect_git={mode}", *command)
    assert refused.code == (0 if mode == "draft" else 2), refused
    assert (hook.read_text() if hook.exists() else "") == before
    hints = [line.removeprefix(HINT) for line in refused.err.splitlines() if line.startswith(HINT)]
    options = [word for hint in hints for word in shlex.split(hint)]
    assert sandgate("run", "-c", f"sandbox.protect_git={mode}", *options, *command).code == 0
    assert hook.read_text() == f"{before}x\n"


@pytest.mark.parametrize("is_there", [False, True])
def test_the_hint_for_a_list_of_submodules_is_enough(sandgate: Sandgate, is_there: bool) -> None:
    """It is looked at afterwards, so the command itself met nothing."""
    listed = sandgate.workspace / ".gitmodules"
    if is_there:
        listed.write_text("# ours\n")
    command = ["--", "sh", "-c", "printf '[submodule \"m\"]\\n\\tupdate = !x\\n' > .gitmodules; exit 1"]
    refused = sandgate("run", *command)
    assert (listed.read_text() if listed.exists() else "") == ("# ours\n" if is_there else "")
    hints = [line.removeprefix(HINT) for line in refused.err.splitlines() if line.startswith(HINT)]
    sandgate("run", *(word for hint in hints for word in shlex.split(hint)), *command)
    assert "update = !x" in listed.read_text()


@BOTH_BACKENDS
def test_of_a_closed_directory_only_what_was_to_be_made_in_it_is_opened(sandgate: Sandgate, backend: str) -> None:
    """Required: the smallest freedom, and no other hint that does not help."""
    command = ["--", "sh", "-c", "mkdir -p ~/.unknown/a/b; cat ~/.unknown/there; echo x > ~/.unknown/there"]
    refused = sandgate("run", "--backend", backend, *command)
    place = f"{sandgate.home}/.unknown/a/"
    assert f"{HINT}--add-dir {place}\n" in refused.err
    done = sandgate("run", "--backend", backend, "--add-dir", place, *command)
    assert (sandgate.home / ".unknown/a/b").is_dir()
    assert (done.out, (sandgate.home / ".unknown/there").read_text()) == ("", "x\n")


def test_a_directory_that_an_option_names_is_made_only_where_that_is_said(sandgate: Sandgate) -> None:
    for place, code in (("made/", 0), ("not", 2), ("not/even/", 2)):
        assert sandgate("run", "--add-dir", f"{sandgate.home}/{place}", "--", "true").code == code
    assert ((sandgate.home / "made").is_dir(), (sandgate.home / "not").exists()) == (True, False)


def test_a_change_of_a_protected_file_opens_that_file_alone(sandgate: Sandgate) -> None:
    """Required: the smallest freedom, and not all of `.git`."""
    refused = sandgate("run", "-v", "--", "sh", "-c", "echo x >> .git/hooks/pre-commit")
    path = sandgate.workspace / ".git" / "hooks" / "pre-commit"
    assert f"{HINT}--grant write_path={path}\n" in refused.err
    sandgate("run", "--grant", f"write_path={path}", "--", "sh", "-c", "echo x > .git/hooks/other")
    assert not (path.parent / "other").exists()


@pytest.mark.host("landlock")
@pytest.mark.parametrize("backend", ["namespace", "landlock"])
def test_a_new_file_of_a_git_directory_can_be_written_where_it_is_granted(sandgate: Sandgate, backend: str) -> None:
    """Required: only a view opens it, and a view needs something to lie on, which does not stay by itself."""
    hook = sandgate.workspace / ".git/hooks/pre-push"
    granted = ("run", "--backend", backend, "--grant", f"write_path={hook}", "--", "sh", "-c")
    assert (sandgate(*granted, "true").code, hook.exists()) == (0, False)
    assert sandgate(*granted, "echo x > .git/hooks/pre-push").code == 0
    assert hook.read_text() == "x\n"


def test_a_name_protected_by_its_ending_has_a_hint_that_works_at_once(sandgate: Sandgate) -> None:
    """Required: no hint that opens a directory, which opens no such name in it."""
    command = ["--", "sh", "-c", "echo x > team.code-workspace"]
    refused = sandgate("run", *command)
    hints = [line.removeprefix(HINT) for line in refused.err.splitlines() if line.startswith(HINT)]
    assert sandgate("run", *(word for hint in hints for word in shlex.split(hint)), *command).code == 0, hints
    assert (sandgate.workspace / "team.code-workspace").exists()


def test_a_hook_that_was_made_in_a_draft_is_said_to_be_not_kept_and_the_hint_works(sandgate: Sandgate) -> None:
    """It ends with 0: the draft of the git directory took it, and what it holds is looked at when it is over."""
    command = ["--", "sh", "-c", "echo x > .git/hooks/post-commit && cat .git/hooks/post-commit"]
    done = sandgate("run", *command)
    hook = sandgate.workspace / ".git/hooks/post-commit"
    assert (done.code, done.out, hook.exists()) == (0, "x\n", False)
    (line,) = done.err.splitlines()
    assert line.startswith(f"sandgate: not kept, though the command ended well: create {hook} (protected: ")
    assert sandgate("run", *shlex.split(line.partition("once with: ")[2]), *command).code == 0
    assert hook.exists()


def test_a_rule_that_asks_where_nobody_can_be_says_so_and_the_hint_works(sandgate: Sandgate) -> None:
    """Nobody chose the policy `never` there, so it is not named."""
    rules = sandgate.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "default.rules").write_text(
        'prefix_rule(pattern=["touch"], decision="prompt", justification="look first")\n'
    )
    refused = sandgate("run", "--", "touch", "made")
    assert (refused.code, refused.err.splitlines()) == (77, [
        "sandgate: refused by rule: `touch made` requires approval: look first, and nobody may be asked; "
        "with `-a on-failure` a person, or `--answer`, is asked",
    ])  # fmt: skip
    assert sandgate("run", "-a", "on-failure", "--answer", "approve", "--", "touch", "made").code == 0
    assert (sandgate.workspace / "made").exists()


def test_what_is_our_own_code_is_told_as_that_and_no_hint_is_given(sandgate: Sandgate) -> None:
    """`pip install --user` with the Python that runs Sandgate; with any other one the hint works."""
    packages = sandgate.home / f".local/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    packages.mkdir(parents=True)
    done = sandgate("run", "-a", "on-failure", "--answer", "approve", "--", "sh", "-c", f"echo x > {packages}/made.py")
    assert done.code != 0
    assert [line for line in done.err.splitlines() if line.startswith("sandgate:")] == [
        f"sandgate: denied: create {packages}/made.py (it belongs to Sandgate itself or to the Python that runs it; "
        "for packages, make a virtual environment)"
    ]
