"""A provider makes room in a conversation itself: it is sent all of it, and gives back what stands for it.

One request and one answer, as a piece (`POST {base_url}/responses/compact`). What stands for the conversation is
sealed: the provider's models read it in later requests, and no other reader can. Whether a provider can do this, its
settings say.
"""

from __future__ import annotations

from sandgate.errors import ModelFailed
from sandgate.model.exchange import Exchange, request_json
from sandgate.model.provider_errors import broken_by, complaint_of
from sandgate.model.response_events import as_object, usage_of
from sandgate.model.streaming import Completed, ItemDone
from sandgate.protocol.items_wire import as_item, item_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.model.provider import Provider
    from sandgate.model.quoting import Quoting
    from sandgate.model.streaming import ModelEvent

PATH = "/responses/compact"


class RemoteCompaction:
    """Of one model of one provider, for one event loop. Asked as a model is, and answers with items."""

    def __init__(self, provider: Provider, settings: ModelSettings, *, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self._exchange = Exchange(provider.but(path=PATH), environ)

    def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """What stands for the conversation `prompt.input`, then `Completed`. Raises ModelError.

        Close it (`contextlib.aclosing`) when it is not read to its end.
        """
        said = [item_json(item) for item in prompt.input]
        body = {"model": (prompt.how or self.settings).model, "instructions": prompt.instructions, "input": said}
        return self._exchange.answer(request_json(body), asking, CompactedReply, whole=True)

    async def close(self) -> None:
        """Close all connections."""
        await self._exchange.close()


class CompactedReply:
    """Reads `{"id", "output": [items], "usage"}`; items that cannot be read are left out."""

    def __init__(self, quoting: Quoting) -> None:
        self._quoting = quoting

    def take(self, data: str) -> tuple[ModelEvent, ...]:
        """All that the answer says. Raises ModelError."""
        reply = as_object(data)
        if reply.get("error"):
            raise broken_by(complaint_of(reply["error"]), self._quoting)
        output = reply.get("output")
        if not isinstance(output, list):
            raise ModelFailed("the provider's answer is no conversation")
        name = reply.get("id")
        items = (ItemDone(item) for item in map(as_item, output) if item is not None)
        return (*items, Completed(name if isinstance(name, str) else "", usage_of(reply.get("usage"))))

    def end(self) -> tuple[ModelEvent, ...]:
        """There is no stream that could end."""
        return ()
