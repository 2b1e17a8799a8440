"""An agent in long sessions: what a call costs when there were many, memory, and how fast the past is back."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent_server import Step, calls, says
from agent_workloads import AgentContestant, Run, sandgate_agent
from contestants import SANDGATE, quiet_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.session.transcript_lines import Line

CALLS = (10, 100, 1_000)
LINEAR_RATIO_MAX = 2.0  # a round among the last of the longest session, to one of a short session
LOUD_CALLS, LOUD_BYTES, RSS_MB_MAX = 1_000, 1_000_000, 250.0
RESUMED_BYTES, RESUME_S_MAX = 50_000_000, 1.0
SUMMARY_BYTES, ITEM_BYTES = 2_000_000, 4_000
SESSIONS, LISTED_MS_MAX = 1_000, 50.0
PLAN = {"plan": [{"step": "look", "status": "pending"}]}
LOUD = {"cmd": f"head -c {LOUD_BYTES} /dev/zero | tr '\\0' x", "login": False, "max_output_tokens": 200}


def scale(workspace: Path, home: Path, _rounds: int) -> str:
    """Long sessions; each is run once."""
    agent = sandgate_agent(home, "workspace-write")
    shown = [_lengths(agent, workspace), _loud(agent, workspace)]
    shown += [_resumed(home, agent, workspace), _listed(home)]
    return "### Agent: long sessions\n\n" + "\n".join(shown) + "\n"


def _lengths(agent: AgentContestant, workspace: Path) -> str:
    """Calls that do nothing, so that all of it is our own."""
    lines = ["| calls | wall ms | per round ms (median) | the last tenth | RSS MB |", "| --- | --- | --- | --- | --- |"]
    middle = {}
    last = 0.0
    for number in CALLS:
        run = agent.run([*(calls("update_plan", dict(PLAN)) for _ in range(number)), says("done")], workspace)
        middle[number] = statistics.median(run.rounds_ms)
        last = statistics.median(run.rounds_ms[-(max(1, number // 10)) :])
        lines.append(f"| {number} | {run.wall_ms:.0f} | {middle[number]:.1f} | {last:.1f} | {run.rss_mb:.0f} |")
    grown = last / middle[CALLS[1]]
    return (
        "\n".join(lines)
        + f"\n\nthe last rounds of {CALLS[-1]} cost {grown:.1f} x those of {CALLS[1]}"
        + _verdict(grown <= LINEAR_RATIO_MAX)
    )


def _loud(agent: AgentContestant, workspace: Path) -> str:
    steps: list[Step] = [*(calls("exec_command", dict(LOUD)) for _ in range(LOUD_CALLS)), says("done")]
    run: Run = agent.run(steps, workspace)
    return (
        f"{LOUD_CALLS} commands that print {LOUD_BYTES / 1e6:g} MB each: {run.rss_mb:.0f} MB resident, "
        f"{statistics.median(run.rounds_ms):.1f} ms a round, in the last tenth "
        f"{statistics.median(run.rounds_ms[-LOUD_CALLS // 10 :]):.1f} ms" + _verdict(run.rss_mb < RSS_MB_MAX)
    )


def _resumed(home: Path, agent: AgentContestant, workspace: Path) -> str:
    """A long session has been summarised now and then; none sends 50 MB to a model."""
    from sandgate.session.history import History
    from sandgate.session.transcript_reader import read_transcript
    from sandgate.start import GC_THRESHOLD

    path = _write_session(home, _long_session(summarised=True), "long")
    fresh = agent.run([says("done")], workspace)
    again = AgentContestant(agent.name, lambda url: _resuming(agent.argv(url), path), agent.environ)
    run = again.run([says("done")], workspace)
    more = (run.first_ms - fresh.first_ms) / 1000
    whole = _write_session(home / "whole", _long_session(summarised=False), "long")
    gc.set_threshold(GC_THRESHOLD)  # as in the program
    began = time.perf_counter()
    History(read_transcript(whole).items)
    read = time.perf_counter() - began
    return (
        f"resuming a transcript of {os.path.getsize(path) / 1e6:.0f} MB, summarised every {SUMMARY_BYTES / 1e6:g} MB: "
        f"the first request is {more:.2f} s later than that of a new session; {run.rss_mb:.0f} MB resident"
        f"{_verdict(more < RESUME_S_MAX)}\n"
        f"reading {os.path.getsize(whole) / 1e6:.0f} MB of which all is history: {read:.2f} s"
        f"{_verdict(read < RESUME_S_MAX)}"
    )


def _long_session(*, summarised: bool) -> Iterator[Line]:
    from sandgate.protocol.items import FunctionCall, FunctionCallOutput, user_message
    from sandgate.session.transcript_lines import CompactedLine, ItemLine

    text = 'a line of "output", größer\n' * (ITEM_BYTES // 27)
    pair = ITEM_BYTES + 1_150  # bytes in the file, with what quotes and line ends take there
    for number in range(RESUMED_BYTES // pair):
        yield ItemLine(FunctionCall("exec_command", '{"cmd": "make test"}', f"call_{number}"))
        yield ItemLine(FunctionCallOutput(f"call_{number}", text))
        if summarised and number % (SUMMARY_BYTES // pair) == 0:
            yield CompactedLine("what was done", (user_message("what was done"),))


def _resuming(argv: list[str], transcript: str) -> list[str]:
    return [*argv[:2], "resume", *argv[2:-1], Path(transcript).stem[-36:], "go on"]


def _listed(home: Path) -> str:
    from sandgate.session.session_index import INDEX_NAME
    from sandgate.session.session_listing import sessions_page

    other = home / "many"
    for number in range(SESSIONS):
        _write_session(other, (), f"prompt {number}")
    times = []
    for _ in range(6):
        began = time.perf_counter()
        found = len(sessions_page(str(_state(other)), page_size=SESSIONS).sessions)
        times.append((time.perf_counter() - began) * 1000)
        assert found == SESSIONS
    whole = []
    for _ in range(6):  # the first makes the program's own caches
        began = time.perf_counter()
        line = [SANDGATE, "sessions", "list", "--limit", str(SESSIONS)]
        subprocess.run(line, env=quiet_environment(other), check=True, stdout=subprocess.DEVNULL)
        whole.append((time.perf_counter() - began) * 1000)
    for each in _state(other).glob(f"{INDEX_NAME}*"):
        each.unlink()
    began = time.perf_counter()
    sessions_page(str(_state(other)), page_size=SESSIONS)
    foreign = (time.perf_counter() - began) * 1000
    later = statistics.median(times[1:])
    return (
        f"{SESSIONS} sessions that listed themselves: {times[0]:.0f} ms the first time, then {later:.0f} ms"
        f"{_verdict(max(times[0], later) < LISTED_MS_MAX)}; "
        f"the whole program {statistics.median(whole[1:]):.0f} ms; all of them foreign {foreign:.0f} ms"
    )


def _write_session(home: Path, lines: Iterable[Line], prompt: str) -> str:
    """The path of its transcript."""
    from sandgate.gate.event_loop import on_thread
    from sandgate.protocol.items import user_message
    from sandgate.session.ids import new_id
    from sandgate.session.transcript import Kept
    from sandgate.session.transcript_lines import ContextLine, EventLine, ItemLine, SessionMeta
    from sandgate.session.transcript_writer import TranscriptWriter

    state = _state(home)
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    meta = SessionMeta(new_id(), timestamp="2026-01-01T00:00:00.000Z", cwd="/", cli_version="1", source="cli")
    writer = TranscriptWriter.new(str(state), meta)
    writer.write(ContextLine({"model": "scripted"}))
    writer.write(ItemLine(user_message(prompt)))
    writer.write(EventLine({"type": "user_message", "message": prompt}))
    for line in lines:
        writer.write(line)
    writer.close()
    Kept(writer, on_thread).enlist()
    return writer.path


def _state(home: Path) -> Path:
    return home / ".local" / "state" / "sandgate"


def _verdict(met: bool) -> str:
    return "  (bar met)" if met else "  (bar MISSED)"


AGENT_SCALE_WORKLOADS = {"agent-scale": scale}
