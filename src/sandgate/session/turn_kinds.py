"""What a turn can be about: going on with the conversation, making room, taking patches back, reviewing."""

from __future__ import annotations

from sandgate.errors import RequestError, SandgateError
from sandgate.protocol.events import UndoCompleted, UndoStarted
from sandgate.protocol.items import InputImage, InputText, Message
from sandgate.protocol.operations import ImageInput, LocalImageInput, TextInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from sandgate.protocol.items import Part
    from sandgate.protocol.operations import InputItem, Review
    from sandgate.session.compacting import Compactor
    from sandgate.session.context import TurnContext
    from sandgate.session.session import ActiveTurn
    from sandgate.session.turn_loop import TurnLoop

    Reading = Callable[[str], Part]
    Undoing = Callable[[str], Awaitable[bool]]
    Running = Callable[[TurnContext, str], Awaitable[None]]
    Reviewing = Callable[[TurnContext, Review], Awaitable[str | None]]

NOTHING_TO_UNDO = "the last turn applied no patch that could be taken back"
GONE = "it is not known any more"


class KnownTurnKinds:
    """Of one session. `read_image` gives a picture of this machine, or says why not; `undo` takes one patch back."""

    def __init__(
        self,
        loop: TurnLoop,
        compactor: Compactor,
        *,
        read_image: Reading,
        undo: Undoing,
        review: Reviewing,
        user_shell: Running,
    ) -> None:
        self._loop = loop
        self._compactor = compactor
        self._read_image = read_image
        self._undo = undo
        self._review = review
        self._user_shell = user_shell

    def message(self, items: Sequence[InputItem]) -> Message:
        """What a person said, as the model hears it."""
        return Message("user", tuple(map(self._part, items)))

    async def regular(self, active: ActiveTurn) -> str | None:
        """The model goes on with the conversation."""
        return await self._loop.run(active.context, active.take_pending)

    async def compact(self, active: ActiveTurn) -> str | None:
        """The history is replaced by a summary."""
        await self._compactor.compact(active.context, within_turn=False)
        return None

    async def review(self, active: ActiveTurn, op: Review) -> str | None:
        """The work is looked at by a model that does not know the conversation."""
        return await self._review(active.context, op)

    async def user_shell(self, active: ActiveTurn, command: str) -> str | None:
        """A command of the person's, of which the model is told."""
        await self._user_shell(active.context, command)
        return None

    async def undo(self, active: ActiveTurn, patches: list[str]) -> str | None:
        """Patches are taken back, the last one first, and leave the list; the first that cannot be ends it."""
        context = active.context
        context.tell(UndoStarted())
        if not patches:
            context.tell(UndoCompleted(False, NOTHING_TO_UNDO))
            return None
        done = 0
        while patches:
            try:
                if not await self._undo(patches[-1]):
                    raise RequestError(GONE)
            except SandgateError as problem:
                context.tell(UndoCompleted(False, f"{_undone(done)}; then: {problem.sentence}"))
                return None
            patches.pop()
            done += 1
        context.tell(UndoCompleted(True, _undone(done)))
        return None

    def _part(self, item: InputItem) -> Part:
        match item:
            case TextInput():
                return InputText(item.text)
            case ImageInput():
                return InputImage(item.image_url)
            case LocalImageInput():
                return self._read_image(item.path)


def _undone(count: int) -> str:
    return f"taken back: {count} patch{'es' * (count != 1)}"
