"""Files that a script opens beside the arguments of its commands, and the words its loops choose among.

`2>/dev/null` and `<file` open nothing that anybody could miss. A variable may stand for anything, even for a connection
(`/dev/tcp/host/port`), unless it is that of a loop which says what it stands for: `for f in src/*.py; do wc -l < "$f"`.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.policy.secret_names import LISTERS, names_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.bashcommands import Redirection, Script
    from sandgate.commandline.bashwords import Word

_WRITABLE_DEVICES = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))
_READABLE_DEVICES = frozenset(("/dev/null", "/dev/zero", "/dev/stdin", "/dev/urandom"))
_SETTING = frozenset(words_of("read mapfile readarray getopts let declare typeset local export unset printf eval "
                              "source . set select"))  # fmt: skip


def redirects_safely(script: Script) -> bool:
    """Whether all that the script opens by itself is read, or thrown away."""
    return all(_only_reads(each) or _reads_chosen(each, script) for each in script.redirections)


def shows_chosen_secrets(script: Script) -> bool:
    """`for f in .env; do cat "$f"`: whether a loop chooses files with secrets for commands that show them."""
    if not any(names_secret(word.text) for _, word in script.chosen):
        return False
    return not all(command.words[0].text in LISTERS for command in script.commands if command.words)


def _only_reads(redirection: Redirection) -> bool:
    """`2>/dev/null`, `2>&1`, `<file`, `<<<word`; anything that could create, truncate or connect is not."""
    target = redirection.target
    operator = redirection.operator
    if target is None:
        return operator in ("<&-", ">&-")
    text = target.text
    if operator == "<<<":
        return True
    if target.certainty != "exact" and not (operator == "<" and text[:2] == "<("):
        return False
    if operator in (">&", "<&"):
        return text.isdecimal() or text == "-"
    if operator == "<" and text[:2] == "<(":  # what it runs is among the commands
        return True
    if operator == "<" and names_secret(text):
        return False
    if operator == "<":
        return text in _READABLE_DEVICES or not text.startswith("/dev/")
    return operator in (">", ">>", "&>", "&>>", ">|") and text in _WRITABLE_DEVICES


def _reads_chosen(redirection: Redirection, script: Script) -> bool:
    """`< "$f"`, when a loop over known files is all that `f` is set by."""
    if redirection.operator != "<" or redirection.target is None:
        return False
    name = redirection.target.text
    if name[:2] == "${" and name[-1:] == "}":
        name = "$" + name[2:-1]
    chosen = [word for variable, word in script.chosen if f"${variable}" == name]
    if not chosen or not all(_known_file(word) for word in chosen):
        return False
    heads = {f"{name[1:]}={word.text}" for word in chosen}  # as a loop's head is noted, too
    return not any(
        (command.words and command.words[0].text in _SETTING)
        or any(
            each.text.startswith((f"{name[1:]}=", f"{name[1:]}+=")) and each.text not in heads
            for each in command.assignments
        )
        for command in script.commands
    )


def _known_file(word: Word) -> bool:
    """A path, or a pattern of paths, that is no device and names no secret."""
    text = word.text
    return "/dev/" not in text and not any(mark in text for mark in "$`<{") and not names_secret(text)
