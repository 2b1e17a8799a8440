"""Rules taken over from another agent's settings, never looser than they were there.

What the other agent says is not always sayable here: a pattern in the middle of a word, a tool that is not a command.
An entry that allows is then left out. One that asks or forbids is made wider, down to the words that are certain; where
no word is certain it is lost, and with it goes every allowing rule that might let through what it held back. All of it
is reported: what is silently dropped would be believed to hold.
"""

from __future__ import annotations

from sandgate.commandline.words import split
from sandgate.display import one_line
from sandgate.errors import RuleError
from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.rules import NetworkRule, Rule
from sandgate.policy.rules.network import normal_host
from sandgate.policy.rules.written import network_table, rule_table
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.verdicts import RuleDecision

    Change = Literal["left out", "wider", "lost", "advice"]

# A word with one of these is a pattern, an expansion, or more than one command.
SPECIAL = frozenset("*?[]{}()$`;&|<>\\!#~\n\"'")
ENTRIES_MAX = 5_000  # in one file; a hundred is much
SHOWN_CHARS_MAX = 300


class Note(Record):
    """An entry that is not here as it was there. `lost`: something it held back is not held back by any rule."""

    entry: str
    change: Change
    why: str


class Imported(Record):
    """What came of the import."""

    rules: tuple[Rule, ...]
    network: tuple[NetworkRule, ...]
    notes: tuple[Note, ...]

    def toml(self, source: str) -> str:
        """A rules file, with the entry each rule stands for."""
        tables = [rule_table(rule, rule.source) for rule in self.rules]
        tables += [network_table(rule, rule.source) for rule in self.network]
        return "\n".join([f"# Taken over from {one_line(source)}\n", *tables])


class Taking:
    """Collects entries one by one; `finished` settles what may be allowed beside what was lost."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self._rules: list[tuple[Rule, int]] = []
        self._network: list[NetworkRule] = []
        self._lost: list[tuple[str, str, int]] = []  # entry, what everything it held back begins with, rank

    def expect(self, number: int) -> None:
        """Says how many entries come. Raises RuleError when there are more than `ENTRIES_MAX`."""
        if number > ENTRIES_MAX:
            raise RuleError("cannot take over the rules", why=f"there are more than {ENTRIES_MAX} entries")

    def allow(self, entry: str, text: str, *, exact: bool, whole: bool = True, rank: int = 0) -> None:
        """Commands that begin with `text` are allowed; `whole`: its last word is complete.

        `rank`: an entry of a higher one had the last word there, so that what a lower one held back is no matter.
        """
        words, rest = whole_words(text)
        if rest or not whole or not words:
            self.leave_out(entry, "only whole words at the beginning of a command can be allowed")
            return
        banned = why_banned(words)
        if banned and not exact:
            self.leave_out(entry, banned)
            return
        self._add(entry, words, "allow", exact=exact, rank=rank)

    def tighten(
        self,
        entry: str,
        text: str,
        decide: RuleDecision,
        *,
        certain: bool,
        exact: bool = False,
        because: str = "",
        rank: int = 0,
    ) -> None:
        """Commands that begin with `text` ask or are forbidden. Not `certain`: only some of them, by more words."""
        words, rest = whole_words(text)
        if not words:
            self.lose(entry, (text,), "no program is named at its beginning", rank=rank)
            return
        if not certain or rest:
            self.notes.append(Note(entry, "wider", f"here it is about everything that begins with `{' '.join(words)}`"))
        self._add(entry, words, decide, exact=exact and not rest, because=because)

    def tighten_host(self, entry: str, host: str, decide: RuleDecision) -> None:
        """A host is asked about or forbidden, by whatever command names it."""
        normal = normal_host(host.removeprefix("*."))
        if normal is None:
            self.advise(entry, f"`{host}` is no plain name of a host")
            return
        self.notes.append(Note(entry, "wider", f"here it is about every command that names `{normal}`"))
        self._network.append(NetworkRule(normal, "https", decide, source=_shown(entry)))

    def lose(self, entry: str, beginnings: tuple[str, ...], why: str, *, rank: int = 0) -> None:
        """What the entry held back, all of it commands with one of these beginnings, cannot be held back here."""
        self.notes.append(Note(entry, "lost", why))
        self._lost += [(entry, _certain_start(text), rank) for text in beginnings]

    def leave_out(self, entry: str, why: str) -> None:
        """An entry that allows, and does not here."""
        self.notes.append(Note(entry, "left out", why))

    def advise(self, entry: str, why: str) -> None:
        """An entry that is no rule about commands, and what is nearest to it."""
        self.notes.append(Note(entry, "advice", why))

    def finished(self) -> Imported:
        """What holds beside what was lost."""
        kept: list[Rule] = []
        lost = {(start, rank): entry for entry, start, rank in reversed(self._lost)}
        for rule, rank in self._rules:
            text = " ".join(place[0] for place in rule.prefix) + " "
            held = (entry for (start, other), entry in lost.items() if other >= rank and _overlap(text, start))
            entry = next(held, "")
            if rule.decide == "allow" and entry:
                self.leave_out(rule.source, f"`{entry}` could not be taken over, and held some of this back")
            else:
                kept.append(rule)
        return Imported(tuple(dict.fromkeys(kept)), tuple(self._network), tuple(self.notes))

    def _add(
        self,
        entry: str,
        words: tuple[str, ...],
        decide: RuleDecision,
        *,
        exact: bool,
        because: str = "",
        rank: int = 0,
    ) -> None:
        prefix = tuple((word,) for word in words)
        self._rules.append((Rule(prefix, decide, _shown(because), source=_shown(entry), exact=exact), rank))


def whole_words(text: str) -> tuple[tuple[str, ...], str]:
    """The words a text certainly begins with, and what is left of it from the first that is not certain.

    The last word counts as whole. Quotes are understood where they are closed; an assignment is no program.
    """
    simple = split(text) if "'" in text or '"' in text else None
    plain = text.replace("'", "").replace('"', "")
    if simple is not None and _is_plain(plain) and not any("=" in word for word in simple[:1]):
        return tuple(simple), ""
    words: list[str] = []
    rest = text.split()
    while rest and _is_plain(rest[0]) and (words or "=" not in rest[0]):
        words.append(rest.pop(0))
    return tuple(words), " ".join(rest)


def _is_plain(text: str) -> bool:
    return SPECIAL.isdisjoint(text) and text.isprintable()


def _certain_start(text: str) -> str:
    """The signs a text certainly begins with. None when it begins with an assignment: then any program may follow."""
    text = " ".join(text.split())
    end = next((at for at, sign in enumerate(text) if not _is_plain(sign)), len(text))
    return "" if "=" in text.partition(" ")[0] else text[:end]


def _overlap(text: str, lost: str) -> bool:
    return text.startswith(lost) or lost.startswith(text)


def _shown(entry: str) -> str:
    return one_line(entry, limit=SHOWN_CHARS_MAX)
