"""Agents that work by themselves: who asks one lets somebody else type commands, by rules of its own or by none."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import words

# Nothing asks before what the agent does, or nothing confines it; from the manuals of each.
UNLEASHED = Worse(
    "--dangerously-skip-permissions --allow-dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox "
    "--yolo --trust-all-tools --allow-all-tools --allow-all-paths --allow-all --yes-always --auto-approve "
    "--dangerously-allow-all --skip-permissions-unsafe --no-sandbox --auto_run --auto-run --always-approve",
    HIGH, "Lets an agent act without asking or without a sandbox", (PRIVILEGE, COMPLIANCE, NETWORK),
    "Whatever it decides is done with your rights",
    operands="bypassPermissions danger-full-access yolo dontAsk",
)  # fmt: skip
MODES = "--permission-mode --approval-mode --sandbox --ask-for-approval"
_NAMES = words("""
    claude codex gemini qchat kiro-cli cursor-agent copilot aider opencode crush qwen droid auggie cline plandex
    openhands interpreter gptme rovodev kimi
    """)


_ASKED = ("q chat", "goose run", "goose session", "acli rovodev")  # by a word of another program


def _agent(name: str) -> tuple[Entry, ...]:
    return (
        Entry(name, MEDIUM, "Asks an agent, which may act by itself",
              (f"{name} fix", f"{name} --yolo fix => high", f"{name} --version => low"), kind="contacts",
              categories=(NETWORK,), worse=(UNLEASHED,), harmless="--help --version -v -V"),
        Entry(f"{name} mcp", LOW, "Shows which programs an agent may start", (f"{name} mcp list",), kind="reads",
              worse=(Worse("", HIGH, "Changes which programs an agent starts by itself", (SYSTEM, NETWORK),
                           "They run whenever the agent does",
                           operands="add add-json remove add-from-claude-desktop"),)),
        *(
            Entry(f"{name} {sub}", HIGH, "Adds a program to an agent", (f"{name} {sub} x",), kind="writes",
                  categories=(SYSTEM, NETWORK), consequence="It runs whenever the agent does")
            for sub in ("plugin install", "plugins install", "extensions install", "extension install")
        ),
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = tuple(entry for name in _NAMES for entry in _agent(name)) + tuple(
    Entry(name, MEDIUM, "Asks an agent, which may act by itself", (name, f"{name} --trust-all-tools => high"),
          kind="contacts", categories=(NETWORK,), worse=(UNLEASHED,))
    for name in _ASKED
)  # fmt: skip
