"""Judges what looks for files and starts a program on what it finds: find and fd."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import EXFILTRATION, HIGH, LOW
from sandgate.assessment.judges.feeding import (
    DELETERS,
    below_base,
    find_bases,
    judged_bases,
    names_secrets,
    picked_repository,
    picks_work,
    shows_what_is_found,
)
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded
from sandgate.policy.secret_names import finds_everything, is_searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

FIND_RUNNERS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
FIND_WRITERS = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
SHARED_TREES = words("/var /etc /srv /home /usr /opt /root /data /mnt /boot")


def _judge_find(call: Call, inquiry: Inquiry) -> None:
    (bases, filtered), texts = find_bases(call), [arg.text for arg in call.args]
    deletes = "-delete" in texts
    filtered = filtered and not (picks_work(call, bases) and (deletes or not DELETERS.isdisjoint(texts)))
    for base in bases:
        inquiry.read(base, call)
        if deletes:
            shared = call.remote and base.text.startswith(SHARED_TREES)  # there a filter is no comfort
            inquiry.delete(below_base(base, filtered=filtered), call, recursive=shared or not filtered)
    search: _Search | None = None
    at = 0
    while at < len(texts):
        if texts[at] in FIND_WRITERS and at + 1 < len(texts):
            inquiry.write(call.args[at + 1], call)
        if texts[at] in FIND_RUNNERS:
            start = at = at + 1
            while at < len(texts) and texts[at] not in {";", "+"}:
                at += 1
            search = search or _Search(bases, call, filtered=filtered)
            _run_on_found(call.args[start:at], search, call, inquiry)
        at += 1


class _Search:
    """What a search finds, as far as its words tell; asked once, however many programs are started on it."""

    __slots__ = ("bases", "everything", "filtered", "repository", "secrets")

    def __init__(self, bases: Sequence[Arg], call: Call, *, filtered: bool) -> None:
        self.bases, self.filtered = bases, filtered
        self.secrets = names_secrets(call)
        self.everything = call.program == "find" and finds_everything(
            tuple([base.text for base in bases] + [arg.text for arg in call.args])
        )
        self.repository = picked_repository(call) if filtered else ""

    def shown_by(self, program: str) -> bool:
        """Whether `program`, started on what is found, shows secrets."""
        if not shows_what_is_found(program):
            return False
        return self.secrets or (self.everything and not is_searcher(program))


def _run_on_found(inner: Sequence[Arg], search: _Search, call: Call, inquiry: Inquiry) -> None:
    if not inner:
        return
    named = search.repository if inner[0].text in DELETERS else ""
    if search.shown_by(inner[0].text):
        inquiry.add(HIGH, "reads", search.bases[0].text, "reads files that are named like keys",
                    f"Reads files below {worded(search.bases[0].text)} that are named like keys or passwords", "",
                    (EXFILTRATION,))  # fmt: skip
    for base in judged_bases(search.bases, inquiry):
        found = below_base(base, filtered=search.filtered, named=named)
        args = [found if arg.text == "{}" else _filled(arg, found) for arg in inner]
        if not inquiry.run(call.inside(args[0].text, args[1:])):
            return


def _filled(arg: Arg, found: Arg) -> Arg:
    if "{}" not in arg.text:
        return arg
    raw = arg.raw and arg.raw.replace("{}", found.text)
    return arg.but(text=arg.text.replace("{}", found.text), glob=True, raw=raw)


def _judge_fd(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-e -t -E -d -S --extension --type --exclude --max-depth", stop_at_operand=False)
    for index, arg in enumerate(call.args):
        if arg.text in {"-x", "--exec", "-X", "--exec-batch"}:
            before = parsed(call.args[:index], "-e -t -E -d -S --extension --type --exclude --max-depth").operands
            bases = list(before[1:]) or [Arg(".")]
            inner = [*call.args[index + 1 :]]
            if inner and not any("{}" in each.text for each in inner):
                inner.append(Arg("{}"))
            search = _Search(bases, call, filtered=bool(before) and before[0].text not in {"", "."})
            _run_on_found(inner, search, call, inquiry)
            return
    for base in options.operands[1:]:
        inquiry.read(base, call)
    inquiry.add(LOW, "reads", "fd", "lists files")


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "find": _judge_find,
    "fd": _judge_fd,
    "fdfind": _judge_fd,
}
