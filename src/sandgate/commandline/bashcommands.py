"""What a bash script is made of, as rules and lists see it: commands, redirections, how much can be vouched for.

Made by `bash`; nothing here reads or decides anything.
"""

from __future__ import annotations

from sandgate.commandline.bashwords import Word
from sandgate.record import Record


class SimpleCommand(Record):
    """One command of a script: program and arguments, and the variables assigned for it alone."""

    words: tuple[Word, ...]
    assignments: tuple[Word, ...] = ()  # "NAME=value"
    calls_function: bool = False  # one that the script defines before, and whose body is among its commands

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple([word.text for word in self.words])


class Redirection(Record):
    """`2>>file` is operator `>>`, descriptor `2`, target `file`. A here-document has no target."""

    operator: str
    target: Word | None
    descriptor: str = ""


class Script(Record):
    """What a script is made of, and how much of it we can vouch for."""

    commands: tuple[SimpleCommand, ...] = ()  # in order of appearance, nested ones included
    redirections: tuple[Redirection, ...] = ()
    plain: bool = False
    readable: bool = False
    here_document: bool = False  # has one, and is otherwise one literal command with redirections
    beyond_limits: bool = False  # not parsed: too long, or too many parentheses
    functions: frozenset[str] = frozenset()  # names it defines
    chosen: tuple[tuple[str, Word], ...] = ()  # a loop's variable, and a word it stands for

    def argvs(self) -> list[tuple[str, ...]]:
        """Those of the commands in order, each once: lines that come again are often one object."""
        once = {id(command): command for command in self.commands}
        return list(dict.fromkeys([command.argv for command in once.values()]))


def changes_nothing(redirection: Redirection) -> bool:
    """`2>&1`, `2>/dev/null`: the same commands run, and no file is opened that anybody could miss."""
    target = redirection.target
    if target is None or target.certainty != "exact":
        return False
    if redirection.operator in (">&", "<&"):
        return target.text.isdecimal()
    return target.text == "/dev/null" and redirection.operator in ("<", ">", ">>", "&>", "&>>")
