"""Until when, as people type it."""

import time

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.cli.timestamps import here, moment

NOW = 1_000_000_000.0  # 2001-09-09T01:46:40Z


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("30s", "2001-09-09T01:47:10Z"),
        ("2h", "2001-09-09T03:46:40Z"),
        ("7d", "2001-09-16T01:46:40Z"),
        ("2030-01-31T18:00:00Z", "2030-01-31T18:00:00Z"),
        ("2030-01-31T18:00:00+02:00", "2030-01-31T16:00:00Z"),
    ],
)
def test_a_length_or_a_moment_becomes_a_moment_in_utc(text: str, at: str) -> None:
    assert moment(text, NOW, option="--until") == at


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "h",
        "0h",
        "-2h",
        "2x",
        "99999999999999d",
        "tomorrow",
        "2030-01-32",
        "2030-01-31T18:00:00",
        "2000-01-01T00:00:00Z",
        "²h",
    ],
)
def test_what_is_no_moment_to_come_is_refused_with_examples(text: str) -> None:
    with pytest.raises(RequestError, match="no moment to come") as caught:
        moment(text, NOW, option="--until")
    assert "2h" in caught.value.hint


def test_a_moment_is_told_in_the_zone_of_this_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "EAST-1")
    time.tzset()
    assert here("2026-01-02T23:30:15.123Z") == "2026-01-03 00:30"
    assert here("2026-01-02T23:30:15.123Z", seconds=True) == "2026-01-03 00:30:15"
    assert here("2026-01-02T23:30:15+02:00") == "2026-01-02 22:30"
    assert (here("no moment"), here("")) == ("no moment", "")
    monkeypatch.undo()
    time.tzset()
