"""An accepted rule reaches the user's rule file whole and once, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.config import rules_writing
from sandgate.config.rules_writing import FILE_BYTES_MAX, append_rule, rules_file
from sandgate.errors import RuleError
from sandgate.protocol.decisions import Amendment

PUSH = Amendment(("git", "push"))
LINE = 'prefix_rule(pattern=["git", "push"], decision="allow")\n'
SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".sandgate"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_first_rule_makes_the_directories_and_the_file_for_us_alone(home: Path) -> None:
    path = Path(append_rule(str(home), PUSH))
    assert path == Path(rules_file(str(home))) == home / "rules" / "default.rules"
    assert path.read_text() == LINE
    assert (mode(path), mode(path.parent), mode(home)) == (0o600, 0o700, 0o700)
    assert os.listdir(path.parent) == ["default.rules"]


def test_the_same_line_is_not_doubled_and_a_missing_line_end_is_repaired(home: Path) -> None:
    path = Path(append_rule(str(home), PUSH))
    append_rule(str(home), PUSH)
    assert path.read_text() == LINE
    path.write_text("# mine, and not ended")
    append_rule(str(home), PUSH)
    append_rule(str(home), PUSH.but(prefix=("make", "test")))
    assert path.read_text() == "# mine, and not ended\n" + LINE + LINE.replace('"git", "push"', '"make", "test"')


@pytest.mark.parametrize("which", ["home", "rules", "file"])
def test_nothing_is_written_through_a_link(home: Path, tmp_path: Path, which: str) -> None:
    """Required: a link can be swapped for another one after somebody looked at it."""
    elsewhere = tmp_path / "elsewhere"
    place = {"home": home, "rules": home / "rules", "file": home / "rules" / "default.rules"}[which]
    place.parent.mkdir(parents=True)
    if which == "file":
        elsewhere.write_text("")
    else:
        elsewhere.mkdir()
    place.symlink_to(elsewhere)
    with pytest.raises(RuleError, match="link"):
        append_rule(str(home), PUSH)
    assert elsewhere.read_text() == "" if which == "file" else os.listdir(elsewhere) == []


def test_what_others_may_write_to_is_not_trusted_with_a_rule(home: Path) -> None:
    path = Path(append_rule(str(home), PUSH))
    for open_one, shut in ((path, 0o600), (path.parent, 0o700), (home, 0o700)):
        open_one.chmod(0o777)
        with pytest.raises(RuleError, match="other users can write"):
            append_rule(str(home), PUSH.but(prefix=("x",)))
        open_one.chmod(shut)
    assert path.read_text() == LINE


def test_what_is_no_plain_file_or_too_long_is_refused_and_left_alone(home: Path) -> None:
    path = Path(append_rule(str(home), PUSH))
    path.write_text("#" * (FILE_BYTES_MAX + 1))
    with pytest.raises(RuleError, match="longer"):
        append_rule(str(home), PUSH)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(RuleError, match="no plain file"):
        append_rule(str(home), PUSH)
    assert os.listdir(path.parent) == ["default.rules"]


@pytest.mark.parametrize("prefix", [("python", "-c"), ("git",), (), ("touch", "a\nb")])
def test_a_banned_rule_is_never_written(home: Path, prefix: tuple[str, ...]) -> None:
    with pytest.raises(RuleError, match="cannot save the rule"):
        append_rule(str(home), Amendment(prefix))
    assert not home.exists()


def test_a_full_disk_leaves_the_old_file_whole(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(append_rule(str(home), PUSH))

    def no_space(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", no_space)
        with pytest.raises(RuleError, match="No space left"):
            append_rule(str(home), PUSH.but(prefix=("x",)))
    assert path.read_text() == LINE
    assert os.listdir(path.parent) == ["default.rules"]


def test_somebody_who_keeps_the_lock_is_waited_for_and_then_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    append_rule(str(home), PUSH)
    monkeypatch.setattr(rules_writing, "LOCK_WAIT_MS", 30)
    other = os.open(home / "rules", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(RuleError, match="another program"):
        append_rule(str(home), PUSH.but(prefix=("x",)))
    os.close(other)
    append_rule(str(home), PUSH.but(prefix=("x",)))


WRITER = """
import sys
from sandgate.config.rules_writing import append_rule
from sandgate.protocol.decisions import Amendment
for number in range(20):
    append_rule(sys.argv[1], Amendment(("tool", sys.argv[2], str(number))))
    append_rule(sys.argv[1], Amendment(("shared", str(number))))
"""


def test_writers_at_the_same_time_lose_and_double_nothing(home: Path) -> None:
    """Required: concurrent writers keep whole lines."""
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(home), name], env={**os.environ, "PYTHONPATH": str(SOURCE)})
        for name in "abc"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    lines = Path(rules_file(str(home))).read_text().splitlines()
    assert len(lines) == len(set(lines)) == 3 * 20 + 20
    assert all(line.startswith("prefix_rule(") and line.endswith('decision="allow")') for line in lines)
