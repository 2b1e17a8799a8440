"""What a surface needs to show patches, beside `Runtime.apply_patch`."""

from __future__ import annotations

from sandgate.gate.patch_gate import EMPTY as EMPTY
from sandgate.gate.patch_gate import PatchOutcome as PatchOutcome
from sandgate.gate.patch_gate import described as described
from sandgate.policy.approval import NOBODY as NOBODY
