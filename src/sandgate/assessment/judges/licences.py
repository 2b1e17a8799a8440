"""Under which terms a work may be used: files that say so and are deleted, notices that are cut out of sources.

Neither harms the machine, but what remains is passed on without the permission it was given under. A new year in a
notice changes nothing of that.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, HIGH
from sandgate.assessment.wording import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Inquiry

_NOTICES = ("spdx", "copyright", "licen", "all rights reserved")
_STRICT = ("gpl", "mpl", "epl", "cddl", "busl", "sspl", "proprietary", "elastic")
_LOOSE = ("mit", "apache", "bsd", "isc", "unlicense", "0bsd", "cc0")


def judge_notice(script: str, inquiry: Inquiry) -> None:
    """One finding for a script of `sed` that deletes notices, or puts a looser licence in the place of a strict one."""
    text = script.lower()
    cut = text.rstrip("; '}").endswith(("/d", "/id")) or "//" in text[2:]
    if (cut and any(mark in text for mark in _NOTICES)) or _loosens(text):
        inquiry.add(HIGH, "writes", "licence", "changes the terms a work is under",
                    f"Removes or replaces notices by {shown(script)}",
                    "What remains may not be passed on like this", (COMPLIANCE,))  # fmt: skip


def _loosens(text: str) -> bool:
    """`s/AGPL-3.0/MIT/`."""
    if text[:2] not in ("s/", "s|", "s#", "s,"):
        return False
    before, _, after = text[2:].partition(text[1])
    return any(name in before for name in _STRICT) and any(name in after for name in _LOOSE)
