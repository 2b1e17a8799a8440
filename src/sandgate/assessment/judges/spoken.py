"""What a command surely prints: a text that is echoed, and decoded, reversed or rotated on its way to a shell.

Hiding a script this way deceives readers; whoever runs `echo cm0… | base64 -d | sh` should hear what it deletes.
"""

from __future__ import annotations

from sandgate.assessment.options import parsed
from sandgate.commandline.decoding import ansi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call

STEPS_MAX = 8  # decoders in a row that are followed
TEXT_MAX = 100_000  # characters that are decoded


def echo_output(call: Call) -> str:
    """What `echo` or `printf` says, near enough."""
    options = [arg.text for arg in call.args if arg.text in {"-e", "-n", "-ne", "-en", "-E", "--"}]
    texts = [arg.text for arg in call.args if arg.text not in options]
    if call.program == "printf":
        return " ".join(texts[1:]) if "%" in "".join(texts[:1]) else ansi("".join(texts[:1]))
    text = " ".join(texts)
    # Some shells read the escapes without being asked to.
    return ansi(text) if "-e" in "".join(options) or "\\" not in text else f"{text}\n{ansi(text)}"


def spoken(call: Call | None) -> str | None:
    """The output of `call`, None when only running it would tell."""
    decoders: list[Call] = []
    while call is not None and len(decoders) <= STEPS_MAX:
        if call.program in {"echo", "printf"}:
            return _through(decoders, echo_output(call))
        if call.program == "cat" and call.stdin_text is not None and not call.args:
            return _through(decoders, call.stdin_text)
        if call.program not in {"cat", "base64", "base32", "xxd", "rev", "tr", "openssl"}:
            return None
        decoders.append(call)
        if call.stdin_text is not None:
            return _through(decoders, call.stdin_text)
        call = call.feeder
    return None


def _through(decoders: list[Call], text: str) -> str | None:
    """`text` after all decoders, the last one in the list first."""
    said: str | None = text
    for call in reversed(decoders):
        if said is None or len(said) > TEXT_MAX:
            return None
        said = _decoded(call, said)
    return said


def _decoded(call: Call, text: str) -> str | None:
    options = parsed(call.args, "-w -c")
    if call.program == "cat":
        return text if not options.operands else None
    if call.program == "rev":
        return "\n".join([line[::-1] for line in text.split("\n")])
    if call.program == "tr":
        return _translated(text, [arg.text for arg in options.operands]) if not options.flags else None
    backwards = options.has("-d -D --decode") or (call.program == "xxd" and options.has("-r"))
    return _bytes(call.program, text) if backwards else None


def _translated(text: str, sets: list[str]) -> str | None:
    if len(sets) != 2:
        return None
    source, target = (_members(each) for each in sets)
    if not source or len(source) != len(target):
        return None
    return text.translate(str.maketrans(source, target))


def _members(listed: str) -> str:
    """`A-Za-z` → all these letters."""
    made = ""
    at = 0
    while at < len(listed):
        if listed[at + 1 : at + 2] == "-" and at + 2 < len(listed):
            made += "".join([chr(code) for code in range(ord(listed[at]), ord(listed[at + 2]) + 1)])
            at += 3
        else:
            made += listed[at]
            at += 1
    return made


def _bytes(program: str, text: str) -> str | None:
    import base64

    packed = "".join(text.split())
    try:
        if program == "xxd":
            raw = bytes.fromhex(packed)
        elif program == "base32":
            raw = base64.b32decode(packed + "=" * (-len(packed) % 8))
        else:
            raw = base64.b64decode(packed + "=" * (-len(packed) % 4))
    except ValueError:
        return None
    return raw.decode("utf-8", "replace")
