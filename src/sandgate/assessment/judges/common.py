"""Judging a program by its table entry: level, words, options that make it worse, and its operands."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN
from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    RANK,
    SYSTEM,
    Finding,
)
from sandgate.assessment.knowledge import entry_for, knows
from sandgate.assessment.listing import words
from sandgate.assessment.options import option_names, parsed
from sandgate.assessment.touching import deleting
from sandgate.assessment.wording import worded
from sandgate.policy.secret_names import is_searcher, searches_secrets, seeks_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.knowledge.entry import Entry, Worse
    from sandgate.assessment.options import Parsed
    from sandgate.commandline.bashwords import Certainty

HELP_ONLY = frozenset({"--help", "--version", "-h", "-V", "--usage"})
OWN_H = frozenset(words("chown df du free halt head ls poweroff reboot shutdown sort tree"))  # `-h` is no help there
OF_A_SYSTEM = frozenset({SYSTEM, PRIVILEGE, COMPLIANCE, NETWORK})  # what is nobody's loss in a container
LOOKING_WORDS = frozenset(
    words("status show list ls info version query validate check-config describe stat stats print sensor sdr lookup "
          "config details logs tasks list_zones list-units get-zones dump_config dump-config cluster-status bandwidth")
)  # fmt: skip
CHANGING_WORDS = frozenset(words("set add delete del remove create edit start stop restart apply clear reset put ssh"))
PATTERN_GIVEN = "-e -f --regexp --file --reference"  # then the first operand is a path like the others
MISPLACED_WORDS = 2  # operands that may turn out to be values of unknown options before the sub-command
RIGHTS = {"chmod": "rwxXst", "chattr": "aAcCdDeijmPsStTux"}  # letters of a mode that may stand behind a dash
NAMES_MAX = 16  # of hosts or containers that are passed over
SENTENCE_OPERANDS = 2  # named in a sentence; more are "and others"


def base_name(text: str) -> str:
    """The last component of a path."""
    return text.rsplit("/", 1)[-1]


def after_names(given: Sequence[Arg]) -> Sequence[Arg]:
    """The command in `given` when names stand before it; empty when it begins at once, or nowhere for sure.

    In `for h in a b; do ssh "$h" CMD` the variable stands for all of its values, which so come to stand before CMD.
    """
    for at, arg in enumerate(given[:NAMES_MAX]):
        if " " in arg.text or knows(arg.text):
            return given[at:] if at else ()
    return ()


def certainties(args: tuple[Arg, ...]) -> tuple[Certainty, ...]:
    """How sure each argument is, as the list of harmless commands wants to know."""
    return tuple(["exact" if arg.known and not arg.glob else "unknown" for arg in args])


def by_table(call: Call, inquiry: Inquiry) -> Parsed | None:
    """Judge `call` by its entry; None when the tables do not know it."""
    found = _entry_of(call)
    if found is None:
        return None
    entry, options = found
    if (entry.bare and not call.args) or _only_asks(call, entry, options):
        inquiry.add(
            LOW,
            "reads",
            call.program,
            "only shows help or what would happen",
            f"Shows what {worded(call.program)} would do",
        )
        return options
    apply(entry, options, call, inquiry)
    return options


def _entry_of(call: Call) -> tuple[Entry, Parsed] | None:
    top = entry_for((call.program,))
    top_values = f"{top.values} {top.writes}" if top is not None else ""
    outer = parsed(call.args, top_values, clusters=top.clusters if top is not None else True)
    names = [call.program, *(arg.text for arg in outer.operands)]
    entry = entry_for(names)
    if entry is top and len(names) > 1:
        entry = _misplaced(names, top) or top
    if entry is None:
        return None
    options = outer
    if entry is not top and (entry.values or entry.writes or entry.clusters != (top is None or top.clusters)):
        options = parsed(call.args, f"{top_values} {entry.values} {entry.writes}", clusters=entry.clusters)
    consumed = entry.name.count(" ")
    return entry, options.but(operands=options.operands[consumed:]) if consumed else options


def _misplaced(given: Sequence[str], top: Entry | None) -> Entry | None:
    """`tool --unknown value sub-command`: the worst entry that a shifted reading finds."""
    best: Entry | None = None
    for skipped in range(2, min(len(given), MISPLACED_WORDS + 2)):
        shifted = entry_for([given[0], *given[skipped:]])
        if shifted is not top and shifted is not None and (best is None or RANK[shifted.level] > RANK[best.level]):
            best = shifted
    return best if best is not None and (top is None or RANK[best.level] >= RANK[top.level]) else None


def _only_asks(call: Call, entry: Entry, options: Parsed) -> bool:
    args = call.args
    short = call.program in OWN_H and any(arg.text == "-h" for arg in args)
    if args and not short and all(arg.text in HELP_ONLY for arg in args):
        return True
    if args and args[-1].text == "--help" and len(args) == entry.name.count(" ") + 1:
        return True
    return bool(entry.harmless) and options.has(entry.harmless)


def apply(entry: Entry, options: Parsed, call: Call, inquiry: Inquiry) -> None:
    """Note what the entry says about these options, then what its operands say."""
    found = rated(entry, options)
    if call.contained and found.level == HIGH and set(found.categories) <= OF_A_SYSTEM:
        found = found.but(level=MEDIUM)
    if found.level == HIGH == entry.level and found.categories == entry.categories and _looks(entry, options):
        found = found.but(level=MEDIUM, why="asks about what it could change", sentence=f"Asks {worded(entry.name)}")
    inquiry.note(found)
    if entry.kind == "contacts" and NETWORK in entry.categories:
        call.carry("network", call.program)  # what it prints may come from anywhere
    if entry.operands:
        _operands(entry, options, call, inquiry)
    if entry.writes:
        for name, arg in options.values:
            if name in entry.writes.split() and arg.text not in {"-", ""}:
                inquiry.write(arg, call)


def _looks(entry: Entry, options: Parsed) -> bool:
    """`rndc status`, `knife node list`: a program that controls something, and a word that only asks about it."""
    if " " in entry.name or SYSTEM not in entry.categories or PRIVILEGE in entry.categories:
        return False
    first = [arg.text for arg in options.operands[:2]]
    return not LOOKING_WORDS.isdisjoint(first) and CHANGING_WORDS.isdisjoint(first)


def rated(entry: Entry, options: Parsed) -> Finding:
    """The entry's own finding, with the worst of the options that apply."""
    does = entry.does.replace("{}", "files" if options.operands else entry.alone)
    found = Finding(
        entry.level, entry.kind, entry.name, does[0].lower() + does[1:],
        _sentence(entry, options), entry.consequence, entry.categories,
    )  # fmt: skip
    for worse in entry.worse:
        if RANK[worse.level] >= RANK[found.level] and _applies(worse, options):
            also = found.categories if found.level == worse.level else ()
            found = Finding(
                worse.level, entry.kind, entry.name, worse.does[0].lower() + worse.does[1:], worse.does,
                worse.consequence, tuple(dict.fromkeys((*worse.categories, *also))),
            )  # fmt: skip
    return found


def _applies(worse: Worse, options: Parsed) -> bool:
    if worse.unless and options.has(worse.unless):
        return False
    if worse.flags and options.has(worse.flags):
        return True
    meant = option_names(worse.operands) if worse.operands else ()
    return bool(meant) and any(
        arg.text == word or (not word.isalpha() and arg.text.startswith(word))
        for arg in options.operands
        for word in meant
    )


def _sentence(entry: Entry, options: Parsed) -> str:
    operands = options.operands
    if entry.operands == "skip-read" and not options.has(PATTERN_GIVEN):
        operands = operands[1:]
    named = [worded(arg.text.replace(UNKNOWN, "?")) for arg in operands[:SENTENCE_OPERANDS]]
    if len(operands) > SENTENCE_OPERANDS:
        named.append("others")
    return entry.does.replace("{}", " and ".join(named) or entry.alone)


def _operands(entry: Entry, options: Parsed, call: Call, inquiry: Inquiry) -> None:
    verb = entry.does.split(" {}")[0]
    recursive = options.has("-R -r --recursive")
    operands = options.operands
    if entry.operands.startswith("skip-"):
        given = options.has(PATTERN_GIVEN) or (entry.name in RIGHTS and _takes_rights(call))
        operands = operands if given else operands[1:]
    if entry.operands.endswith("read"):
        _sought(call, inquiry)
        for arg in operands:
            inquiry.read(arg, call, recursive=recursive)
    elif entry.operands == "list":
        for arg in operands:
            inquiry.look(arg, call)
    elif entry.operands.endswith("write"):
        for arg in operands:
            inquiry.write(arg, call, verb=verb, recursive=recursive)
    elif entry.operands == "delete":
        for arg in operands:
            inquiry.delete(arg, call)
    elif entry.operands == "host":
        for arg in operands[-1:]:
            inquiry.contact(arg.text, call)
    else:
        transfer(entry.operands, options, call, inquiry, verb=verb)


def _sought(call: Call, inquiry: Inquiry) -> None:
    if not is_searcher(call.program):
        return
    if "environment" in call.upstream and seeks_values([arg.text for arg in call.args]):
        inquiry.add(HIGH, "reads", "the environment", "looks for passwords among the variables",
                    "Prints passwords and tokens that variables hold", "", (EXFILTRATION,))  # fmt: skip
        call.carry("secret", "the environment")
    homes = (inquiry.facts.home, f"{inquiry.facts.home}/.config")
    texts = tuple(["~" if arg.text.rstrip("/") in homes else arg.text for arg in call.args])
    if searches_secrets(call.program, texts):
        inquiry.add(HIGH, "reads", "your files", "searches everything for secrets",
                    "Searches everything you have for passwords or keys", "", (EXFILTRATION,))  # fmt: skip
        call.carry("secret", "your files")


def _takes_rights(call: Call) -> bool:
    """`chmod -x file`, `chattr -i file`: the mode looks like an option."""
    letters = RIGHTS.get(call.program, "")
    return any(len(arg.text) > 1 and arg.text[0] == "-" and not arg.text[1:].strip(letters) for arg in call.args)


def transfer(how: str, options: Parsed, call: Call, inquiry: Inquiry, *, verb: str = "Copies to") -> None:
    """Sources and a destination: the last operand, or the value of `-t`."""
    into = options.value("-t --target-directory")
    sources = options.operands if into is not None else options.operands[:-1]
    destination = into or (options.operands[-1] if len(options.operands) > 1 else None)
    for arg in sources:
        if how == "move" and destination is not None and destination.text == "/dev/null":
            _thrown_away(arg, call, inquiry)
        elif how == "move":
            _moved_away(arg, call, inquiry)
        else:
            inquiry.read(arg, call)
    if destination is not None and how == "copy" and any(arg.text == "/dev/null" for arg in sources):
        emptied(destination, call, inquiry)
    if destination is not None and destination.text != "-":
        verbs = {"Copies": "Writes", "Moves": "Writes", "Installs": "Installs", "Links": "Creates a link at"}
        inquiry.write(destination, call, verb=verbs.get(verb, verb))


def emptied(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    """`cp /dev/null log`: deleted but for its name; in the workspace a repository may still have it."""
    path, _ = call.paths(arg)
    if path is not None and not call.remote:
        found = deleting(path, inquiry.facts, recursive=False, contents=False, filtered=False)
        if found.level == HIGH:
            inquiry.note(found.but(kind="writes", sentence=found.sentence.replace("Deletes", "Empties")))


def _thrown_away(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    """`mv x /dev/null`: meant to lose it, and with the rights for it the device is lost too."""
    inquiry.add(HIGH, "deletes", arg.text, "moves files where nothing is kept",
                f"Moves {worded(arg.text)} to /dev/null, where nothing is kept", "Nothing of it can be brought back",
                (DELETION,))  # fmt: skip
    inquiry.delete(arg, call, recursive=True)


def _moved_away(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    """What is moved is missing afterwards; for what matters that is as good as deleted."""
    path, contents = call.paths(arg)
    if path is None or call.remote:
        return
    inquiry.facts.targets.ask(path)
    found = deleting(path, inquiry.facts, recursive=True, contents=contents, filtered=False)
    if found.level != HIGH:
        inquiry.add(MEDIUM, "writes", path, "moves files")
        return
    inquiry.note(
        found.but(
            kind="writes", why=found.why.replace("deletes recursively", "moves away"),
            sentence=found.sentence.replace("Deletes", "Moves away"),
            consequence="Programs will not find it any more",
        )
    )  # fmt: skip
