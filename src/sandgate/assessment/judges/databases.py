"""Databases: what statements given to a client lose, run or allow, and where dumps go.

The words of SQL, Redis and Mongo are looked for in everything that is handed to the client, wherever its options put
them; a statement that only asks is medium, since it talks to a server.
"""

from __future__ import annotations

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    SYSTEM,
)
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.naming import LOSING, parts_of
from sandgate.assessment.knowledge.databases import (
    CHANGING_SQL,
    CLIENTS,
    DUMPERS,
    LOSING_CALLS,
    LOSING_REDIS,
    RIGHTS_SQL,
    RUNNING_SQL,
    SQL_VALUES,
    STOPPING_SQL,
    WATCHING_SQL,
)
from sandgate.assessment.options import parsed
from sandgate.assessment.places import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import RiskCategory, RiskLevel

RESTORE_VALUES = (
    "-d -h -p -U -f -F -j -n -t -T -I -L --dbname --host --port --username --file --format --jobs --uri --db"
)
REDIS = frozenset({"redis-cli", "valkey-cli", "keydb-cli"})
FILE_CLIENTS = frozenset(("sqlite3", "duckdb"))
GONE = "Only a backup can bring it back"


def _judge_client(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, SQL_VALUES)
    if options.has("--version --help -V"):
        inquiry.add(LOW, "reads", call.program, "only shows help")
        return
    _contact(call, inquiry)
    text = "; ".join([arg.text for arg in call.args] + [call.stdin_text or "", _echoed(call)])
    if call.program in REDIS:
        text = text.replace(";", " ")  # each word is an argument of its own
    judge_statements(text, call, inquiry)
    for line in text.replace(";", "\n").split("\n"):
        if line.strip().startswith(("\\!", ".shell", ".system")):
            inquiry.run_script(line.strip().lstrip("\\!").removeprefix(".shell").removeprefix(".system"), call)
        if _loads_file(line.lower()) and (host := _remote_host(call)):
            inquiry.send("rows of a file", host)
        if "\\copy" in line.lower() and "program" in line.lower():
            inquiry.run_script(line.partition("'")[2].rpartition("'")[0], call)
    if call.program in FILE_CLIENTS and options.operands:
        inquiry.read(options.operands[0], call)
    script = options.value("-f --file")
    sources = [arg.text for arg in call.args if arg.text.endswith((".sql", ".lua", ".js", ".cql"))]
    sources += [script.text if script is not None else call.upstream.get("file", "")]
    if any(LOSING & set(parts_of(source.rsplit("/", 1)[-1])) for source in sources):
        inquiry.add(HIGH, "deletes", "database", "runs a script that says it deletes", "Deletes data in a database",
                    GONE, (DELETION,))  # fmt: skip
    if options.has("-f --file") or (call.upstream and not _echoed(call)):
        inquiry.doubt("the statements come from elsewhere", target=call.program)


def _loads_file(line: str) -> bool:
    return ("\\copy" in line and " from " in line) or "load data local" in line


def _remote_host(call: Call) -> str:
    """The other machine that a client is told to talk to; empty when there is none."""
    named = parsed(call.args, SQL_VALUES).value("-h --host --hostname -S --server")
    hosts = [named.text] if named is not None and named.text[:1] != "/" else []
    hosts += [host_of(arg.text) for arg in call.args if "://" in arg.text[:20]]
    return next((host for host in hosts if not is_local(host)), "")


def judge_statements(text: str, call: Call, inquiry: Inquiry) -> None:
    """Add one finding: the worst thing the statements in `text` do."""
    squeezed = " " + " ".join(text.upper().split()) + " "
    names = "".join([letter if letter.isalnum() or letter == "_" else " " for letter in squeezed]).split()
    sent: tuple[RiskCategory, ...] = (EXFILTRATION,) if " TO PROGRAM " in squeezed else ()
    watched: tuple[RiskCategory, ...] = (COMPLIANCE,) if any(mark in squeezed for mark in WATCHING_SQL) else ()
    if _loses(names, squeezed, call):
        level: RiskLevel = MEDIUM if _passing(call, inquiry) else HIGH
        inquiry.add(level, "deletes", "database", "a statement that loses data", "Deletes data in a database",
                    GONE, (DELETION, *watched))  # fmt: skip
    elif any(word in squeezed for word in RUNNING_SQL):
        inquiry.add(HIGH, "runs", "database", "runs programs or writes files on the database's machine",
                    "Makes the database run programs or write files", "",
                    (SYSTEM, "privilege_escalation", *sent))  # fmt: skip
    elif any(word in squeezed for word in RIGHTS_SQL):
        inquiry.add(HIGH, "privilege", "database", "changes rights in a database",
                    "Changes who may do what in a database", "", ("privilege_escalation",))  # fmt: skip
    elif any(word in squeezed for word in STOPPING_SQL):
        inquiry.add(HIGH, "runs", "database", "stops or reconfigures a database server",
                    "Stops or reconfigures a database server", "", (SYSTEM, EXHAUSTION, *watched))  # fmt: skip
    elif any(word in squeezed for word in CHANGING_SQL):
        inquiry.add(MEDIUM, "writes", "database", "changes a database", "Changes data in a database")
    elif call.program == "sqlite3":
        inquiry.add(MEDIUM, "reads", "database", "asks a database", "Asks a database")
    else:
        inquiry.add(MEDIUM, "contacts", "database", "talks to a database", "Asks a database", "", (NETWORK,))


def _loses(names: list[str], squeezed: str, call: Call) -> bool:
    if "DROP" in names or "TRUNCATE" in names or any(word in squeezed for word in LOSING_CALLS):
        return True
    if any(name == "DELETE" and names[at - 1 : at] != ["ON"] for at, name in enumerate(names)):
        return True
    if "UPDATE" in names and "SET" in names and "WHERE" not in names:
        return True  # every row
    return call.program in REDIS and not LOSING_REDIS.isdisjoint(names)


def _passing(call: Call, inquiry: Inquiry) -> bool:
    """A database in memory or in a temporary file."""
    if call.program not in FILE_CLIENTS:
        return False
    operands = parsed(call.args, SQL_VALUES).operands
    if not operands or operands[0].text == ":memory:":
        return bool(operands)
    path = call.shell.resolve(operands[0].text)
    return path is not None and place_of(path, inquiry.facts).kind == "temporary"


def _contact(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, SQL_VALUES)
    named = options.value("-h --host --hostname -S --server")
    hosts = [named.text] if named is not None and named.text[:1] != "/" else []
    hosts += [host_of(arg.text) for arg in call.args if "://" in arg.text[:20]]
    for host in hosts:
        inquiry.contact(host, call)


def _echoed(call: Call) -> str:
    feeder = call.feeder
    return (
        " ".join(arg.text for arg in feeder.args) if feeder is not None and feeder.program in {"echo", "printf"} else ""
    )


def _judge_dump(call: Call, inquiry: Inquiry) -> None:
    """What a dump prints is a database's content; whoever it is piped to gets it."""
    by_table(call, inquiry)
    if {arg.text for arg in call.args} & {"--version", "--help"}:
        return
    _contact(call, inquiry)
    call.carry("file", "a database")
    options = parsed(call.args, "-f --file -r --result-file -o --out --rdb")
    into = options.value("-f --file -r --result-file -o --out --rdb")
    if into is not None:
        inquiry.write(into, call, verb="Copies a database to")


def _judge_restore(call: Call, inquiry: Inquiry) -> None:
    """Overwriting a database; with nothing to connect to, `pg_restore` only prints."""
    options = parsed(call.args, RESTORE_VALUES)
    if options.has("-l --list --version --help --dryRun") or (
        call.program == "pg_restore" and not options.has("-d --dbname")
    ):
        inquiry.add(LOW, "reads", call.program, "only shows what is in a dump")
        return
    if call.program == "pg_restore" and not options.has("-c --clean -C --create"):
        inquiry.add(MEDIUM, "writes", "database", "adds to a database", "Adds the content of a dump to a database")
    else:
        by_table(call, inquiry)
    _contact(call, inquiry)


def _judge_server_admin(call: Call, inquiry: Inquiry) -> None:
    """`mysqladmin COMMAND`, `pg_ctl COMMAND`: asking, starting, stopping, deleting."""
    names = {arg.text for arg in call.args}
    if "drop" in names:
        inquiry.add(HIGH, "deletes", "database", "deletes a database", "Deletes a database", GONE,
                    (DELETION, SYSTEM))  # fmt: skip
    elif names & {"shutdown", "stop", "kill", "password", "flush-privileges", "promote", "restart", "flush-hosts",
                  "refresh", "reload", "stop-slave", "start-slave", "stop-replica"}:  # fmt: skip
        inquiry.add(HIGH, "runs", call.program, "stops or reconfigures a database server",
                    "Stops or reconfigures a database server", "", (SYSTEM, COMPLIANCE))  # fmt: skip
    elif names & {"create", "start", "init", "initdb"}:
        inquiry.add(MEDIUM, "runs", call.program, "creates or starts a database")
    else:
        inquiry.add(MEDIUM, "contacts", call.program, "asks a database server", "", "", (NETWORK,))


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(CLIENTS, _judge_client),
    **dict.fromkeys(DUMPERS, _judge_dump),
    **dict.fromkeys(("pg_restore", "mongorestore", "mysqlimport", "neo4j-admin-load"), _judge_restore),
    **dict.fromkeys(("mysqladmin", "mariadb-admin", "pg_ctl"), _judge_server_admin),
}
