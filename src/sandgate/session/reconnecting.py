"""When the model is asked again after its answer broke off."""

from __future__ import annotations

from sandgate.errors import RetriesExhausted
from sandgate.model.retry import backoff_ms
from sandgate.protocol.events import StreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.errors import StreamBroken
    from sandgate.session.context import TurnContext
    from sandgate.session.interfaces import Sleep


async def before_retry(context: TurnContext, failed: int, problem: StreamBroken, sleep: Sleep) -> None:
    """Tells that it is tried again, and waits. Raises RetriesExhausted when that was often enough.

    `failed`: attempts that broke off so far, one after the other.
    """
    limit = context.turn.settings.stream_max_retries
    if failed > limit:
        raise RetriesExhausted(problem.what, why=problem.why, hint=problem.hint) from problem
    context.tell(StreamError(f"Reconnecting... {failed}/{limit}", str(problem)))
    delay_ms = problem.retry_after_ms if problem.retry_after_ms is not None else backoff_ms(failed)
    await sleep(delay_ms / 1000)
