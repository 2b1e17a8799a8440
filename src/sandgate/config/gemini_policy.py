"""Reads a policy file of Gemini CLI as rules.

There the rule of the highest priority decides, so one that allows may be an exception to one that denies. Here the
strictest decides: such exceptions are gone, which is stricter and therefore fine. `commandPrefix` means whole words,
`commandRegex` a beginning that need not be; conditions that do not exist here (mode, sub-agent, annotations) make a
rule that allows unusable, and one that denies wider.
"""

from __future__ import annotations

from sandgate.config.imported_rules import Taking
from sandgate.errors import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.config.imported_rules import Imported
    from sandgate.protocol.verdicts import RuleDecision

DECISIONS: dict[str, RuleDecision] = {"allow": "allow", "ask_user": "ask", "deny": "forbid"}
SHELL = "run_shell_command"
ALL_TOOLS = "*"
CONDITIONS = ("subagent", "toolAnnotations", "interactive", "mcpName", "argsPattern")
KNOWN = (
    "toolName", "commandPrefix", "commandRegex", "decision", "priority", "denyMessage", "modes", "allowRedirection",
    *CONDITIONS,
)  # fmt: skip
PLAIN_IN_REGEX = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/-=:@,% ")


def rules_of_gemini(text: str) -> Imported:
    """The rules a policy file comes to. Raises RuleError when it is none."""
    from tomllib import TOMLDecodeError, loads

    try:
        table = loads(text)
    except (TOMLDecodeError, RecursionError) as wrong:
        raise RuleError("cannot take over the policy", why=f"it is not valid TOML: {wrong}") from wrong
    entries = table.get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise RuleError("cannot take over the policy", why="`rule` is not a list of tables")
    taking = Taking()
    taking.expect(sum(1 + len(_texts(entry, "commandPrefix", "a rule")) for entry in entries))
    for number, entry in enumerate(entries, start=1):
        _take(taking, f"rule {number}", entry)
    for key in table:
        if key != "rule":
            taking.advise(key, "it is no rule about commands")
    return taking.finished()


def _take(taking: Taking, name: str, entry: dict[str, Any]) -> None:
    decision = entry.get("decision")
    if decision not in DECISIONS:
        raise RuleError("cannot take over the policy", why=f"`decision` of {name} is {decision!r}")
    decide = DECISIONS[decision]
    tools, prefixes = _texts(entry, "toolName", name), _texts(entry, "commandPrefix", name)
    regex = entry.get("commandRegex")
    about = f"{name}: {decision} {', '.join(prefixes) or regex or ', '.join(tools) or 'everything'}"
    if (tools and SHELL not in tools and ALL_TOOLS not in tools) or (entry.get("mcpName") and not (prefixes or regex)):
        taking.advise(about, "it is about tools of that program, which do not pass this gate")
        return
    if len(tools) > 1:
        taking.advise(about, f"of its tools only `{SHELL}` is about commands")
    unmet = [key for key in CONDITIONS if key in entry] + [key for key in entry if key not in KNOWN]
    modes = _texts(entry, "modes", name)
    if modes and "default" not in modes:
        unmet.append("modes")
    if decide == "allow" and unmet:
        taking.leave_out(
            about, f"it holds only where {', '.join(f'`{key}`' for key in unmet)} fits; none is known here"
        )
        return
    if decide == "allow" and entry.get("allowRedirection"):
        taking.advise(about, "redirections are judged by the sandbox here, whatever a rule says")
    because, rank = entry.get("denyMessage"), entry.get("priority", 0)
    if type(rank) is not int:  # whose last word it is decides what may be allowed
        raise RuleError("cannot take over the policy", why=f"`priority` of {name} is no whole number")
    _take_commands(
        taking,
        about,
        decide,
        prefixes=prefixes,
        regex=regex,
        certain=not unmet and not modes,
        because=because if isinstance(because, str) else "",
        rank=rank,
    )


def _take_commands(
    taking: Taking,
    about: str,
    decide: RuleDecision,
    *,
    prefixes: list[str],
    regex: object,
    certain: bool,
    because: str,
    rank: int,
) -> None:
    if regex is not None and not isinstance(regex, str):
        raise RuleError("cannot take over the policy", why=f"`commandRegex` of {about} is not text")
    if decide == "allow":
        for prefix in prefixes:
            taking.allow(about, prefix, exact=False, rank=rank)
        if isinstance(regex, str):
            taking.allow(about, regex, exact=False, whole=PLAIN_IN_REGEX.issuperset(regex), rank=rank)
        if not prefixes and regex is None:
            taking.leave_out(about, "it is about all commands; `approval_policy` says what becomes of those")
        return
    for prefix in prefixes:
        taking.tighten(about, prefix, decide, certain=certain, because=because, rank=rank)
    if isinstance(regex, str):
        beginning = _certain_beginning(regex)
        words = beginning.rpartition(" ")[0]  # the last word may go on
        if words:
            taking.tighten(about, words, decide, certain=False, because=because, rank=rank)
        else:
            taking.lose(about, (beginning,), "no whole word is certain at its beginning", rank=rank)
    elif not prefixes:
        taking.lose(about, ("",), "it is about all commands, or about arguments that cannot be told here", rank=rank)


def _certain_beginning(regex: str) -> str:
    """What every match begins with: what is before the first sign that means more, and may reach back by one."""
    end = next((at for at, sign in enumerate(regex) if sign not in PLAIN_IN_REGEX), len(regex))
    if "|" in _outside_brackets(regex):
        return ""
    return regex if end == len(regex) else regex[: max(0, end - 1)] + (" " if regex[end - 1 : end] == " " else "")


def _outside_brackets(regex: str) -> str:
    depth, found = 0, ""
    for sign in regex:
        depth += (sign in "([") - (sign in ")]")
        found += sign if depth <= 0 else ""
    return found


def _texts(entry: dict[str, Any], key: str, name: str) -> list[str]:
    value = entry.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise RuleError("cannot take over the policy", why=f"`{key}` of {name} is neither text nor a list of texts")
    return values
