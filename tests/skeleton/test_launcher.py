"""`./sandgate` in a clone, with a program that only tells what reached it. Nothing is fetched here."""

import ast
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # together, because most of them make an environment

REPOSITORY = Path(__file__).resolve().parents[2]
LAUNCHER = ("sandgate", "requirements/environment.sh", "requirements/environment.py")

TELLER = """
import os, sys

def entry():
    print({"argv": [os.fsencode(word) for word in sys.argv[1:]], "environment": dict(os.environb),
           "directory": os.getcwd(), "executable": sys.executable, "bytecode": sys.pycache_prefix}, flush=True)
    if sys.argv[1:] == ["handed on"]:
        # By execv, which hands on what the C library holds, not what Python believes.
        os.execv("/usr/bin/env", ["env", "-0"])
"""

WORD = "used"
NOWHERE = 4242
"""A user id that owns nothing here."""


class Clone:
    """A clone whose program prints what it was given."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        for name in LAUNCHER:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)
        self.lock("")
        program = folder / "src/sandgate/start.py"
        program.parent.mkdir(parents=True)
        program.write_text(TELLER)
        self.builder("")

    def builder(self, code: str) -> None:
        """Replaces what builds the C helper."""
        build = self.folder / "src/sandgate/kernel/build.py"
        build.parent.mkdir(parents=True, exist_ok=True)
        build.write_text(code)

    def lock(self, text: str) -> None:
        """Writes the lock of the program's dependencies."""
        (self.folder / "requirements/runtime.txt").write_text(text)

    def surroundings(self) -> dict[str, str]:
        python = Path(sys.executable).resolve().parent
        return {"PATH": f"{python}:/usr/bin:/bin", "HOME": str(self.home), "PWD": str(self.home)}

    def start(self, *argv: str | bytes, **extra: str) -> "subprocess.Popen[bytes]":
        """Starts `argv` (by default the launcher with a word) from the home folder, with `extra` in the environment."""
        return subprocess.Popen(
            argv or [str(self.folder / "sandgate"), WORD],
            cwd=self.home,
            env={**self.surroundings(), **extra},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, *arguments: str | bytes, **extra: str) -> subprocess.CompletedProcess[bytes]:
        """Runs the launcher to its end, with a word where nothing is to be said."""
        with self.start(str(self.folder / "sandgate"), *(arguments or (WORD,)), **extra) as child:
            out, err = child.communicate(timeout=60)
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def held_lock(self, environment: str) -> int:
        """A descriptor that holds the lock of an environment."""
        holder = os.open(self.folder / f".lock-{environment}", os.O_RDONLY | os.O_CREAT, 0o644)
        fcntl.flock(holder, fcntl.LOCK_EX)
        return holder

    def environments(self) -> list[str]:
        """Everything in the clone that was not there before the first use."""
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith(".venv"))


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone past its first use; tests leave it as they find it."""
    clone = _fresh(tmp_path_factory.mktemp("used"))
    assert clone.run().returncode == 0
    return clone


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone that was never used."""
    return _fresh(tmp_path)


def _fresh(folder: Path) -> Clone:
    home = folder / "home"
    home.mkdir(parents=True)
    return Clone(folder / "clone", home)


def _told(ended: subprocess.CompletedProcess[bytes]) -> dict[str, object]:
    assert ended.returncode == 0, ended.stderr.decode()
    told: dict[str, object] = ast.literal_eval(ended.stdout.decode())
    return told


def test_arguments_arrive_byte_for_byte(used: Clone) -> None:
    """Required: a NUL is the only byte an argument cannot hold."""
    arguments = [bytes(range(1, 256)), b"", b"-c", b"--", b"two words", b"*"]
    assert _told(used.run(*arguments))["argv"] == arguments


@pytest.mark.parametrize(
    "extra",
    [{}, {"LC_CTYPE": "C"}, {"LANG": "C.UTF-8"}, {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHOME": "/nowhere"}],
    ids=["no locale", "C locale", "UTF-8 locale", "settings for Python"],
)
def test_environment_arrives_unchanged(used: Clone, extra: Mapping[str, str]) -> None:
    """Required: Python's own settings and its locale coercion stay out of what the command will see."""
    expected = {key.encode(): value.encode() for key, value in {**used.surroundings(), **extra}.items()}
    assert _told(used.run(**extra))["environment"] == expected


@pytest.mark.parametrize("extra", [{}, {"LC_CTYPE": "C"}], ids=["no locale", "C locale"])
def test_environment_is_handed_on_unchanged(used: Clone, extra: Mapping[str, str]) -> None:
    """Required: the same for a child that inherits it without Python's help."""
    printed = used.run("handed on", **extra).stdout.partition(b"\n")[2]
    expected = {f"{key}={value}".encode() for key, value in {**used.surroundings(), **extra}.items()}
    assert set(printed.rstrip(b"\0").split(b"\0")) == expected


def test_directory_stays_where_the_caller_is(used: Clone) -> None:
    assert _told(used.run())["directory"] == str(used.home)


def test_second_use_says_nothing(used: Clone) -> None:
    assert used.run().stderr == b""


HELPER = """
def helped(arguments):
    print("helped", arguments, flush=True)
    return None if "-C" in arguments else 2 if "nonsense" in arguments else 0
"""


@pytest.mark.parametrize(
    "asked",
    [["mcp", "--help"], ["run", "-h"], ["help"], ["help", "run"], ["mcp", "--http", "-h"], ["--version"], []],
    ids=" ".join,
)
def test_help_comes_before_an_environment_is_made(clone: Clone, asked: list[str]) -> None:
    """Required: who only asks what there is waits for nothing and gets nothing installed."""
    program = clone.folder / "src/sandgate/surfaces/cli/main.py"
    program.parent.mkdir(parents=True)
    program.write_text(HELPER)
    with clone.start(str(clone.folder / "sandgate"), *asked) as child:
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out.decode(), err) == (0, f"helped {asked}\n", b"")
    assert clone.environments() == []
    assert not list(clone.folder.rglob("__pycache__"))


def test_help_about_what_there_is_not_makes_no_environment_either(clone: Clone) -> None:
    program = clone.folder / "src/sandgate/surfaces/cli/main.py"
    program.parent.mkdir(parents=True)
    program.write_text(HELPER)
    assert clone.run("help", "nonsense").returncode == 2
    assert clone.environments() == []


def test_what_only_looks_like_asking_for_help_is_carried_out(clone: Clone) -> None:
    """The program says which it is: this is a directory of that name."""
    program = clone.folder / "src/sandgate/surfaces/cli/main.py"
    program.parent.mkdir(parents=True)
    program.write_text(HELPER)
    assert b"'executable'" in clone.run("run", "-C", "--help", "--", "true").stdout
    assert clone.environments() == [".venv"]


def test_first_use_says_one_line(clone: Clone) -> None:
    said = clone.run().stderr.decode().splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"sandgate: first use: making {clone.folder}/.venv with ")


def test_first_use_says_why_the_helper_cannot_be_built_and_goes_on(clone: Clone) -> None:
    clone.builder("import sys; sys.exit('there is no C compiler')")
    ended = clone.run()
    said = ended.stderr.decode().splitlines()
    assert (ended.returncode, said[1]) == (0, "sandgate: there is no C compiler")
    assert said[2].startswith("sandgate: commands will be confined without it")


def test_link_to_the_launcher_works(used: Clone) -> None:
    link = used.home / "link"
    link.symlink_to(used.folder / "sandgate")
    with used.start(str(link), "here") as child:
        out, _ = child.communicate(timeout=60)
    assert ast.literal_eval(out.decode())["argv"] == [b"here"]


def test_launcher_works_by_a_relative_path(used: Clone) -> None:
    with used.start("../clone/sandgate", "here") as child:
        out, err = child.communicate(timeout=60)
    assert (ast.literal_eval(out.decode())["argv"], err) == ([b"here"], b"")


def test_bytecode_is_kept_whatever_the_caller_asks_of_python(clone: Clone) -> None:
    """Required: compiling the program anew at every start would cost more than the rest of it."""
    clone.run(PYTHONDONTWRITEBYTECODE="1")
    program = clone.folder / "src/sandgate"
    assert [path.name for path in (program / "__pycache__").iterdir()] == [f"start.{sys.implementation.cache_tag}.pyc"]


def test_moved_clone_still_works(clone: Clone) -> None:
    clone.run()
    moved = clone.folder.rename(clone.folder.parent / "moved")
    clone.folder = moved
    assert _told(clone.run())["executable"] == str(moved / ".venv/bin/python")


def test_two_first_uses_at_once_make_one_environment(clone: Clone) -> None:
    started = [clone.start() for _ in range(2)]
    said = [child.communicate(timeout=60)[1] for child in started]
    assert [child.returncode for child in started] == [0, 0]
    assert sum(b"first use: making" in text for text in said) == 1
    assert clone.environments() == [".venv"]


def test_first_use_waits_for_one_that_is_under_way(clone: Clone) -> None:
    """Required: two that build at once would clear away each other's work."""
    holder = clone.held_lock("venv")
    with clone.start() as child:
        assert child.stderr is not None
        said = child.stderr.readline()
        before = clone.environments()
        os.close(holder)
        child.communicate(timeout=60)
    assert (said, before) == (b"sandgate: another start is making the environment; waiting for it\n", [])
    assert (child.returncode, clone.environments()) == (0, [".venv"])


def test_first_use_waits_for_no_other_environment(clone: Clone) -> None:
    holder = clone.held_lock("venv-dev")
    said = clone.run().stderr
    os.close(holder)
    assert (b"waiting" in said, clone.environments()) == (False, [".venv"])


def test_changed_lock_makes_the_environment_again(clone: Clone) -> None:
    clone.run()
    clone.lock("# another lock\n")
    assert b"again" in clone.run().stderr
    assert clone.run().stderr == b""
    assert clone.environments() == [".venv"]


def test_touched_lock_is_compared_and_found_the_same(clone: Clone) -> None:
    clone.run()
    clone.lock("")
    assert clone.run().stderr == b""
    ready, lock = (clone.folder / name for name in (".venv/ready", "requirements/runtime.txt"))
    assert ready.stat().st_mtime_ns > lock.stat().st_mtime_ns


def test_environment_whose_python_is_gone_is_made_again(clone: Clone) -> None:
    clone.run()
    (clone.folder / ".venv/bin/python").unlink()
    assert b"again" in clone.run().stderr
    assert clone.run().stderr == b""


def test_environment_of_somebody_elses_making_is_left_alone(clone: Clone) -> None:
    (clone.folder / ".venv").mkdir()
    ended = clone.run()
    assert ended.returncode == 125
    assert b"was not made by this; move it out of the way" in ended.stderr
    assert list((clone.folder / ".venv").iterdir()) == []


def test_unusable_python_is_one_clear_line(clone: Clone) -> None:
    ended = clone.run(SANDGATE_PYTHON="/nowhere/python3")
    said = "sandgate: SANDGATE_PYTHON=`/nowhere/python3` is not a working Python 3.11 or newer\n"
    assert (ended.returncode, ended.stderr.decode()) == (125, said)


def test_named_python_gets_an_environment_of_its_own(clone: Clone) -> None:
    asked = os.path.realpath(sys.executable)
    told = _told(clone.run(SANDGATE_PYTHON=asked))
    assert told["executable"] == f"{clone.folder}/.venv-{Path(asked).name}/bin/python"


def test_an_agent_has_what_servers_need_once_that_was_fetched_and_fetches_nothing_itself(clone: Clone) -> None:
    (clone.folder / "requirements/mcp.txt").write_text("")
    plain, servers = (f"{clone.folder}/{name}/bin/python" for name in (".venv", ".venv-mcp"))
    assert _told(clone.run("agent"))["executable"] == plain
    assert clone.environments() == [".venv"]
    assert _told(clone.run("mcp"))["executable"] == servers
    assert [_told(clone.run(name))["executable"] for name in ("agent", "review", "run")] == [servers, servers, plain]


def test_failed_installation_says_why_and_leaves_nothing(clone: Clone) -> None:
    clone.lock(f"nothing-of-the-kind==1.0 --hash=sha256:{'0' * 64}\n")
    ended = clone.run(PIP_NO_INDEX="1")
    assert ended.returncode == 125
    assert b"could not be installed" in ended.stderr
    assert b"nothing-of-the-kind" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert clone.environments() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_first_use_leaves_nothing_half_made(clone: Clone, number: signal.Signals) -> None:
    """The signal comes while the installer waits for an index that never answers."""
    clone.lock(f"nothing-of-the-kind==1.0 --hash=sha256:{'0' * 64}\n")
    with socket.create_server(("127.0.0.1", 0)) as index:
        index.settimeout(60)
        child = clone.start(PIP_INDEX_URL=f"http://127.0.0.1:{index.getsockname()[1]}/", PIP_CONFIG_FILE=os.devnull)
        asked, _ = index.accept()
        with asked:
            os.killpg(child.pid, number)
            child.communicate(timeout=60)
    assert child.returncode in (128 + number, -number)
    assert clone.environments() == []


def test_leftovers_of_a_killed_first_use_are_cleared(clone: Clone) -> None:
    (clone.folder / ".venv.new-killed").mkdir()
    assert clone.run().returncode == 0
    assert clone.environments() == [".venv"]


def test_clone_of_another_user_keeps_its_environment_in_the_callers_cache(clone: Clone) -> None:
    """Our choice: nothing of ours is left in somebody else's folder, byte-code neither."""
    _give_away(clone.folder)
    first = clone.run()
    told = _told(first)
    cache = f"{clone.home}/.cache/sandgate/environments{clone.folder}/.venv"
    assert (told["executable"], told["bytecode"]) == (f"{cache}/bin/python", f"{cache}/bytecode")
    assert b"is not ours to write to" in first.stderr
    assert list(clone.folder.rglob("__pycache__")) == []
    assert clone.environments() == []
    assert clone.run().stderr == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_environment_that_another_user_made_is_not_run(clone: Clone) -> None:
    """Required: neither in a clone of ours nor in the cache, and the reason is one line."""
    assert clone.run().returncode == 0
    _give_away(clone.folder / ".venv")
    ended = clone.run()
    assert (ended.returncode, ended.stdout) == (125, b"")
    assert b"belongs to another user, so it is not run" in ended.stderr
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.parametrize("place", ["", "bin", "lib/python{}.{}/site-packages"])
def test_environment_that_others_can_change_is_not_run(clone: Clone, place: str) -> None:
    assert clone.run().returncode == 0
    (clone.folder / ".venv" / place.format(*sys.version_info)).chmod(0o777)
    ended = clone.run()
    assert (ended.returncode, ended.stdout) == (125, b"")
    assert b"others can change" in ended.stderr


def _give_away(folder: Path) -> None:
    """To another user where that is possible; else the folder is only closed to writing."""
    for path in [folder, *folder.rglob("*")]:
        if os.geteuid() == 0:
            os.chown(path, NOWHERE, NOWHERE)
        elif path.is_dir():
            path.chmod(0o555)
