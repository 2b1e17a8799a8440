"""What was refused and why, and the option that grants it, as lines for people."""

from __future__ import annotations

from os.path import dirname, isdir
from stat import S_ISREG

from sandgate.places.run_later import ending_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.decisions import Attempt
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.permissions import EffectivePermissions

DENIALS_SAID_MAX = 12  # lines about denials of one attempt
ANSWERED = ("user", "script")  # who says no on purpose
UNWATCHED = "nothing watched; judged from the command's own message"
BY_NAME = ("create", "delete", "rename")  # needs the directory, not only what lies in it
# Where every option would open more than the command wants; under this policy what was stopped is asked about.
ONE_YES = "-a on-failure --answer approve"
NO_DIALOGUE = ", and without --tty: what was typed into a dialogue is not typed again"
PLACES_SAID_MAX = 6  # named in one line


def denial_lines(attempt: Attempt, *, verbose: bool = False) -> list[str]:
    """`denied: …` lines of one attempt, and how to grant what was missing."""
    denials, permissions = attempt.denial.denials, attempt.permissions
    if attempt.final.exit_code == 0 and not verbose:
        # What programs ask for only to learn what there is.
        told = [each for each in denials if each.operation != "other" or each.path is not None]
        return _coped_with(told, permissions, attempt.denial.omitted)
    declined = _declined(attempt)
    left = [each for each in denials if (each.operation, each.path, each.address) not in declined]
    lines = refused_lines(left, permissions, omitted=attempt.denial.omitted)
    return denied([each for each in denials if each not in left], permissions, 0) + lines


def _declined(attempt: Attempt) -> set[tuple[str, str | None, str | None]]:
    """What somebody has said no to while it ran: nobody is told how to allow what he did not want."""
    noes = [each.denial for each in attempt.held if each.decision.source in ANSWERED and not each.decision.approved]
    return {(each.operation, each.path, each.address) for each in noes}


def refused_lines(denials: Sequence[Denial], permissions: EffectivePermissions, *, omitted: int = 0) -> list[str]:
    """What these permissions refuse and why, and the options that would open it. `omitted`: of more, the number."""
    found = [grant_hint(denial, permissions) for denial in _asked_for(denials)]
    allowing = [f"grant it once with: {hint}" for hint in _said_once(found)[:DENIALS_SAID_MAX]]
    return denied(denials, permissions, omitted) + allowing


def _said_once(hints: Sequence[str]) -> list[str]:
    """Not again what another one gives, in whatever order: each of `touch a b` is refused, and offered both."""
    from shlex import split

    given = {hint: frozenset(split(hint)) for hint in hints if hint}
    kept: dict[frozenset[str], str] = {}
    for hint, words in given.items():
        if not any(words < others for others in given.values()):
            kept.setdefault(words, hint)
    return list(kept.values())


def patch_lines(
    opening: str, reason: str, denials: Sequence[Denial], permissions: EffectivePermissions, *, hinted: bool = True
) -> list[str]:
    """Why a patch is not written: one line where it is about one path, else a line each; and the options it takes.

    `reason`: "nobody may be asked". The options open it together, since it is written as a whole or not at all.
    """
    options = _together(denials, permissions) if hinted else ""
    allowing = f"grant it once with: {options}" if options else ""
    if len(denials) == 1:
        refused = f"{opening}: {_object(denials[0])} ({_why(denials[0], permissions)}), and {reason}"
        return ["; ".join(filter(None, (refused, allowing)))]
    what = f"{opening}: it changes {len(denials)} places where it may not write, and {reason}"
    return [what, *denied(denials, permissions, 0), *filter(None, (allowing,))]


def _together(denials: Sequence[Denial], permissions: EffectivePermissions) -> str:
    """All that these take; one yes to the whole where there is no option for some, or too many to be read."""
    hints = dict.fromkeys(grant_hint(denial, permissions, patched=True) for denial in denials)
    if "" in hints:
        return ""
    return ONE_YES if ONE_YES in hints or len(hints) > DENIALS_SAID_MAX else " ".join(hints)


def _coped_with(denials: Sequence[Denial], permissions: EffectivePermissions, omitted: int) -> list[str]:
    """One line at most: it went well without all of these, and nothing needs to be opened for it."""
    more = len(denials) - 1 + omitted
    if unkept := next((each for each in denials if each.unkept), None):
        return [_lost(unkept, more, permissions)]
    if more < 1 or not denials:
        return denied(denials, permissions, omitted)
    return [f"denied: {_object(denials[0])} and {more} more, which it could do without (-v shows them)"]


def _lost(denial: Denial, more: int, permissions: EffectivePermissions) -> str:
    """What the command was told it had done: it cannot know, so who reads this has to."""
    hint = grant_hint(denial, permissions)
    others = f" and {more} more (-v shows them)" if more else ""
    allowing = f"; grant it once with: {hint}" if hint else ""
    return f"not kept, though the command ended well: {_object(denial)} ({_why(denial, permissions)}){others}{allowing}"


def denied(denials: Sequence[Denial], permissions: EffectivePermissions, omitted: int) -> list[str]:
    """One line each, and how many more there are."""
    lines = [
        f"{'not kept' if denial.unkept else 'denied'}: {_object(denial)} ({_why(denial, permissions)})"
        for denial in denials[:DENIALS_SAID_MAX]
    ]
    more = len(denials) - len(lines) + omitted
    return [*lines, f"denied: {more} more"] if more > 0 else lines


def grant_hint(denial: Denial, permissions: EffectivePermissions, *, patched: bool = False) -> str:
    """The option that gives this grant on the next run; empty when there is none."""
    grant = denial.grant
    if grant is None:
        return _directory_hint(denial, permissions)
    missing = (*permissions.absent, *(permissions.judged if denial.operation == "create" else ()))
    by_name = ending_form(grant.value) in permissions.absent or any(_is_or_below(grant.value, name) for name in missing)
    if by_name and grant.kind in ("write_root", "write_path"):
        return ONE_YES  # protected by its name, and made with a view alone: an option would put a file there
    match grant.kind:
        case "write_root" | "write_path" | "new_entry" | "remove" | "metadata" if not permissions.writable:
            return "-s workspace-write"
        case "write_root" if permissions.may_write(grant.value):
            return ""  # it is open already; something else stands in the way
        case _:
            from sandgate.surfaces.cli.approval_hints import git_options, option

            if together := git_options(denial, workspaces=permissions.writable):
                return together
            is_new = denial.operation == "create" and grant.value == denial.path
            if is_new and any(_is_or_below(grant.value, place) for place in permissions.hidden):
                if patched:
                    return ONE_YES  # an option would open the closed directory around it
                is_new = grant.kind == "write_root"
            places = permissions.writable
            options = [option(each, new=is_new, workspaces=places, patched=patched) for each in denial.grants]
            return " ".join(options) if all(options) else ONE_YES


def _directory_hint(denial: Denial, permissions: EffectivePermissions) -> str:
    """For what is made, moved or deleted in a closed directory: that directory alone."""
    path = denial.path or ""
    closed = [place for place in permissions.hidden if _is_or_below(path, place) and path != place]
    if denial.operation not in BY_NAME or denial.why or not closed:
        return ""
    if any(_is_or_below(path, place) for place in (*permissions.sealed, *permissions.own)):
        return ""
    if not permissions.writable:
        return "-s workspace-write"
    from sandgate.surfaces.cli.approval_hints import root_option

    return root_option(path, new=True, workspaces=permissions.writable) if isdir(dirname(path)) else ""


def _asked_for(denials: Sequence[Denial]) -> list[Denial]:
    """Without reads that are only likely, and of nothing but the closed place in which something was to be changed."""
    changed = [denial.path for denial in denials if denial.operation in BY_NAME and denial.path and not denial.why]
    return [
        each
        for each in denials
        if each.certain or each.path is None or not any(_is_or_below(path, each.path) for path in changed)
    ]


def _object(denial: Denial) -> str:
    doubt = "" if denial.certain else " (likely)"
    return f"{denial.words}{doubt}"


def _why(denial: Denial, permissions: EffectivePermissions) -> str:
    path = denial.path
    if denial.why:
        return denial.why
    if denial.address is not None:
        closed = permissions.network != "off" or denial.address.startswith("unix:")
        return "this socket is closed to the sandbox" if closed else "the network is off"
    if path is None:
        return _answer(denial) if denial.certain else UNWATCHED
    if any(_is_or_below(path, place) for place in permissions.sealed):
        return "Sandgate's own files stay its own, whatever is granted"
    if denial.operation == "read":
        return "closed: a secret, or not known to be harmless"
    if ending_form(path) in permissions.absent or any(
        _is_or_below(path, name) for name in (*permissions.read_only, *permissions.absent, *permissions.judged)
    ):
        what = "it, or what it is another name of," if _has_other_names(path) else "it"
        return f"protected: {what} can run code outside the sandbox later"
    if permissions.may_write(path):
        return _answer(denial)
    if not permissions.writable:
        return "the sandbox is read-only"
    return f"outside the writable roots: {some_places(permissions.open_places)}"


def _answer(denial: Denial) -> str:
    return f"the sandbox answered {denial.errno or 'no'}"


def _has_other_names(path: str) -> bool:
    from os import lstat

    try:
        about = lstat(path)
    except OSError:
        return False
    return about.st_nlink > 1 and S_ISREG(about.st_mode)


def some_places(places: tuple[str, ...]) -> str:
    """A handful of them, and how many more there are."""
    more = len(places) - PLACES_SAID_MAX
    return ", ".join(places if more <= 0 else (*places[:PLACES_SAID_MAX], f"and {more} more"))


def _is_or_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
