"""What a line of commands does that none of them does alone, though each of them only reads.

`find / -name id_rsa` prints names, and `xargs cat` shows whatever it is handed. `cd ~/.aws` goes somewhere, and `cat
credentials` reads a file of that name wherever it is. `yes | head` ends, and `yes` alone never does. So a script is
looked at once more as a whole, after all of its commands were found to be harmless.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name, words_of
from sandgate.policy.endless import CUTTING, ENDLESS, never_ends
from sandgate.policy.secret_names import (
    LISTERS,
    SOUGHT,
    finds_everything,
    is_searcher,
    names_secret,
    seeks_secrets,
    seeks_values,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.bashcommands import Script, SimpleCommand

    Argv = tuple[str, ...]

_SEEKERS = frozenset(words_of("find fd fdfind"))
_INDEXES = frozenset(words_of("locate plocate mlocate mdfind"))
_ENTERING = frozenset(words_of("cd pushd"))
_LISTING_VARIABLES = frozenset(words_of("env printenv set export declare typeset"))
_ROOTS = ("/", "~", "$")  # how a path begins that does not depend on the directory

_RANGE_DIGITS_MAX = 6  # of a number in `{1..1000000}`, all of which the shell keeps in memory


def harmless_together(script: Script) -> bool:
    """Whether the commands of `script`, each of which only reads, end and show no secrets in company either."""
    commands = tuple({id(each): each for each in script.commands if each.words}.values())
    return not (
        _goes_on(script, commands)
        or _shows_what_is_found(script.commands)
        or _reads_where_it_went(script.commands)
        or _searches_variables(commands)
    )


def _searches_variables(commands: tuple[SimpleCommand, ...]) -> bool:
    """`env | grep -i token`."""
    listed = any(program_name(each.words[0].text) in _LISTING_VARIABLES for each in commands)
    return listed and any(
        is_searcher(program_name(each.words[0].text)) and seeks_values(each.argv[1:]) for each in commands
    )


def _goes_on(script: Script, commands: tuple[SimpleCommand, ...]) -> bool:
    """Whether there is output, or input, without an end and nothing that takes only a part of it."""
    endless = any(_is_endless(command) for command in commands) or any(
        each.target is not None and each.operator == "<" and each.target.text in ENDLESS for each in script.redirections
    )
    return endless and not any(program_name(command.words[0].text) in CUTTING for command in commands)


def _is_endless(command: SimpleCommand) -> bool:
    return never_ends(command.argv) or any(
        _is_long_range(word.text) for word in command.words if word.certainty != "exact"
    )


def _is_long_range(text: str) -> bool:
    if ".." not in text or "{" not in text:
        return False
    inner = text.partition("{")[2].partition("}")[0]
    return any(part.isdecimal() and len(part) > _RANGE_DIGITS_MAX for part in inner.split(".."))


def _shows_what_is_found(commands: tuple[SimpleCommand, ...]) -> bool:
    """Names of secrets on their way to a program that shows what is in files."""
    if not any(_takes_names(command) for command in commands if command.words):
        return False
    shown = any(_takes_names(command) and not _searches(command) for command in commands if command.words)
    if shown and any(command.argv[:1] == ("find",) and finds_everything(command.argv[1:]) for command in commands):
        return True
    return any(
        (command.words and _names_secrets(command.argv))
        or any(names_secret(each.text.partition("=")[2]) for each in command.assignments)
        for command in commands
    )


def _takes_names(command: SimpleCommand) -> bool:
    """`xargs cat`, `cat "$f"`: which files it shows is not written there."""
    words = command.words
    texts = [word.text for word in words]
    if "xargs" in texts:
        behind = texts[texts.index("xargs") + 1 :]
        inner = [text for text in behind if text[:1] not in ("-", "{", "%") and not text.isdecimal()]
        return bool(inner) and program_name(inner[0]) not in LISTERS
    if program_name(texts[0]) in LISTERS:
        return False
    return any(word.certainty != "exact" and ("$" in word.text or "`" in word.text) for word in words)


def _searches(command: SimpleCommand) -> bool:
    """`xargs grep -l foo`: shows lines that were asked for."""
    return any(is_searcher(word.text) for word in command.words)


def _names_secrets(argv: Argv) -> bool:
    name = program_name(argv[0])
    if any(names_secret(word) for word in argv[1:]):
        return True
    if name == "find":
        return seeks_secrets(argv[1:])
    wide = name in _INDEXES or (name in _SEEKERS and any(word[:1] in _ROOTS for word in argv[1:]))
    return wide and any(mark in word.lower() for word in argv[1:] for mark in SOUGHT)


def _reads_where_it_went(commands: tuple[SimpleCommand, ...]) -> bool:
    """`cd ~/.ssh && cat *`: files whose names mean something in the directory gone to."""
    where = ""
    for command in commands:
        if not command.words:
            continue
        name = program_name(command.words[0].text)
        if name in _ENTERING:
            target = command.words[-1].text if len(command.words) > 1 else "~"
            where = target if target[:1] in _ROOTS or not where else f"{where}/{target}"
        elif where and name not in LISTERS and _reads_in(where.rstrip("/"), name, command):
            return True
    return False


def _reads_in(where: str, name: str, command: SimpleCommand) -> bool:
    inside = names_secret(where) or names_secret(f"{where}/x")
    if inside and is_searcher(name):
        return len(command.words) != 2  # `ls | grep pub`
    relative = [word.text for word in command.words[1:] if word.text[:1] not in ("-", *_ROOTS)]
    return any(names_secret(f"{where}/{text}") for text in relative if not text.isdecimal())
