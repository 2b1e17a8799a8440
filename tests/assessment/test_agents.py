"""What tells an agent what it may do is judged alike for every agent: by the table of what is obeyed later."""

import pytest

from sandgate.assessment.places import place_of
from support.command.assessing import HOME, PROJECT, facts, judged

TYPED = """
    .claude/settings.json .claude/commands/x.md .mcp.json .cursor/mcp.json .codex/config.toml
    .gemini/settings.json
    .kiro/hooks/x.json .roo/mcp.json opencode.json .opencode/plugin/x.js gptme.toml kilo.jsonc .github/hooks/x.json
    .github/lsp.json .aider.conf.yml .sandgate/rules.toml sub/.qwen/settings.json
"""


@pytest.mark.parametrize("name", TYPED.split())
def test_writing_the_settings_of_an_agent_is_of_high_risk(name: str) -> None:
    assert place_of(f"{PROJECT}/{name}", facts()).words == "what an agent may do and starts by itself"
    assert judged(f"echo x > {name}").risk_level == "high"
    assert judged(f"cat {name}").risk_level == "low"


@pytest.mark.parametrize("name", ["src/claude/settings.json", ".github/workflows/x.yml", "lsp.json", "AGENTS.md",
                                  ".clauderc", "hooks/x.json", ".vscode/settings.json"])  # fmt: skip
def test_other_names_are_none(name: str) -> None:
    assert place_of(f"{PROJECT}/{name}", facts()).kind == "workspace"


@pytest.mark.parametrize("name", [".claude/projects/x.jsonl", ".codex/log/x"])
def test_what_an_agent_keeps_in_a_home_is_no_setting(name: str) -> None:
    assert place_of(f"{HOME}/{name}", facts()).kind == "personal"
