"""Which arguments are options, which are operands, by the grammar most programs share.

`values` names the options that take a value of their own, so that the value is not mistaken for an operand. Long
options may be abbreviated, as getopt_long(3) allows; a cluster of letters is taken apart.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sandgate.assessment.expansion import Arg

SHORTEST_ABBREVIATION = 4  # `--re`: shorter ones are too ambiguous to be accepted by anything


_listed: dict[str, frozenset[str]] = {}


def option_names(names: str) -> frozenset[str]:
    """The words of a line of one of our tables (there are finitely many: each is taken apart once)."""
    found = _listed.get(names)
    if found is None:
        found = _listed[names] = frozenset(names.split())
    return found


class Parsed(Record):
    """The arguments of one program, sorted."""

    flags: frozenset[str]  # every option as written, clusters taken apart
    values: tuple[tuple[str, Arg], ...]  # option and its value, in order
    operands: tuple[Arg, ...]

    def has(self, names: str) -> bool:
        """Whether any of the blank-separated options is given, abbreviated or not."""
        flags = self.flags
        if not flags:
            return False
        wanted = option_names(names)
        if not wanted.isdisjoint(flags):
            return True
        long = [flag for flag in flags if flag[:2] == "--" and len(flag) >= SHORTEST_ABBREVIATION]
        return bool(long) and any(name[:2] == "--" and name.startswith(tuple(long)) for name in wanted)

    def value(self, names: str) -> Arg | None:
        """The last value given to any of these options."""
        wanted = names.split()
        found = [arg for option, arg in self.values if any(_same(name, option) for name in wanted)]
        return found[-1] if found else None


def _same(name: str, written: str) -> bool:
    if name == written:
        return True
    return name.startswith("--") and len(written) >= SHORTEST_ABBREVIATION and name.startswith(written)


def parsed(args: Sequence[Arg], values: str = "", *, clusters: bool = True, stop_at_operand: bool = False) -> Parsed:
    """Sort `args`. `clusters` off: `-long` is one option. `stop_at_operand`: what follows is another command."""
    takes = option_names(values)
    flags: set[str] = set()
    valued: list[tuple[str, Arg]] = []
    operands: list[Arg] = []
    rest = iter(args)
    for arg in rest:
        text = arg.text
        if text == "--":
            operands.extend(rest)
        elif text.startswith("--") or (not clusters and len(text) > 1 and text.startswith("-")):
            _long(arg, takes, flags, valued, rest)
        elif len(text) > 1 and text.startswith("-"):
            _cluster(arg, takes, flags, valued, rest)
        else:
            operands.append(arg)
            if stop_at_operand:
                operands.extend(rest)
    return Parsed(frozenset(flags), tuple(valued), tuple(operands))


def _long(arg: Arg, takes: frozenset[str], flags: set[str], valued: list[tuple[str, Arg]], rest: Iterable[Arg]) -> None:
    name, equals, value = arg.text.partition("=")
    flags.add(name)
    if equals:
        valued.append((name, arg.but(text=value, raw="")))
    elif name in takes:
        following = next(iter(rest), None)
        if following is not None:
            valued.append((name, following))


def _cluster(
    arg: Arg, takes: frozenset[str], flags: set[str], valued: list[tuple[str, Arg]], rest: Iterable[Arg]
) -> None:
    letters = arg.text[1:]
    flags.add(arg.text)
    if arg.text in takes:
        following = next(iter(rest), None)
        if following is not None:
            valued.append((arg.text, following))
        return
    for index, letter in enumerate(letters):
        option = "-" + letter
        flags.add(option)
        if option in takes:
            inside = letters[index + 1 :]
            following = arg.but(text=inside, raw="") if inside else next(iter(rest), None)
            if following is not None:
                valued.append((option, following))
            return
