"""Every session in the documentation is true."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.docs.doc_session import Session, agrees, play, read, sessions
from support.machine import host_features

PAGE = """\
Text.

<!-- needs: namespace notify -->
```console
$ ./sandgate run -- sh -c 'echo one
> echo two'
one
two
$ echo $?
0
```

<!-- not run: it asks a person -->
```console
$ ./sandgate run -- touch /etc/x
```

```console
$ apt-get install gcc
```

<!-- needs: namespace; files: docs/examples/cart -->
```console
$ ./sandgate run -- ls
```
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """Where the reader's home is made: not below /tmp, which commands may write to, as nobody's home is."""
    with tempfile.TemporaryDirectory(prefix="sandgate-reader-", dir="/var/tmp") as made:
        yield Path(made)


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session.place)
def test_documented_session_prints_what_the_page_says(session: Session, place: Path) -> None:
    """Required: a reader who types what the page says sees what the page says."""
    for feature in session.needs:
        host_features.demand(feature)
    printed = play(session, place)
    told = [(typed, expected) for typed, expected in session.steps]
    wrong = [
        f"$ {typed}--- the page says\n{expected}--- it printed\n{output}"
        for (typed, expected), output in zip(told, printed, strict=True)
        if not agrees(expected, output)
    ]
    assert wrong == [], "\n".join(wrong)


def test_reader_finds_commands_outputs_and_needs() -> None:
    typed = ("./sandgate run -- sh -c 'echo one\necho two'\n", "one\ntwo\n")
    with_files = Session("page:24", (("./sandgate run -- ls\n", ""),), ("namespace",), "docs/examples/cart")
    assert read(PAGE, "page") == [
        Session("page:5", (typed, ("echo $?\n", "0\n")), ("namespace", "notify")),
        with_files,
    ]


@pytest.mark.parametrize(
    ("expected", "printed", "true"),
    [
        ("one\n", "one\n", True),
        ("one\n", "two\n", False),
        ("took 12 ms\n", "took 9 ms\n", True),
        ("at … today\n", "at noon today\n", True),
        ("first\n…\nlast\n", "first\na\nb\nlast\n", True),
        ("first\n…\nlast\n", "first\na\nb\n", False),
        ("", "", True),
        ("", "surprise\n", False),
    ],
)
def test_pages_are_compared_line_by_line(expected: str, printed: str, true: bool) -> None:
    assert agrees(expected, printed) is true
