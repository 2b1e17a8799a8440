"""`sandgate rules import`: rules on stdout or in a file of their own, the report beside them."""

from __future__ import annotations

import json
import tomllib

import pytest

from sandgate.policy.rules.language import rules_from_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

CLAUDE = {"permissions": {"allow": ["Bash(npm run lint:*)", "Bash(git:*)"], "deny": ["Bash(curl *)"]}}
GEMINI = "".join(f'[[rule]]\ncommandPrefix = "{words}"\ndecision = "allow"\n' for words in ("npm run lint", "git"))
KINDS = ["claude-settings", "gemini-policy"]


@pytest.fixture
def files(program: Any) -> dict[str, Path]:
    found = {kind: program.repo / f"{kind}.in" for kind in KINDS}
    found["claude-settings"].write_text(json.dumps(CLAUDE))
    found["gemini-policy"].write_text(GEMINI)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_rules_come_on_stdout_and_the_report_beside_them(program: Any, files: dict[str, Path], kind: str) -> None:
    assert program("rules", "import", kind, str(files[kind])) == 0
    rules = rules_from_table(tomllib.loads(program.out), "x").rules
    assert ("npm run lint", "allow") in [(rule.shown_prefix, rule.decide) for rule in rules]
    assert "left out: " in program.err
    assert "`git` does anything" in program.err
    assert not (program.home / ".sandgate").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_written_they_hold_and_are_not_replaced(program: Any, files: dict[str, Path], kind: str) -> None:
    assert program("rules", "import", kind, str(files[kind]), "--write") == 0
    path = program.home / ".sandgate" / "rules" / f"{kind}.toml"
    assert (program.out, path.stat().st_mode & 0o777) == ("", 0o600)
    assert program("rules", "check", "-a", "untrusted", "--", "npm", "run", "lint", "--fix") == 0
    before = path.read_text()
    assert program("rules", "import", kind, str(files[kind]), "--write") == 2
    assert "is there already" in program.err
    assert path.read_text() == before


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_beside_a_file_that_stops_the_next_start(
    program: Any, files: dict[str, Path], kind: str
) -> None:
    broken = program.home / ".sandgate" / "rules" / "mine.rules"
    broken.parent.mkdir(parents=True)
    broken.write_text("prefix_rule(")
    assert program("rules", "import", kind, str(files[kind]), "--write") == 78
    assert f"{broken}:1" in program.err
    assert [path.name for path in broken.parent.iterdir()] == ["mine.rules"]


def test_as_json_the_report_is_data(program: Any, files: dict[str, Path]) -> None:
    assert program("rules", "import", "claude-settings", str(files["claude-settings"]), "--json") == 0
    told = json.loads(program.out)
    assert tomllib.loads(told["toml"])["rule"][0]["prefix"] == ["curl"]
    assert [(note["entry"], note["change"]) for note in told["notes"]] == [("allow: Bash(git:*)", "left out")]


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_an_error(program: Any, kind: str) -> None:
    (program.repo / "bad").write_bytes(b"\xff")
    (program.repo / "other").write_text("][")
    for path, code in (("missing", 2), ("bad", 2), ("other", 78), (str(program.repo), 2)):
        assert program("rules", "import", kind, path) == code
    assert program.out == ""


def test_a_hostile_entry_cannot_forge_a_line_of_the_report(program: Any) -> None:
    settings = {"permissions": {"allow": ["Bash(x*y)\n\x1b[2Ksandgate: written to /etc/x\r"]}}
    (program.repo / "s.json").write_text(json.dumps(settings))
    assert program("rules", "import", "claude-settings", "s.json") == 0
    assert len(program.err.splitlines()) == 1
    assert "\x1b" not in program.err
