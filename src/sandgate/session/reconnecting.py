"""When the model is asked again after its answer broke off (session.md section 3.3)."""

from __future__ import annotations

from random import random

from sandgate.errors import RetriesExhausted
from sandgate.protocol.events import StreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.errors import StreamBroken
    from sandgate.session.context import TurnContext
    from sandgate.session.parts import Sleep

BACKOFF_MS = 200  # before the first new attempt; each further one waits twice as long
BACKOFF_SPREAD = 0.1


async def before_retry(context: TurnContext, failed: int, problem: StreamBroken, sleep: Sleep) -> None:
    """Tells that it is tried again, and waits. Raises RetriesExhausted when that was often enough.

    `failed`: attempts that broke off so far, one after the other.
    """
    limit = context.turn.settings.stream_max_retries
    if failed > limit:
        raise RetriesExhausted(problem.what, why=problem.why, hint=problem.hint) from problem
    context.tell(StreamError(f"Reconnecting... {failed}/{limit}"))
    delay_ms = problem.retry_after_ms
    if delay_ms is None:
        delay_ms = round(BACKOFF_MS * 2 ** (failed - 1) * (1 + BACKOFF_SPREAD * (2 * random() - 1)))
    await sleep(delay_ms / 1000)
