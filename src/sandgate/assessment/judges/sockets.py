"""`nc` and `socat`: bare connections, which carry whatever is at their two ends, a shell among it."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import EXFILTRATION, HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.network import private_input
from sandgate.assessment.knowledge.interpreters import SHELLS
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry


def _judge_nc(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-e -c -p -s -w -x -X -q -i -o --exec --sh-exec")
    if options.has("--version --help -h") and not options.operands:
        inquiry.add(LOW, "reads", "nc", "only shows help")
        return
    host = options.operands[0].text if options.operands else "?"
    program = options.value("-e -c --exec --sh-exec")
    if program is not None:
        _gives_control(host, call, inquiry)
    if options.has("-l --listen"):
        own = options.value("-s")
        if program is None and is_local(own.text if own is not None else host) and host != "0.0.0.0":
            inquiry.add(MEDIUM, "contacts", host, "waits for connections from this machine")
            return
        said = "Lets others connect to this machine"
        inquiry.add(HIGH, "contacts", host, "waits for connections from outside", said, "", (NETWORK, EXFILTRATION))
        call.carry("network", host)
        return
    if options.has("-z"):
        inquiry.contact(host, call, why="checks ports of another machine")
        return
    inquiry.contact(host, call)
    if _fed_by_shell(call):
        _gives_control(host, call, inquiry)
    private = private_input(call)
    if private is not None:
        inquiry.send(private, host)


def _fed_by_shell(call: Call) -> bool:
    """`sh -i < fifo | nc …`: what a shell answers goes to whoever asked it."""
    feeder = call.feeder
    if feeder is None or feeder.program not in SHELLS:
        return False
    return all(arg.text[:1] == "-" and arg.text != "-c" for arg in feeder.args)


def _gives_control(host: str, call: Call, inquiry: Inquiry) -> None:
    inquiry.add(
        HIGH, "contacts", host, "hands a shell to another machine", f"Gives {worded(host)} control of this account", "",
        (PRIVILEGE, EXFILTRATION, NETWORK),
    )  # fmt: skip
    call.carry("network", host)


def _judge_socat(call: Call, inquiry: Inquiry) -> None:
    host = "?"
    if call.args and all(arg.text in {"-V", "-h", "-hh", "-hhh"} for arg in call.args):
        inquiry.add(LOW, "reads", "socat", "only shows help")
        return
    for arg in call.args:
        kind, _, rest = arg.text.partition(":")
        kind = kind.upper()
        if kind.startswith(("TCP", "UDP", "OPENSSL", "SSL")) and "LISTEN" not in kind:
            host = rest.split(",", 1)[0]
            inquiry.contact(host, call)
    for arg in call.args:
        kind = arg.text.partition(":")[0].upper()
        path = arg.text.partition(":")[2].partition(",")[0]
        if kind in {"FILE", "OPEN", "GOPEN", "CREATE", "CREAT"} and path:
            inquiry.read(Arg(path, raw=path), call)
            if host != "?" and ("secret" in call.outflow or "file" in call.outflow):
                inquiry.send(f"the content of {worded(path)}", host)
        if kind in {"EXEC", "SYSTEM", "SHELL"}:
            _gives_control(host, call, inquiry)
        elif "LISTEN" in kind and any(f"bind={own}" in arg.text for own in ("127.", "localhost", "[::1]")):
            inquiry.add(MEDIUM, "contacts", host, "waits for connections from this machine")
        elif "LISTEN" in kind:
            inquiry.add(HIGH, "contacts", host, "waits for connections from outside",
                        "Lets others connect to this machine", "", (NETWORK,))  # fmt: skip
    private = private_input(call)
    if private is not None:
        inquiry.send(private, host)
    inquiry.add(MEDIUM, "contacts", host, "joins connections")


def _judge_broker(call: Call, inquiry: Inquiry) -> None:
    """`mosquitto_pub -h HOST -f FILE`, `kcat -P -b HOST < FILE`: a message, or a file, for whoever listens there."""
    options = parsed(call.args, BROKER_VALUES)
    named = options.value("-h --host -b --bootstrap-server --broker-list -s --server -H")
    if named is None or not is_local(named.text):
        by_table(call, inquiry)
    else:
        inquiry.add(MEDIUM, "contacts", named.text, "talks to a message broker of this machine")
    host = named.text if named is not None else "a message broker"
    given = options.value("-f --file")
    sources = [given] if given is not None else []
    if call.program in {"kcat", "kafkacat"}:
        sources = [*options.operands] if options.has("-P") else []
    for arg in sources:
        inquiry.read(arg, call)
        inquiry.send(f"the content of {worded(arg.text)}", host)
    private = private_input(call)
    if private is not None:
        inquiry.send(private, host)


def _judge_notebook(call: Call, inquiry: Inquiry) -> None:
    """`jupyter lab --ip=0.0.0.0`: whoever gets in may run what they like."""
    by_table(call, inquiry)
    bound = next((arg.text.partition("=")[2] for arg in call.args if arg.text.startswith("--ip=")), "")
    if bound and not (is_local(bound) and bound != "0.0.0.0"):
        inquiry.add(HIGH, "contacts", bound, "lets other machines run code here",
                    "Lets other machines read files and run code here", "",
                    (EXFILTRATION, PRIVILEGE, NETWORK))  # fmt: skip


BROKER_VALUES = (
    "-h --host -p --port -t --topic -m --message -f --file -i --id -u -P --pw -q --qos -b --bootstrap-server "
    "--broker-list -s --server -c -o -K -D -H --cafile --cert --key -X -F -G"
)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "nc": _judge_nc,
    "socat": _judge_socat,
    "jupyter": _judge_notebook,
    "jupyter-lab": _judge_notebook,
    "jupyter-notebook": _judge_notebook,
    **dict.fromkeys(("mosquitto_pub", "mqttx", "kcat", "kafkacat", "kafka-console-producer", "amqp-publish",
                     "stomp-send"), _judge_broker),
}  # fmt: skip
