"""What could go wrong with a command, in words, found without running it.

`facts.Targets` looks up what is asked about, `assess` judges with the answers.
"""

from __future__ import annotations

from sandgate.assessment.facts import AssessmentFacts, TargetFacts
from sandgate.assessment.static import assess

__all__ = ["AssessmentFacts", "TargetFacts", "assess"]
