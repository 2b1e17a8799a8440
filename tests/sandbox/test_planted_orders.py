"""A rule that takes a command out of the sandbox speaks for no file that its further words have executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox import planted_orders as subject
from sandgate.sandbox.planted_orders import planted_orders
from support.terminal.live_sessions import Workplace


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    for name in (
        "ws/x/setup.py",
        "ws/setup.py",
        "ws/x/package.json",
        "ws/Makefile",
        "ws/run.sh",
        "opt/run.sh",
        "ws/a.yaml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "opt" / "link.sh").symlink_to(tmp_path / "ws" / "run.sh")
    return tmp_path / "ws"


@pytest.mark.parametrize(
    ("line", "vouched", "found"),
    [
        ("pip install ./x", 2, "x/setup.py"),
        ("pip install -e x", 2, "x"),
        ("pip install requests", 2, ""),
        ("npm install ./x", 2, "x/package.json"),
        ("make deploy", 2, ""),  # the makefile is what the rule is about
        ("make deploy", 1, ""),
        ("docker build .", 2, ""),
        ("python run.py", 1, ""),
        ("bash run.sh", 1, "run.sh"),
        ("bash run.sh now", 2, ""),
        ("bash ../opt/run.sh", 1, ""),  # where no command may write
        ("bash ../opt/link.sh", 1, "../opt/link.sh"),
        ("kubectl apply -f a.yaml", 2, "a.yaml"),
        ("git push origin HEAD", 2, ""),
    ],
)
def test_what_further_words_have_executed(ws: Path, line: str, vouched: int, found: str) -> None:
    answer = planted_orders(tuple(line.split()), vouched, str(ws), (str(ws),), "/home/me")
    assert answer == (
        str((ws.parent / "opt" if "opt" in found else ws) / found.removeprefix("../opt/")) if found else ""
    )


def test_more_than_can_be_looked_at_is_taken_for_planted(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "FILES_MAX", 0)
    assert planted_orders(("bash", "missing.sh"), 1, str(ws), (str(ws),), "") != ""


@pytest.mark.host("namespace", "notify")
def test_a_script_that_a_command_wrote_stays_in_the_sandbox_under_a_rule_for_its_interpreter(place: Workplace) -> None:
    """Required: what a confined command has written runs outside only when somebody, or a rule, named it."""
    rules = place.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "default.rules").write_text('prefix_rule(pattern=["sh"], decision="allow", sandbox="bypass")\n')
    runtime = place.session(approval_policy="on-request", environ={"PATH": "/usr/bin:/bin"})
    assert runtime.run(runtime.request(["sh", f"{place.repo}/missing"])).attempts[-1].confined is False
    runtime.exec_command(f"echo 'touch {place.home}/mark' >planted.sh")
    assert runtime.run(runtime.request(["sh", "planted.sh"])).attempts[-1].confined
    assert not (place.home / "mark").exists()
