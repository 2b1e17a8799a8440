"""How bad it is to read, write or delete one path.

The path's place decides, then what is known about it: whether it exists, how much lies below, whether a repository
could bring it back. Each answer is one finding in plain words.
"""

from __future__ import annotations

from posixpath import basename, dirname

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    PRIVILEGE,
    SYSTEM,
    Finding,
)
from sandgate.assessment.places import FOUND, PUBLIC_NAMES, below, may_be_private, place_of
from sandgate.assessment.wording import worded
from sandgate.places.workspaces import search_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.facts import AssessmentFacts, TargetFacts
    from sandgate.assessment.places import Place
    from sandgate.protocol.risk import RiskCategory, RiskLevel

LARGE_TREE_ENTRIES = 1_000  # deleting this much by one command is worth a second look even in the workspace
CHANGING = (
    "Changes",
    "Renames",
    "Changes pictures in place",
    "Changes text files in place",
)  # what is there must have been before
# How what is done at a path is said of a directory that is none of the command's own.
WITHIN = {"Writes": "Writes in", "Installs": "Installs into", "Creates a link at": "Creates a link in"}
REPLACING = ("Writes ", "Overwrites ", "Cuts ")  # a file that nobody looked for may be there
# Directories that hold what people wrote, where nobody could look.
SOURCES = frozenset(("src", "app", "apps", "packages", "crates", "tests", "test", "docs", "include", "internal", "cmd",
                     "migrations", "prisma", "scripts"))  # fmt: skip
LICENCES = frozenset(("LICENSE", "LICENCE", "COPYING", "NOTICE"))
APPENDING = "Appends to "  # what is there stays
PROGRAMS = ("bin", "sbin")  # directories that hold programs
GONE = "Nothing of it can be brought back"

RECORDS = ("_history", ".lesshst", ".viminfo", "/fish_history", "/.history")  # of what somebody did
GUARDING = ("selinux", "apparmor", "/audit", "syslog", "yama", "/limits", "/pam.d", "randomize_va_space")
# Devices and files that show what others do or hold at this moment.
OVERHEARD = ("/dev/mem", "/dev/kmem", "/dev/port", "/dev/input", "/dev/video", "/dev/snd", "/dev/vcs", "/dev/hidraw",
             "/dev/usbmon", "/dev/fb")  # fmt: skip

DELETED_WORDS = {
    "root": "Deletes everything on this machine",
    "home": "Deletes everything in {words} {path}",
    "trunk": "Deletes {words} {path}",
    "repository": "Deletes the version history in {path}",
    "temporary-root": "Deletes the temporary files of all programs in {path}",
}


def real_place(path: str, facts: AssessmentFacts, *, through_link: bool) -> str:
    """Where `path` really is, if it was looked up; `through_link`: the action follows a link at its end."""
    seen = facts.targets.get(path)
    if seen is None:
        return path
    return (seen.real if through_link else seen.place) or path


def _named(place: Place) -> str:
    base, _, name = place.path.rpartition("/")
    return f"chosen files below {worded(base or '/')}" if name == FOUND else worded(place.path)


# Settings of what keeps watch over a machine, logs for it, or lets people in.
PROTECTIONS = (
    "/etc/audit", "/etc/rsyslog", "/etc/syslog", "/etc/logrotate", "/etc/fail2ban", "/etc/ufw", "/etc/iptables",
    "/etc/nftables", "/etc/selinux", "/etc/apparmor", "/etc/pam.d", "/etc/security", "/etc/ssh/sshd_config",
    "/etc/sudoers", "/etc/vault", "/etc/falco", "/etc/osquery", "/etc/clamav", "/etc/ossec", "/var/ossec",
    "/etc/firewalld", "/etc/aide", "/etc/tripwire", "/etc/crowdsec", "/etc/suricata", "/etc/snort",
    "/etc/systemd/journald", "/etc/ssl", "/etc/pki", "/etc/crypto-policies", "/var/lib/aide", "/etc/filebeat",
    "/etc/td-agent",
)  # fmt: skip


def deleting(path: str, facts: AssessmentFacts, *, recursive: bool, contents: bool, filtered: bool) -> Finding:
    """`contents`: all that is in it (`path/*`); `filtered`: some of what is below it, by name or pattern."""
    seen = facts.targets.get(path)
    place = place_of(real_place(path, facts, through_link=contents), facts)
    what = _named(place)
    if place.kind in {"harmless", "temporary", "cache", "build"}:
        return _plain_deletion(place, what, recursive=recursive)
    if filtered and place.kind == "trunk" and below(place.path, facts.cwd):
        return Finding(MEDIUM, "deletes", place.path, "deletes several files by pattern", f"Deletes files below {what}")
    if place.kind == "workspace":
        directory, _, name = place.path.rpartition("/")
        if directory == facts.cwd and name.upper().partition(".")[0] in LICENCES:
            return Finding(HIGH, "deletes", place.path, "deletes the terms under which the project may be used",
                           f"Deletes {what}, the terms of the project", "", (DELETION, COMPLIANCE))  # fmt: skip
        if seen is None and (recursive or contents) and directory == facts.cwd and name in SOURCES:
            return Finding(HIGH, "deletes", place.path, "deletes recursively: named like the project's own work",
                           f"Deletes {what}, which seems to hold the project's own work",
                           "Changes that were not committed are lost", (DELETION,))  # fmt: skip
        return _workspace_deletion(place, what, seen, recursive=recursive or contents)
    if place.kind == "repository" and not recursive:
        return _repository_file(place, what)
    if place.kind == "device":
        return Finding(
            HIGH, "deletes", place.path, "removes a device", f"Deletes the device {what}", "", (DELETION, SYSTEM)
        )
    words = DELETED_WORDS.get(place.kind, "Deletes {path}, " + place.words if place.words else "Deletes {path}")
    if filtered and place.kind in {"root", "home", "trunk"}:
        words = "Deletes files all over {words} {path}"
    system = place.kind in {"root", "system", "startup", "credentials"}
    why = f"deletes recursively: {place.words}" if recursive else f"deletes {place.words}"
    categories: tuple[RiskCategory, ...] = (DELETION, SYSTEM) if system else (DELETION,)
    if place.path.startswith(("/var/log", *PROTECTIONS)) or place.path.endswith(RECORDS):
        categories = (*categories, COMPLIANCE)
    sentence = words.format(words=place.words, path=what)
    return Finding(HIGH, "deletes", place.path, why, sentence, GONE, categories)


def _plain_deletion(place: Place, what: str, *, recursive: bool) -> Finding:
    how = "deletes recursively" if recursive else "deletes"
    where = f", in {place.words}" if place.kind == "workspace" else f": {place.words}"
    return Finding(MEDIUM, "deletes", place.path, f"{how}{where}", f"Deletes {what}", "", (DELETION,))


def _workspace_deletion(place: Place, what: str, seen: TargetFacts | None, *, recursive: bool) -> Finding:
    if seen is None or not seen.exists or not recursive:
        return _plain_deletion(place, what, recursive=recursive)
    if not seen.is_directory:
        return _plain_deletion(place, what, recursive=False)
    if seen.holds_git:
        return Finding(
            HIGH,
            "deletes",
            place.path,
            "deletes a repository with its history",
            f"Deletes {what} together with the repository in it",
            GONE,
            (DELETION,),
        )
    many = (seen.entries or 0) >= LARGE_TREE_ENTRIES
    lost = seen.is_directory and seen.git_root is None and (seen.entries or 0) > 0
    if many or lost:
        count = f"{seen.entries} entries or more" if many else f"{seen.entries} entries"
        why = "deletes recursively: a large tree" if many else "deletes recursively: not under version control"
        consequence = "" if seen.git_root else "No repository keeps a copy of it"
        return Finding(HIGH, "deletes", place.path, why, f"Deletes {what} with {count}", consequence, (DELETION,))
    return _plain_deletion(place, what, recursive=recursive)


def _repository_file(place: Place, what: str) -> Finding:
    if place.path.endswith(".lock"):
        return Finding(MEDIUM, "deletes", place.path, "deletes a lock of git", f"Deletes the lock {what}")
    return Finding(
        HIGH, "deletes", place.path, "deletes a file git keeps history in", f"Deletes {what}", GONE, (DELETION,)
    )


def writing(path: str, facts: AssessmentFacts, *, verb: str, recursive: bool = False) -> Finding:
    """Creating, overwriting or changing the attributes of `path`."""
    place = place_of(real_place(path, facts, through_link=True), facts)
    what = _named(place)
    sentence = f"{verb} {what}"
    if place.kind == "harmless":
        return Finding(LOW, "writes", place.path, "discards output")
    if place.kind == "temporary" or (place.kind == "temporary-root" and not recursive and verb[:6] != "Change"):
        return Finding(LOW, "writes", place.path, "writes a temporary file", sentence)
    if place.kind in {"workspace", "build", "cache"} or (place.kind == "trunk" and place.path == facts.cwd):
        return Finding(MEDIUM, "writes", place.path, f"changes {place.words}", sentence)
    if place.kind == "repository":
        return Finding(MEDIUM, "writes", place.path, "changes git's own files", sentence)
    if place.kind == "device":
        return Finding(
            HIGH, "writes", place.path, "writes to a device", f"{verb} the device {what} directly",
            "All data on it can be lost", (DELETION, SYSTEM),
        )  # fmt: skip
    if place.kind == "startup":
        rights = place.path.endswith(("authorized_keys", "/.ssh/rc"))
        return Finding(
            HIGH, "writes", place.path, f"changes {place.words}", sentence,
            "What it says will run or apply later, outside the sandbox",
            ((PRIVILEGE, SYSTEM) if rights else (SYSTEM,)) + ((DELETION,) if f"{verb} ".startswith(REPLACING) else ()),
        )  # fmt: skip
    if place.kind == "credentials":
        inside = any(below(place.path, root) for root in (facts.cwd, *facts.writable_roots))
        return Finding(
            MEDIUM if inside else HIGH, "writes", place.path, f"changes {place.words}", sentence, "",
            () if inside else _replaced(place, verb),
        )  # fmt: skip
    if place.kind in {"personal", "elsewhere"}:
        return _outside(path, place, facts, sentence, recursive=recursive, changes=verb in CHANGING)
    if recursive:
        sentence = f"{verb} everything in {place.words} {what}"
    elif place.kind in {"root", "home"}:
        sentence = f"{WITHIN.get(verb, verb)} {place.words} {what}"
    rights = place.path.startswith(("/etc/sudoers", "/etc/cron", "/etc/passwd", "/etc/group"))
    privileged: tuple[RiskCategory, ...] = (SYSTEM, PRIVILEGE) if rights else (SYSTEM,)
    if place.path.startswith("/var/log/") and verb != "Appends to":
        privileged = (SYSTEM, DELETION, COMPLIANCE)
    elif place.path.startswith(PROTECTIONS) or any(mark in place.path for mark in GUARDING):
        privileged = (*privileged, COMPLIANCE)
    return Finding(HIGH, "writes", place.path, f"changes {place.words}", sentence, "", privileged)


def _replaced(place: Place, verb: str) -> tuple[RiskCategory, ...]:
    """What it means that a file with secrets, outside the workspace, is written."""
    if place.path.startswith("/etc/"):
        return SYSTEM, PRIVILEGE
    return (DELETION, SYSTEM, COMPLIANCE) if f"{verb} ".startswith(REPLACING) else (SYSTEM, COMPLIANCE)


def _outside(
    path: str, place: Place, facts: AssessmentFacts, sentence: str, *, recursive: bool, changes: bool
) -> Finding:
    seen = facts.targets.get(path)
    appends = sentence.startswith(APPENDING)
    overwrites = changes or (seen is not None and seen.exists and not seen.is_directory and not appends)
    unseen = seen is None and place.kind == "personal" and sentence.startswith(REPLACING)
    level: RiskLevel = HIGH if overwrites or unseen or recursive else MEDIUM
    consequence = "What it held before is lost" if overwrites else "What it may hold is lost" if unseen else ""
    categories: tuple[RiskCategory, ...] = (DELETION,) if overwrites else (DELETION, SYSTEM) if unseen else (SYSTEM,)
    return Finding(
        level, "writes", place.path, f"outside the workspace: {place.words}", sentence, consequence, categories
    )


def is_unobeyed(path: str, facts: AssessmentFacts) -> bool:
    """Whether a new name there, outside the workspace, is one that surely no program obeys.

    A place of keys or start files has a kind of its own; programs, and what no list knows about a home, are told here.
    """
    place = place_of(real_place(path, facts, through_link=True), facts)
    if place.kind not in {"personal", "elsewhere"} or may_be_private(place, facts):
        return False
    directory = dirname(place.path)
    return basename(directory) not in PROGRAMS and directory not in search_path(facts.environment.get("PATH", ""))


def reading(path: str, facts: AssessmentFacts, *, recursive: bool = False) -> Finding | None:
    """What reading `path` reveals; None when it says nothing about risk."""
    place = place_of(real_place(path, facts, through_link=True), facts)
    what = worded(place.path)
    name = place.path.rsplit("/", 1)[-1]
    public = name in PUBLIC_NAMES and "/.kube/" not in place.path
    if place.kind == "credentials" and not (public or name.endswith(".pub")):
        inside = any(below(place.path, root) for root in (facts.cwd, *facts.writable_roots))
        level: RiskLevel = MEDIUM if inside else HIGH
        return Finding(
            level, "reads", place.path, f"reads {place.words}", f"Reads {what}, which holds {place.words}", "",
            (EXFILTRATION,),
        )  # fmt: skip
    if place.path.startswith(OVERHEARD) or (place.path.startswith("/proc/") and name == "mem"):
        return Finding(HIGH, "reads", place.path, "reads what other programs hold or people type",
                       f"Reads {what}, and with it what other programs hold or people type", "",
                       (EXFILTRATION, PRIVILEGE))  # fmt: skip
    if place.kind == "device":
        return Finding(MEDIUM, "reads", place.path, "reads a device", f"Reads the device {what}")
    if recursive and place.kind == "home":
        return Finding(MEDIUM, "reads", place.path, "reads your whole home directory", f"Reads everything in {what}")
    if may_be_private(place, facts):
        return Finding(MEDIUM, "reads", place.path, "reads what a program keeps in your home",
                       f"Reads {what}, which a program keeps for itself, possibly with keys")  # fmt: skip
    return Finding(LOW, "reads", place.path, "reads", f"Reads {what}")
