"""What names mean after something else in the line gave them another meaning."""

from __future__ import annotations

import pytest

from sandgate.commandline.renaming import renamed_by
from sandgate.commandline.walk import script


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("hash -p /bin/ls g", {"g": ("ls",)}),
        ("hash -r", {}),
        ("alias g='git push'", {"g": ("git", "push")}),
        ("cp /usr/bin/git f", {"f": ("git",)}),
        ("cp /usr/bin/git bin/", {"git": ("git",)}),
        ("cp a b", {}),
        ("ln -s /bin/rm /tmp/x", {"x": ("rm",)}),
        ("dd if=/bin/rm of=x", {"x": ("rm",)}),
        ("cat /bin/rm > x", {"x": ("rm",)}),
    ],
)
def test_a_copy_an_alias_and_an_entry_of_the_table_of_programs_give_a_name(
    text: str, meant: dict[str, tuple[str, ...]]
) -> None:
    command = script(text).commands[0]
    argv = tuple(word.literal or "" for word in command.words)
    assert {name: words for name, words in renamed_by(argv, command) if name == next(iter(meant), name)} == meant
