"""What may be asked of a session. Each wish has an id, which its events carry."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from sandgate.protocol.decisions import Decision
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy


class TextInput(Record):
    """Something the person says."""

    text: str


class ImageInput(Record):
    """A picture, as an address or a `data:` URL."""

    image_url: str


class LocalImageInput(Record):
    """A picture on this machine."""

    path: str


class UserInput(Record):
    """Goes on with the conversation; during a turn it is heard within that turn."""

    items: tuple[TextInput | ImageInput | LocalImageInput, ...]
    output_schema: Mapping[str, Any] | None = None  # of this turn's last message


class ContextChange(Record):
    """What is to hold from now on; what is None stays as it is."""

    cwd: str | None = None  # absolute
    approval_policy: ApprovalPolicy | None = None
    sandbox_policy: SandboxPolicy | None = None
    model: str | None = None
    effort: str | None = ""  # "": as it is; None: the model's own
    summary: str | None = None


class UserTurn(Record):
    """Goes on with the conversation like `UserInput`, under other settings from this turn on.

    During a turn it is heard within that turn, and its settings hold from the next one on.
    """

    items: tuple[TextInput | ImageInput | LocalImageInput, ...]
    change: ContextChange = ContextChange()
    output_schema: Mapping[str, Any] | None = None  # of this turn's last message alone


class OverrideTurnContext(Record):
    """Other settings from the next turn on."""

    change: ContextChange


class Interrupt(Record):
    """End the turn now."""


class AnswerApproval(Record):
    """Answers a question. `id` is the approval's; or its call's, or its turn's, where that names no other question.

    Questions of sub-agents are not named by their calls, which may be called like calls of the session itself.
    """

    id: str
    decision: Decision


class Compact(Record):
    """Replace the history by a summary."""


class Review(Record):
    """Have the work reviewed by a model that has not seen the conversation."""

    prompt: str
    user_facing_hint: str = ""


class RunUserShellCommand(Record):
    """Runs a command of the person's in their shell, and tells the model of it.

    It is judged and confined as one of the model's is.
    """

    command: str


class ListMcpTools(Record):
    """Which tools of other servers there are; answered by one event."""


class AddToHistory(Record):
    """Keeps what the person typed, for later sessions of theirs; the conversation does not change."""

    text: str


class GetHistoryEntry(Record):
    """Looks up what was kept so; answered by one event."""

    offset: int  # from 0, the oldest
    log_id: int  # of the file as it was when the offset was noted


class ListCustomPrompts(Record):
    """Which prompts the person keeps in files; answered by one event."""


class Undo(Record):
    """Take the patches of the last turn back."""


class Shutdown(Record):
    """End the session and everything it started."""


if TYPE_CHECKING:
    InputItem: TypeAlias = TextInput | ImageInput | LocalImageInput
    Operation: TypeAlias = (
        UserInput
        | UserTurn
        | OverrideTurnContext
        | Interrupt
        | AnswerApproval
        | Compact
        | Review
        | RunUserShellCommand
        | ListMcpTools
        | AddToHistory
        | GetHistoryEntry
        | ListCustomPrompts
        | Undo
        | Shutdown
    )


class Submission(Record):
    """A wish with its id."""

    id: str
    op: Operation
