"""What scripts of `sed -i` take out of files: everything there is, or what says under which terms it may be used.

The second harms no machine, but what remains is passed on without the permission it was given under. A new year in a
notice changes nothing of that.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Inquiry

_EVERYTHING = frozenset((".*", "^.*$", ".*$", "^.*"))  # as all that `s/…//` looks for
_DROPPING = frozenset(("d", "1,$d", "/.*/d", "/./d", "/^/d"))
_NOTICES = ("spdx", "copyright", "licen", "all rights reserved")
_STRICT = ("gpl", "mpl", "epl", "cddl", "busl", "sspl", "proprietary", "elastic")
_LOOSE = ("mit", "apache", "bsd", "isc", "unlicense", "0bsd", "cc0")


def judge_edit(script: str, inquiry: Inquiry) -> None:
    """What a script of `sed` that changes files in place takes out of them: all, or what says who made them."""
    if script.strip("/;gs '").replace(" ", "") in _EVERYTHING or script.strip() in _DROPPING:
        inquiry.add(HIGH, "deletes", "files", "leaves nothing of what is in files", "Empties files", "",
                    (DELETION,))  # fmt: skip
    _judge_notice(script, inquiry)


def _judge_notice(script: str, inquiry: Inquiry) -> None:
    """One finding for a script of `sed` that deletes notices, or puts a looser licence in the place of a strict one."""
    text = script.lower()
    cut = text.rstrip("; '}").endswith(("/d", "/id")) or "//" in text[2:]
    if (cut and any(mark in text for mark in _NOTICES)) or _loosens(text):
        inquiry.add(HIGH, "writes", "licence", "changes the terms a work is under",
                    f"Removes or replaces notices by {worded(script)}",
                    "What remains may not be passed on like this", (COMPLIANCE,))  # fmt: skip


def _loosens(text: str) -> bool:
    """`s/AGPL-3.0/MIT/`."""
    if text[:2] not in ("s/", "s|", "s#", "s,"):
        return False
    before, _, after = text[2:].partition(text[1])
    return any(name in before for name in _STRICT) and any(name in after for name in _LOOSE)
