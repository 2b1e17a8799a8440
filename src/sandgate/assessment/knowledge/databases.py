"""Databases: their clients, their dump tools, and the words of SQL that lose data."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, EXFILTRATION, HIGH, LOW, MEDIUM, SYSTEM
from sandgate.assessment.knowledge.entry import Entry

# A statement that contains one of these loses data (checked in upper case with blanks squeezed).
LOSING_SQL = (
    "DROP TABLE", "DROP DATABASE", "DROP SCHEMA", "DROP VIEW", "DROP INDEX", "DROP USER", "DROP ROLE", "TRUNCATE",
    "DELETE FROM", "DROP COLUMN", "DROP OWNED", "DROPDATABASE", "DELETEMANY", "DELETEONE", ".DROP(", ".REMOVE(",
          "FLUSHALL", "FLUSHDB",
)  # fmt: skip
CHANGING_SQL = ("INSERT ", "UPDATE ", "ALTER ", "CREATE ", "REPLACE ", "MERGE ", "VACUUM", "INSERTONE", "UPDATEMANY")
RIGHTS_SQL = ("GRANT ", "REVOKE ", "CREATE USER", "CREATE ROLE", "ALTER USER", "ALTER ROLE", "SET PASSWORD")
SQL_VALUES = "-c -e -f -h -p -P -U -u -d -D --command --execute --file --host --port --username --dbname --eval --user"


def _client(name: str, example: str) -> Entry:
    return Entry(name, LOW, "Talks to a database", (f"{name} {example}",), kind="contacts", values=SQL_VALUES)


ENTRIES: tuple[Entry, ...] = (
    _client("psql", "-c 'DROP TABLE t' => high"),
    _client("mysql", "-e 'DROP DATABASE d' => high"),
    _client("mariadb", "-e 'SELECT 1' => medium"),
    _client("sqlite3", "a.db 'DELETE FROM t' => high"),
    _client("mongosh", "--eval 'db.dropDatabase()' => high"),
    _client("mongo", "--eval 'db.t.drop()' => high"),
    _client("redis-cli", "FLUSHALL => high"),
    _client("cqlsh", "-e 'TRUNCATE t' => high"),
    _client("clickhouse-client", "--execute 'DROP TABLE t' => high"),
    _client("duckdb", "a.db 'SELECT 1' => medium"),
    _client("sqlcmd", "-e 'DROP TABLE t' => high"),
    _client("influx", "-e 'SELECT 1' => medium"),
    Entry("dropdb", HIGH, "Deletes a database", ("dropdb app",), kind="deletes", categories=(DELETION,)),
    Entry("dropuser", HIGH, "Deletes a database user", ("dropuser me",), kind="deletes", categories=(DELETION, SYSTEM)),
    Entry("createdb", MEDIUM, "Creates a database", ("createdb app",), kind="writes"),
    Entry("mysqladmin", HIGH, "Administers a database server", ("mysqladmin drop app",), kind="deletes",
          categories=(DELETION, SYSTEM)),
    Entry("pg_dump", MEDIUM, "Copies a database to a file", ("pg_dump app",), kind="reads", categories=(EXFILTRATION,)),
    Entry("pg_dumpall", MEDIUM, "Copies databases to a file", ("pg_dumpall",), kind="reads",
          categories=(EXFILTRATION,)),
    Entry("mysqldump", MEDIUM, "Copies a database to a file", ("mysqldump app",), kind="reads",
          categories=(EXFILTRATION,)),
    Entry("mongodump", MEDIUM, "Copies a database to files", ("mongodump",), kind="reads", categories=(EXFILTRATION,)),
    Entry("pg_restore", HIGH, "Overwrites a database", ("pg_restore -d app a.dump",), kind="writes",
          categories=(DELETION,)),
    Entry("mongorestore", HIGH, "Overwrites a database", ("mongorestore",), kind="writes", categories=(DELETION,)),
    Entry("alembic upgrade", MEDIUM, "Changes a database's structure", ("alembic upgrade head",), kind="writes"),
    Entry("alembic downgrade", HIGH, "Takes back a database's structure", ("alembic downgrade base",), kind="deletes",
          categories=(DELETION,)),
    Entry("rails db:drop", HIGH, "Deletes a database", ("rails db:drop",), kind="deletes", categories=(DELETION,)),
    Entry("rails db:reset", HIGH, "Deletes a database", ("rails db:reset",), kind="deletes", categories=(DELETION,)),
    Entry("rake db:drop", HIGH, "Deletes a database", ("rake db:drop",), kind="deletes", categories=(DELETION,)),
    Entry("rails", MEDIUM, "Runs the project", ("rails server",)),
    Entry("prisma migrate reset", HIGH, "Deletes a database", ("prisma migrate reset",), kind="deletes",
          categories=(DELETION,)),
    Entry("prisma db push", MEDIUM, "Changes a database's structure", ("prisma db push",), kind="writes"),
    Entry("prisma", MEDIUM, "Uses prisma", ("prisma generate",), kind="writes"),
    Entry("manage.py flush", HIGH, "Empties a database", ("manage.py flush",), kind="deletes", categories=(DELETION,)),
    Entry("manage.py migrate", MEDIUM, "Changes a database's structure", ("manage.py migrate",), kind="writes"),
)  # fmt: skip
