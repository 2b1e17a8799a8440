"""Lines of code on a command line that are bad by themselves: a loop without end, a secret that is printed.

What is printed goes to whoever asked for the command, which is a model. Using such a variable, or asking whether there
is one, prints nothing.
"""

from __future__ import annotations

from sandgate.assessment.findings import EXFILTRATION, EXHAUSTION, HIGH
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded
from sandgate.policy.secret_settings import is_secret_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.lexing import Token
    from sandgate.protocol.risk import RiskLevel

ENDING = frozenset(words("sleep break exit return read wait inotifywait fswatch usleep"))  # a loop with these waits
CODE_ENDING = ENDING | frozenset(
    words("""
    recv accept readline readLine input gets select poll serve_forever listen waitpid getline stdin raise throw
    settimeout setTimeout Event nanosleep last
    """)
)
_ENVIRONMENT = frozenset(words("environ env ENV getenv"))
# The whole environment, in the words of several languages; and how one of its variables stands inside a text.
_WHOLE_ENVIRONMENT = frozenset(
    words("""
    process.env os.environ ENV ENV.to_h ENV.to_a ENV.inspect ENV.to_h.to_s ENV.to_json ENV.to_h.to_json $_ENV $_SERVER
    Deno.env.toObject Bun.env System.getenv os.environ.copy os.environ.items
    """)
)
_ENVIRONMENT_MARKS = ("process.env", "os.environ", "#{ENV", "getenv(", "$_ENV", "$ENV{", "Deno.env", "Bun.env")
_TAKING_MEMORY = frozenset(
    words("""
    bytearray alloc allocUnsafe ArrayBuffer zeros ones empty full malloc calloc repeat Array fill randn rand str_repeat
    array_fill make_unique bytes
    """)
)
MEMORY_MAX = 10_000_000_000  # bytes or elements; no machine of a developer spares as much
INTERVALS = 1_000  # how often `setInterval` is taken to come round
_DIGITS_MAX = 12
_POWER_DIGITS_MAX = 2
_LOOP_REACH = 16
_PRINTING = frozenset(words("print console.log puts echo say printf write pp console.error inspect"))
_ASKING = frozenset(words("bool len in Boolean defined isset exists key? has hasOwnProperty keys length"))
_LISTED = ("os.environ.items", "process.env", "ENV.each", "ENV.select", "ENV.filter", "ENV.to_h", "Object.entries")
_SECRET_WORDS = frozenset(words("TOKEN SECRET KEY PASSWORD PASSWD PASS API_KEY SECRET_KEY CREDENTIAL CREDENTIALS AUTH"))
_PRINT_FLAGS = frozenset(words("-p -pe --print"))


def judge_alone(found: Sequence[Token], call: Call, inquiry: Inquiry) -> None:
    """All that is bad by itself."""
    judge_code_variables(found, call, inquiry)
    judge_code_loop(found, inquiry)
    _judge_hoarding(found, inquiry)


def sends_environment(found: Sequence[Token], names: set[str]) -> bool:
    """Whether code that talks to an address names all variables, or puts one of them into the address."""
    for token in found:
        if token.kind in ("string", "backtick") and "?" in token.text and token.text.startswith(("http:", "https:")):
            asked = token.text.partition("?")[2]
            if any(mark in asked for mark in _ENVIRONMENT_MARKS):
                return True
    return not _WHOLE_ENVIRONMENT.isdisjoint(names) and _names_whole(found)


def _names_whole(found: Sequence[Token]) -> bool:
    """`os.environ` alone, and not `os.environ["X"]` or `os.environ.get("X")`."""
    for at, token in enumerate(found):
        if token.kind == "name" and token.text in _WHOLE_ENVIRONMENT:
            following = found[at + 1].text if at + 1 < len(found) else ""
            if following != "[":
                return True
    return False


def _judge_hoarding(found: Sequence[Token], inquiry: Inquiry) -> None:
    """`"a" * 10**11`, `Buffer.alloc(1e11)`: takes more memory than the machine has to spare."""
    for at, token in enumerate(found):
        if token.kind != "name" or not token.text[:1].isdigit():
            continue
        before = found[max(0, at - 3) : at]
        filled = any(each.text.rsplit(".", 1)[-1] in _TAKING_MEMORY for each in before)
        repeated = (
            before[-1:]
            and before[-1].text in {"*", "x"}
            and any(each.kind == "string" or each.text == "]" for each in before)
        )
        size = _number(found, at) * (_times(found, at) if filled else 1)
        if size >= MEMORY_MAX and (filled or repeated):
            inquiry.add(HIGH, "runs", "?", "takes more memory than a machine has", "Fills the memory of this machine",
                        "", (EXHAUSTION,))  # fmt: skip
            return


def _number(found: Sequence[Token], at: int) -> int:
    """The number at `at`: `1_000`, `1e9`, `10**9`, `1 << 34`; 0 when it is none."""
    text = found[at].text.replace("_", "")
    mantissa, _, exponent = text.partition("e")
    if exponent.isdecimal() and mantissa.isdecimal() and len(exponent) <= _POWER_DIGITS_MAX:
        return int(mantissa + "0" * int(exponent))
    if not text.isdecimal() or len(text) > _DIGITS_MAX:
        return 0
    following = [each.text for each in found[at + 1 : at + 4]]
    if following[:1] == ["^"]:
        following = ["*", "*", *following[1:2]]
    operator, power = "".join(following[:2]), "".join(following[2:])
    if not power.isdecimal() or len(power) > _POWER_DIGITS_MAX:
        return int(text)
    if operator == "**":
        return int(pow(int(text), int(power)))
    return int(text) << int(power) if operator == "<<" else int(text)


def _times(found: Sequence[Token], at: int) -> int:
    """How often a loop behind the number at `at` takes as much: `for _ in range(1000)`."""
    texts = [each.text for each in found[at : at + _LOOP_REACH]]
    if "for" in texts and "range" in texts:
        count = texts[texts.index("range") + 2 : texts.index("range") + 3]
        if count and count[0].isdecimal() and len(count[0]) < _DIGITS_MAX:
            return int(count[0])
    return INTERVALS if any(each.text == "setInterval" for each in found[:at]) else 1


def judge_code_loop(found: Sequence[Token], inquiry: Inquiry) -> None:
    """`while True: pass`, `for (;;) {}`: code on the command line that neither ends nor rests."""
    texts = [token.text for token in found]
    if not CODE_ENDING.isdisjoint([part for text in texts for part in text.split(".")]):
        return
    for at, text in enumerate(texts):
        rest = texts[at + 1 : at + 8]
        spins = text == "while" and [each for each in rest if each not in "()"][:1] in (["True"], ["true"], ["1"])
        if (
            spins
            or (text == "for" and "".join(rest).startswith("(;;)"))
            or (text == "loop" and rest[:1] in (["do"], ["{"]))
        ):
            inquiry.add(HIGH, "runs", "?", "repeats without end or rest",
                        "Takes all of the processor, and does not stop by itself", "", (EXHAUSTION,))  # fmt: skip
            return


def judge_code_variables(found: Sequence[Token], call: Call, inquiry: Inquiry) -> None:
    """`print(os.environ["API_TOKEN"])`: code on the command line that prints a variable named like a secret."""
    names = {token.text for token in found if token.kind == "name"}
    parts = {part for name in names for part in name.split(".")}
    asked = [token.text.upper() for token in found if token.kind == "string"]
    picked = any(part in names for part in _LISTED) and any(text in _SECRET_WORDS for text in asked)
    prints = bool(names & _PRINTING) or any(arg.text in _PRINT_FLAGS for arg in call.args)
    if prints and picked:
        reveals(HIGH, "the environment", inquiry)
    if not prints or parts.isdisjoint(_ENVIRONMENT) or not parts.isdisjoint(_ASKING):
        return
    if any(token.kind == "mark" and token.text == "!" for token in found):
        return
    texts = [token.text for token in found if token.kind == "string"]
    named = next((text for text in (*parts, *texts) if is_secret_variable(text)), "")
    if named:
        reveals(HIGH, named, inquiry)


def reveals(level: RiskLevel, what: str, inquiry: Inquiry) -> None:
    """Note that the secret in `what` is printed."""
    inquiry.add(level, "reads", what, "prints what is named like a secret", f"Prints the secret in {worded(what)}", "",
                (EXFILTRATION,))  # fmt: skip
