"""What people read about a command: whole phrases, about what it will really touch."""

from __future__ import annotations

import pytest

from assessing import judged


@pytest.mark.parametrize(
    ("argv", "description", "reason"),
    [
        (("ls",), "Looks at the working directory.", "looks at the working directory"),
        (("ls", "src"), "Looks at src.", "looks at files"),
        (("wc", "-l"), "Looks at its input.", "looks at its input"),
        (("cat", "a.txt"), "Reads a.txt.", "reads files"),
    ],
)
def test_a_reason_says_of_what(argv: tuple[str, ...], description: str, reason: str) -> None:
    risk = judged(argv)
    assert risk.description.startswith(description)
    assert risk.reasons[0] == reason
