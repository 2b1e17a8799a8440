"""Reads the scripts most people write, without a grammar.

Words of harmless characters, words in quotes with nothing to expand inside, joined by `|`, `&&`, `||`, `;` and line
ends, output sent to a file at the end of a command, comments on lines of their own: what bash makes of these is beyond
doubt, and takes a twentieth of the time that a syntax tree takes. At the first thing that is anything else the answer
is None, and the grammar decides about the whole script. Both readers of scripts (bash.py and walk.py) ask here first;
a test holds the answers against those of the grammar.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Sent = tuple[str, str, str]  # descriptor, operator, target token: `2>>log` is ("2", ">>", "log")
    Reading = tuple[list["Pipeline"], bool]


class Stage(Record):
    """One command. Tokens are as written, quotes included; the first one is bare."""

    tokens: list[str]
    sent: list[Sent]


Pipeline = list[Stage]

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@%+=~*?")
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_./")
# Words that bash or the grammar take for more than words, somewhere.
_RESERVED = words_of(
    "if then else elif fi for while until do done case esac in select function time coproc declare typeset export "
    "readonly local unset unsetenv"
)
_JOINTS = frozenset(("|", "&&", "||", ";"))
_TO_FILE = frozenset((">", ">>", "<", "2>", "2>>", "1>", "1>>"))
_COPIES = {"2>&1": ("2", ">&", "1"), "1>&2": ("1", ">&", "2"), ">&2": ("", ">&", "2")}
_EXPANDED_IN_QUOTES = frozenset("$`\\!")


_last: tuple[str, Reading | None] = ("", None)  # both readers of scripts ask one after the other


def everyday(script: str) -> Reading | None:
    """The pipelines of the script in order, and whether it has comments; None: something is not everyday about it.

    One look at each character and one step for each word.
    """
    global _last
    last = _last  # another thread may replace it
    if last[0] == script:
        return last[1]
    reading = _read(script)
    _last = (script, reading)
    return reading


def _read(script: str) -> Reading | None:
    if not script.isascii():
        return None
    pipelines: list[Pipeline] = []
    commented = False
    known: set[str] = set()  # tokens already found good
    for line in script.split("\n"):
        if not line.isprintable():
            if '"' in line or "'" in line:
                return None
            line = line.replace("\t", " ")
            if not line.isprintable():
                return None
        if line.lstrip()[:1] == "#":
            commented = True
            continue
        tokens = line.split() if '"' not in line and "'" not in line else _with_quotes(line)
        if tokens is None or (tokens and not _line(tokens, pipelines, known)):
            return None
    return (pipelines, commented) if pipelines else None


def _with_quotes(line: str) -> list[str] | None:
    """The tokens of a line; a quoted one stands alone between blanks."""
    tokens: list[str] = []
    at = 0
    while True:
        single, double = line.find("'", at), line.find('"', at)
        if single < 0 and double < 0:
            return tokens + line[at:].split()
        start = single if double < 0 or 0 <= single < double else double
        end = line.find(line[start], start + 1)
        if end < 0 or (start > at and line[start - 1] != " ") or line[end + 1 : end + 2] not in ("", " ", ";"):
            return None
        tokens += line[at:start].split()
        tokens.append(line[start : end + 1])
        at = end + 1
        if start == at and tokens:
            return None


def _line(tokens: list[str], pipelines: list[Pipeline], known: set[str]) -> bool:
    """Adds the pipelines of one line; False when it is not everyday."""
    stage = Stage([], [])
    pipeline = [stage]
    pending: tuple[str, str] | None = None  # a redirection that waits for its target
    ended = False  # by `;`: nothing need follow
    for token in tokens:
        if token in known:
            if pending is not None:
                stage.sent.append((*pending, token))
                pending = None
            elif stage.sent or (not stage.tokens and not _is_program(token)):
                return False
            else:
                stage.tokens.append(token)
            continue
        joint = token
        if token not in _JOINTS:
            joint = ""
            if token[-1] == ";" and len(token) > 1 and token[0] not in "'\"":
                token, joint = token[:-1], ";"
        else:
            token = ""
        if token:
            redirection = _redirection(token) if ">" in token or "<" in token else None
            if pending is not None and redirection is None and _is_word(token):
                stage.sent.append((*pending, token))
                pending = None
            elif redirection is not None and pending is None and stage.tokens:
                if not redirection[2]:
                    pending = redirection[:2]
                else:
                    stage.sent.append(redirection)
            elif redirection is None and pending is None and not stage.sent and _is_word(token):
                if not stage.tokens and not _is_program(token):
                    return False
                stage.tokens.append(token)
                known.add(token)
            else:
                return False
        if joint:
            if pending is not None or not stage.tokens:
                return False
            stage = Stage([], [])
            if joint == "|":
                pipeline.append(stage)
            else:
                pipelines.append(pipeline)
                pipeline = [stage]
            ended = joint == ";"
    if pending is not None:
        return False
    if stage.tokens:
        pipelines.append(pipeline)
        return True
    return ended and len(pipeline) == 1


def _redirection(token: str) -> Sent | None:
    """`2>&1`, `>`, `2>/dev/null`; without a target when it stands in the next token. None for any other token."""
    copy = _COPIES.get(token)
    if copy is not None:
        return copy
    at = max(token.rfind(">"), token.rfind("<")) + 1
    operator, target = token[:at], token[at:]
    if operator not in _TO_FILE or (target and not _is_word(target)):
        return None
    descriptor = operator[0] if operator[0] in "12" else ""
    return descriptor, operator[len(descriptor) :], target


def _is_word(token: str) -> bool:
    """A word that means itself (file name patterns and `~` included, which both readers know)."""
    if token[0] in "'\"":
        return token[0] == "'" or _EXPANDED_IN_QUOTES.isdisjoint(token)
    return _BARE.issuperset(token) and token not in _RESERVED and token[0] != "="


def _is_program(token: str) -> bool:
    """A word that can only be the name of a program: no assignment, no number, no pattern, nothing quoted."""
    return token[0] in _FIRST and "=" not in token and "*" not in token and "?" not in token and "~" not in token
