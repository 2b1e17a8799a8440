"""What is said about an applied patch, word for word as models and scripts know it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patch.plan import PatchPlan

SUCCESS = "Success. Updated the following files:"


def success_text(plan: PatchPlan) -> str:
    """The text on stdout: a headline, then added, modified and deleted files, spelled as in the patch."""
    return "".join(f"{line}\n" for line in (SUCCESS, *plan.summary))
