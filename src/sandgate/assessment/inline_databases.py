"""Databases in programs written on the command line: which are files of this machine, and what statements do to one."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, HIGH, MEDIUM
from sandgate.assessment.knowledge.interpreters import LOSING_ORM
from sandgate.assessment.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Inquiry
    from sandgate.assessment.lexing import Token

# Their `connect` opens a file: no other machine is spoken to.
FILE_DATABASES = frozenset(words("sqlite3.connect sqlite3.dbapi2.connect aiosqlite.connect apsw.Connection"))
LOSING_STATEMENTS = ("DROP ", "TRUNCATE ", "DELETE FROM ", "DELETE *", "FLUSHALL", "FLUSHDB", "ALTER TABLE")
CHANGING_STATEMENTS = ("INSERT ", "UPDATE ", "REPLACE ", "CREATE ", "ALTER ", "VACUUM", "REINDEX", "ATTACH ")
READING_STATEMENTS = ("SELECT ", "EXPLAIN ", "PRAGMA ", "WITH ")
STATEMENT_CALLS = frozenset(
    words("""
    execute executescript executemany query exec raw run text prepare sql execute_sql exec_query command eval do
    execute_command read_sql dbExecute dbSendQuery
    """)
)


def file_opened(paths: list[Arg]) -> list[Arg]:
    """The file that is opened; none for a database in memory, or where the words do not tell."""
    for path in paths[:1]:
        text = path.text.removeprefix("file:").partition("?")[0] if path.text.startswith("file:") else path.text
        return [path.but(text=text, raw=text)] if text != ":memory:" else []
    return []


def judge_statements(found: list[Token], names: set[str], inquiry: Inquiry) -> None:
    """What statements and calls do to a database from within a program."""
    sql = [token.text.lstrip().upper() for token in found if token.kind == "string"]
    executes = not names.isdisjoint(STATEMENT_CALLS)
    if (executes and any(text.startswith(LOSING_STATEMENTS) for text in sql)) or names & LOSING_ORM:
        inquiry.add(HIGH, "deletes", "database", "a statement that loses data", "Deletes data in a database",
                    "Only a backup can bring it back", (DELETION,))  # fmt: skip
    elif executes and not names.isdisjoint(FILE_DATABASES):
        _judge_file_statements(sql, inquiry)


def _judge_file_statements(sql: list[str], inquiry: Inquiry) -> None:
    if any(text.startswith(CHANGING_STATEMENTS) for text in sql):
        inquiry.add(MEDIUM, "writes", "database", "changes a database", "Changes data in a database")
    elif not any(text.startswith(READING_STATEMENTS) for text in sql):
        inquiry.doubt("a statement that is not known before it runs", target="database")
