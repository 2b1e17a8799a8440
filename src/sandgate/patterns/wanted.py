"""Waits for a text or a regular expression in what a command prints, as it is printed.

All patterns are followed at once, in one pass, with memory of what every state and character led to: the usual byte
costs a look into a dictionary. The first place where any pattern ends is the match; from there it is stretched to the
longest text that begins as early, as far as there is output. `$` also means the end of what there is so far,
since that is where a prompt waits.
"""

from __future__ import annotations

from codecs import getincrementaldecoder

from sandgate.errors import RequestError
from sandgate.patterns.automaton import NOTHING, PATTERN_CHARS_MAX, Nodes, add_regex, add_text
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PATTERNS_MAX = 16  # of one wait
WINDOW_CHARS = 8_192  # output that is kept to say what matched; a longer match is told by its end
MOVES_MAX = 16_384  # remembered (state, character) pairs; then all is forgotten and learned again


class Wanted(Record):
    """What to wait for: `text` as it stands, or as a regular expression in Python's syntax."""

    text: str
    regex: bool = False


class Match(Record):
    """The end of a wait. `end` counts bytes from the first one fed; `text` is at most `WINDOW_CHARS` long."""

    which: int  # its place among the patterns given
    text: str
    end: int


class _State:
    """Nodes that may come next, and the character before. `moves` remembers where characters lead."""

    __slots__ = ("before", "moves", "nodes")

    def __init__(self, nodes: frozenset[int], before: str) -> None:
        self.nodes = nodes
        self.before = before
        self.moves: dict[str, tuple[bool, _State]] = {}


class Patterns:
    """Looks for `wanted`. RequestError when one cannot be used; one that matches the empty text would never wait."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        if not 0 < len(wanted) <= PATTERNS_MAX:
            raise RequestError(f"wait for one to {PATTERNS_MAX} patterns", why=f"there are {len(wanted)}")
        self._nodes = Nodes()
        self._starts = frozenset(self._add(number, pattern) for number, pattern in enumerate(wanted))
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self._moves = 0
        self._state = self._known(self._starts, NOTHING)
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._window = ""
        self._before = NOTHING  # the character before the window
        self._bytes_before = 0  # of the window
        self._match: Match | None = None

    def feed(self, data: bytes) -> Match | None:
        """The match, once there is one; then nothing more is looked at."""
        if self._match is None:
            text = self._decoder.decode(data)
            at = len(self._window)
            self._window += text
            end = self._run(text)
            if end is not None:
                self._match = self._located(at + end)
            else:
                self._trim()
        return self._match

    def _add(self, number: int, wanted: Wanted) -> int:
        if not wanted.text or len(wanted.text) > PATTERN_CHARS_MAX:
            raise RequestError(
                "a pattern to wait for is empty or too long",
                why=f"it has {len(wanted.text)} characters; {PATTERN_CHARS_MAX} are the most",
            )
        if not wanted.regex:
            return self._nodes.add(add_text(self._nodes, wanted.text, number))
        start = add_regex(self._nodes, wanted.text, number)
        if any(node in self._nodes.ends for node in self._nodes.reached([start], "x", "x")):
            raise RequestError(
                f"the pattern `{wanted.text}` matches everywhere",
                why="it also stands for the empty text",
                hint="`+` repeats at least once, `*` also zero times",
            )
        # A node that nothing leads back to: where only such are left, no match has begun.
        return self._nodes.add(start)

    def _run(self, text: str) -> int | None:
        """Where in `text` a pattern ends first; moves the state past all of it otherwise."""
        state = self._state
        for place, char in enumerate(text):
            move = state.moves.get(char) or self._learned(state, char)
            if move[0]:
                self._state = state
                return place
            state = move[1]
        self._state = state
        return len(text) if text and self._ends(state, NOTHING) else None

    def _learned(self, state: _State, char: str) -> tuple[bool, _State]:
        nodes = self._nodes
        reached = nodes.reached(state.nodes, state.before, char)
        if self._moves >= MOVES_MAX:
            self._states.clear()
            self._moves = 0
            state.moves.clear()
        ended = any(node in nodes.ends for node in reached)
        following = {nodes.following[node][0] for node in reached if node in nodes.tests and nodes.tests[node](char)}
        move = (ended, self._known(self._starts | following, _kind(char)))
        state.moves[char] = move
        self._moves += 1
        return move

    def _known(self, nodes: frozenset[int], before: str) -> _State:
        key = (nodes, before)
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = _State(nodes, before)
        return found

    def _ends(self, state: _State, after: str) -> bool:
        return any(node in self._nodes.ends for node in self._nodes.reached(state.nodes, state.before, after))

    def _trim(self) -> None:
        extra = len(self._window) - WINDOW_CHARS
        if extra > 0:
            self._bytes_before += _size(self._window[:extra])
            self._before = self._window[extra - 1]
            self._window = self._window[extra:]

    def _located(self, first_end: int) -> Match:
        """The earliest beginning and longest text of the match that was seen to end at `first_end` of the window."""
        since = self._last_bare(first_end)
        found = _leftmost_longest(self._nodes, self._starts, self._window, since, self._before)
        which, begin, end = found if found is not None else (self._which(first_end), 0, first_end)
        text = self._window[begin:end].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return Match(which, text[-WINDOW_CHARS:], self._bytes_before + _size(self._window[:end]))

    def _last_bare(self, end: int) -> int:
        """The last place up to `end` where no pattern had begun: the match lies behind it."""
        state, bare = self._known(self._starts, _kind(self._before)), 0
        for place, char in enumerate(self._window[:end]):
            if state.nodes == self._starts:
                bare = place
            state = (state.moves.get(char) or self._learned(state, char))[1]
        return bare

    def _which(self, end: int) -> int:
        """The pattern that ends at `end`, when it began before the window."""
        after = self._window[end : end + 1]
        reached = self._nodes.reached(self._state.nodes, self._state.before, after)
        return min((self._nodes.ends[node] for node in reached if node in self._nodes.ends), default=0)


def _leftmost_longest(
    nodes: Nodes, starts: Iterable[int], text: str, since: int, before_all: str
) -> tuple[int, int, int] | None:
    """(pattern, begin, end) of the match that begins first behind `since`, then the longest, then the first given."""
    threads: dict[int, int] = {}  # node: where the text that led there began; the earliest first
    best: tuple[int, int, int] | None = None
    before = text[since - 1] if since else before_all
    for place in range(since, len(text) + 1):
        if best is None:
            for start in starts:
                threads.setdefault(start, place)
        after = text[place : place + 1]
        seen: set[int] = set()
        reached = {
            node: begin for thread, begin in threads.items() for node in nodes.reached((thread,), before, after, seen)
        }
        for node, begin in reached.items():
            if node in nodes.ends:
                found = (nodes.ends[node], begin, place)
                best = found if best is None else min(best, found, key=_rank)
        threads = {}
        for node, begin in reached.items():
            if after and node in nodes.tests and (best is None or begin <= best[1]) and nodes.tests[node](after):
                threads.setdefault(nodes.following[node][0], begin)
        if best is not None and not threads:
            break
        before = after
    return best


def _rank(found: tuple[int, int, int]) -> tuple[int, int, int]:
    pattern, begin, end = found
    return begin, -end, pattern


def _kind(char: str) -> str:
    """A stand-in for all characters that no place can tell from `char`, so that there are few states."""
    if char in ("\n", "\r", NOTHING):
        return "\n" if char else NOTHING
    return "x" if char.isalnum() or char == "_" else " "


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
