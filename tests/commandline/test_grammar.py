"""What it costs to understand a command line: nothing heavy for a plain one, two C modules for a script."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["re", "enum", "typing", "dataclasses", "tree_sitter", "tree_sitter._binding", "shlex", "pathlib", "json"]
WRAPPERS = ["importlib.resources", "tempfile", "pathlib", "typing"]

PLAIN = """
import sys
from sandgate.policy.approval import verdict_for
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
print(verdict_for(CommandRequest(%r, "/", {}), policy="untrusted", sandbox=WorkspaceWrite()))
print([name for name in %r if name in sys.modules])
"""


def modules_after(argv: tuple[str, ...], watched: list[str]) -> list[str]:
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n" + PLAIN % (argv, watched)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0].startswith("Allow(")
    return list(eval(lines[1]))


def test_a_plain_command_is_judged_without_any_heavy_import() -> None:
    assert modules_after(("/bin/true",), HEAVY) == []


def test_a_script_is_parsed_without_the_python_wrappers_of_the_parser() -> None:
    assert modules_after(("bash", "-lc", "ls 2>/dev/null"), WRAPPERS) == []


CRASHER = """
from sandgate.commandline.grammar import syntax_tree
for code in (0x40000, 0x80000, 0xA0000, 0xCC5FE, 0xF0000, 0x10FFFF):
    syntax_tree(("{" + chr(code) + "=Q").encode())
"""


def test_no_character_reaches_past_the_tables_of_the_scanner() -> None:
    """Required: text from outside must not end our process. Without the translation two of three runs crash,
    depending on where the tables lie in memory, so several fresh processes are tried."""
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n" + CRASHER]
    assert [subprocess.run(command, capture_output=True, check=False).returncode for _ in range(10)] == [0] * 10


def test_offsets_are_those_of_the_source() -> None:
    from sandgate.commandline.grammar import syntax_tree

    source = "caf\u00e9 \u2603 x".encode()
    root = syntax_tree(source)
    assert root is not None
    command = root.children[0]
    assert [source[child.start_byte : child.end_byte] for child in command.children] == source.split()


def test_the_wrappers_are_used_where_the_c_modules_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandgate.commandline import bash, grammar

    def nowhere(_package: str, _name: str) -> object:
        raise ImportError

    monkeypatch.setattr(grammar, "_extension", nowhere)
    monkeypatch.setattr(grammar, "_new_parser", None)
    assert [command.argv for command in bash.parse("ls; pwd").commands] == [("ls",), ("pwd",)]


def test_a_pipeline_without_an_end_is_not_parsed_when_it_is_long() -> None:
    """Required: looking for the mistake takes time and memory with the square of the length."""
    from sandgate.commandline import bash, grammar, walk

    endless = "a|" * (grammar.PIPES_MAX + 1)
    assert bash.parse(endless).beyond_limits
    assert not walk.script(endless).complete
    assert bash.parse("ls | wc\n" * (grammar.PIPES_MAX + 1)).plain


def test_a_line_that_begins_here_documents_by_the_thousand_is_not_parsed() -> None:
    """Required: the parser looks through all that are open at each character."""
    from sandgate.commandline import bash, grammar, walk

    line = "cat " + " ".join(f"<<E{number}" for number in range(grammar.HERE_DOCUMENTS_MAX + 1))
    assert bash.parse(line).beyond_limits
    assert not walk.script(line).complete
    assert not bash.parse("cat <<E\nx\nE\n" * 100).beyond_limits


@pytest.mark.parametrize("unit", ["<>", "(( 1;", "[[ $a;", "x=(", "a()", "))", "&#", "a[//&then ", "`$(<"])
def test_a_text_that_keeps_the_parser_searching_is_not_parsed(unit: str) -> None:
    """Required: 32 KB of `<>` took 4.8 s in one call. It is known by what the parser asks for, or by its steps."""
    from sandgate.commandline import bash

    read = bash.parse(unit * (32_768 // len(unit)) + "\nrm -r x")
    assert not read.plain
    assert not read.readable
    assert ("rm", "-r", "x") in [command.argv for command in read.commands]  # what is forbidden is still looked for


def pieces(text: str) -> int:
    """How often the parser asks for a piece of `text` until it is through, or given up."""
    from sandgate.commandline import grammar

    made: list[grammar.Reading] = []

    class Kept(grammar.Reading):
        def __init__(self, text: bytes) -> None:
            super().__init__(text)
            made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "Reading", Kept)
        patch.setattr(grammar, "HUNDREDS_OF_STEPS", 10**9)
        grammar._parsed(text.encode())
    return grammar.Reading(text.encode()).pieces_left - made[0].pieces_left


def test_the_same_limit_holds_on_every_machine() -> None:
    """What the parser asks for is the same each time; no clock takes part."""
    from sandgate.commandline import grammar

    endless, readable = "<>" * 16_384, "for i in a b; do echo $i | wc; done\n" * 600
    assert pieces(endless) == pieces(endless)
    assert pieces(endless) > grammar.PIECES_MAX + grammar.PIECES_EACH_MAX * len(endless) // grammar.PIECE_BYTES
    assert pieces(readable) <= 4 * (len(readable) // grammar.PIECE_BYTES + 1)
    assert grammar._parsed(readable.encode()) is not None


@pytest.mark.parametrize("shift", range(0, 40, 3))
def test_the_tree_does_not_depend_on_where_pieces_end(shift: int) -> None:
    from sandgate.commandline import grammar

    lines = [
        "x='a b' y=\"$(ls -la | wc)\" cmd <<E\nbody $x\nE\n",
        "for i in {1..3}; do echo ${i:-a} >> f && (b); done\n",
        "<>; a\n",
    ]
    text = (" " * shift + "".join(lines * 80)).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "PIECE_BYTES", 97)
        small = grammar._parsed(text)
    whole = grammar._parser().parse(text).root_node
    assert small is not None
    assert str(small) == str(whole) == str(grammar._parsed(text))


def test_a_text_with_many_readings_at_once_is_given_up_by_its_steps() -> None:
    from sandgate.commandline import bash

    assert bash.parse("case x in " + "& \n" * 20_000).beyond_limits
    assert not bash.parse("rm " + "a " * 30_000).beyond_limits
    assert not bash.parse(";".join(["ls"] * 20_000)).beyond_limits


def test_two_threads_parse_at_the_same_time() -> None:
    """Required: while one asks for a piece the other may run; a parser that both used ended the process."""
    import threading

    from sandgate.commandline import grammar

    text = b"a=(b) c <d && " * 6_000 + b"e"
    one = grammar._parsed(text)
    trees: list[object] = []
    threads = [threading.Thread(target=lambda: trees.append(grammar._parsed(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one is not None
    assert [str(tree) for tree in trees] == [str(one)] * 4
