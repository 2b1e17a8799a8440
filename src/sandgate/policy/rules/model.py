"""Rules as values, and how they match.

A rule speaks about commands that begin with its prefix, token by token, exact strings. All rules of all files
count; the strictest that matches wins, so no file can loosen what another one tightened. A command given by an
absolute path is first compared as it is; only when nothing matches does its bare name count, and then only for
the paths a `host_executable` entry admits, if there is one.
"""

from __future__ import annotations

from sandgate.commandline.words import joined, program_name
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.verdicts import RuleDecision

    Argv = tuple[str, ...]
    RuleSandbox = Literal["keep", "bypass"]

STRICTNESS: dict[str, int] = {"allow": 0, "ask": 1, "forbid": 2}


class Rule(Record):
    """One rule. Each place of the prefix holds the tokens that may stand there."""

    prefix: tuple[tuple[str, ...], ...]
    decide: RuleDecision
    because: str = ""  # shown in prompts and refusals
    sandbox: RuleSandbox = "keep"  # "bypass": an allowed command runs without the sandbox
    source: str = ""  # where it was written: "file:number"

    def covers(self, argv: Argv) -> bool:
        """True when `argv` begins with the prefix."""
        prefix = self.prefix
        return len(argv) >= len(prefix) and all(argv[at] in tokens for at, tokens in enumerate(prefix))

    @property
    def shown_prefix(self) -> str:
        return " ".join([joined(place[:1]) if len(place) == 1 else "|".join(place) for place in self.prefix])


class HostExecutable(Record):
    """The absolute paths that may answer to a bare name in rules. None at all: no path may."""

    name: str
    paths: tuple[str, ...]


class RuleSet(Record):
    """All rules in force. Order matters for nothing but display."""

    rules: tuple[Rule, ...] = ()
    host_executables: tuple[HostExecutable, ...] = ()  # the last entry of a name wins

    def matching(self, argv: Argv) -> tuple[Rule, ...]:
        """Every rule that speaks about `argv`."""
        if not self.rules or not argv:
            return ()
        exact = tuple([rule for rule in self.rules if rule.covers(argv)])
        if exact or argv[0][:1] != "/":
            return exact
        name = program_name(argv[0])
        if not name or not self._may_answer_to(name, argv[0]):
            return ()
        bare = (name, *argv[1:])
        return tuple([rule for rule in self.rules if rule.covers(bare)])

    def _may_answer_to(self, name: str, path: str) -> bool:
        entry = next((entry for entry in reversed(self.host_executables) if entry.name == name), None)
        return entry is None or path in entry.paths


NO_RULES = RuleSet()


def merged(*sets: RuleSet) -> RuleSet:
    """All rules of all sets, lowest precedence first."""
    return RuleSet(
        tuple([rule for each in sets for rule in each.rules]),
        tuple([entry for each in sets for entry in each.host_executables]),
    )


def strictest(rules: tuple[Rule, ...]) -> Rule:
    """The rule that decides among those that match: strictest first, then the longest prefix."""
    return max(rules, key=lambda rule: (STRICTNESS[rule.decide], len(rule.prefix)))
