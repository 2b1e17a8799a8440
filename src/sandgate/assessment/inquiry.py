"""Collects what is found out about one command line, and what is still to be looked at.

Judging a program never calls the judge again: what a program would run (`sudo X`, `sh -c …`, `find -exec`) is put on a
list here and taken from it by the one loop in `static`. So nesting costs no stack and every step is counted.
"""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN
from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
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
from sandgate.assessment.listing import words
from sandgate.assessment.places import place_of
from sandgate.assessment.touching import deleting, reading, writing
from sandgate.assessment.wording import worded
from sandgate.policy.lengths import JUDGED_MAX, STARTED_CHARACTERS_EACH, STARTED_WORDS_MAX
from sandgate.protocol.risk import CONTACTS, IF_REPLACED, NOT_HERE, SENDS, STAYS_HERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from sandgate.assessment.expansion import Arg, Shell
    from sandgate.assessment.facts import AssessmentFacts
    from sandgate.protocol.risk import RiskCategory, RiskLevel

    Tag = Literal["network", "secret", "file", "encoded", "decoded", "environment", "processes", "keys", "endless"]
    Flow = dict[str, str]  # tag → what it is: a host, a path

MAX_STEPS = JUDGED_MAX + 1  # calls judged for one command line, its shell among them
ENDLESS_INPUTS = frozenset({"/dev/zero", "/dev/urandom", "/dev/random"})
ACCOUNTS = ("/etc/sudoers", "/etc/passwd", "/etc/shadow", "/etc/group")  # who may do what, in a container as well
# They run a command on a machine that others use, too.
SERVERS = frozenset(
    words("ssh autossh mosh tsh pssh parallel-ssh pdsh clush dsh mussh ansible salt salt-ssh aws gcloud az fab")
)
# These answer when their input has ended.
COLLECTING = frozenset({"tail", "sort", "tac", "shuf", "column", "wc", "cksum", "md5sum", "sha1sum", "sha224sum",
                        "sha256sum", "sha384sum", "sha512sum", "b2sum", "shasum", "sum"})  # fmt: skip
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "host.docker.internal"})


class Call:
    """One program with its arguments, and what flows into it."""

    __slots__ = (
        "args", "background", "contained", "depth", "feeder", "function", "inherited", "looped", "outflow", "program",
        "remote", "serial", "shell", "spinning", "stdin_text", "trusted", "upstream",
    )  # fmt: skip

    def __init__(self, program: str, args: Sequence[Arg], shell: Shell, depth: int) -> None:
        self.program = program
        self.args = tuple(args)
        self.shell = shell
        self.depth = depth
        self.upstream: Flow = {}  # what arrives on its input or in its words
        self.outflow: Flow = {}  # what it sends on
        self.feeder: Call | None = None  # the command right before it in its pipeline
        self.stdin_text: str | None = None
        self.function = ""
        self.looped = False
        self.background = False
        self.spinning = False  # in a loop that neither ends nor rests
        self.trusted = True  # the program is found by name or in a system directory
        self.remote = False  # runs on another machine or in a container: paths are not ours
        self.contained = False  # in a container that is thrown away: its system is not ours
        self.inherited: Call | None = None  # the call that runs this one
        self.serial = 0  # the same for calls of which all is the same, 0: nobody knows (see repeating.py)

    def inside(self, program: str, args: Sequence[Arg], *, remote: bool = False) -> Call:
        """The same circumstances for a program that this one runs."""
        twin = Call(program, args, self.shell, self.depth + 1)
        twin.upstream, twin.feeder, twin.stdin_text = self.upstream, self.feeder, self.stdin_text
        twin.function, twin.looped, twin.background = self.function, self.looped, self.background
        twin.remote = self.remote or remote
        twin.contained = self.contained
        twin.inherited = self
        return twin

    def carry(self, tag: Tag, target: str) -> None:
        """Note what this command passes on; whoever runs it passes it on too."""
        call: Call | None = self
        while call is not None and tag not in call.outflow:
            call.outflow[tag] = target
            call = call.inherited

    def on_server(self) -> bool:
        """Whether it runs on another machine that is no container: its logs and its system outlive the call."""
        around = self.inherited
        while around is not None and around.program not in SERVERS:
            around = around.inherited
        return around is not None

    def paths(self, arg: Arg) -> tuple[str | None, bool]:
        """The absolute path of `arg` (None: unknown), and whether all that is in it is meant (`dir/*`)."""
        text = arg.text
        contents = False
        if arg.glob or (arg.raw and "*" in text):
            text, contents = _glob_base(text)
        return self.shell.resolve(text), contents


def _glob_base(text: str) -> tuple[str, bool]:
    """`dir/*` means the contents of `dir`; `dir/*.c` stays what it is."""
    parts = text.rstrip("/").split("/")
    kept = list(parts)
    while kept and kept[-1] and _matches_anything(kept[-1]):
        kept.pop()
    if len(kept) == len(parts):
        return text, False
    base = "/".join(kept)
    if kept == [""]:
        base = "/"
    return base or ".", True


def _matches_anything(part: str) -> bool:
    part = part.lstrip(".") or part
    if part.startswith("[") and part.endswith("*"):
        return True
    return "*" in part and not part.strip("*?.")


class Noted(dict[str, str]):
    """A dictionary that counts what is written to it, so that who remembers can tell that nothing has changed."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        self.changes = 0

    def __setitem__(self, key: str, value: str) -> None:
        self.changes += 1
        super().__setitem__(key, value)


class Inquiry:
    """Everything known so far about one request."""

    __slots__ = ("doubts", "downloads", "facts", "findings", "given_up", "pending", "started", "steps", "written")

    def __init__(self, facts: AssessmentFacts) -> None:
        self.facts = facts
        self.findings: list[Finding] = []
        self.doubts: list[str] = []
        self.downloads = Noted()  # path → host it was fetched from
        self.written = Noted()  # path → text this command line puts there
        self.pending: list[Call | tuple[str, Call]] = []  # what to judge next: a call, or a script and who runs it
        self.steps = 0
        self.started = 0  # words that were not written: of what calls start in turn, and of what words become
        self.given_up = False

    def add(
        self,
        level: RiskLevel,
        kind: str,
        target: str,
        why: str,
        sentence: str = "",
        consequence: str = "",
        categories: Iterable[RiskCategory] = (),
    ) -> None:
        """Note one finding (fields as in `Finding`)."""
        self.note(Finding(level, kind, target, why, sentence, consequence, tuple(categories)))  # type: ignore[arg-type]  # kind is checked by the table test

    def note(self, finding: Finding) -> None:
        self.findings.append(finding)

    def doubt(self, why: str, *, level: RiskLevel = MEDIUM, target: str = "?") -> None:
        """Something that could not be understood: never low."""
        self.doubts.append(why)
        self.note(Finding(level, "unknown", target, why, confidence="low"))

    def run(self, call: Call) -> bool:
        """Judge this call next. False: so much is started that nothing more will be judged."""
        if not self.affords(len(call.args)):
            return False
        self.pending.append(call)
        return True

    def run_script(self, text: str, by: Call) -> None:
        """Judge this script next, as run by `by`."""
        if self.affords(len(text) // STARTED_CHARACTERS_EACH):
            self.pending.append((text, by))

    def affords(self, words: int) -> bool:
        """Count `words` that were not written: any word may start all that follow it, so these can be far more."""
        self.started += words
        if self.started > STARTED_WORDS_MAX:
            self.give_up()
        return not self.given_up

    def give_up(self) -> None:
        """Judge nothing more, and say so once: there is too much."""
        self.steps = max(self.steps, MAX_STEPS + 1)
        if not self.given_up:
            self.given_up = True
            self.doubt("the command is too long to be judged", level=HIGH)

    def fetched_from(self, path: str) -> str:
        """The host from which `path`, or a tree it lies in, came in this command line; empty when it did not."""
        if path in self.downloads:
            return self.downloads[path]
        return next((host for tree, host in self.downloads.items() if tree[-1:] == "/" and path.startswith(tree)), "")

    def delete(
        self, arg: Arg, call: Call, *, recursive: bool = False, contents: bool = False, filtered: bool = False
    ) -> None:
        """`arg` names what is deleted."""
        path, everything = call.paths(arg)
        if self._elsewhere(path, call, "deletes", "Deletes", (DELETION,), HIGH if recursive else MEDIUM):
            return
        if path is None:
            self._unknown_deletion(recursive=recursive)
            return
        if arg.note:
            self.doubts.append(arg.note)
        contents = contents or everything or (arg.text.endswith("/") and len(arg.text) > 1)
        self.facts.targets.ask(path)
        found = deleting(path, self.facts, recursive=recursive, contents=contents, filtered=filtered)
        if not recursive and everything and found.level == HIGH and not filtered:
            found = self._shallow(found)
        self.note(_as_given(found.but(why=f"{found.why} ({arg.note})") if arg.note else found, arg))

    def _shallow(self, found: Finding) -> Finding:
        """`rm *`: only files, but all of them."""
        return found.but(sentence=found.sentence.replace("everything", "all files"))

    def _unknown_deletion(self, *, recursive: bool) -> None:
        words = "Deletes recursively" if recursive else "Deletes"
        self.note(
            Finding(
                HIGH if recursive else MEDIUM,
                "deletes",
                "?",
                "what it deletes cannot be known before it runs",
                f"{words} something that cannot be known before it runs",
                "",
                (DELETION,),
                "low",
            )
        )

    def write(self, arg: Arg, call: Call, *, verb: str = "Writes", recursive: bool = False) -> None:
        """`arg` names what is created, overwritten or changed."""
        path, contents = call.paths(arg)
        if self._elsewhere(path, call, "writes", verb, (), MEDIUM):
            return
        if path is None:
            self.note(
                Finding(
                    MEDIUM,
                    "writes",
                    "?",
                    "where it writes cannot be known before it runs",
                    f"{verb} something that cannot be known before it runs",
                    confidence="low",
                )
            )
            return
        self.facts.targets.ask(path)
        found = writing(path, self.facts, verb=verb, recursive=recursive or (contents and recursive))
        self.note(_as_given(found, arg))

    def read(self, arg: Arg, call: Call, *, recursive: bool = False) -> None:
        """`arg` names what is read."""
        path, _ = call.paths(arg)
        if path is None or arg.text in {"-", ""} or (call.remote and arg.text[:1] != "/"):
            return
        if call.remote and place_of(path, self.facts).kind != "credentials":
            return
        found = reading(path, self.facts, recursive=recursive)
        if found is None:
            return
        self.note(_as_given(found, arg))
        if path in ENDLESS_INPUTS and call.program in COLLECTING:
            self.add(HIGH, "reads", path, "waits for the end of what has none",
                     f"Collects {worded(path)} in memory until there is none left", "", (EXHAUSTION,))  # fmt: skip
        if path in self.downloads:
            call.carry("network", self.downloads[path])
        call.carry("secret" if "data_exfiltration" in found.categories else "file", path)

    def look(self, arg: Arg, call: Call) -> None:
        """`arg` names what is listed or measured: names, sizes and times, not what is in it."""
        path, _ = call.paths(arg)
        if path is not None and not call.remote and arg.text not in {"-", ""}:
            found = Finding(LOW, "reads", path, "looks at names and sizes", f"Looks at {worded(path)}")
            self.note(_as_given(found, arg))

    def _elsewhere(
        self, path: str | None, call: Call, kind: str, verb: str, categories: Iterable[RiskCategory], level: RiskLevel
    ) -> bool:
        if not call.remote:
            return False
        target = path or "?"
        if path is not None and call.on_server() and place_of(path, self.facts).kind in {"system", "device", "root"}:
            level, categories = HIGH, dict.fromkeys((*categories, SYSTEM))
            if path.startswith("/dev/"):
                categories = (*categories, DELETION)
            if path.startswith("/var/log"):
                categories = (*categories, DELETION, COMPLIANCE)
        elif path is not None and kind == "deletes" and call.on_server() and self._matters_there(path):
            level = HIGH
        elif path is not None and path.startswith(ACCOUNTS) and not call.contained:
            level, categories = HIGH, (*categories, PRIVILEGE, SYSTEM)
        self.add(level, kind, target, NOT_HERE, f"{verb} {worded(target)} elsewhere", "", categories)
        return True

    def _matters_there(self, path: str) -> bool:
        """Whether `path`, as another machine would understand it, is neither passing nor named from where one is."""
        return place_of(path, self.facts).kind in {"elsewhere", "personal", "startup", "credentials", "home"}

    def contact(self, host: str, call: Call, *, why: str = CONTACTS, sentence: str = "") -> None:
        """Bytes come from, or go to, `host`."""
        host = host.replace(UNKNOWN, "?") or "?"
        local = is_local(host)
        said = sentence or f"Contacts {worded(host)}"
        self.add(LOW if local else MEDIUM, "contacts", host, STAYS_HERE if local else why, said, "",
                 () if local else (NETWORK,))  # fmt: skip
        call.carry("network", host)

    def send(self, what: str, host: str, *, level: RiskLevel = HIGH) -> None:
        """Data of this machine goes to `host`."""
        if is_local(host):
            self.add(MEDIUM, "contacts", host, "sends data to a service on this machine")
            return
        self.add(
            level, "contacts", host, SENDS, f"Sends {what} to {worded(host)}",
            "What has been sent cannot be taken back" if level == HIGH else "", (EXFILTRATION, NETWORK),
        )  # fmt: skip


def _as_given(found: Finding, arg: Arg) -> Finding:
    """No shell stands before a program that is started by itself: it gets `$HOME` as these five characters.

    Judged is what they would mean to a shell, for that is mostly what was meant; said is that they need one.
    """
    if not arg.raw.strip() or arg.raw == arg.text:
        return found
    sentence = f"{found.sentence}, if a shell replaces {worded(arg.raw)}" if found.sentence else ""
    return found.but(why=f"{found.why} ({IF_REPLACED})", sentence=sentence)


def is_local(host: str) -> bool:
    """Whether a host name or `host:port` means this machine."""
    name = host.rsplit(":", 1)[0] if host.count(":") == 1 else host
    return name.lower() in LOCAL_HOSTS or (name.startswith("127.") and name.replace(".", "").isdigit())
