"""Judges one call: finds out which program it really is, and hands it to the judge that knows it."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import (
    COMPLIANCE,
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    Finding,
)
from sandgate.assessment.judges import JUDGES, interpreters, launchers, origins, revealing, running, trust, watching
from sandgate.assessment.judges.common import by_table, certainties
from sandgate.assessment.judges.feeding import SEEKERS, names_secrets, shows_what_is_found
from sandgate.assessment.judges.loops import judge_count
from sandgate.assessment.knowledge import PREFIXES, entry_for, knows
from sandgate.assessment.knowledge.interpreters import LANGUAGES, SHELLS
from sandgate.assessment.listing import words
from sandgate.assessment.places import below
from sandgate.assessment.wording import worded
from sandgate.commandline.carried import handed_over
from sandgate.commandline.commissions import commissioned
from sandgate.commandline.words import program_name
from sandgate.commandline.wrappers import WRAPPERS
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_tools import TOOLS
from sandgate.policy.safety import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import RiskLevel

INIT_DIRECTORIES = ("/etc/init.d", "/etc/rc.d", "/etc/rc.d/init.d", "/usr/local/etc/rc.d")
TRUSTED_DIRECTORIES = (
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin", "/snap/bin",
)  # fmt: skip
PROJECT_TOOL_DIRECTORIES = (".venv/bin", "venv/bin", "env/bin", "node_modules/.bin", "vendor/bin", ".tox/py/bin")
MINING = ("stratum+", "stratum1+", "stratum2+", "stratum://")  # protocols between a miner and its pool
PROJECT_SCRIPTS = frozenset(words("gradlew mvnw configure manage.py"))
OTHER_NAMES = {
    "netcat": "nc", "ncat": "nc", "cryptcat": "nc", "pwncat": "nc",
    "gmake": "make", "nodejs": "node", "pypy": "python", "gawk": "awk", "mawk": "awk",
    "nawk": "awk", "gsed": "sed", "gtar": "tar", "bsdtar": "tar", "ggrep": "grep", "gfind": "find", "grm": "rm",
    "xxhsum": "md5sum", "mvnw": "mvn", "[[": "[", "py": "python", "ipython": "python", "grealpath": "realpath",
    "Remove-Item": "rm", "Get-ChildItem": "ls", "Get-Content": "cat", "Copy-Item": "cp", "Move-Item": "mv",
    "Invoke-WebRequest": "curl", "iwr": "curl", "irm": "curl", "Invoke-RestMethod": "curl", "Invoke-Expression": "eval",
    "docker.io": "docker", "tofu": "terraform", "del": "rm", "gdd": "dd", "rdiff": "diff", "pip3": "pip",
    "django-admin": "manage.py", "gitlab-rake": "rake", "del-cli": "rimraf",
    "nvim": "vim", "view": "vim", "ex": "vim", "nerdctl": "docker", "k": "kubectl", "zsh5": "zsh",
}  # fmt: skip
VERSIONED = frozenset(words("python pip perl ruby php lua gcc clang g++ clang++ node nc bash make vim"))


def judge_call(call: Call, inquiry: Inquiry, functions: frozenset[str]) -> None:
    """Note what this call does. What it runs in turn is put on the inquiry's list."""
    given = call.program
    if UNKNOWN in given or not given or ("*" in given or "?" in given or ("[" in given and given not in ("[", "[["))):
        _unknown_program(call, inquiry)
        return
    if call.function and given == call.function:
        inquiry.note(
            Finding(HIGH, "runs", given, "starts copies of itself without end",
                    "Starts copies of itself until the machine stops answering", "", (EXHAUSTION,))
        )  # fmt: skip
        return
    call.program = canonical_name(given)
    _judge_words(call, inquiry)
    if "/" in given and _judge_location(given, call, inquiry):
        return
    since = len(inquiry.findings)
    _judge_program(call, inquiry, given, defined=given in functions)
    trust.judge_watched(call, inquiry, since)


def canonical_name(given: str) -> str:
    """`/usr/bin/python3.11` → `python`."""
    if _is_proper(given):
        return given
    name = given.rsplit("/", 1)[-1].lstrip("\\")
    name = name.removesuffix(".exe")
    for ending in (".sh", ".phar", ".cmd", ".bat"):
        if name.endswith(ending) and (knows(name.removesuffix(ending)) or name.removesuffix(ending) in JUDGES):
            name = name.removesuffix(ending)  # `kafka-topics.sh`, `composer.phar`
    name = OTHER_NAMES.get(name, name)
    if (not knows(name) and name not in JUDGES) or name[-1:].isdigit():
        plain = name.rstrip("0123456789.-")
        if plain in VERSIONED or OTHER_NAMES.get(plain, plain) in LANGUAGES:
            return OTHER_NAMES.get(plain, plain)
    return name


def _is_proper(given: str) -> bool:
    """Whether a name is what it is; the rest takes a closer look."""
    if not (knows(given) or given in JUDGES):
        return False
    return given not in OTHER_NAMES and "/" not in given and not given.endswith((".exe", *"0123456789"))


def _unknown_program(call: Call, inquiry: Inquiry) -> None:
    tags = call.upstream
    guess = call.program.replace(UNKNOWN, "").rsplit("/", 1)[-1]
    if any(mark in guess for mark in "*?["):
        guess = ""
    if not guess and any(arg.text[:1] == "-" and {"r", "f"} <= set(arg.text.lower()) for arg in call.args):
        guess = "rm"  # what else is called with `-rf`
    judge = JUDGES.get(guess)
    if judge is not None:
        call.program = guess
        judge(call, inquiry)
    if "network" in tags and not call.feeder:
        interpreters.judge_script_file(Arg("-", carries=(("network", tags["network"]),)), call, inquiry)
        return
    level: RiskLevel = HIGH if "decoded" in tags else MEDIUM
    inquiry.note(
        Finding(level, "unknown", "?", "which program runs cannot be known before it runs",
                "Runs a program that cannot be known before it runs", confidence="low")
    )  # fmt: skip
    inquiry.doubts.append("which program runs cannot be known before it runs")


def _judge_location(given: str, call: Call, inquiry: Inquiry) -> bool:
    """A program named by its path: whether its place settles the matter."""
    path = call.shell.resolve(given)
    if path is None:
        inquiry.doubt("which program runs cannot be known before it runs")
        return False
    if path in inquiry.downloads:
        interpreters.judge_script_file(Arg(given), call, inquiry)
        return True
    directory = path.rsplit("/", 1)[0]
    if directory in INIT_DIRECTORIES:
        call.program, call.args = "service", (Arg(call.program), *call.args)
        return False
    if directory in TRUSTED_DIRECTORIES or directory.endswith(PROJECT_TOOL_DIRECTORIES):
        return False
    if call.program in PROJECT_SCRIPTS and below(path, inquiry.facts.cwd):
        return False
    interpreters.judge_script_name(path, call, inquiry)
    fetched = inquiry.fetched_from(path)
    if fetched:
        interpreters.runs_download(fetched, inquiry)
    if path in inquiry.written:
        inquiry.run_script(inquiry.written[path], call)
    inquiry.add(MEDIUM, "runs", path, "runs a program file that was not read", f"Runs the program {worded(path)}")
    return not (knows(call.program) or call.program in JUDGES)


def _judge_program(call: Call, inquiry: Inquiry, name: str, *, defined: bool) -> None:
    """`name`: what the program is called in the command; `call.program` is what the tables call it."""
    given = (call.program, *(arg.text for arg in call.args))
    for text in commissioned(given) if call.program in LANGUAGES else handed_over(given):
        inquiry.run_script(text.replace(UNKNOWN, "${?}"), call)
    before = _Before(call, inquiry)
    launchers.judge_launched(call, inquiry)
    started = len(inquiry.pending)
    if not running.judge_runner(call, inquiry):
        _judge_by_name(call, inquiry, given, defined=defined)
    if started > before.pending or any(each.level != LOW for each in inquiry.findings[before.findings :]):
        _as_vouched_for(call, inquiry, program_name(name), before, started)


def _judge_by_name(call: Call, inquiry: Inquiry, given: tuple[str, ...], *, defined: bool) -> None:
    if _is_tool(call.program) and _only_reads(call.program, call.args):
        _shows(call, inquiry)
        for arg in call.args:
            if "/" in arg.text and arg.text[:1] != "-":
                inquiry.read(arg, call)
        return
    if call.program in origins.MANAGERS:
        origins.judge_origins(call, inquiry)
        trust.judge_unchecked_options(call, inquiry)
    judge = JUDGES.get(call.program)
    if judge is not None:
        judge(call, inquiry)
    elif by_table(call, inquiry) is None:
        if not defined:
            from sandgate.assessment.judges.unfamiliar import judge_unfamiliar

            judge_unfamiliar(call, inquiry)
    elif call.program in PREFIXES and entry_for([call.program, *given[1:]]) is entry_for(given[:1]):
        from sandgate.assessment.judges.ordering import judge_order

        judge_order(call, inquiry)


class _Before:
    """How an inquiry stood before a call was judged by the name of its program."""

    __slots__ = ("args", "doubts", "findings", "pending")

    def __init__(self, call: Call, inquiry: Inquiry) -> None:
        self.args = call.args
        self.findings, self.doubts, self.pending = len(inquiry.findings), len(inquiry.doubts), len(inquiry.pending)


def _as_vouched_for(call: Call, inquiry: Inquiry, name: str, before: _Before, started: int) -> None:
    """Take back what was said of the program in general where policy knows that these words only read: `ufw status`.

    What only reads may still reveal something, or take the machine for itself: that stands, and so does what a wrapper
    runs. `started`: how many calls wait, with those that the program starts for its own reasons.
    """
    explains = before.args[-1:] and before.args[-1].text in ("--help", "--version")
    if not (name in SAFE or explains) or not _only_reads(name, before.args):
        return
    if name not in WRAPPERS:
        del inquiry.pending[before.pending : started]
    made = inquiry.findings[before.findings :]
    stands = [each for each in made if each.level == LOW or not (explains or _refuted(each))]
    if len(stands) < len(made):
        inquiry.findings[before.findings :] = stands
        del inquiry.doubts[before.doubts :]
        _shows(call, inquiry)


def _refuted(finding: Finding) -> bool:
    """Whether this cannot be true of a command that writes, runs and sends nothing."""
    return EXHAUSTION not in finding.categories and (EXFILTRATION not in finding.categories or finding.kind != "reads")


def _shows(call: Call, inquiry: Inquiry) -> None:
    inquiry.add(LOW, "reads", call.program, "only shows something", f"Shows what {worded(call.program)} knows")


def _judge_words(call: Call, inquiry: Inquiry) -> None:
    """What gives a program away whatever it is called: the address of a pool of miners, a setting that is a secret."""
    texts = [arg.text for arg in call.args]
    if "stratum" in "\n".join(texts) and any(text.startswith(MINING) for text in texts):
        inquiry.add(HIGH, "runs", call.program, "mines for a currency",
                    f"Runs {worded(call.program)}, which mines for a currency",
                    "It takes the machine for as long as it runs", (EXHAUSTION, NETWORK, COMPLIANCE))  # fmt: skip
    if call.program in SEEKERS and names_secrets(call):
        call.carry("keys", call.program)
    if any(arg.carries for arg in call.args):
        _judge_found(call, inquiry)
    said = "\n".join(texts)
    if "--" in said or "0.0.0.0" in said or "address=" in said:
        from sandgate.assessment.judges.exposing import judge_exposed

        judge_exposed(call, said, inquiry)
        judge_count(call, said, inquiry)
    if "config" in texts:
        revealing.judge_setting(call, inquiry)
    watching.judge_guards(call, inquiry)
    watching.judge_switch(call, inquiry)


def _judge_found(call: Call, inquiry: Inquiry) -> None:
    """`cat "$f"`, where what was found by a name of keys has come into the variable."""
    if shows_what_is_found(call.program) and any(tag == "keys" for arg in call.args for tag, _ in arg.carries):
        inquiry.add(HIGH, "reads", "?", "reads files that are named like keys",
                    "Reads files that are named like keys or passwords", "", (EXFILTRATION,))  # fmt: skip
        call.carry("secret", "files that are named like keys")


def _is_tool(program: str) -> bool:
    """Whether the list of harmless commands knows it as a tool; of wrappers it lists `--version` alone."""
    return program in TOOLS and program not in SHELLS and program not in WRAPPERS and SAFE[program] == TOOLS[program]


def _only_reads(name: str, args: tuple[Arg, ...]) -> bool:
    """Whether the list of harmless commands settles it: `dpkg -l`, `npm config get registry`."""
    return is_safe((name, *[arg.raw or arg.text for arg in args]), sure=("exact", *certainties(args)))
