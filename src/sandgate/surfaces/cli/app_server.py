"""`sandgate app-server`: checks what was asked for, then loads the server, or writes down what it speaks."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.cli.session import environment
from sandgate.surfaces.cli.session_serving import serving_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

STDIO = "stdio://"
LOOPBACK = ("127.0.0.1", "localhost")
PORT_MAX = 65_535


def main(parsed: ParsedLine) -> int:
    """Serves until the client goes, or a signal comes. Raises RequestError and ConfigError before that."""
    directory = parsed.text("out")
    if parsed.form.partition(" ")[0] == "schema":
        if directory is None:
            raise RequestError("`schema` writes into a directory", hint="sandgate app-server schema --out DIR")
        return write_documents(directory)
    if directory is not None:
        raise RequestError("`--out` belongs to `schema`", hint="sandgate app-server schema --out DIR")
    kind, place = _address(parsed.text("listen") or STDIO)
    if kind != "ws" and parsed.text("token_file") is not None:
        raise RequestError("`--token-file` belongs to `--listen ws://127.0.0.1:PORT`")
    return _serve(parsed, kind, place)


def write_documents(directory: str) -> int:
    """JSON Schema and TypeScript of the protocol. Raises RequestError where they cannot be written."""
    from sandgate.surfaces.app_server.wire.documents import documents

    try:
        os.makedirs(directory, exist_ok=True)
        for name, text in documents().items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
    except OSError as problem:
        raise RequestError(f"cannot write into `{visible(directory)}`", why=str(problem.strerror)) from problem
    return 0


def _serve(parsed: ParsedLine, kind: str, place: str) -> int:
    where = environment(parsed).but(person_present=True)
    serving = serving_of(parsed, where)
    from sandgate.surfaces.app_server import command

    if kind == "stdio":
        return command.serve_standard_streams(serving)
    try:
        import websockets.asyncio.server  # noqa: F401  # so that what is missing is said before anything begins
    except ModuleNotFoundError as missing:
        raise RequestError(
            f"cannot listen on `{kind}://`",
            why=f"the Python package `{missing.name}` is not installed",
            hint="install Sandgate with its extra `app-server`; in a clone: pip install '.[app-server]'",
        ) from missing
    if kind == "unix":
        return command.serve_path(serving, place)
    return command.serve_port(serving, int(place), parsed.text("token_file"))


def _address(listen: str) -> tuple[str, str]:
    """The kind of place, and which: a path, or a port. Raises RequestError."""
    if listen == STDIO:
        return "stdio", ""
    kind, _, place = listen.partition("://")
    if kind == "unix" and place:
        return kind, place
    host, _, port = place.rpartition(":")
    known = kind == "ws" and host in LOOPBACK and port.isascii() and port.isdigit() and int(port) <= PORT_MAX
    if not known:
        raise RequestError(
            f"cannot listen on `{visible(listen)}`",
            why="what is said travels unencrypted, so only this machine is served" if kind == "ws" else "",
            hint="listen on `stdio://`, `unix://PATH` or `ws://127.0.0.1:PORT`; port 0 takes a free one",
        )
    return kind, port
