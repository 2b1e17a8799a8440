"""Writing a transcript: what is acknowledged is there, whatever happens next."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandgate.errors import SessionBusy, SessionNotFound, StorageError, TranscriptUnreadable
from sandgate.protocol.items import message_text, user_message
from sandgate.session import transcript_writer
from sandgate.session.transcript_lines import EventLine, ItemLine
from sandgate.session.transcript_reader import read_transcript
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import kept, meta, said, session_id, turn
from support.suite.source_tree import SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent.parent
SMALL_LINE_US_MAX = 50


class Told:
    """What a writer told of its outages."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.recoveries: list[str] = []

    def writer(self, home: Path) -> TranscriptWriter:
        return TranscriptWriter.new(
            str(home), meta(), on_problem=self.problems.append, on_recovered=self.recoveries.append
        )


def line(text: str) -> ItemLine:
    return ItemLine(user_message(text))


def texts(path: str) -> list[str]:
    return [message_text(item) for item in read_transcript(path).items]  # type: ignore[arg-type]


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """The kernel refuses to make any file longer, after a short write up to there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_session_in_which_nothing_was_said_leaves_no_file(tmp_path: Path) -> None:
    writer = TranscriptWriter.new(str(tmp_path), meta())
    assert writer.path.endswith(f"-{session_id(0)}.jsonl")
    writer.flush()
    writer.close()
    assert os.listdir(tmp_path) == []


def test_its_first_line_says_whose_it_is(tmp_path: Path) -> None:
    writer = TranscriptWriter.new(str(tmp_path), meta(cwd="/elsewhere"))
    assert writer.write(line("x"))
    first = json.loads(Path(writer.path).read_bytes().splitlines()[0])
    assert (first["type"], first["payload"]["id"], first["payload"]["cwd"]) == (
        "session_meta",
        session_id(0),
        "/elsewhere",
    )
    assert (first["ordinal"], first["payload"]["version"]) == (0, "1.0")
    writer.close()


def test_a_line_can_be_read_at_once(tmp_path: Path) -> None:
    """Required: whoever has been told of it finds it, without a flush."""
    writer = TranscriptWriter.new(str(tmp_path), meta())
    for number in range(3):
        assert writer.write(line(str(number)))
        assert texts(writer.path) == [str(each) for each in range(number + 1)]
    writer.close()


def test_only_its_owner_can_reach_it(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    above = [parent for parent in path.parents if tmp_path in parent.parents]
    assert [stat.S_IMODE(parent.stat().st_mode) for parent in above] == [0o700] * 4


def test_a_directory_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(StorageError, match="other users can write to it"):
        TranscriptWriter.new(str(tmp_path), meta())


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere, told = tmp_path / "elsewhere", Told()
    elsewhere.mkdir()
    home = tmp_path / "home"
    home.mkdir(0o700)
    (home / "sessions").symlink_to(elsewhere)
    writer = told.writer(home)
    assert not writer.write(line("x"))
    assert len(told.problems) == 1
    assert os.listdir(elsewhere) == []


def test_a_full_disk_loses_nothing_and_is_told_once(tmp_path: Path) -> None:
    """Required: the session goes on, warning once; the rest of a line that was cut short follows later."""
    told = Told()
    writer = told.writer(tmp_path)
    assert writer.write(line("before"))
    size = os.path.getsize(writer.path)
    with files_no_longer_than(size + 100):
        assert not writer.write(line("during " + "x" * 200))
        assert not writer.write(line("later"))
        with pytest.raises(StorageError, match="File too large"):
            writer.flush()
    assert told.problems == ["transcript is not being saved: File too large"]
    assert Path(writer.path).stat().st_size == size + 100
    assert writer.write(line("after"))
    writer.flush()
    assert told.recoveries == ["transcript is being saved again"]
    assert texts(writer.path) == ["before", "during " + "x" * 200, "later", "after"]
    assert read_transcript(writer.path).bad_count == 0
    with files_no_longer_than(os.path.getsize(writer.path)):
        writer.write(line("again"))
    assert len(told.problems) == 2
    writer.close()


def test_a_flush_alone_tries_again(tmp_path: Path) -> None:
    told = Told()
    writer = told.writer(tmp_path)
    with files_no_longer_than(0):
        assert not writer.write(line("x"))
    writer.flush()
    assert texts(writer.path) == ["x"]
    assert (len(told.problems), len(told.recoveries)) == (1, 1)
    writer.close()


def test_what_is_kept_meanwhile_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_writer, "UNWRITTEN_BYTES_MAX", 2000)
    told = Told()
    writer = told.writer(tmp_path)
    with files_no_longer_than(0):
        for number in range(100):
            writer.write(line(f"{number}" + " " * (number * 37 % 300)))  # short lines would find room behind long ones
    writer.write(line("after"))
    writer.close()
    *first, last = map(str.rstrip, texts(writer.path))
    assert (first, last) == ([str(number) for number in range(len(first))], "after")
    assert told.recoveries == [f"transcript is being saved again; {100 - len(first)} lines of it are lost"]
    ordinals = [json.loads(each)["ordinal"] for each in Path(writer.path).read_bytes().splitlines()]
    assert ordinals == [*range(len(first) + 1), 101], "the gap shows what is missing"


def test_closing_a_writer_that_could_not_write_says_so(tmp_path: Path) -> None:
    writer = Told().writer(tmp_path)
    with files_no_longer_than(0):
        writer.write(line("x"))
        with pytest.raises(StorageError):
            writer.close()
    writer.close()
    with pytest.raises(StorageError, match="closed"):
        writer.write(line("x"))


@pytest.mark.host("namespace")
def test_a_disk_that_is_really_full_is_no_end(tmp_path: Path) -> None:
    """The same with a file system of 64 KiB, and room that comes back."""
    program = (
        "import os, sys; sys.path[:0] = sys.argv[1:3]\n"
        "from support.agent.transcripts import *; from sandgate.errors import *\n"
        "from sandgate.protocol.items import message_text\n"
        "from sandgate.session.transcript_reader import read_transcript\n"
        "home, told = sys.argv[3], []\n"
        "os.mkdir(home + '/home', 0o700); ballast = os.open(home + '/ballast', os.O_WRONLY | os.O_CREAT)\n"
        "os.write(ballast, b'.' * 32768)\n"
        "writer = TranscriptWriter.new(home + '/home', meta(), on_problem=told.append, on_recovered=told.append)\n"
        "for number in range(200): writer.write(said('x' * 500 + str(number))[0])\n"
        "try: writer.flush(); told.append('flushed')\n"
        "except StorageError as problem: told.append(problem.why)\n"
        "assert os.path.getsize(writer.path) < 65536\n"
        "os.system('mount -o remount,size=1m ' + home)\n"
        "writer.flush(); read = read_transcript(writer.path)\n"
        "found = [message_text(item)[500:] for item in read.items]\n"
        "print(told, len(read.items), read.bad_count, found == [str(number) for number in range(200)])\n"
    )
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = 'mount -t tmpfs -o size=64k,mode=700 none "$1" && exec "$2" -c "$3" "$4" "$5" "$1"'
    ended = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounted, "sh"),
            *(str(disk), sys.executable, program, str(SOURCE), str(TESTS)),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    full = "No space left on device"
    told = [f"transcript is not being saved: {full}", full, "transcript is being saved again"]
    assert ended.stdout == f"{told} 200 0 True\n", ended.stderr


def test_a_removed_transcript_is_noticed(tmp_path: Path) -> None:
    writer = TranscriptWriter.new(str(tmp_path), meta())
    writer.write(line("x"))
    os.unlink(writer.path)
    with pytest.raises(StorageError, match="was removed"):
        writer.flush()


def test_a_session_goes_on_in_its_file(tmp_path: Path) -> None:
    path = kept(tmp_path, *turn("one"))
    writer, read = TranscriptWriter.resumed(str(path))
    assert texts(str(path)) == ["one"]
    assert read.meta == meta()
    writer.write(line("two"))
    writer.close()
    assert texts(str(path)) == ["one", "two"]
    ordinals = [json.loads(each)["ordinal"] for each in path.read_bytes().splitlines()]
    assert ordinals == list(range(len(ordinals)))


@pytest.mark.parametrize("cut", [1, 2, 30, 100])
def test_a_torn_line_stays_alone_when_the_session_goes_on(tmp_path: Path, cut: int) -> None:
    """Required: old lines and new lines are all readable; one that lacks only its end counts."""
    path = kept(tmp_path, line("one"), line("two"), line("torn"))
    os.truncate(path, path.stat().st_size - cut)
    before = path.read_bytes()
    for text in ("three", "four"):
        writer, _ = TranscriptWriter.resumed(str(path))
        assert writer.write(line(text))
        writer.close()
    torn = ["torn"] if cut == 1 else []
    assert texts(str(path)) == ["one", "two", *torn, "three", "four"]
    assert read_transcript(str(path)).bad_count == (cut > 1)
    assert path.read_bytes().startswith(before + b"\n")


def test_what_cannot_be_read_is_not_touched(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"), version="2.0")
    os.truncate(path, path.stat().st_size - 1)
    before = path.read_bytes()
    with pytest.raises(TranscriptUnreadable):
        TranscriptWriter.resumed(str(path))
    assert path.read_bytes() == before


def test_a_second_writer_is_told_whose_turn_it_is(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    writer, _ = TranscriptWriter.resumed(str(path))
    with pytest.raises(SessionBusy) as busy:
        TranscriptWriter.resumed(str(path))
    assert busy.value.pid == os.getpid()
    assert texts(str(path)) == ["x"], "reading is always possible"
    writer.close()
    TranscriptWriter.resumed(str(path))[0].close()


def test_a_transcript_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        TranscriptWriter.resumed(str(tmp_path / "none.jsonl"))
    assert os.listdir(tmp_path) == []


def test_lines_and_flushes_from_several_threads_do_not_meet(tmp_path: Path) -> None:
    writer = TranscriptWriter.new(str(tmp_path), meta())
    over = threading.Event()

    def flushing() -> None:
        while not over.is_set():
            writer.flush()

    threads = [threading.Thread(target=flushing) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(500):
        writer.write(line(str(number)))
    over.set()
    for thread in threads:
        thread.join(10)
    writer.close()
    assert texts(writer.path) == [str(number) for number in range(500)]


CHILD = """
import sys; sys.path[:0] = sys.argv[1:3]
import os
from sandgate.protocol.items import user_message
from sandgate.session.transcript_lines import ItemLine
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import meta
home, path, start = sys.argv[3], sys.argv[4], int(sys.argv[5])
writer = TranscriptWriter.resumed(path)[0] if path else TranscriptWriter.new(home, meta())
os.write(1, (writer.path + "\\n").encode())
for number in range(start, start + 1_000_000):
    assert writer.write(ItemLine(user_message(f"{number} " + "x" * (number * 7919 % 6000))))
    os.write(1, f"{number}\\n".encode())
"""


KILLS = 6


def test_whatever_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    """Required: killed at any moment, again and again, every acknowledged line is there, and none twice."""
    path, acknowledged, start, chance = "", set[int](), 0, random.Random(0)
    for _ in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", CHILD, str(SOURCE), str(TESTS), str(tmp_path), path, str(start)],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        path = child.stdout.readline().decode().strip()
        for _ in range(chance.randrange(1, 400)):
            acknowledged.add(int(child.stdout.readline()))
        child.send_signal(signal.SIGKILL)
        acknowledged |= {int(each) for each in child.stdout.read().splitlines(keepends=True) if each.endswith(b"\n")}
        child.wait(10)
        child.stdout.close()
        start = max(acknowledged) + 2  # one more may have been written and not acknowledged
    found = [int(text.split()[0]) for text in texts(path)]
    assert found == sorted(set(found))
    assert acknowledged <= set(found)
    assert len(set(found) - acknowledged) <= KILLS
    assert read_transcript(path).bad_count < KILLS  # a kill inside write(2) tears one line; the next process ends it


def test_another_process_is_named_and_its_death_frees_the_session(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", CHILD, str(SOURCE), str(TESTS), str(tmp_path), "", "0"],
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    path = child.stdout.readline().decode().strip()
    child.stdout.readline()
    with pytest.raises(SessionBusy) as busy:
        TranscriptWriter.resumed(path)
    assert busy.value.pid == child.pid
    assert str(child.pid) in busy.value.why
    child.kill()
    child.communicate(timeout=10)
    writer, read = TranscriptWriter.resumed(path)
    assert writer.write(EventLine({"type": "error", "message": "x"}))
    assert len(read.items) >= 1
    writer.close()
