"""One made-up machine for all tests of the assessor: a user, a home, a project in it."""

from __future__ import annotations

from pathlib import Path

from sandgate.assessment.facts import AssessmentFacts, TargetFacts, Targets
from sandgate.assessment.static import assess
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.denials import DenialReport
from sandgate.protocol.risk import RiskAssessment

HOME = "/home/u"
PROJECT = "/home/u/code/app"
ENVIRONMENT = {"HOME": HOME, "PATH": "/usr/bin:/bin", "USER": "u", "TMPDIR": "/tmp"}


def request(*argv: str) -> CommandRequest:
    return CommandRequest(argv, PROJECT, ENVIRONMENT)


def facts(**targets: TargetFacts) -> AssessmentFacts:
    """`targets`: by name below the project."""
    looked_up = {f"{PROJECT}/{name}": each for name, each in targets.items()}
    return AssessmentFacts(HOME, PROJECT, ENVIRONMENT, (PROJECT, "/tmp"), Targets(looked_up))


def judged(
    script: str | tuple[str, ...], about: AssessmentFacts | None = None, denial: DenialReport | None = None
) -> RiskAssessment:
    """A string is what a shell gets, a tuple is an argv."""
    argv = ("bash", "-lc", script) if isinstance(script, str) else script
    risk = assess(request(*argv), facts=about or facts(), denial=denial)
    assert risk is not None
    return risk


def corpus() -> list[tuple[str, tuple[str, ...], str]]:
    """Level, categories that must be named, and the script, of every labelled line."""
    lines = (Path(__file__).parents[2] / "assessment" / "corpus.txt").read_text().splitlines()
    made = []
    for line in lines:
        if not line or line.startswith("#"):
            continue
        level, categories, script = line.split(" | ", 2)
        named = tuple(name for name in categories.strip().split(",") if name)
        made.append((level, named, script.replace("\\|", "|").replace("⏎", "\n")))
    return made
