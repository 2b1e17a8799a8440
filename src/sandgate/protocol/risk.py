"""The risk of a command, and the facts it rests on."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    RiskLevel = Literal["low", "medium", "high"]
    RiskCategory = Literal[
        "data_deletion",
        "data_exfiltration",
        "privilege_escalation",
        "system_modification",
        "network_access",
        "resource_exhaustion",
        "compliance",
    ]
    RiskSource = Literal["static", "model", "both"]
    Confidence = Literal["low", "medium", "high"]
    FactKind = Literal["reads", "writes", "deletes", "contacts", "runs", "privilege", "unknown"]


# Why a fact is none about the files of this machine as the command names them.
NOT_HERE = "on another machine or in a container"
IF_REPLACED = "only if a shell replaces it"  # in brackets, at the end
# Why a fact is about a host that the command names, which may be a single word.
CONTACTS = "contacts another machine"
STAYS_HERE = "stays on this machine"
SENDS = "sends data to another machine"


class Fact(Record):
    """One thing a command does, as far as it can be known without running it."""

    kind: FactKind
    target: str  # a resolved path, a host, a program; "?" when it cannot be known
    why: str  # short, for people: "deletes recursively", "inside your home directory"

    @property
    def here(self) -> bool:
        """Whether the target is what this machine has under that name, and the command means it as it was given."""
        return self.why != NOT_HERE and not self.why.endswith(f"({IF_REPLACED})")

    @property
    def host(self) -> str:
        """The host or address that is contacted; empty when the target is none but says what contacts it."""
        if self.kind != "contacts" or not {" ", "?"}.isdisjoint(self.target):
            return ""
        address = not {".", ":"}.isdisjoint(self.target) and not self.target.endswith((".py", ".sh"))
        return self.target if address or self.why in {CONTACTS, STAYS_HERE, SENDS} else ""


class AdviceOutcome(Record):
    """What a model said about a question by the time it was decided."""

    status: str  # "success", or why there are no words of it
    risk_level: RiskLevel | None = None  # as it was shown, not the model's own; None: the model added nothing
    source: RiskSource | None = None
    prompt_version: str = ""


class RiskAssessment(Record):
    """Advice for the person who decides. It never decides anything itself."""

    description: str  # at most two sentences, at most 500 characters
    risk_level: RiskLevel
    risk_categories: tuple[RiskCategory, ...] = ()
    source: RiskSource = "static"
    reasons: tuple[str, ...] = ()
    confidence: Confidence = "high"
    facts: tuple[Fact, ...] = ()
    prompt_version: str = ""  # of the question a model was asked; "": none was
