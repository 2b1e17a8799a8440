"""`sudo`, `env`, `timeout`, `xargs`, `npx` and all other programs whose business is to run another one."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import (
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
    Finding,
)
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import base_name, certainties
from sandgate.assessment.judges.feeding import fed_arguments, shows_everything, shows_what_is_found
from sandgate.assessment.judges.loops import is_many
from sandgate.assessment.judges.variables import judge_assignment
from sandgate.assessment.knowledge import comes_with_system, knows
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded
from sandgate.commandline.arguments import grammar, read
from sandgate.commandline.launcher_rows import DIRECT_RUNNERS, PLACE_FIRST, RUNNERS
from sandgate.commandline.wrappers import COMMAND_FOLLOWS, WRAPPERS
from sandgate.policy.safety import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

PRIVILEGED = frozenset(words("sudo doas su pkexec runuser chroot nsenter systemd-run sudoedit machinectl"))
KEYWORDS = COMMAND_FOLLOWS | {"noglob", "nocorrect"}  # words of the shell; assignments may follow them
TRANSPARENT = KEYWORDS | {"-p"}  # of `time -p`
# They put secrets into the environment of a command that stands behind `--`.
SECRET_RUNNERS = frozenset(
    words("doppler infisical teller dotenvx phase op chamber aws-vault bw bws akeyless saml2aws envconsul")
)
SOFTWARE_VERBS = frozenset(words("install uninstall reinstall upgrade dist-upgrade add remove purge autoremove i"))
NOTING = frozenset(words("time strace ltrace"))  # what they find out is written to a file of that name
PACKAGE_RUNNERS = frozenset(words("npx bunx uvx npm"))  # what is not installed yet comes from a registry
CODE_HOSTS = ("github:", "gitlab:", "bitbucket:", "gist:", "git+", "git@")
FETCHING = frozenset(words("curl wget http https xh wrk ab hey aria2c"))
MANY_AT_ONCE = 50  # processes
MANY_FED = 10_000  # requests
MAX_TAILS = 8  # tried behind a wrapper whose options are not known


def _judge_wrapper(call: Call, inquiry: Inquiry) -> None:
    name = call.program
    if name == "sudo" and is_safe((name, *[arg.text for arg in call.args]), sure=("exact", *certainties(call.args))):
        inquiry.add(LOW, "reads", name, "only shows who may do what")
        return
    if call.args and all(arg.text in {"--version", "--help", "-V"} for arg in call.args):
        inquiry.add(LOW, "reads", name, "only explains itself")
        return
    if name in PRIVILEGED:
        inquiry.note(
            Finding(HIGH, "privilege", name, f"runs with other rights (`{name}`)",
                    "Runs with the rights of another account" if name != "chroot" else "Runs in another root directory",
                    "", (PRIVILEGE, SYSTEM) if name == "systemd-run" or _changes_software(call) else (PRIVILEGE,))
        )  # fmt: skip
    texts = tuple(arg.text for arg in call.args)
    if name == "command" and texts[:1] and texts[0] in {"-v", "-V"}:
        inquiry.add(LOW, "reads", name, "only looks for a program")
        return
    known = grammar(WRAPPERS[name], WRAPPERS)
    reading = read(texts, known)
    if reading is None:
        _every_tail(call, inquiry)
        return
    for script in (reading.value("-c", "--command", "--session-command"), reading.value("-S", "--split-string")):
        if script is not None and ("--command=" in WRAPPERS[name] or name == "env"):  # `-c` of ionice is a class
            inquiry.run_script(script, call)
    noted = reading.value("-o", "--output") if name in NOTING else None
    if noted is not None and noted[:1] not in "|!":
        inquiry.write(Arg(noted), call)
    if name in NOTING and name != "time" and reading.has("-p"):
        _attaches(call, [value or "" for option, value in reading.options if option in ("-e", "--trace")], inquiry)
    rest = [call.args[place] for place in reading.operand_places]
    if "skip1" in known.marks:
        rest = rest[1:]
        if name == "flock" and rest and rest[0].text == "-c":
            inquiry.run_script(" ".join(arg.text for arg in rest[1:]), call)
            return
    elif "script" in known.marks:
        inquiry.run_script(" ".join(arg.text for arg in rest), call)
        return
    elif "operand" in known.marks:
        for arg in rest[:1]:
            if arg.text != "-":  # `trap - EXIT` forgets a trap
                inquiry.run_script(arg.text, call)
        return
    elif "command_option" in known.marks:
        return
    directory = reading.value("-C", "-D", "--chdir") if name in {"env", "sudo"} else None
    _run_rest(rest, call, inquiry, assigned="assigned" in known.marks or name in KEYWORDS, directory=directory)


def _attaches(call: Call, traced: list[str], inquiry: Inquiry) -> None:
    """`strace -p PID`: sees what a running program reads and writes, passwords included."""
    listens = any("read" in value for value in traced) or call.upstream.get("processes") == "essential"
    inquiry.add(HIGH if listens else MEDIUM, "reads", "?", "looks into a running program",
                "Sees what a running program reads and writes", "", (EXFILTRATION, PRIVILEGE))  # fmt: skip


def _changes_software(call: Call) -> bool:
    """`sudo ANYTHING install x`: with the rights of the administrator, that is the software of the machine."""
    return any(arg.text in SOFTWARE_VERBS or arg.text.endswith("_install") for arg in call.args)


def _run_rest(rest: list[Arg], call: Call, inquiry: Inquiry, *, assigned: bool, directory: str | None = None) -> None:
    """`directory`: where the inner command runs, when the wrapper goes elsewhere first."""
    while assigned and rest and ("=" in rest[0].text[1:] or rest[0].text in TRANSPARENT):
        name, equals, value = rest[0].text.partition("=")
        if equals:
            judge_assignment(name, [Arg(value)], call, inquiry)
        rest = rest[1:]
    if directory is not None:
        call.shell = call.shell.copy()
        call.shell.cwd = call.shell.resolve(directory)
    if not rest:
        if call.program in {"env"}:
            call.carry("environment", "the environment")
        inquiry.add(LOW, "reads", call.program, "runs nothing by itself")
        return
    inquiry.run(call.inside(rest[0].text, rest[1:]))


def _judge_keyword(call: Call, inquiry: Inquiry) -> None:
    """A word of the shell that the grammar took for a program: a command stands behind it."""
    _run_rest(list(call.args), call, inquiry, assigned=True)


def _every_tail(call: Call, inquiry: Inquiry) -> None:
    """Options we do not know: any argument may be where the inner command begins."""
    inquiry.doubt(f"options of `{call.program}` that are not known", target=call.program)
    starts = [at for at, arg in enumerate(call.args) if arg.text[:1] != "-" and knows(base_name(arg.text))]
    for at in starts[:MAX_TAILS]:
        inquiry.run(call.inside(call.args[at].text, call.args[at + 1 :]))


def judge_runner(call: Call, inquiry: Inquiry) -> bool:
    """`uv run X`, `npx X`: whether `call` is such a thing; X is then judged."""
    args = call.args
    if call.program in DIRECT_RUNNERS:
        at = 0
    elif call.program in RUNNERS and args and args[0].text == RUNNERS[call.program]:
        at = 1
    else:
        return False
    if call.program in SECRET_RUNNERS and "--" in [arg.text for arg in args]:
        at = [arg.text for arg in args].index("--") + 1
    while at < len(args) and (args[at].text.startswith("-") or "=" in args[at].text):
        at += (
            2
            if args[at].text in {"--with", "-p", "--python", "--package", "--group", "--extra", "-n", "-c", "--call"}
            else 1
        )
    if call.program in PLACE_FIRST and "--" not in [arg.text for arg in args[:at]]:
        at += 1
    if at < len(args) and args[at].text == "--":
        at += 1
    if at >= len(args):
        return False
    if args[at].text.rstrip("/") in {".", ".."}:  # what runs is its `__main__.py`
        where = call.shell.resolve(args[at].text) or "?"
        inquiry.add(MEDIUM, "runs", where, "runs a program that was not read", f"Runs the program in {worded(where)}")
        return True
    inner = call.inside(args[at].text.split("@", 1)[0] or args[at].text, args[at + 1 :])
    source = next((arg.text for arg in args[: at + 1] if _is_source(arg.text, call.program)), "")
    if source and call.program in DIRECT_RUNNERS:
        inquiry.add(HIGH, "runs", source, "runs what it downloads", f"Runs a program from {worded(source)}",
                    "It can do anything you can do", (NETWORK, SYSTEM))  # fmt: skip
        return True
    foreign = comes_with_system(inner.program)  # `npx ls` runs no `ls` of the system: a package of that name
    if call.program in PACKAGE_RUNNERS and (foreign or not knows(inner.program)):
        inquiry.add(MEDIUM, "contacts", args[at].text, "may download a package to run it",
                    f"Runs {worded(args[at].text)}, which may be downloaded first", "", (NETWORK,))  # fmt: skip
        if foreign:
            return inquiry.run(inner) or True
        from sandgate.assessment.judges.ordering import judge_order

        judge_order(inner, inquiry)
        return True
    inquiry.run(inner)
    return True


def _fed_numbers(feeder: Call | None) -> bool:
    """`seq 1000000 | xargs …`."""
    return feeder is not None and feeder.program == "seq" and any(is_many(arg.text, MANY_FED) for arg in feeder.args)


def _is_source(text: str, program: str) -> bool:
    """`https://…`, `github:user/repo`, `git+ssh://…`; for some runners `user/repo` is one as well."""
    if "://" in text[:16] or text.startswith(CODE_HOSTS):
        return True
    return program in {"npx", "bunx"} and text.count("/") == 1 and text[:1].isalnum() and "." not in text


def _judge_xargs(call: Call, inquiry: Inquiry) -> None:
    texts = tuple(arg.text for arg in call.args)
    reading = read(texts, grammar(WRAPPERS["xargs"], WRAPPERS))
    if reading is None:
        _every_tail(call, inquiry)
        return
    rest = [call.args[place] for place in reading.operand_places]
    if not rest:
        inquiry.add(LOW, "reads", "xargs", "prints its input")
        return
    procs = reading.value("-P", "--max-procs")
    if rest[0].text in FETCHING and (is_many(procs or "", MANY_AT_ONCE) or _fed_numbers(call.feeder)):
        hosts = [host_of(arg.text) for arg in rest if "://" in arg.text]
        if not all(is_local(host) for host in hosts) or not hosts:
            inquiry.add(HIGH, "contacts", hosts[0] if hosts else "?", "sends very many requests",
                        "Sends very many requests to another machine", "", (EXHAUSTION, NETWORK))  # fmt: skip
    flowing = tuple((tag, what) for tag, what in call.upstream.items() if tag != "network")
    fed = [arg.but(carries=flowing) if arg.text == UNKNOWN else arg for arg in fed_arguments(call.feeder, rest[0].text)]
    if call.feeder is not None and call.feeder.program == "seq" and is_many(call.feeder.args[-1].text):
        inquiry.add(HIGH, "runs", rest[0].text, "starts a very long row of commands",
                    f"Runs {worded(rest[0].text)} very many times", "", (EXHAUSTION,))  # fmt: skip
    everything = call.feeder is not None and shows_everything(call.feeder, rest[0].text)
    if everything or ("keys" in call.upstream and shows_what_is_found(rest[0].text)):
        inquiry.add(HIGH, "reads", "?", "reads files that are named like keys",
                    "Reads files that are named like keys or passwords", "", (EXFILTRATION,))  # fmt: skip
    mark = reading.value("-I", "-i", "-J", "--replace")
    if mark is not None or (reading.has("-i", "--replace")):
        mark = mark or "{}"
        for each in fed:
            args = [
                arg.but(
                    text=arg.text.replace(mark, each.text),
                    known=each.known,
                    glob=each.glob,
                    raw="",
                    carries=(*arg.carries, *each.carries) if mark in arg.text else arg.carries,
                )
                for arg in rest
            ]
            if not inquiry.run(call.inside(args[0].text, args[1:])):
                return
    else:
        inquiry.run(call.inside(rest[0].text, [*rest[1:], *fed]))


def _replaced(arg: Arg, mark: str, by: Arg) -> Arg:
    if mark not in arg.text:
        return arg
    return arg.but(text=arg.text.replace(mark, by.text), known=by.known, glob=by.glob, raw="")


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(COMMAND_FOLLOWS - WRAPPERS.keys(), _judge_keyword),
    "xargs": _judge_xargs,
    **dict.fromkeys((name for name in WRAPPERS if name not in {"eval", "xargs"}), _judge_wrapper),
}
