"""What a model is asked: everything it gets to see, and the form its answer must have."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class ModelQuestion(Record):
    """One question without a history. Nothing of any conversation goes along but its name."""

    instructions: str  # whole; they replace any others
    text: str  # the one message of the one user
    schema: Mapping[str, object]  # JSON schema of the answer
    source: str  # the part of Sandgate that asks, for gateways that meter: "risk_assessment"
    strict: bool = True  # the provider is to hold the model to `schema`
    parent: str = ""  # the session this question belongs to; the question has an id of its own
    parent_source: str = ""  # where that session comes from
