"""Task runners: `make TARGET`, `npm run TASK`, `rake db:drop`, `php artisan migrate:fresh`, `./gradlew publish`.

Nobody can list the tasks of all projects, but people name them by what they do. So a task's name is taken apart
(`publishToMavenLocal`, `db:drop`, `ecto.reset`) and its words are judged: what empties a store of data or publishes is
high, what stays local or only tries is not. Where `make install` puts things is read from its variables.
"""

from __future__ import annotations

from sandgate.assessment.expansion import Arg, Value
from sandgate.assessment.findings import DELETION, HIGH, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.inline import judge_code
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.interpreters import judge_interpreter, judge_script_file, run_fed_lines
from sandgate.assessment.judges.naming import LOSING, judge_name
from sandgate.assessment.judges.trust import judge_protection
from sandgate.assessment.lexing import tokens
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

BUILDERS = frozenset(words("make bmake ninja meson cmake scons waf samu nmake mingw32-make jom"))
RELEASERS = frozenset(words("npm yarn pnpm bun gradle gradlew sbt mvn fastlane np release-it standard-version"))
RUNNERS = BUILDERS | RELEASERS | frozenset(
    words("""
    rake rails artisan console manage.py just task invoke inv fab mix composer lein ant grunt gulp nx turbo moon cap
    knex sequelize sequelize-cli typeorm prisma drizzle-kit mikro-orm alembic flask flyway liquibase dbmate goose
    migrate sqlx diesel sea-orm-cli doctrine phinx ecto wp drush craft spark adonis ace dotnet-ef bundle hatch pdm
    poetry thor bee cargo-make makers earthly dagger tox nox doit pants mage buffalo waypoint supabase yoyo piccolo
    aerich sqitch skeema atlas
    """)
)  # fmt: skip
MIGRATORS = frozenset(
    words("""
    goose migrate dbmate sqlx sea-orm-cli diesel flyway liquibase alembic knex sequelize sequelize-cli typeorm prisma
    drizzle-kit mikro-orm phinx yoyo piccolo aerich sqitch skeema atlas doctrine
    """)
)
STEPS_MANY = 5  # migrations taken back at once
BACK_TO_NONE = frozenset(("--all", "VERSION=0", "--to=0", "base", "zero"))
INSTALLING = frozenset(words("install uninstall install-strip install/strip install/local"))
CONFIGURED = "?prefix"  # no shell variable can be called so
STAGES = ("DESTDIR=", "INSTALL_ROOT=")  # what stands before every other place
PREFIXES = ("prefix=", "PREFIX=", "INSTALLDIR=", "exec_prefix=", "bindir=", "BINDIR=")


def judge_tasks(call: Call, inquiry: Inquiry) -> None:
    """The table first, then what the names of the tasks say."""
    if by_table(call, inquiry) is None:
        inquiry.add(MEDIUM, "runs", call.program, "runs tasks of the project", f"Runs {worded(call.program)} tasks")
    if call.program == "cmake" and call.args[:1] and call.args[0].text == "-E":
        _cmake_tool(call, inquiry)
        return
    _remember_prefix(call)
    _inline_code(call, inquiry)
    options = parsed(call.args, "-C -f -j --target --file --directory --prefix --destdir --filter -w")
    names = [arg.text for arg in options.operands] + [arg.text for name, arg in options.values if name == "--target"]
    if options.has("--dry-run --dry-run=client -n --just-print --pretend -T --tasks") and call.program != "ninja":
        return
    migrating = bool({"migrate", "migrations", "migration"} & set(names))
    releases, far_back = _releases(call), _far_back(call)
    for name in dict.fromkeys(names):
        if migrating and name == "deploy":  # `prisma migrate deploy` brings a database up to date
            continue
        if "=" in name or "/" in name.rstrip("/")[1:]:
            continue
        judge_name(name, inquiry, releases=releases)
        if (call.program in MIGRATORS and name in LOSING) or (far_back and "rollback" in name):
            inquiry.add(HIGH, "deletes", "database", "takes back a database's structure",
                        "Takes back a database's structure", "The data in it goes with it", (DELETION,))  # fmt: skip
    if call.program in BUILDERS and (INSTALLING & set(names) or options.has("--install")):
        _installing(call, inquiry)


def _far_back(call: Call) -> bool:
    """`db:rollback STEP=20`, `migrate:rollback --all`: further than the migration one is at work on."""
    for arg in call.args:
        name, _, value = arg.text.lower().lstrip("-").partition("=")
        if (
            name in {"step", "steps"} and value.isdecimal() and int(value[:9]) >= STEPS_MANY
        ) or arg.text in BACK_TO_NONE:
            return True
    return False


def _releases(call: Call) -> bool:
    """Whether a task called `release` publishes: not where it is a kind of build, unless it is given a version."""
    versioned = any(arg.text.startswith(("VERSION=", "TAG=", "V=")) for arg in call.args)
    return call.program in RELEASERS or (versioned and call.program in BUILDERS)


def _inline_code(call: Call, inquiry: Inquiry) -> None:
    """`rails runner CODE`, `manage.py shell -c CODE`, `artisan tinker --execute=CODE`: code with the data at hand."""
    texts = [arg.text for arg in call.args]
    if not {"runner", "r", "shell", "shell_plus", "tinker", "eval", "ev", "php:eval", "run", "console"} & set(
        texts[:2]
    ):
        return
    given = [arg.text for name, arg in parsed(call.args[1:], "-c --command --execute -e --eval").values
             if name in {"-c", "--command", "--execute", "-e", "--eval"}]  # fmt: skip
    if texts[0] in {"runner", "r", "eval", "ev", "php:eval"}:
        given += texts[1:2]
    for code in given:
        judge_code(code, "Python", call, inquiry)
        if {token.text.rsplit(".", 1)[-1] for token in tokens(code) if token.kind == "name"} & {"delete", "destroy"}:
            inquiry.add(HIGH, "deletes", "database", "deletes data of the project", "Deletes data in a database",
                        "Only a backup can bring it back", (DELETION,))  # fmt: skip


def _judge_script_runtime(call: Call, inquiry: Inquiry) -> None:
    """`bun run db:reset`, `deno task deploy`; otherwise a language like others."""
    judge_interpreter(call, inquiry)
    texts = [arg.text for arg in call.args]
    if texts[:1] in (["run"], ["task"]):
        for name in texts[1:]:
            if name[:1] != "-":
                judge_name(name, inquiry, releases=_releases(call))
                return


def _judge_go(call: Call, inquiry: Inquiry) -> None:
    """`go run FILE`: a program in a file, wherever the file comes from."""
    by_table(call, inquiry)
    if call.args[:1] and call.args[0].text == "env":
        for arg in call.args[1:]:
            name, equals, value = arg.text.partition("=")
            if equals:
                judge_protection(name, [arg.but(text=value, raw="")], inquiry)
    if call.args[:1] and call.args[0].text == "run":
        for arg in parsed(call.args[1:], "-exec -mod -tags -ldflags", clusters=False).operands[:1]:
            if "@" in arg.text:
                inquiry.add(MEDIUM, "contacts", arg.text, "downloads a program to run it",
                            f"Downloads and runs {worded(arg.text)}", "", (NETWORK,))  # fmt: skip
            if arg.text == "-" or call.shell.resolve(arg.text) in inquiry.downloads:
                judge_script_file(arg, call, inquiry)
            elif "@" in arg.text and "." in arg.text.partition("/")[0]:
                inquiry.add(MEDIUM, "contacts", arg.text, "may download a package to run it",
                            f"Runs {worded(arg.text)}, which may be downloaded first", "", (NETWORK,))  # fmt: skip


def _judge_make(call: Call, inquiry: Inquiry) -> None:
    judge_tasks(call, inquiry)
    run_fed_lines(call, inquiry, "\t")


def _judge_configure(call: Call, inquiry: Inquiry) -> None:
    """`./configure --prefix=out` says where a later `make install` of the same line goes."""
    by_table(call, inquiry)
    _remember_prefix(call)


def _remember_prefix(call: Call) -> None:
    for arg in call.args:
        name, equals, value = arg.text.partition("=")
        if equals and name in {"--prefix", "-DCMAKE_INSTALL_PREFIX", "-DCMAKE_INSTALL_PREFIX:PATH", "-Dprefix"}:
            call.shell.variables[CONFIGURED] = Value((value,))


def _installing(call: Call, inquiry: Inquiry) -> None:
    """Where it goes, when the command says so; otherwise to the machine."""
    staged = [arg.text.partition("=")[2] for arg in call.args if arg.text.startswith(STAGES)]
    given = staged or [arg.text.partition("=")[2] for arg in call.args if arg.text.startswith(PREFIXES)]
    option = parsed(call.args, "--prefix --destdir").value("--prefix --destdir")
    configured = call.shell.lookup(CONFIGURED)
    if not given and configured is not None:
        given = list(configured.texts)
    places = [Arg(text) for text in given] + ([option] if option is not None else [])
    for place in places:
        inquiry.write(place, call, verb="Installs below")
    if not places:
        inquiry.add(HIGH, "writes", "/usr/local", "installs the project on this machine",
                    "Installs the project on this machine", "", (SYSTEM,))  # fmt: skip


def _cmake_tool(call: Call, inquiry: Inquiry) -> None:
    """`cmake -E rm -rf x`: the file programs under other names."""
    names = {"remove_directory": "rm", "remove": "rm", "rm": "rm", "copy": "cp", "copy_directory": "cp", "rename": "mv",
             "touch": "touch", "env": "env", "chdir": "env", "create_symlink": "ln"}  # fmt: skip
    if len(call.args) > 1 and call.args[1].text in names:
        rest = list(call.args[2:])
        if call.args[1].text == "remove_directory":
            rest = [Arg("-rf"), *rest]
        inquiry.run(call.inside(names[call.args[1].text], rest))


def _judge_cargo(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    directory = parsed(call.args, "--target-dir --manifest-path -p").value("--target-dir")
    if directory is not None and any(arg.text == "clean" for arg in call.args):
        inquiry.delete(directory, call, recursive=True)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(RUNNERS, judge_tasks),
    "make": _judge_make,
    "go": _judge_go,
    **dict.fromkeys(("bun", "deno"), _judge_script_runtime),
    "cargo": _judge_cargo,
    "configure": _judge_configure,
}
