"""Converters and taggers: addresses among their files, and settings that write."""

from __future__ import annotations

from sandgate.assessment.findings import MEDIUM
from sandgate.assessment.inline import host_of
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.knowledge.media import ENTRIES
from sandgate.assessment.options import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

SCHEMES = ("http://", "https://", "ftp://", "rtmp://", "rtmps://", "rtsp://", "rtp://", "srt://", "tcp://", "udp://",
           "sftp://", "smb://", "icecast://", "whip://", "hls+http://", "mms://")  # fmt: skip
MAKES = frozenset({"ffmpeg", "avconv", "gst-launch-1.0"})  # the last operand is where the result goes


def _judge_media(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    for at, arg in enumerate(call.args):
        if not arg.text.startswith(SCHEMES):
            continue
        if call.program in MAKES and at == len(call.args) - 1 and at > 0 and call.args[at - 1].text != "-i":
            inquiry.send("a film or sound", host_of(arg.text))
        else:
            inquiry.contact(host_of(arg.text), call)


def _judge_tagger(call: Call, inquiry: Inquiry) -> None:
    """`exiftool -Title=x a.jpg` writes."""
    by_table(call, inquiry)
    settings = [arg for arg in call.args if arg.text[:1] == "-" and ("=" in arg.text or "<" in arg.text)]
    if settings:
        for arg in parsed(call.args, "-d -if -p -i -ext -o", clusters=False).operands:
            inquiry.write(arg, call, verb="Changes")
        inquiry.add(MEDIUM, "writes", call.program, "changes media files")


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys((entry.name for entry in ENTRIES if " " not in entry.name), _judge_media),
    "exiftool": _judge_tagger,
}
