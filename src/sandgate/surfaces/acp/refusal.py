"""Why a request came to nothing, as the client is told."""

from __future__ import annotations

from acp.exceptions import RequestError as Refused

from sandgate.errors import ConfigError, RequestError, SandgateError, SessionBusy, SessionNotFound
from sandgate.surfaces.transport.json_rpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST

NOT_FOUND = -32002  # of the protocol: what was named is not there


def bad_params(message: str) -> Refused:
    """The client sent something that means nothing here."""
    return Refused(INVALID_PARAMS, message)


def bad_request(message: str) -> Refused:
    """What it asks for cannot be now."""
    return Refused(INVALID_REQUEST, message)


def refusal_of(problem: Exception) -> Refused:
    """Any problem, as an answer: a bug ends its request and is told; the server goes on."""
    match problem:
        case Refused():
            return problem
        case SessionNotFound():
            return Refused(NOT_FOUND, problem.sentence)
        case ConfigError():
            return Refused(INTERNAL_ERROR, problem.sentence)
        case RequestError() | SessionBusy():
            return bad_request(problem.sentence)
        case SandgateError():
            return Refused(INTERNAL_ERROR, problem.sentence)
        case _:
            return Refused(INTERNAL_ERROR, f"internal error: {type(problem).__name__}: {problem}")
