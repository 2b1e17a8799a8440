"""Stands where a model would, in a session that is opened for something else: taking its patches back.

That has to work without a key and without a network, so nothing is looked for that only a question needs.
"""

from __future__ import annotations

from sandgate.errors import ModelFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.model.streaming import ModelEvent


class NoModel:
    """Answers nothing."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings

    async def stream(self, _prompt: Prompt, _asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """Raises ModelFailed."""
        raise ModelFailed("this session was opened without a model")
        yield  # a generator, like every other model's

    async def close(self) -> None:
        """Nothing is held."""
