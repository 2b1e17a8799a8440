"""After the first sandbox could not be built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.errors import BackendUnavailable, SetupFailed
from sandgate.kernel import landlock
from sandgate.protocol.confinement import SetupFailure
from sandgate.sandbox import probe
from sandgate.sandbox.capabilities import Trial
from sandgate.sandbox.fallback import FILE_NAME, backend_after, recall, remember, verdict_key

FAILURE = SetupFailure("make namespaces", "EPERM")


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Landlock always works; each real trial is noted."""
    made: list[str] = []

    def trial() -> Trial:
        made.append("landlock")
        return Trial(("landlock", "seccomp"))

    monkeypatch.setattr(landlock, "supported_abi", lambda: 7)
    monkeypatch.setattr(probe, "landlock_trial", trial)
    return made


def after(state: Path, helper: str | None = None) -> str:
    return backend_after(FAILURE, helper=helper, state_directory=str(state))


def test_the_next_backend_is_found_by_trying_and_then_remembered(tmp_path: Path, trials: list[str]) -> None:
    assert [after(tmp_path / "state"), after(tmp_path / "state")] == ["landlock", "landlock"]
    assert trials == ["landlock"]


def test_another_helper_is_another_question(tmp_path: Path, trials: list[str]) -> None:
    helper = tmp_path / "helper"
    helper.write_text("one")
    after(tmp_path, str(helper))
    helper.write_text("two")
    after(tmp_path, str(helper))
    assert trials == ["landlock", "landlock"]


@pytest.mark.parametrize("step", ["find /repo/.git", "mount /repo", "parse plan", "make opening /run/x"])
def test_a_failure_of_one_command_changes_no_backend(tmp_path: Path, trials: list[str], step: str) -> None:
    """Required: another backend must not paper over a path that cannot be confined."""
    with pytest.raises(SetupFailed, match="it did not run"):
        backend_after(SetupFailure(step, "ELOOP"), helper=None, state_directory=str(tmp_path))
    assert (trials, list(tmp_path.iterdir())) == ([], [])


def test_without_any_backend_it_refuses_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "supported_abi", lambda: 0)
    with pytest.raises(BackendUnavailable) as refusal:
        after(tmp_path, "/lib/sandgate-exec")
    assert "stopped at `make namespaces` with EPERM" in refusal.value.why
    assert list(tmp_path.iterdir()) == []


def test_inside_another_sandbox_it_says_that_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: "the container forbids it" helps nobody who is inside our own sandbox."""
    monkeypatch.setattr(landlock, "supported_abi", lambda: 0)
    monkeypatch.setenv("SANDGATE_SANDBOX", "namespace")
    with pytest.raises(BackendUnavailable, match="already inside a Sandgate sandbox") as refusal:
        after(tmp_path, "/lib/sandgate-exec")
    assert "stopped at `make namespaces` with EPERM" in refusal.value.why
    assert "container" not in refusal.value.why
    assert "`-s danger-full-access`" in refusal.value.hint


WITHOUT_NAMESPACES = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
RUN = (
    "import sys; sys.path[:0] = [sys.argv.pop(1)]; sys.argv[0] = 'sandgate'\n"
    "from sandgate.surfaces.cli.main import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


@pytest.mark.host("namespace")
@pytest.mark.host("landlock", "notify")
def test_a_host_without_user_namespaces_gets_landlock_and_is_told_once(tmp_path: Path) -> None:
    """Required: the real helper, where the kernel makes no user namespace. The limit binds one namespace only."""
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
    source = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-c", RUN, source, "run", "--", "/bin/sh", "-c", "echo $SANDGATE_SANDBOX; echo > ../out"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}
    told = []
    for _run in range(2):
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", "/bin/sh", "-c", WITHOUT_NAMESPACES, "sh", *command],
            cwd=tmp_path / "work",
            env=environ,
            capture_output=True,
            text=True,
        )
        assert done.stdout == "landlock\n", done.stderr
        told.append("using landlock from now on" in done.stderr)
    assert told == [True, False]


def test_a_verdict_survives_only_under_its_key(tmp_path: Path) -> None:
    remember(str(tmp_path), "key", "landlock")
    assert [recall(str(tmp_path), "key"), recall(str(tmp_path), "other")] == ["landlock", None]
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize(
    "content", ["", "sandgate-backend-1 key", "sandgate-backend-1 key none", "x key landlock", "\x00\xff", "a " * 9999]
)
def test_a_damaged_verdict_is_ignored(tmp_path: Path, content: str) -> None:
    """Required: above all, a file can never talk us into "none"."""
    (tmp_path / FILE_NAME).write_text(content)
    (tmp_path / FILE_NAME).chmod(0o600)
    assert recall(str(tmp_path), "key") is None


def test_a_verdict_that_others_can_write_is_ignored(tmp_path: Path) -> None:
    remember(str(tmp_path), "key", "landlock")
    (tmp_path / FILE_NAME).chmod(0o666)
    assert recall(str(tmp_path), "key") is None


def test_a_verdict_behind_a_link_is_ignored(tmp_path: Path) -> None:
    remember(str(tmp_path), "key", "landlock")
    (tmp_path / FILE_NAME).rename(tmp_path / "elsewhere")
    (tmp_path / FILE_NAME).symlink_to("elsewhere")
    assert recall(str(tmp_path), "key") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_somebody_elses_verdict_is_ignored(tmp_path: Path) -> None:
    remember(str(tmp_path), "key", "landlock")
    os.chown(tmp_path / FILE_NAME, 4242, 4242)
    assert recall(str(tmp_path), "key") is None


def test_a_state_directory_that_cannot_be_written_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    remember(str(tmp_path / "file"), "key", "landlock")
    assert recall(str(tmp_path / "file"), "key") is None


def test_the_key_depends_on_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    before = verdict_key(None)
    monkeypatch.setattr(os, "geteuid", lambda: 99)
    assert verdict_key(None) != before
