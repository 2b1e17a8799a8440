"""Finds a patch that a model hands to a shell instead of to the patch tool.

Two shapes are taken out of the shell's hands: `apply_patch` with a here-document, and the same after one
`cd DIR &&`. Nothing that means more than that may be taken for it, so the line before the document is read with the
bash grammar and must be exactly one of the two; every other script stays a script. The document itself is taken
literally and never parsed, however long it is or whatever it holds. Whether it is a good patch is for `patch` to say.
"""

from __future__ import annotations

from sandgate.commandline.grammar import syntax_tree
from sandgate.commandline.words import program_name, unescaped_in_double_quotes
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

BEGIN_MARKER = "*** Begin Patch"
COMMANDS = ("apply_patch", "applypatch")

_UNIX_SHELLS = frozenset(("bash", "zsh", "sh"))
_UNIX_FLAGS = frozenset(("-lc", "-c"))
_POWERSHELLS = frozenset(("pwsh", "powershell"))
_SIMPLE_BODY = ("command",)
_BODY_AFTER_CD = ("command", "&&", "command")
# What the shell would change in an unquoted directory name; such a directory is for the shell to find.
_SHELL_MAKES_MORE_OF = frozenset("~*?[]{}\\!=$`")


class PatchCall(Record):
    """A patch to apply; `directory` is where, as written, None for the working directory."""

    patch: str
    directory: str | None = None


class ImplicitPatch(Record):
    """A patch that stands where a command should: nobody was told to apply it."""


def patch_call(argv: tuple[str, ...]) -> PatchCall | ImplicitPatch | None:
    """The patch that `argv` hands over; None: an ordinary command. Never raises."""
    match argv:
        case (text,):
            return ImplicitPatch() if _is_patch(text) else None
        case (program, body) if program in COMMANDS:
            return PatchCall(body)
    script = _script_of(argv)
    if script is None:
        return None
    return ImplicitPatch() if _is_patch(script) else _in_script(script)


def _is_patch(text: str) -> bool:
    return text.lstrip().partition("\n")[0].rstrip() == BEGIN_MARKER


def _script_of(argv: tuple[str, ...]) -> str | None:
    """The script of a shell that is given one, and nothing else."""
    if len(argv) not in (3, 4):
        return None
    name = program_name(argv[0])
    stem = (name.rpartition(".")[0] or name).lower()
    flags = tuple(flag.lower() for flag in argv[1:-1])
    unix = stem in _UNIX_SHELLS and len(argv) == 3 and argv[1] in _UNIX_FLAGS
    powershell = stem in _POWERSHELLS and flags in (("-command",), ("-noprofile", "-command"))
    return argv[-1] if unix or powershell or (stem == "cmd" and flags == ("/c",)) else None


def _in_script(script: str) -> PatchCall | None:
    opening = script.find("<<")
    line_end = script.find("\n", opening)
    if opening < 0 or line_end < 0:
        return None
    head = script[:line_end]
    delimiter = _unquoted(head.rpartition("<<")[2].strip(" \t"))
    patch = _document(script[line_end + 1 :], delimiter) if delimiter else None
    if patch is None:
        return None
    try:
        source = f"{head}\n{delimiter}\n".encode()
    except UnicodeEncodeError:
        return None
    if b"\0" in source:
        return None
    return _Head(source).call(patch)


def _unquoted(word: str) -> str:
    """The delimiter a here-document's word stands for; "" when we had better not say."""
    for quote in "'\"":
        if len(word) > 2 and word[0] == word[-1] == quote:
            word = word[1:-1]
            break
    return word if all(char.isalnum() or char in "_-." for char in word) and word[:1] != "-" else ""


def _document(text: str, delimiter: str) -> str | None:
    """The lines up to the delimiter, when nothing but blanks follows it."""
    before, found, after = f"\n{text}\n".partition(f"\n{delimiter}\n")
    return before.removeprefix("\n").rstrip("\n") if found and not after.strip(" \t\n") else None


class _Head:
    """The line that opens the here-document, read with the grammar (the document left out)."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    def call(self, patch: str) -> PatchCall | None:
        root = syntax_tree(self._source)
        if root is None or root.has_error or _types(root) != ("redirected_statement",) or not self._spaced(root):
            return None
        statement = root.children[0]
        if _types(statement)[-1:] != ("heredoc_redirect",) or not self._spaced(statement):
            return None
        redirect = statement.children[-1]
        if _types(redirect)[:2] != ("<<", "heredoc_start"):  # `<<-` drops tabs; a descriptor would stand before it
            return None
        body = statement.children[0]
        if _types(statement)[:-1] == _SIMPLE_BODY:
            return PatchCall(patch) if self._applies(body) else None
        if _types(statement)[:-1] != ("list",) or _types(body) != _BODY_AFTER_CD or not self._spaced(body):
            return None
        changing, _, applying = body.children
        directory = self._directory(changing)
        return PatchCall(patch, directory) if directory and self._applies(applying) else None

    def _applies(self, command: Node) -> bool:
        return _types(command) == ("command_name",) and self._text(command) in COMMANDS

    def _directory(self, command: Node) -> str:
        """Where `cd DIR` goes; "" when this is no such command, or only the shell could say."""
        if _types(command)[:1] != ("command_name",) or command.child_count != 2 or not self._spaced(command):
            return ""
        name, word = command.children
        text = self._text(word)
        if self._text(name) != "cd" or text.startswith("-"):
            return ""
        match word.type:
            case "word" | "number":
                return "" if word.child_count or _SHELL_MAKES_MORE_OF.intersection(text) else text
            case "raw_string":
                return text[1:-1]
            case "string":
                literal = all(kind in ('"', "string_content") for kind in _types(word))
                return unescaped_in_double_quotes(text[1:-1]) if literal else ""
            case _:
                return ""

    def _spaced(self, node: Node) -> bool:
        """Whether only blanks a shell knows stand between the parts of `node`."""
        at = node.start_byte
        for child in node.children:
            if self._source[at : child.start_byte].replace(b"\\\n", b"").strip(b" \t\n"):
                return False
            at = child.end_byte
        return True

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode()


def _types(node: Node) -> tuple[str, ...]:
    return tuple([child.type for child in node.children])
