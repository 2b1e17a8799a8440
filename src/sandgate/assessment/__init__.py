"""What could go wrong with a command, in words, found without running it.

`targets` tells which paths should be looked up, `assess` judges with the answers.
"""

from __future__ import annotations

from sandgate.assessment.facts import AssessmentFacts, TargetFacts
from sandgate.assessment.static import assess, targets

__all__ = ["AssessmentFacts", "TargetFacts", "assess", "targets"]
