"""Rules as values, and how they match.

A rule speaks about commands that begin with its prefix, token by token, exact strings. All rules of all files
count; the strictest that matches wins, so no file can loosen what another one tightened. A command given by a
path is compared as it is and by its bare name. A rule that asks or forbids means the name wherever it lies; one
that allows means only absolute paths, and of these those a `host_executable` entry admits, if there is one.
"""

from __future__ import annotations

from sandgate.commandline.words import joined, program_name
from sandgate.policy.rules.index import candidates
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
        bare = (program_name(argv[0]), *argv[1:])
        by_name = bare == argv
        possible = candidates(self.rules, argv, () if by_name else bare)
        if not possible:
            return ()
        vouched = by_name or (argv[0][:1] == "/" and self.host_admits(argv[0]) is not False)
        return tuple(
            [
                rule
                for rule in possible
                if rule.covers(argv) or (rule.covers(bare) and (vouched or rule.decide != "allow"))
            ]
        )

    def host_admits(self, path: str) -> bool | None:
        """Whether this path may answer to its bare name; None when no `host_executable` entry has the name."""
        name = program_name(path)
        entry = next((entry for entry in reversed(self.host_executables) if entry.name == name), None)
        return None if entry is None else path in entry.paths


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
