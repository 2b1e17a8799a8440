"""`openssl` and `ssh-keygen`: which key is shown, used, made or replaced."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, HIGH, LOW, SYSTEM
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.network import private_input
from sandgate.assessment.options import parsed
from sandgate.assessment.places import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry


def _judge_openssl(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    private = private_input(call)
    if texts[:1] == ["s_client"] and private is not None:
        inquiry.send(private, next((host for at, host in enumerate(texts) if texts[at - 1] == "-connect"), "?"))
    if texts[:1] and (texts[0] in {"enc", "base64"} or texts[0].startswith(("aes", "des"))):
        call.carry("decoded" if "-d" in texts else "encoded", next(iter(call.upstream.values()), "?"))
    for at, text in enumerate(texts[:-1]):
        if text == "-in" and texts[0] in {"x509", "req", "crl", "verify", "s_client"}:
            inquiry.look(call.args[at + 1], call)  # certificates are public
        elif text in {"-in", "-key", "-inkey"}:
            inquiry.read(call.args[at + 1], call)
        elif text in {"-out", "-keyout"}:
            inquiry.write(call.args[at + 1], call)


def _judge_ssh_keygen(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-t -b -C -f -N -R -F -E -m -P -O -a -s -I -n -V -D")
    target = options.value("-f")
    if options.has("-l -F -B -y -e -L -Q"):
        inquiry.add(LOW, "reads", "ssh-keygen", "shows a key", "Shows the public half or the mark of a key")
        return
    by_table(call, inquiry)
    if target is not None:
        inquiry.write(target, call, verb="Writes a key to")
        path, _ = call.paths(target)
        seen = inquiry.facts.targets.get(path or "")  # `write` had it looked up
        may_be_there = seen is None or seen.exists
        if path and may_be_there and place_of(path, inquiry.facts).kind == "credentials" and not options.has("-R -H"):
            inquiry.add(HIGH, "writes", path, "may replace a key you use", "", "", (DELETION, SYSTEM))


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {"openssl": _judge_openssl, "ssh-keygen": _judge_ssh_keygen}
