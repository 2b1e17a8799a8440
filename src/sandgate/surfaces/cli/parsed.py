"""The program's arguments, once they are taken apart."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.options import Command


class ParsedLine(Record):
    """What was asked for. `values` holds a bool, a string or a tuple of strings by option key."""

    command: Command
    values: dict[str, bool | str | tuple[str, ...]]
    argv: tuple[str, ...] = ()  # what follows `--`
    argument: str | None = None  # the one word that may follow the name
    words: tuple[str, ...] = ()  # what follows the name, in one of the command's forms
    form: str = ""  # that form
    help: bool = False

    def text(self, key: str) -> str | None:
        """The value of a single option, None when absent."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """All values of a repeatable option, in order."""
        value = self.values.get(key)
        return value if isinstance(value, tuple) else ()

    def on(self, key: str) -> bool:
        """Whether a switch was given."""
        return self.values.get(key) is True
