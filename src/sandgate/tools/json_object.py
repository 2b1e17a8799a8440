"""Reads one JSON object member by member and knows where it is.

A model that got its arguments wrong is told the place, in the words of the parser that wrote the wire's errors, so
`json.loads` alone will not do: it forgets places, takes `NaN`, and lets the last of two equal names win. Columns
count bytes of UTF-8 from 1; the column of a finished thing is that of its last byte. Memory and time grow with the
length of the text; nesting ends at the interpreter's limit, with an error like any other.
"""

from __future__ import annotations

from sandgate.errors import ToolArgumentsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BLANKS = " \t\n\r"
DIGITS_MAX = 400  # of a whole number; a longer one is out of the range of every field, and slow to read
_KINDS = {  # what begins with this character
    '"': "string",
    "[": "sequence",
    "{": "map",
    "t": "boolean",
    "f": "boolean",
    "n": "null",
    **dict.fromkeys("-0123456789", "number"),
}
_WORDS_FOR = {
    "Unterminated string starting at": "EOF while parsing a string",
    "Invalid control character at": "control character (\\u0000-\\u001F) found while parsing a string",
    "Invalid \\escape": "invalid escape",
    "Invalid \\uXXXX escape": "invalid escape",
    "Expecting ',' delimiter": "expected `,` or the end of the value",
    "Expecting property name enclosed in double quotes": "key must be a string",
    "Expecting ':' delimiter": "expected `:`",
    "Expecting value": "expected value",
    "Illegal trailing comma before end of array": "trailing comma",
    "Illegal trailing comma before end of object": "trailing comma",
}


class ObjectReader:
    """Walks over the object in `text` once. `names` and `value` are called in turn."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def names(self) -> Iterator[str]:
        """The names of the members; after each, `value` has to be called. Raises ToolArgumentsError."""
        if self._next() != "{":
            kind = _KINDS.get(self._next())
            raise self.fault(f"invalid type: {kind}, expected a JSON object") if kind else self._no_value()
        self._at += 1
        if self._next() != "}":
            yield self._name()
            while self._next() == ",":
                self._at += 1
                if self._next() == "}":
                    raise self._offending("trailing comma")
                yield self._name()
        if self._next() != "}":
            raise self._offending("expected `,` or `}`" if self._next() else "EOF while parsing an object")
        self._at += 1

    def value(self) -> object:
        """The value of the member whose name came last."""
        if self._next() != ":":
            raise self._offending("expected `:`" if self._next() else "EOF while parsing an object")
        self._at += 1
        if self._next() not in _KINDS:
            raise self._no_value()
        return self._decoded()

    def end(self) -> None:
        """Nothing but blanks may follow."""
        if self._next():
            raise self._offending("trailing characters")

    def fault(self, detail: str) -> ToolArgumentsError:
        """An error about what was read last."""
        return self._fault(detail, self._at)

    def _name(self) -> str:
        if self._next() != '"':
            raise self._offending("key must be a string" if self._next() else "EOF while parsing an object")
        return str(self._decoded())

    def _next(self) -> str:
        """The next character that is no blank, "" at the end."""
        text = self._text
        while self._at < len(text) and text[self._at] in BLANKS:
            self._at += 1
        return text[self._at : self._at + 1]

    def _decoded(self) -> object:
        from json import JSONDecodeError, JSONDecoder

        start = self._at
        decoder = JSONDecoder(parse_constant=_constant, parse_int=_whole, parse_float=_real)
        try:
            value, self._at = decoder.raw_decode(self._text, start)
        except JSONDecodeError as error:
            # An open string and an open list are both told from where they end: at the end of the text.
            ended = error.pos >= len(self._text) or error.msg.startswith("Unterminated")
            detail = _WORDS_FOR.get(error.msg, "invalid value")
            if ended and not detail.startswith("EOF"):
                detail = "EOF while parsing a value"
            raise self._fault(detail, len(self._text) if ended else error.pos + 1) from None
        except RecursionError:
            raise self._fault("recursion limit exceeded", start) from None
        except ArithmeticError:
            raise self._fault("number out of range", start + 1) from None
        except ValueError:
            raise self._fault("expected value", start + 1) from None
        return value

    def _no_value(self) -> ToolArgumentsError:
        return self._offending("expected value" if self._next() else "EOF while parsing a value")

    def _offending(self, detail: str) -> ToolArgumentsError:
        return self._fault(detail, min(self._at + 1, len(self._text)))

    def _fault(self, detail: str, at: int) -> ToolArgumentsError:
        before = self._text[:at]
        column = len(before[before.rfind("\n") + 1 :].encode("utf-8", "surrogatepass"))
        line = 1 + before.count("\n")
        return ToolArgumentsError(f"failed to parse function arguments: {detail} at line {line} column {column}")


def _constant(name: str) -> object:
    raise ValueError(name)  # NaN, Infinity: no JSON


def _whole(digits: str) -> int:
    if len(digits) > DIGITS_MAX:
        raise ArithmeticError(digits[:20])
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ArithmeticError(digits[:20])
    return number
