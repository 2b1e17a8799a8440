"""What a command surely prints, as far as its words say: for what `$(…)` and a shell behind a pipe make of it."""

from __future__ import annotations

from sandgate.commandline.decoding import ansi

TYPE_CHECKING = False
if TYPE_CHECKING:
    Argv = tuple[str, ...]

UNKNOWN = "\x1a"  # stands in a text where only the running shell knows
_FINDING = frozenset(("which", "command", "type"))


def said(argv: Argv, stdin_text: str | None) -> str | None:
    """What a command surely prints."""
    name, rest = argv[0], argv[1:]
    if name in ("echo", "printf"):
        return None if UNKNOWN in "".join(rest) else printed(argv)
    if name == "cat" and not rest:
        return stdin_text
    if name in _FINDING and rest and (name == "which" or rest[0] in ("-v", "-p", "-P")):
        return rest[-1]
    return "" if name in ("true", ":") else None


def printed(argv: Argv) -> str:
    """What `echo` or `printf` says, near enough."""
    texts = [word for word in argv[1:] if word not in ("-e", "-n", "-ne", "-en", "-E", "--")]
    if argv[0] == "echo":
        return ansi(" ".join(texts)) if "-e" in "".join(argv[1:2]) else " ".join(texts)
    text = ansi(texts[0]) if texts else ""
    values = list(texts[1:])
    made = ""
    for at, part in enumerate(text.split("%")):
        conversion = at and part[:1] in ("s", "b", "d", "q")
        made += (values.pop(0) if values else "") + part[1:] if conversion else part
    return " ".join([made, *values])
