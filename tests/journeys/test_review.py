"""`sandgate review` as a person or a check runs it: the program, a repository with a change, a provider."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, calls, command
from support.model.responses_server import ResponsesServer, says
from support.process.program import PROGRAM, WAIT_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

    from sandgate.session.transcript_lines import SessionMeta

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

FINDING = {
    "title": "It takes away",
    "body": "Two and three are five.",
    "confidence_score": 0.9,
    "priority": 1,
    "code_location": {"absolute_file_path": "cart.py", "line_range": {"start": 2, "end": 2}},
}
BAD: dict[str, Any] = {
    "findings": [FINDING],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "A sign is wrong.",
    "overall_confidence_score": 0.8,
}
GOOD = {**BAD, "findings": [], "overall_correctness": "patch is correct", "overall_explanation": "Fine."}


def git(place: AgentPlace, *words: str) -> None:
    name = ["-c", "user.name=You", "-c", "user.email=you@example.com"]
    subprocess.run(["git", *name, *words], cwd=place.repo, check=True, capture_output=True)


def changed(place: AgentPlace) -> None:
    """A repository whose branch `work` has one commit that `main` has not."""
    (place.repo / ".git").rmdir()
    git(place, "init", "-q", "-b", "main")
    (place.repo / "AGENTS.md").write_text("Be polite.\n")
    (place.repo / "cart.py").write_text("def total(a, b):\n    return a + b\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "A cart")
    git(place, "switch", "-qc", "work")
    (place.repo / "cart.py").write_text("def total(a, b):\n    return a - b\n")
    git(place, "commit", "-qam", "Faster")


def review(place: AgentPlace, *arguments: str) -> tuple[int, str, str]:
    settings = [f"model_providers.test.base_url={place.url}", "model_provider=test", "model=m"]
    done = subprocess.run(
        [*PROGRAM, "review", *(word for each in settings for word in ("-c", each)), *arguments],
        cwd=place.repo,
        env=place.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def of(path: Path) -> SessionMeta:
    return read_transcript(str(path)).meta


def test_a_review_looks_for_itself_and_its_findings_are_told_wherever_they_stand(tmp_path: Path) -> None:
    """Required: JSON within prose is read; the reviewer works in the repository, and knows no instructions of it."""
    prose = f"Here is what I found:\n```json\n{json.dumps(BAD)}\n```"
    with ResponsesServer(calls(command("git diff main -- cart.py", "k1")), says(prose)) as server:
        place = AgentPlace(tmp_path, server.url)
        changed(place)
        code, out, err = review(place, "--base", "main")
        first, second = server.asked
    assert (code, out.splitlines()[0]) == (1, "P1 cart.py:2  It takes away (confidence 90%)"), err
    assert out.splitlines()[-2:] == ["1 finding; patch is incorrect (confidence 80%)", "  | A sign is wrong."]
    assert first.headers["x-openai-subagent"] == "review"
    assert "main" in first.body["input"][-1]["content"][0]["text"]
    assert "Be polite." not in json.dumps(first.body)
    (diff,) = [item["output"] for item in second.body["input"] if "output" in item]
    assert "-    return a + b\n+    return a - b" in diff


@pytest.mark.parametrize(("answer", "code"), [(json.dumps(GOOD), 0), ("looks good to me", 125), ("", 125)])
def test_only_a_verdict_is_one(tmp_path: Path, answer: str, code: int) -> None:
    with ResponsesServer(says(answer)) as server:
        place = AgentPlace(tmp_path, server.url)
        changed(place)
        found, out, err = review(place, "--commit", "HEAD", "--json")
        assert found == code, err
        assert answer != json.dumps(GOOD) or json.loads(out) == GOOD


def test_the_conversation_of_a_review_goes_on_with_what_was_found(tmp_path: Path) -> None:
    with ResponsesServer(says(json.dumps(BAD)), says("mended")) as server:
        place = AgentPlace(tmp_path, server.url)
        changed(place)
        review(place, "--base", "main")
        sources = {meta.id: meta.source for meta in map(of, place.transcripts())}
        (own,) = [name for name, source in sources.items() if source == "cli"]
        assert [source["subagent"] for source in sources.values() if not isinstance(source, str)] == ["review"]
        assert place.run("resume", own, "mend it")[:2] == (0, "mended\n")
        said = json.dumps(server.asked[-1].body["input"])
    assert "<user_action>" in said
    assert "It takes away" in said


def test_the_conversation_of_a_review_stays_as_strict_as_it_was(tmp_path: Path) -> None:
    """Required: a session that could only read must not write because it was continued under another configuration."""
    writes = calls(command("echo x >> log", "k1", login=False))
    with ResponsesServer(says(json.dumps(BAD)), writes, says("tried")) as server:
        place = AgentPlace(tmp_path, server.url)
        changed(place)
        settings = place.home / ".sandgate" / "config.toml"
        settings.parent.mkdir(mode=0o700)
        settings.write_text('sandbox_mode = "read-only"\n')
        review(place, "--base", "main")
        settings.write_text('sandbox_mode = "danger-full-access"\n')
        (own,) = [meta.id for meta in map(of, place.transcripts()) if meta.source == "cli"]
        code, _, err = place.run("resume", own, "mend it")
        assert place.lines() == []
    assert "goes on with `sandbox_mode` as it was" in err, code


def test_a_tree_without_a_change_is_not_sent_to_a_model(tmp_path: Path) -> None:
    with ResponsesServer() as server:
        place = AgentPlace(tmp_path, server.url)
        changed(place)
        code, out, err = review(place)
        assert server.asked == []
    assert (code, err) == (0, "sandgate: what is committed is reviewed with `--base BRANCH` or `--commit SHA`\n")
    assert "there are no uncommitted changes, so no model was asked" in out
