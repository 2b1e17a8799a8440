"""Judges what version managers, watchers, terminals and benchmarks start besides their own business."""

from __future__ import annotations

from sandgate.assessment.findings import MEDIUM, NETWORK
from sandgate.assessment.wording import worded
from sandgate.commandline.launcher_rows import ELSEWHERE, LAUNCHERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry


def judge_launched(call: Call, inquiry: Inquiry) -> None:
    """Put what `call` starts besides its own business on the inquiry's list."""
    if call.program not in LAUNCHERS:
        return
    from sandgate.commandline.launchers import command_at, launched

    argv = (call.program, *[arg.text for arg in call.args])
    elsewhere = call.program in ELSEWHERE
    for each in launched(call.program, argv):
        if each.fetched:
            _fetches(argv[each.at], inquiry)
        if each.script is None:
            inquiry.run(call.inside(command_at(argv, each)[0], call.args[each.at :], remote=elsewhere))
        elif each.together:
            inquiry.run_script(each.script, call.inside(call.program, (), remote=elsewhere))
        else:
            inquiry.run_script(each.script, call)


def _fetches(name: str, inquiry: Inquiry) -> None:
    inquiry.add(MEDIUM, "contacts", name, "may download a package to run it",
                f"Runs {worded(name)}, which may be downloaded first", "", (NETWORK,))  # fmt: skip
