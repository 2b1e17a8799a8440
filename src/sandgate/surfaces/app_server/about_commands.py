"""Answers about single commands of a client: run, written to, resized, ended. Judged and confined as a turn's."""

from __future__ import annotations

import binascii
from base64 import b64decode

from sandgate.surfaces.app_server.client_command import PipedCommand, TerminalCommand, Wish
from sandgate.surfaces.app_server.policies import sandbox_asked_for
from sandgate.surfaces.app_server.refusal import RequestRefused, bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.surfaces.app_server.connection import Connection

    Json = dict[str, Any]

COMMANDS_MAX = 64  # of one client, at the same time, with an id
TIMEOUT_MS = 10_000  # unless the client says otherwise, as in the lineage
OUTPUT_BYTES = 1024 * 1024  # of each stream, the same
ID_CHARS_MAX = 256
VARIABLES_MAX = 1024
NEEDS_ID = "command/exec tty or streaming requires a client-supplied processId"
IN_USE = "there is an active command/exec for process id {name!r}"
UNKNOWN = "no active command/exec for process id {name!r}"
TOO_MANY = f"a client has at most {COMMANDS_MAX} commands at the same time"
EXCLUDE = "`{one}` and `{other}` exclude each other"


async def exec_command(client: Connection, params: Json) -> Json:
    """Its end. Nobody is asked about it: what takes an answer is refused."""
    tty, name = bool(params.get("tty")), params.get("processId")
    if name is None and (tty or params.get("streamStdin") or params.get("streamStdoutStderr")):
        raise bad_params(NEEDS_ID)
    wish, kind = _wish(params, tty=tty), TerminalCommand if tty else PipedCommand
    sandbox = sandbox_asked_for(params.get("sandboxPolicy"))
    command = kind(wish, client.notify)
    if name is not None:
        _take_name(client, name)
        client.commands[name] = command
    try:
        async with client.threads.commands.lent(params.get("cwd"), sandbox) as gate:
            return await command.run(gate)
    finally:
        command.begun.set()
        if name is not None:
            del client.commands[name]


async def write_command(client: Connection, params: Json) -> Json:
    """Bytes for it, or the end of its input, or both."""
    try:
        data = b64decode(params.get("deltaBase64") or "", validate=True)
    except binascii.Error as problem:
        raise bad_params("`params.deltaBase64` is not Base64") from problem
    (await _command(client, params)).write(data, close=bool(params.get("closeStdin")))
    return {}


async def resize_command(client: Connection, params: Json) -> Json:
    """Its terminal has another size."""
    size = params["size"]
    (await _command(client, params)).resize(size["rows"], size["cols"])
    return {}


async def terminate_command(client: Connection, params: Json) -> Json:
    """It is told to end; `command/exec` answers when it has."""
    (await _command(client, params)).terminate()
    return {}


async def _command(client: Connection, params: Json) -> PipedCommand | TerminalCommand:
    """Once it has begun: no client is told when that is."""
    name = params["processId"]
    found = client.commands.get(name)
    if found is not None:
        await found.begun.wait()
    if found is None or client.commands.get(name) is not found:
        raise RequestRefused(UNKNOWN.format(name=name[:ID_CHARS_MAX]))
    return found


def _take_name(client: Connection, name: str) -> None:
    if not 0 < len(name) <= ID_CHARS_MAX:
        raise bad_params(f"`params.processId` has 1 to {ID_CHARS_MAX} characters")
    if name in client.commands:
        raise RequestRefused(IN_USE.format(name=name))
    if len(client.commands) >= COMMANDS_MAX:
        raise RequestRefused(TOO_MANY)


def _wish(params: Json, *, tty: bool) -> Wish:
    given = params.get("env") or {}
    if len(given) > VARIABLES_MAX or not all(isinstance(value, str | None) for value in given.values()):
        raise bad_params(f"`params.env` has at most {VARIABLES_MAX} variables, each of them text or null")
    if params.get("size") is not None and not tty:
        raise bad_params("`params.size` takes `tty`")
    size = params.get("size") or {"rows": 24, "cols": 80}
    return Wish(
        argv=tuple(params["command"]),
        variables={name: value for name, value in given.items() if value is not None},
        without=frozenset(name for name, value in given.items() if value is None),
        timeout_ms=_limit(params, "timeoutMs", "disableTimeout", TIMEOUT_MS),
        cap_bytes=_limit(params, "outputBytesCap", "disableOutputCap", OUTPUT_BYTES),
        process_id=params.get("processId") or "",
        streams_output=bool(params.get("streamStdoutStderr")),
        streams_input=bool(params.get("streamStdin")),
        rows=size["rows"],
        columns=size["cols"],
    )


def _limit(params: Json, name: str, off: str, usual: int) -> int | None:
    given = params.get(name)
    if params.get(off):
        if given is not None:
            raise bad_params(EXCLUDE.format(one=name, other=off))
        return None
    if given is not None and given < 0:
        raise bad_params(f"`params.{name}` is less than nothing")
    return usual if given is None else int(given)
