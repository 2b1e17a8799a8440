"""Statements for `sqlite3` that only read."""

from __future__ import annotations

import pytest

from sandgate.policy.safe_sql import only_shows


@pytest.mark.parametrize(
    "text",
    [
        ".tables",
        ".schema users",
        "SELECT id, updated_at FROM users WHERE name LIKE '%a%' LIMIT 5;",
        "select count(*) from a; select 1",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "PRAGMA table_info(users);",
        "pragma user_version",
        "EXPLAIN QUERY PLAN SELECT * FROM a",
    ],
)
def test_what_asks_is_seen_to_ask(text: str) -> None:
    assert only_shows(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        ".shell rm -rf ~",
        ".tables\n.shell id",
        ".output /etc/passwd",
        ".schema | sh",
        ".dump a'b",
        "select 1;\n.shell id",
        "SELECT 1\n.system id",
        "DELETE FROM users",
        "select 1; drop table users",
        "WITH a AS (SELECT 1) DELETE FROM users",
        "SELECT writefile('/tmp/x', 'y')",
        "select load_extension('./x')",
        "select edit(name, 'vi') from a",
        "PRAGMA user_version = 3",
        "PRAGMA journal_mode=WAL",
        "attach 'x' as y",
        "explain analyze; vacuum",
    ],
)
def test_what_writes_or_runs_is_not_taken_for_reading(text: str) -> None:
    """Required: unsure means no."""
    assert not only_shows(text)
