"""Remotes that are directories of this machine: a push to one sends nothing anywhere, and no network is needed.

What stands in the words is believed only beside the repository's settings, which may turn any address into another
one, and only while nothing else in the line may have changed those.
"""

from __future__ import annotations

from sandgate.assessment.findings import NETWORK
from sandgate.assessment.judges.git_state import WHY
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.findings import Finding
    from sandgate.assessment.inquiry import Call, Inquiry

PUSH = "push"
CLONE = "clone"
TALKING = {name: f"git {name}" for name in (PUSH, "fetch", "pull", "ls-remote", CLONE)}
SOMEWHERE = "another repository"  # of several, or one whose place the words do not tell
_VALUES = ("-o --push-option --repo --receive-pack --exec --upload-pack --depth --deepen -j --jobs --server-option "
           "--shallow-since --shallow-exclude --negotiation-tip -s --strategy -X --strategy-option --sort "
           "--refmap --filter")  # fmt: skip
# Another remote, or a program; and of `clone`: settings, and repositories that the cloned one names.
_TELLING = "--repo --receive-pack --upload-pack --exec --all --multiple"
CLONE_VALUES = ("-c --config -b --branch --depth -o --origin -u --upload-pack --reference --separate-git-dir "
                "--template -j --jobs --filter --shallow-since --shallow-exclude --server-option --reference-if-able "
                "--bundle-uri --revision --ref-format")  # fmt: skip
_TELLING_OF_CLONE = (
    "-c --config -u --upload-pack --recurse-submodules --recursive --reference --reference-if-able --bundle-uri"
)
_LEADING = frozenset(words("GIT_DIR GIT_COMMON_DIR GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT "
                           "GIT_CONFIG_PARAMETERS GIT_WORK_TREE"))  # fmt: skip
_SETTING = ("git config", "git remote", "git settings", "git submodule", "git init", "git clone")
_GIT = "/.git/"
_FILE = "file://"
_UNSURE = frozenset("$`*?[{~")


def stays_here(call: Call, inquiry: Inquiry, *, since: int) -> str:
    """The path of the one repository that this `git push`, `fetch`, … talks to, or `SOMEWHERE`; "" where it may leave.

    `call` begins with the sub-command; the findings before `since` are about what else the line does.
    """
    cwd = call.shell.cwd
    if call.remote or cwd is None or call.args[0].text not in TALKING or has_variables(call):
        return ""
    clones = call.args[0].text == CLONE
    options = parsed(call.args[1:], CLONE_VALUES if clones else _VALUES)
    telling = _TELLING_OF_CLONE if clones else _TELLING
    if options.has(telling) or any(_may_lead(each, cwd) for each in inquiry.findings[:since]):
        return ""
    return (_cloned if clones else _talked_to)(options.operands[:1], call, inquiry)


def as_local(found: Finding, place: str) -> Finding:
    """The same effect without another machine."""
    here = f"{worded(place) if place != SOMEWHERE else SOMEWHERE} on this machine"
    pushes = found.target == TALKING[PUSH]
    return found.but(
        kind="writes" if pushes else "reads",
        target=place if place != SOMEWHERE else found.target,
        why=_at_home(found.why, here, pushes=pushes),
        sentence=_at_home(found.sentence, here, pushes=pushes),
        categories=tuple([each for each in found.categories if each != NETWORK]),
    )


def _at_home(text: str, here: str, *, pushes: bool) -> str:
    text = text.replace("Downloads a ", "Copies a ").replace("downloads a ", "copies a ")
    text = text.replace("Downloads", "Takes over").replace("downloads", "takes over")
    if "a remote repository" in text:
        return text.replace("a remote repository", here)
    return f"{text} {'in' if pushes else 'from'} {here}" if text else ""


def has_variables(call: Call) -> bool:
    """Whether one around it may have the words mean another repository or other settings."""
    shell = call.shell
    return any(name in _LEADING or name.startswith("GIT_CONFIG_KEY") for name in (*shell.variables, *shell.environment))


def _may_lead(found: Finding, cwd: str) -> bool:
    """Whether an effect before it in the line may: it runs what nobody knows, or changes settings or a repository."""
    target = found.target
    if found.kind == "reads" or found.why == WHY:  # what git itself keeps is no setting
        return False
    if target.startswith("git "):
        return target.startswith(_SETTING)
    if found.kind not in ("writes", "deletes") or target.endswith("config") or target == "patch":
        return True
    return target[:1] == "/" and (_GIT in f"{target}/" or f"{cwd}/".startswith(f"{target.rstrip('/')}/"))


def _cloned(operands: tuple[Arg, ...], call: Call, inquiry: Inquiry) -> str:
    address = operands[0].text if operands else ""
    if any(mark in address for mark in _UNSURE) or not _is_path(address) or not inquiry.facts.as_written():
        return ""
    return call.shell.resolve(address.removeprefix(_FILE)) or ""


def _talked_to(operands: tuple[Arg, ...], call: Call, inquiry: Inquiry) -> str:
    if call.shell.cwd is None:
        return ""
    inquiry.facts.targets.ask(call.shell.cwd)
    seen = inquiry.facts.targets.get(call.shell.cwd)
    remotes = inquiry.facts.remotes(seen.git_root, seen.real) if seen is not None and seen.git_root else None
    if seen is None or remotes is None:
        return ""
    named = operands[0].text if operands else ""
    if any(mark in named for mark in _UNSURE):
        return ""
    pushes = call.args[0].text == PUSH
    if named and named not in remotes:
        addresses: tuple[str, ...] = (named,) if "/" in named else ()
    else:
        chosen = [remotes[named]] if named else list(remotes.values())
        addresses = tuple(dict.fromkeys(address for each in chosen for address in each[pushes]))
    if not addresses or not all(map(_is_path, addresses)):
        return ""
    relative = addresses[0][:1] != "/" and not addresses[0].startswith(_FILE)
    if len(addresses) > 1 or (relative and seen.real != seen.git_root):
        return SOMEWHERE
    return call.shell.resolve(addresses[0].removeprefix(_FILE)) or SOMEWHERE


def _is_path(address: str) -> bool:
    """As git tells them apart: no `host:path`, no `ssh://`, no helper of a transport (`ext::`)."""
    if address.startswith(_FILE):
        return address[len(_FILE) : len(_FILE) + 1] == "/"
    before, colon, _ = address.partition(":")
    return bool(address) and address[0] != "-" and (not colon or "/" in before) and "::" not in address
