"""The tables: what several hundred programs and sub-commands do. Data only; a new program is a new line here.

`entry_for` finds the entry of a command by its longest known name: `git stash drop` before `git stash` before `git`.
"""

from __future__ import annotations

from sandgate.assessment.knowledge import (
    archives,
    containers,
    databases,
    files,
    git,
    interpreters,
    network,
    packages,
    reading,
    remote,
    services,
    system,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.knowledge.entry import Entry

LONGEST_NAME = 5  # words: `gcloud compute instances delete`

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for family in (
        services, reading, files, git, packages, network, system, archives, containers, databases, interpreters, remote,
    )
    for entry in family.ENTRIES
}  # fmt: skip
PREFIXES: frozenset[str] = frozenset(
    name.rsplit(" ", count)[0] for name in ENTRIES for count in range(1, name.count(" ") + 1)
)


def entry_for(words: Sequence[str]) -> Entry | None:
    """The entry whose name is the longest beginning of `words` (program and operands)."""
    best = ENTRIES.get(words[0])
    name = words[0]
    for word in words[1:LONGEST_NAME]:
        if name not in PREFIXES:
            break
        name = f"{name} {word}"
        best = ENTRIES.get(name, best)
    return best


def knows(program: str) -> bool:
    """Whether the tables say anything about this program, alone or with sub-commands."""
    return program in ENTRIES or program in PREFIXES
