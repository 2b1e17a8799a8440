"""Lines of code on a command line that are bad by themselves: a loop without end, a secret that is printed.

What is printed goes to whoever asked for the command, which is a model. Using such a variable, or asking whether there
is one, prints nothing.
"""

from __future__ import annotations

from sandgate.assessment.findings import EXFILTRATION, EXHAUSTION, HIGH
from sandgate.assessment.listing import words
from sandgate.assessment.wording import shown
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
_PRINTING = frozenset(words("print console.log puts echo say printf write pp console.error inspect"))
_ASKING = frozenset(words("bool len in Boolean defined isset exists key? has hasOwnProperty keys length"))
_PRINT_FLAGS = frozenset(words("-p -pe --print"))


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
    prints = bool(names & _PRINTING) or any(arg.text in _PRINT_FLAGS for arg in call.args)
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
    inquiry.add(level, "reads", what, "prints what is named like a secret", f"Prints the secret in {shown(what)}", "",
                (EXFILTRATION,))  # fmt: skip
