"""Vault, where who may log in and what they may do is data like any other: a path below `auth/` or `sys/`."""

from __future__ import annotations

from sandgate.assessment.judges.services import MEANINGS, judge_service, note_deed
from sandgate.assessment.options import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

RIGHTS = ("auth/", "sys/policy", "sys/policies", "sys/audit", "identity/", "sys/auth")


def _judge_vault(call: Call, inquiry: Inquiry) -> None:
    named = [arg.text for arg in parsed(call.args, "-address -namespace", clusters=False).operands]
    about_rights = len(named) > 1 and named[1].startswith(RIGHTS)
    if about_rights and named[0] in {"read", "list"}:
        note_deed(MEANINGS["looking"], call, tuple(named[:2]), inquiry)
        return
    judge_service(call, inquiry)
    if about_rights and named[0] in {"write", "delete"}:
        note_deed(MEANINGS["granting"], call, tuple(named[:2]), inquiry)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {"vault": _judge_vault, "bao": _judge_vault}
