"""`http`, `aria2c`, `mosh` and their like: clients whose arguments are a small language of their own."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import DELETION, HIGH, LOW, NETWORK
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.network import CHANGING_METHODS, judge_sender, private_input, saved
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry


def _judge_httpie(call: Call, inquiry: Inquiry) -> None:
    """`http DELETE url`, `http url name@file`: method, URL, items."""
    options = parsed(
        call.args, "-a --auth -A --auth-type -o --output --session --timeout --verify --cert --proxy --pretty -p -s"
    )
    if options.has("--version --help"):
        inquiry.add(LOW, "reads", call.program, "only shows help")
        return
    operands = list(options.operands)
    method = operands.pop(0).text.upper() if operands and operands[0].text.isupper() else ""
    url = operands.pop(0).text if operands else "?"
    host = "localhost" if url[:1] in {":", "/"} else host_of(url)
    inquiry.contact(host, call)
    if method in CHANGING_METHODS and not is_local(host):
        said = f"Deletes something at {worded(host)}"
        inquiry.add(HIGH, "deletes", host, "asks a remote service to delete", said, "", (DELETION, NETWORK))
    for arg in operands:
        before, at, file = arg.text.partition("@")
        if at and file and not before.rstrip(":=").count("="):
            inquiry.read(arg.but(text=file, raw=""), call)
            inquiry.send(f"the file {worded(file)}", host)
    saved(options, "-o --output", host, call, inquiry)
    private = private_input(call)
    if private is not None:
        inquiry.send(private, host)


def _judge_fetcher(call: Call, inquiry: Inquiry) -> None:
    """`aria2c`, `axel`, `yt-dlp`: fetch to a directory or a file that an option names."""
    judge_sender(call, inquiry)
    options = parsed(call.args, "-d -o -O -P --dir --out --output --paths -x -s -j -k -n -f -i")
    given = options.value("-d -o -O -P --dir --out --output --paths")
    for arg in [arg for arg in options.operands if "://" in arg.text]:
        inquiry.contact(host_of(arg.text), call)
        path, _ = call.paths(Arg(arg.text.partition("?")[0].rpartition("/")[2]))
        if path is not None:
            inquiry.downloads[path] = host_of(arg.text)
    if options.operands:
        inquiry.write(given or Arg("."), call, verb="Downloads to")


def _judge_mosh(call: Call, inquiry: Inquiry) -> None:
    """`mosh host -- CMD`."""
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if "--" in texts:
        rest = call.args[texts.index("--") + 1 :]
        if rest:
            inquiry.run(call.inside(rest[0].text, rest[1:], remote=True))


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(("http", "https", "xh", "xhs"), _judge_httpie),
    **dict.fromkeys(
        ("aria2c", "axel", "yt-dlp", "youtube-dl", "gdown", "httrack", "megadl", "snarf", "fetch"), _judge_fetcher
    ),
    **dict.fromkeys(("mosh", "et"), _judge_mosh),
}
