"""Databases: their clients, their dump tools, and the words of SQL that lose data."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, EXFILTRATION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases, words

# Calls of query languages that lose data (in upper case, blanks squeezed). DROP, TRUNCATE and DELETE are words of SQL.
LOSING_CALLS = (
    "DROPDATABASE", "DELETEMANY", "DELETEONE", ".DROP(", ".REMOVE(", ".DELETE(", "FINDONEANDDELETE", "DROPINDEX",
    "DROPCOLLECTION", "DROP_DATABASE", "RENAMECOLLECTION", "FLUSHALL", "FLUSHDB", "DETACH DELETE", "PURGE BINARY LOGS",
    "RESET MASTER", "FLUSH_ALL", "PURGE RECYCLEBIN", "REPLSETRESIZEOPLOG",
)  # fmt: skip
LOSING_REDIS = frozenset(
    ("DEL", "UNLINK", "FLUSHALL", "FLUSHDB", "LTRIM", "XTRIM", "SHUTDOWN", "MIGRATE", "GETDEL", "SLAVEOF", "REPLICAOF",
     "SWAPDB", "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE")
)  # fmt: skip
CHANGING_SQL = (
    "INSERT ", "UPDATE ", "ALTER ", "CREATE ", "REPLACE ", "MERGE ", "VACUUM", "INSERTONE", "INSERTMANY", "UPDATEMANY",
    "UPDATEONE", "REINDEX", "ANALYZE", " SET ", " HSET ", " LPUSH ", " EXPIRE ", "COPY ", "LOAD DATA", "RESTORE ",
)  # fmt: skip
RIGHTS_SQL = (
    "GRANT ", "REVOKE ", "CREATE USER", "CREATE ROLE", "ALTER USER", "ALTER ROLE", "SET PASSWORD", "CREATEUSER(",
    "GRANTROLES", "UPDATEUSER(", "CREATE LOGIN", "ALTER LOGIN", "ACL SETUSER", "ADD_ROLE_MEMBER", "ADDSRVROLEMEMBER",
    "SUPERUSER", "UPDATE MYSQL.USER", "CHANGEUSERPASSWORD",
)  # fmt: skip
# Statements that reach out of the database.
RUNNING_SQL = (
    " PROGRAM '", "XP_CMDSHELL", "INTO OUTFILE", "INTO DUMPFILE", "LO_EXPORT", "SYS_EXEC", "SYS_EVAL", "UTL_FILE",
    "DBMS_SCHEDULER", "LOAD_EXTENSION", "WRITEFILE(", "MODULE LOAD", "CONFIG SET DIR", "CONFIG SET DBFILENAME",
    "PG_READ_FILE", "PG_READ_SERVER_FILES", "LOAD_FILE(", "SP_OACREATE", "LANGUAGE C ", "PLPYTHON3U", "PLPERLU",
    "$WHERE",
)  # fmt: skip
STOPPING_SQL = (
    "PG_TERMINATE_BACKEND", "PG_CANCEL_BACKEND", "ALTER SYSTEM", "SHUTDOWN", "SHUTDOWNSERVER", "CONFIG SET",
    "CONFIG REWRITE", "SET GLOBAL", "KILL ", "DEBUG SLEEP", "DEBUG SEGFAULT", "CLUSTER RESET", "RS.STEPDOWN",
    "RS.REMOVE", "SET PERSIST", "SCRIPT FLUSH", "FUNCTION FLUSH", "STOP SLAVE", "STOP REPLICA", "DISABLE TRIGGER ALL",
    "BENCHMARK(", "PG_SLEEP(",
)  # fmt: skip
# What is written down about what was done.
WATCHING_SQL = (" LOG_", "SLOW_QUERY_LOG", " SSL", "SQL_LOG", "LOG_BIN",
                "AUDIT", "LOG_STATEMENT", "GENERAL_LOG", "LOG_MIN_DURATION", "_HISTORY", "ACCESS_LOG", "SQL_LOG_BIN",
                "DISABLE TRIGGER")  # fmt: skip
SQL_VALUES = (
    "-c -e -f -h -p -P -U -u -d -D -n -a -H -S --command --execute --file --host --hostname --port --username --dbname "
    "--eval --user --query --database --server --password --set -v --variable --uri"
)
CLIENTS = words("""
    psql mysql mariadb sqlite3 mongosh mongo redis-cli valkey-cli keydb-cli cqlsh clickhouse-client clickhouse duckdb
    sqlcmd influx pgcli mycli litecli usql sqlplus osql isql bq-shell cypher-shell arangosh snowsql snowsql-cli trino
    presto hive beeline impala-shell spark-sql cockroach-sql db2 neo4j-shell iredis fauna turso
    cockroach rqlite dolt edgedb gel surreal questdb ysqlsh vsql cbq monetdb mclient databend
""")
DUMPERS = words(
    "pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport pg_basebackup mysqlpump influxd-backup"
)


def _losing(does: str, names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, does, (name,), kind="deletes", categories=(DELETION,), harmless="--dry-run --help --dryRun")
        for name in phrases(names)
    )


ENTRIES: tuple[Entry, ...] = (
    *(
        Entry(name, MEDIUM, "Works on files of a cluster", (f"{name} -ls /a", f"{name} -rm -r /a => high"),
              kind="contacts", categories=(NETWORK,), clusters=False,
              worse=(Worse("-rm -rmr -rmdir -expunge -truncate", HIGH, "Deletes files of a cluster",
                           (DELETION, NETWORK), "Other people may depend on them"),
                     Worse("-put -copyFromLocal -moveFromLocal -appendToFile -chmod -chown -setfacl -mv -cp", HIGH,
                           "Changes files of a cluster", (SYSTEM, NETWORK))))
        for name in ("hdfs dfs", "hadoop fs", "hadoop dfs")
    ),
    *(Entry(name, LOW, "Talks to a database", (f"{name} --version",), kind="contacts") for name in CLIENTS),
    *(Entry(name, MEDIUM, "Copies a database", (f"{name} app",), kind="reads", categories=(EXFILTRATION,))
      for name in DUMPERS),
    Entry("dropdb", HIGH, "Deletes a database", ("dropdb app",), kind="deletes", categories=(DELETION,)),
    Entry("dropuser", HIGH, "Deletes a database user", ("dropuser me",), kind="deletes", categories=(DELETION, SYSTEM)),
    Entry("pg_restore", HIGH, "Overwrites a database",
          ("pg_restore -c -d app a.dump", "pg_restore -d app a.dump => medium"), kind="writes",
          categories=(DELETION,)),
    Entry("mongorestore", HIGH, "Overwrites a database", ("mongorestore", "mongorestore --dryRun => low"),
          kind="writes", categories=(DELETION,)),
    Entry("alembic upgrade", MEDIUM, "Changes a database's structure", ("alembic upgrade head",), kind="writes"),
    Entry("alembic downgrade", HIGH, "Takes back a database's structure", ("alembic downgrade base",), kind="deletes",
          categories=(DELETION,)),
    Entry("mysqladmin", MEDIUM, "Administers a database server", ("mysqladmin status", "mysqladmin drop app => high"),
          kind="contacts"),
    Entry("pg_ctl", MEDIUM, "Administers a database server", ("pg_ctl status", "pg_ctl stop => high"), kind="runs"),
    Entry("alembic", MEDIUM, "Changes a database's structure", ("alembic stamp head",), kind="writes"),
    Entry("alembic history", LOW, "Shows migrations", ("alembic history",), kind="reads"),
    Entry("alembic current", MEDIUM, "Asks a database", ("alembic current",), kind="contacts"),
    Entry("prisma migrate reset", HIGH, "Deletes a database", ("prisma migrate reset",), kind="deletes",
          categories=(DELETION,)),
    Entry("prisma db push", MEDIUM, "Changes a database's structure",
          ("prisma db push", "prisma db push --force-reset => high"), kind="writes",
          worse=(Worse("--force-reset --accept-data-loss", HIGH, "Deletes data in a database", (DELETION,)),)),
    *(Entry(name, MEDIUM, "Runs tasks of the project", (f"{name} x", f"{name} db:drop => high"), kind="runs")
      for name in words("""
        rails rake artisan console manage.py knex sequelize sequelize-cli typeorm prisma drizzle-kit mikro-orm flyway
        liquibase dbmate goose migrate sqlx diesel sea-orm-cli doctrine phinx wp drush craft spark adonis ace dotnet-ef
        supabase
      """)),
    *_losing("Deletes a database", """
        flyway clean, liquibase drop-all, liquibase dropAll, dbmate drop, dbmate rollback, goose reset, goose down-to,
        migrate drop, migrate down, sqlx database drop, sqlx database reset, diesel database reset, diesel migration
        redo, sea-orm-cli migrate fresh, sea-orm-cli migrate refresh, sea-orm-cli migrate reset, typeorm schema:drop,
        typeorm migration:revert, sequelize db:drop, sequelize-cli db:drop, sequelize db:migrate:undo:all,
        sequelize-cli db:migrate:undo:all, knex migrate:rollback, supabase db reset, supabase projects delete,
        drizzle-kit drop, mikro-orm schema:drop, mikro-orm schema:fresh, phinx rollback, artisan db:wipe, manage.py
        flush, manage.py reset_db, wp db drop, wp db reset, wp db
        clean, wp site empty, wp site delete, drush sql-drop, drush sql:drop, drush site-install, flask db downgrade,
        piccolo migrations backwards, atlas schema clean, skeema push, sqitch revert, dotnet ef database drop,
        rs.drop, nodetool clearsnapshot, nodetool removenode, nodetool decommission, influx delete, influx bucket
        delete, influx org delete, influxd restore, etcdctl del, consul kv delete, curator_cli delete_indices,
        pg_dropcluster, pg_resetwal, rabbitmqctl reset, rabbitmqctl force_reset,
        rabbitmqctl delete_queue, rabbitmqctl purge_queue, rabbitmqctl delete_vhost, rabbitmqadmin delete,
        rabbitmqadmin purge, kafka-delete-records, nats stream rm, nats stream purge,
        pscale database delete, pscale branch
        delete, neonctl projects delete, neonctl branches delete, memcflush"""),
    Entry("manage.py migrate", MEDIUM, "Changes a database's structure",
          ("manage.py migrate", "manage.py migrate app zero => high"), kind="writes",
          worse=(Worse("", HIGH, "Takes back a database's structure", (DELETION,), operands="zero"),)),
    *(Entry(f"manage.py {name}", LOW, "Shows the project", (f"manage.py {name}",), kind="reads")
      for name in words("check showmigrations diffsettings sqlmigrate version help test")),
    *(Entry(name, MEDIUM, "Creates something in a database", (name,), kind="writes")
      for name in words("createdb createuser initdb pg_createcluster createlang")),
    *(Entry(name, LOW, "Shows a database server's state", (name,), kind="reads")
      for name in words("pg_isready pg_lsclusters pg_config pg_controldata mysqlshow mysql_config redis-benchmark")),
    Entry("kafka-topics", MEDIUM, "Uses a message broker", ("kafka-topics --list", "kafka-topics --delete => high"),
          kind="contacts", worse=(Worse("--delete", HIGH, "Deletes a topic", (DELETION,)),)),
    *(Entry(name, MEDIUM, "Talks to a data service", (name,), kind="contacts") for name in words("""
        etcdctl rabbitmqctl rabbitmqadmin nats kcat kafka-console-consumer kafka-console-producer turso pscale neonctl
        nodetool pgbench pg_upgrade pg_rewind pt-online-schema-change gh-ost mongoimport mongofiles mongostat mongotop
        pg_amcheck vacuumdb reindexdb clusterdb redis-server postgres mysqld mongod memcached""")),
)  # fmt: skip
