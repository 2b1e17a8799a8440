"""Rules as values, and how they match.

A rule speaks about commands that begin with its prefix, token by token, exact strings. All rules of all files
count; the strictest that matches wins, so no file can loosen what another one tightened. A command given by a
path is compared as it is and by its bare name. A rule that asks or forbids means the name wherever it lies; one
that allows means only absolute paths, and of these those a `host_executable` entry admits, if there is one.

A rule may end: at an instant (`until`), or after it was needed so often (`uses`). Both are compared with values
from outside (`RuleSet.in_force`): nothing here looks at a clock or counts.
"""

from __future__ import annotations

from sandgate.commandline.words import joined, program_name
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from sandgate.protocol.permissions import GrantKind
    from sandgate.protocol.verdicts import RuleDecision

    Argv = tuple[str, ...]
    RuleSandbox = Literal["keep", "bypass"]
    NetworkProtocol = Literal["http", "https", "socks5_tcp", "socks5_udp"]

STRICTNESS: dict[str, int] = {"allow": 0, "ask": 1, "forbid": 2}


class Rule(Record):
    """One rule. Each place of the prefix holds the tokens that may stand there."""

    prefix: tuple[tuple[str, ...], ...]
    decide: RuleDecision
    because: str = ""  # shown in prompts and refusals
    sandbox: RuleSandbox = "keep"  # "bypass": an allowed command runs without the sandbox
    source: str = ""  # where it was written: "file: rule number" or "file:line"
    until: str = ""  # RFC 3339 with a zone; from then on the rule is not in force. "": for ever
    uses: int | None = None  # how often it may be what allows a run; None: without end
    line: int = 0  # of its file, from 1; 0: not known
    any_case: bool = False  # tokens are compared without regard to case
    exact: bool = False  # nothing may follow the prefix
    same_content: tuple[
        str, ...
    ] = ()  # "sha256:… /path" of each file that its command executes; others: it does not hold
    examples: int = 0  # how many were checked when it was read

    def covers(self, argv: Argv) -> bool:
        """True when `argv` begins with the prefix."""
        prefix = self.prefix
        if len(argv) < len(prefix) or (self.exact and len(argv) > len(prefix)):
            return False
        if self.any_case:
            folded = [{token.casefold() for token in tokens} for tokens in prefix]
            return all(argv[at].casefold() in tokens for at, tokens in enumerate(folded))
        return all(argv[at] in tokens for at, tokens in enumerate(prefix))

    @property
    def shown_prefix(self) -> str:
        """The prefix for people, each place with its alternatives."""
        return " ".join([joined(place[:1]) if len(place) == 1 else "|".join(place) for place in self.prefix])

    @property
    def named(self) -> str:
        """The rule as a reason names it, with where it is written."""
        return f"rule `{self.shown_prefix}`" + (f" in {self.source}" if self.source else "")

    @property
    def identity(self) -> str:
        """What makes it this rule, whatever file and line it stands in: uses are counted by it."""
        said = (self.prefix, self.decide, self.sandbox, self.until, self.uses, self.any_case, self.exact)
        return repr((*said, self.same_content) if self.same_content else said)

    def uses_left(self, used: Mapping[str, int]) -> int | None:
        """How often it may still be used, given how often each identity was; None when that has no end."""
        return None if self.uses is None else max(0, self.uses - used.get(self.identity, 0))

    def holds(self, now: float, used: Mapping[str, int]) -> bool:
        """Whether it is in force at `now` (seconds since 1970, UTC)."""
        if self.until and now >= instant(self.until):
            return False
        return self.uses_left(used) != 0


class HostExecutable(Record):
    """The absolute paths that may answer to a bare name in rules. None at all: no path may."""

    name: str
    paths: tuple[str, ...]


class NetworkRule(Record):
    """What may be reached. `host` is normal: lower case, no port, no brackets, no final dot."""

    host: str
    protocol: NetworkProtocol
    decide: RuleDecision
    because: str = ""
    source: str = ""
    line: int = 0

    @property
    def named(self) -> str:
        """The rule as a reason names it, with where it is written."""
        return f"rule about host `{self.host}`" + (f" in {self.source}" if self.source else "")


class PlaceRule(Record):
    """What commands are given of `paths`, or not. A path is absolute, or begins with `~/` as it was written."""

    paths: tuple[str, ...]
    grant: GrantKind | None  # None: whatever changes them; only where it does not allow
    decide: RuleDecision
    prefix: tuple[tuple[str, ...], ...] = ()  # as of a Rule; empty: every command
    because: str = ""
    until: str = ""
    source: str = ""
    line: int = 0

    @property
    def named(self) -> str:
        """The rule as a reason names it, with where it is written."""
        return f"rule `{self.grant or 'any change of'} {', '.join(self.paths)}`" + (
            f" in {self.source}" if self.source else ""
        )

    def holds(self, now: float) -> bool:
        """Whether it is in force at `now` (seconds since 1970, UTC)."""
        return not self.until or now < instant(self.until)


class RuleSet(Record):
    """All rules in force. Order matters for nothing but display."""

    rules: tuple[Rule, ...] = ()
    host_executables: tuple[HostExecutable, ...] = ()  # the last entry of a name wins
    network: tuple[NetworkRule, ...] = ()
    places: tuple[PlaceRule, ...] = ()
    short: tuple[Rule, ...] = ()  # not in force for one command, which needs them oftener than they hold

    def matching(self, argv: Argv) -> tuple[Rule, ...]:
        """Every rule that speaks about `argv`."""
        if not self.rules or not argv:
            return ()
        from sandgate.policy.rules.index import candidates

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

    def about(self, program: str) -> list[Rule]:
        """Every rule that may match some command of this program."""
        if not self.rules:
            return []
        from sandgate.policy.rules.index import about

        return about(self.rules, program, program_name(program))

    def host_admits(self, path: str) -> bool | None:
        """Whether this path may answer to its bare name; None when no `host_executable` entry has the name."""
        name = program_name(path)
        entry = next((entry for entry in reversed(self.host_executables) if entry.name == name), None)
        return None if entry is None else path in entry.paths

    def in_force(self, now: float, used: Mapping[str, int]) -> RuleSet:
        """Without the rules that have ended. `now` is in seconds since 1970 (UTC), `used` counts by `Rule.identity`."""
        if all(rule.uses is None and not rule.until for rule in self.rules):
            return self
        return self.but(rules=tuple([rule for rule in self.rules if rule.holds(now, used)]))


NO_RULES = RuleSet()


def merged(*sets: RuleSet) -> RuleSet:
    """All rules of all sets, lowest precedence first."""
    return RuleSet(
        tuple([rule for each in sets for rule in each.rules]),
        tuple([entry for each in sets for entry in each.host_executables]),
        tuple([rule for each in sets for rule in each.network]),
        tuple([rule for each in sets for rule in each.places]),
    )


def strictest(rules: tuple[Rule, ...]) -> Rule:
    """The rule that decides among those that match: strictest first, then the longest prefix."""
    return max(rules, key=lambda rule: (STRICTNESS[rule.decide], len(rule.prefix)))


def instant(text: str) -> float:
    """The moment an RFC 3339 time names, in seconds since 1970 (UTC). Raises ValueError for anything else."""
    from datetime import datetime

    # `fromisoformat` knows more forms than RFC 3339, dates without a time and times without a zone among them.
    if len(text) < len("2026-01-01T00:00:00Z") or text[10] not in "Tt " or text[13] != ":" or text[16] != ":":
        raise ValueError(f"no RFC 3339 time with its zone: {text!r}")
    at = datetime.fromisoformat(text.upper())
    if at.tzinfo is None:
        raise ValueError(f"no RFC 3339 time with its zone: {text!r}")
    return at.timestamp()
