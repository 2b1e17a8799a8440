"""`sandgate app-server`: checks what was asked for, then loads the server, or writes down what it speaks."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.cli.session import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

STDIO = "stdio://"
FILES = (("model_script", "model script"), ("model_replay", "recording"))


def main(parsed: ParsedLine) -> int:
    """Serves until the client goes, or a signal comes. Raises RequestError and ConfigError before that."""
    directory = parsed.text("out")
    if parsed.form.partition(" ")[0] == "schema":
        if directory is None:
            raise RequestError("`schema` writes into a directory", hint="sandgate app-server schema --out DIR")
        return write_documents(directory)
    if directory is not None:
        raise RequestError("`--out` belongs to `schema`", hint="sandgate app-server schema --out DIR")
    listen = parsed.text("listen") or STDIO
    if listen != STDIO:
        raise RequestError(f"cannot listen on `{visible(listen)}`", hint=f"listen on `{STDIO}`")
    return _serve(parsed)


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


def _serve(parsed: ParsedLine) -> int:
    where = environment(parsed).but(person_present=True)
    named = {key: _file(parsed.text(key), what) for key, what in FILES}
    from sandgate.surfaces.app_server.command import serve_standard_streams
    from sandgate.surfaces.app_server.thread_settings import Serving

    return serve_standard_streams(
        Serving(
            where,
            model=parsed.text("model"),
            model_record=parsed.text("model_record"),
            loosening=parsed.on("loosening"),
            **named,
        )
    )


def _file(path: str | None, what: str) -> str | None:
    if path is not None and not os.path.isfile(path):
        raise RequestError(f"there is no {what} `{visible(path)}`")
    return None if path is None else os.path.abspath(path)
