"""Grants by name, attacked with odd names: what a hint says is typed as it stands, and nothing else is opened by it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.process.program import PROGRAM, Sandgate

pytestmark = pytest.mark.host("namespace", "notify")

NAMES = {
    "newline": b"new\nline",
    "quote": b"quo'te",
    "double quote": b'dq"x',
    "dash": b"-dash",
    "space": b"sp ace",
    "variable": b"$HOME",
    "command": b"`id`",
    "backslash": b"back\\slash",
    "no UTF-8": b"\xff\xfe",
    "escape": b"esc\x1b[31m",
    "direction": "\u202eabc".encode(),
    "star": b"star*",
    "equals": b"a=b",
    "history": b"!x",
    "home": b"~t",
    "longest": b"x" * 255,
}
HINT = b"grant it once with: "


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that no command may write to, below no /tmp."""
    place = Path("/var/tmp") / f"sandgate-odd-{os.getpid()}"
    for each in ("ws", "odd", "real"):
        (place / each).mkdir(parents=True)
    (place / "real/file").write_text("x\n")
    yield place
    shutil.rmtree(place)


@pytest.fixture
def sandgate(home: Path) -> Sandgate:
    return Sandgate(home / "ws", home)


@pytest.mark.parametrize("name", NAMES)
def test_a_hint_is_typed_as_it_stands_whatever_the_name(sandgate: Sandgate, home: Path, name: str) -> None:
    """Required: a shell makes of it that name again; it gives the name, and not what lies beside it."""
    path = os.fsencode(home / "odd") + b"/" + NAMES[name]
    refused = sandgate("run", "-a", "never", "--", "touch", "--", path)
    assert not os.path.lexists(path)
    (line,) = [each for each in refused.err_bytes.split(b"\n") if HINT in each]
    hint = line.partition(HINT)[2]
    assert hint.startswith(b"--grant ")
    assert hint.isascii()
    program = " ".join(map(shlex.quote, PROGRAM)).encode()
    for made, words in ((path, path), (None, os.fsencode(home / "odd/beside"))):
        typed = b" ".join([program, b"run -a never", hint, b'-- touch -- "$1"'])
        done = subprocess.run(
            [b"bash", b"-c", typed, b"bash", words],
            cwd=sandgate.workspace,
            env=sandgate.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert (done.returncode == 0) is (made is not None), done.stderr
    assert os.listdir(os.fsencode(home / "odd")) == [NAMES[name]]


def test_a_grant_leads_through_no_link_that_a_command_could_have_made(sandgate: Sandgate, home: Path) -> None:
    """Required: the link is real, and the grant of a name behind it is none."""
    (home / "ws/link").symlink_to(home / "real")
    subprocess.run(["sh", "-c", "echo by hand >> link/file"], cwd=home / "ws", check=True)
    assert (home / "real/file").read_text() == "x\nby hand\n"
    done = sandgate("run", "-a", "never", "--grant", "write_path=link/file", "--", "sh", "-c", "echo y >> link/file")
    assert (done.code, "is a symbolic link" in done.err) == (125, True)
    assert (home / "real/file").read_text() == "x\nby hand\n"


def test_a_grant_of_a_link_opens_nothing_behind_it(sandgate: Sandgate, home: Path) -> None:
    """Required: the last name is never followed, in whichever directory it is."""
    (home / "link").symlink_to("real/file")
    for kind in ("write_path", "new_entry", "metadata", "remove"):
        script = f"echo y >> {home}/link; echo y >> {home}/real/file; rm -r {home}/real; chmod 600 {home}/link"
        sandgate("run", "-a", "never", "--grant", f"{kind}={home}/link", "--", "sh", "-c", script)
        assert (home / "real/file").read_text() == "x\n"
        assert (home / "real/file").stat().st_mode & 0o777 == 0o644


def test_a_grant_below_what_is_missing_makes_no_directory(sandgate: Sandgate, home: Path) -> None:
    """Required: that name is given, and none above it."""
    given = f"new_entry={home}/nope/sub/x"
    script = f"mkdir -p {home}/nope/sub && touch {home}/nope/sub/x"
    assert sandgate("run", "-a", "never", "--grant", given, "--", "sh", "-c", script).code != 0
    assert not (home / "nope").exists()


@pytest.mark.parametrize("path", ["/", "/proc/self/mem", "/sys/kernel", "/dev/pts/0", "~/.sandgate/rules"])
def test_what_is_nobodys_to_give_is_not_given(sandgate: Sandgate, path: str) -> None:
    for kind in ("write_path", "remove"):
        done = sandgate("run", "-a", "never", "--grant", f"{kind}={path}", "--", "true")
        assert (done.code, "cannot grant" in done.err) == (125, True)


MAKES_OURS = "mkdir {0}/.sandgate; echo 'sandbox_mode = \"danger-full-access\"' > {0}/.sandgate/config.toml"


@pytest.mark.parametrize("backend", ["namespace", pytest.param("landlock", marks=pytest.mark.host("landlock"))])
@pytest.mark.parametrize("ask", ["at-call", "after"])
def test_no_yes_lets_a_command_make_our_own_configuration(
    sandgate: Sandgate, home: Path, ask: str, backend: str
) -> None:
    """Required: where there is none yet, too. The attack is real; neither an option nor an answer carries it out."""
    attack = MAKES_OURS.format(home)
    subprocess.run(["sh", "-c", attack], check=True)
    assert (home / ".sandgate/config.toml").exists()
    shutil.rmtree(home / ".sandgate")
    options = ("--backend", backend, "-a", "on-failure", "-c", f'sandbox.ask="{ask}"')
    answers = ("--answer", "approve") * 3
    done = sandgate("run", *options, *answers, "--", "sh", "-c", attack)
    assert done.code != 0
    assert not (home / ".sandgate/config.toml").exists()
    done = sandgate("run", *options, "--grant", f"new_entry={home}/.sandgate", "--", "sh", "-c", attack)
    assert (done.code, "cannot grant" in done.err) == (125, True)
    assert not (home / ".sandgate").exists()


def test_a_path_that_is_too_long_is_said_to_be(sandgate: Sandgate, home: Path) -> None:
    """Required: a sentence about it, not about how the sandbox is built; the longest path is none too many."""
    longest = f"{home}/" + "x/" * ((4_095 - len(f"{home}/")) // 2 - 1)
    longest += "y" * (4_095 - len(longest))
    for path, code in ((longest, 0), (longest + "y", 125)):
        done = sandgate("run", "-a", "never", "--grant", f"new_entry={path}", "--", "true")
        assert (done.code, "no path has more than 4095 bytes" in done.err) == (code, code != 0), done


def test_a_grant_without_a_path_says_what_is_missing(sandgate: Sandgate) -> None:
    done = sandgate("run", "--grant", "write_path=", "--", "true")
    assert (done.code, "it has the form KIND=PATH" in done.err) == (2, True)
