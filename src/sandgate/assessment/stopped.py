"""What a sandbox has stopped, as findings: the one thing about a command that is known for certain."""

from __future__ import annotations

from sandgate.assessment.findings import HIGH, LOW, MEDIUM, NETWORK, RANK, SYSTEM, Finding
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.touching import APPENDING, deleting, is_unobeyed, reading, writing
from sandgate.assessment.wording import worded
from sandgate.policy.common_places import homes_of, is_common
from sandgate.protocol.permissions import Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.facts import AssessmentFacts
    from sandgate.protocol.denials import Denial, DenialReport

TRIED = {
    "write": "write", "create": "create", "delete": "delete", "rename": "rename", "read": "read", "exec": "run",
    "metadata": "change the attributes of", "connect": "connect to", "bind": "listen on", "other": "use",
}  # fmt: skip
NAMED_MAX = 2  # of what was stopped, in a sentence
MAX_DENIALS = 20  # judged; a program that repeats itself says nothing new


def denial_sentence(report: DenialReport | None) -> str:
    """ "It tried to write /etc/motd, which the sandbox stopped"; two are both named. Empty when nothing was."""
    if report is None or not report.denied or not report.denials:
        return ""
    named = dict.fromkeys(map(_tried, report.denials[:NAMED_MAX]))
    more = len(report.denials) + report.omitted - min(len(report.denials), NAMED_MAX)
    tail = f" and {more} more" if more else ""
    return f"It tried to {(', ' if more else ' and to ').join(named)}{tail}, which the sandbox stopped"


def _tried(denial: Denial) -> str:
    target = denial.path or denial.address
    what = f"{denial.what} {worded(target) if target else ''}".strip() or "something"
    return what if denial.what and denial.operation != "other" else f"{TRIED[denial.operation]} {what}"


def denial_findings(report: DenialReport | None, facts: AssessmentFacts, foreseen: Sequence[Finding]) -> list[Finding]:
    """What each stopped attempt would have done; beyond the workspace it is never low.

    `foreseen`: what the command's words say it does. A sandbox reports the same for `>>` as for `>`; the words tell.
    """
    if report is None or not report.denied:
        return []
    appended = _appended(foreseen)
    found = [_finding(each, facts, appended) for each in report.denials[:MAX_DENIALS]]
    return [*_opened_wide(report.denials[:MAX_DENIALS], facts), *found]


def _opened_wide(denials: Sequence[Denial], facts: AssessmentFacts) -> list[Finding]:
    """Where only a whole home, or what lies above the workspace, would let it go on: that is what a yes would open."""
    roots = dict.fromkeys([each.grant.value for each in denials if each.grant and each.grant.kind == "write_root"])
    homes = (facts.home, *homes_of(facts.environment))
    return [
        Finding(HIGH, "writes", root, f"to let it go on opens all of {worded(root)}", categories=(SYSTEM,))
        for root in roots
        if is_common(root, homes=homes, workspaces=(facts.cwd,))
    ]


def _appended(foreseen: Sequence[Finding]) -> frozenset[str]:
    """The files this command only appends to; none when it also runs something that may have its own way with them."""
    if any(each.kind in {"runs", "unknown"} for each in foreseen):
        return frozenset()
    appends = {each.target for each in foreseen if each.kind == "writes" and each.sentence.startswith(APPENDING)}
    otherwise = {each.target for each in foreseen if each.kind != "reads" and not each.sentence.startswith(APPENDING)}
    return frozenset(appends - otherwise)


def _finding(denial: Denial, facts: AssessmentFacts, appended: frozenset[str]) -> Finding:
    if denial.path is not None:
        found = _path_finding(denial, denial.path, facts, appended)
    elif denial.address is not None:
        found = _address_finding(denial.address)
    else:
        found = Finding(MEDIUM, "unknown", "?", "stopped by the sandbox")
    confidence = found.confidence if denial.certain else "low"
    level = found.level if RANK[found.level] >= RANK[MEDIUM] else MEDIUM
    return found.but(
        level=level, sentence="", consequence="", why=f"the sandbox stopped it: {found.why}", confidence=confidence
    )


def _path_finding(denial: Denial, path: str, facts: AssessmentFacts, appended: frozenset[str]) -> Finding:
    if denial.operation == "delete":
        return deleting(path, facts, recursive=False, contents=False, filtered=False)
    if denial.operation in {"read", "exec"}:
        return reading(path, facts) or Finding(LOW, "reads", path, "reads")
    only_new = denial.grant == Grant("new_entry", path)  # carried out, it fails where anything is there
    found = writing(path, facts, verb="Creates" if only_new else "Writes")
    if only_new and is_unobeyed(path, facts):
        return found
    if denial.operation in {"write", "create"} and found.target in appended:
        return writing(path, facts, verb=APPENDING.rstrip())
    outside = "outside the workspace" in found.why and not path.startswith(facts.home + "/.cache")
    return found.but(level=HIGH) if outside else found


def _address_finding(address: str) -> Finding:
    if address.startswith("unix:"):
        powerful = any(name in address for name in ("docker", "podman", "containerd", "dbus", "systemd"))
        return Finding(HIGH if powerful else MEDIUM, "contacts", address, "a service of this machine", "", "",
                       ("privilege_escalation",) if powerful else ())  # fmt: skip
    local = is_local(address)
    return Finding(MEDIUM, "contacts", address, "a network connection", "", "", () if local else (NETWORK,))
