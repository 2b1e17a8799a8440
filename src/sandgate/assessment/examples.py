"""Whether the tables mean what they say: every entry is judged by the examples that stand beside it.

A command does not pay for this. Judging the examples of one entry takes 0.2 ms in the median and up to 2.5 ms, as much
as judging a command; so the tests do it for every version, and `sandgate doctor --attack` for the installation at hand.
"""

from __future__ import annotations

from sandgate.assessment.facts import AssessmentFacts
from sandgate.assessment.knowledge import ENTRIES
from sandgate.assessment.static import assess
from sandgate.commandline.words import split
from sandgate.protocol.commands import CommandRequest

# The made-up machine that the examples are about.
HOME = "/home/u"
PROJECT = f"{HOME}/code/app"
ENVIRONMENT = {"HOME": HOME, "PATH": "/usr/bin:/bin", "USER": "u", "TMPDIR": "/tmp"}


def contradicted() -> tuple[str, ...]:
    """The examples that are not rated as their entry says; takes a second or two."""
    here = AssessmentFacts(HOME, PROJECT, ENVIRONMENT, (PROJECT, "/tmp"))
    wrong = []
    for entry in ENTRIES.values():
        for example in entry.examples:
            script, _, level = example.partition(" => ")
            risk = assess(CommandRequest(split(script) or (script,), PROJECT, ENVIRONMENT), facts=here)
            if risk is None or risk.risk_level != (level or entry.level):
                wrong.append(script)
    return tuple(wrong)
