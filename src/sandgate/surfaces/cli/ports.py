"""`sandgate ports`: what the sandboxed commands of this user serve, and one of it shown to this machine's browser."""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.display import one_line
from sandgate.errors import RequestError
from sandgate.runtime.ports import port_wish, sandboxes, serving_sandbox, shown_from_outside
from sandgate.surfaces.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.runtime.ports import Sandbox
    from sandgate.surfaces.cli.parse import ParsedLine

COMMAND_CHARS_MAX = 80


def main(parsed: ParsedLine) -> int:
    """0; what cannot be shown is an error."""
    match parsed.words:
        case ("serve", port):
            return _serve(port, parsed)
        case () | ("list",):
            return _list(as_json=parsed.on("json"))
        case _:
            raise RequestError(f"`sandgate ports` does not take `{parsed.words[0]}`", hint="sandgate ports serve PORT")


def _list(*, as_json: bool) -> int:
    serving = [each for each in sandboxes() if each.ports]
    if as_json:
        import json

        say.out(json.dumps({"ports": [row for each in serving for row in _rows(each)]}) + "\n")
        return 0
    for each in serving:
        for port in each.ports:
            where = "" if each.own_network else ", on the host's own network"
            say.out(f"{port}  {_shown(each.argv)}  (pid {each.inside}{where}; run by pid {each.starter})\n")
    if not serving:
        say.fact("no sandboxed command of this user serves a port now")
    return 0


def _rows(sandbox: Sandbox) -> list[dict[str, object]]:
    return [
        {
            "port": port,
            "command": list(sandbox.argv),
            "pid": sandbox.inside,
            "network": "own" if sandbox.own_network else "host",
            "run_by": {"pid": sandbox.starter, "command": list(sandbox.starter_argv)},
        }
        for port in sandbox.ports
    ]


def _serve(text: str, parsed: ParsedLine) -> int:
    from select import POLLIN, poll

    if parsed.on("json"):
        raise RequestError("`--json` means nothing to `sandgate ports serve`")
    wish, pid = port_wish(text), parsed.text("pid")
    if pid is not None and not pid.isdigit():
        raise RequestError(f"`--pid {pid}` is no process", hint="`sandgate ports` lists them")
    sandbox = serving_sandbox(wish.port, None if pid is None else int(pid))
    try:
        with shown_from_outside(wish, sandbox) as end:
            said = f"port {wish.port} of `{_shown(sandbox.argv)}` is shown at http://127.0.0.1:{wish.host_port}/"
            say.fact(f"{said} until Ctrl-C, or until the command ends")
            waiting = poll()
            waiting.register(end, POLLIN)
            waiting.poll()
            say.fact("the command has ended")
    except KeyboardInterrupt:  # the usual end
        say.fact(f"port {wish.port} is not shown any more")
    return 0


def _shown(argv: tuple[str, ...]) -> str:
    return one_line(joined(argv), limit=COMMAND_CHARS_MAX)
