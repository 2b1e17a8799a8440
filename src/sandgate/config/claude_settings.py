"""Reads the permissions of a Claude Code `settings.json` as rules.

There `deny` beats `ask` beats `allow`, as the strictest rule does here. `Bash(git diff:*)` and `Bash(git diff *)` mean
commands that begin with these words, `Bash(npm test)` exactly this one, a `*` elsewhere anything. The other tools are
that program's own: what it may read, write or fetch by itself is no matter of commands, and is reported.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.config.imported_rules import Taking
from sandgate.errors import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.config.imported_rules import Imported
    from sandgate.protocol.verdicts import RuleDecision

LISTS: tuple[tuple[str, RuleDecision], ...] = (("deny", "forbid"), ("ask", "ask"), ("allow", "allow"))
KNOWN = ("allow", "ask", "deny", "defaultMode", "additionalDirectories")
MODES = {
    "default": 'the nearest is `approval_policy = "untrusted"`',
    "acceptEdits": 'the nearest is `approval_policy = "on-request"` with `sandbox_mode = "workspace-write"`',
    "plan": 'the nearest is `sandbox_mode = "read-only"`',
    "dontAsk": 'the nearest is `approval_policy = "never"`, where everything stays in the sandbox',
    "bypassPermissions": "nothing here switches the questions and the sandbox off by being imported",
}
# Where files may not be read or edited, that program also looks at the words of these.
FILE_COMMANDS = words_of(
    "cat head tail less more sed awk grep egrep fgrep rg nl od xxd strings cut sort uniq wc diff cmp find ls "
    "cp mv rm touch tee dd ln install truncate chmod chown mkdir rmdir vi vim nano ed"
)
TOOLS = {
    "Read": "it is about that program's own reading; `secrets.hidden` keeps files from commands",
    "Edit": "it is about that program's own editing; `additional_writable_roots` says where commands may write",
    "WebSearch": "no command searches through that program",
}
SAME_AS = {"Write": "Edit", "MultiEdit": "Edit", "NotebookEdit": "Edit", "Glob": "Read", "Grep": "Read", "LS": "Read"}
ELSEWHERE = "it is about a tool of that program, which does not pass this gate"
DOMAIN = "domain:"


def rules_of_claude(text: str) -> Imported:
    """The rules a settings file comes to. Raises RuleError when it is none."""
    import json

    try:
        settings = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise RuleError("cannot take over the settings", why=f"they are not valid JSON: {wrong}") from wrong
    permissions = settings.get("permissions", {}) if isinstance(settings, dict) else None
    if not isinstance(permissions, dict):
        raise RuleError("cannot take over the settings", why="they hold no object `permissions`")
    taking = Taking()
    taking.expect(sum(len(_entries(permissions, name)) for name, _ in LISTS))
    for name, decide in LISTS:
        for entry in _entries(permissions, name):
            _take(taking, f"{name}: {entry}", entry, decide)
    _others(taking, permissions)
    for key in settings:
        if key in ("hooks", "sandbox", "env", "enabledMcpjsonServers", "disabledMcpjsonServers", "apiKeyHelper"):
            taking.advise(key, "it is no rule about commands")
    return taking.finished()


def _entries(permissions: dict[str, Any], name: str) -> list[str]:
    entries = permissions.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise RuleError("cannot take over the settings", why=f"`permissions.{name}` is not a list of texts")
    return entries


def _others(taking: Taking, permissions: dict[str, Any]) -> None:
    mode = permissions.get("defaultMode")
    if mode is not None:
        taking.advise(f"defaultMode: {mode}", MODES.get(str(mode), "it is not known here"))
    for directory in _entries(permissions, "additionalDirectories"):
        taking.advise(
            f"additionalDirectories: {directory}", "if commands shall write there: `additional_writable_roots`"
        )
    for key in permissions:
        if key not in KNOWN:
            taking.advise(key, "it is no rule about commands")


def _take(taking: Taking, entry: str, rule: str, decide: RuleDecision) -> None:
    tool, bracket, rest = rule.strip().partition("(")
    inside = rest.removesuffix(")") if bracket else ""
    if bracket and not rest.endswith(")"):
        _not_taken(taking, entry, decide, "its bracket is not closed")
    elif tool == "Bash":
        _take_command(taking, entry, inside, decide)
    elif tool == "WebFetch" and inside.startswith(DOMAIN) and decide != "allow":
        taking.tighten_host(entry, inside.removeprefix(DOMAIN).strip(), decide)
    elif tool == "WebFetch":
        taking.advise(entry, "it is about that program's own fetching; no import opens the network for commands")
    elif SAME_AS.get(tool, tool) in ("Read", "Edit") and decide != "allow":
        taking.lose(entry, tuple(f"{program} " for program in FILE_COMMANDS), TOOLS[SAME_AS.get(tool, tool)])
    elif "*" in tool and decide != "allow" and not tool.startswith("mcp__"):
        _not_taken(taking, entry, decide, "it may mean commands, too")
    else:
        taking.advise(entry, TOOLS.get(SAME_AS.get(tool, tool), ELSEWHERE))


def _take_command(taking: Taking, entry: str, pattern: str, decide: RuleDecision) -> None:
    text = pattern.strip()
    if text.endswith(":*"):
        text, tail = text[:-2].rstrip(), " *"
    elif text.endswith("*"):
        tail = " *" if text[:-1].endswith((" ", "\t")) or text == "*" else "*"
        text = text[:-1].rstrip()
    else:
        tail = ""
    if not text:
        _not_taken(taking, entry, decide, "it is about all commands; `approval_policy` says what becomes of those")
    elif decide == "allow":
        # `ls*` means `lsof`, too: the word as it stands is the part of it that can be said.
        taking.allow(entry, text, exact=not tail)
        if tail == "*":
            taking.advise(entry, "longer words with the same beginning are not allowed")
    else:
        head = text if tail != "*" else text.rpartition(" ")[0]
        if not head:
            taking.lose(entry, (text,), "words that only begin like this cannot be told")
        else:
            taking.tighten(entry, head, decide, certain=tail != "*", exact=not tail)


def _not_taken(taking: Taking, entry: str, decide: RuleDecision, why: str) -> None:
    if decide == "allow":
        taking.leave_out(entry, why)
    else:
        taking.lose(entry, ("",), why)
