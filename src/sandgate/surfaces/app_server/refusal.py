"""Why a request came to nothing, as the client is told."""

from __future__ import annotations

from sandgate.errors import ConfigError, RequestError, SandgateError, SessionBusy, SessionNotFound
from sandgate.surfaces.transport.json_rpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST


class RequestRefused(Exception):
    """Ends a request with an error."""

    def __init__(self, message: str, *, code: int = INVALID_REQUEST) -> None:
        super().__init__(message)
        self.code = code


def bad_params(message: str) -> RequestRefused:
    """The client sent something that means nothing here."""
    return RequestRefused(message, code=INVALID_PARAMS)


def refusal_of(problem: SandgateError) -> RequestRefused:
    """An error of ours: -32600 where the client can do something about it, -32603 where it cannot."""
    theirs = isinstance(problem, RequestError | SessionNotFound | SessionBusy) and not isinstance(problem, ConfigError)
    return RequestRefused(problem.sentence, code=INVALID_REQUEST if theirs else INTERNAL_ERROR)
