"""Which command stands inside a wrapper that adds nothing of its own, so that the inner one alone decides.

`timeout 5 ls` is `ls`, `python -m pip list` is `pip list`, and what `xargs` runs gets more words than are written. An
argument of the wrapper that its grammar does not know makes the answer "no inner command".
"""

from __future__ import annotations

from sandgate.commandline.arguments import Grammar, Reading, grammar, read
from sandgate.commandline.words import words_of
from sandgate.policy.safe_programs import SAFE, SAFE_WRAPPERS
from sandgate.policy.safe_variables import may_hand_over
from sandgate.policy.secret_names import LISTERS, names_secret, seeks_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.bashwords import Certainty

    Argv = tuple[str, ...]
    Sure = tuple[Certainty, ...]

# Modules of Python that are programs of ours under the same name.
PYTHONS = frozenset(("python", "pypy"))
MODULES = frozenset(words_of("pip pytest mypy ruff black isort flake8 pylint virtualenv pipx tox json.tool"))

# Of busybox and toybox, those whose options mean what they mean elsewhere.
APPLETS = frozenset(
    words_of(
        "ls cat head tail wc echo printf pwd id uname whoami df du ps free uptime stat md5sum sha1sum sha256sum "
        "sha512sum basename dirname readlink realpath which nproc true false test grep egrep fgrep cut tr strings "
        "hexdump od xxd tac rev nl fold seq find date hostname uniq cmp env printenv pgrep pidof lsmod arch base64 "
        "expr"
    )
)

RUNS_EACH = frozenset(("-x", "--exec", "-X", "--exec-batch"))  # of `fd`; all that follows is the command

_grammars: dict[str, Grammar] = {}


def through_wrapper(name: str, argv: Argv, sure: Sure | None) -> tuple[Argv, Sure | None] | None:
    """The inner command of a wrapper that adds nothing harmful itself."""
    line = SAFE_WRAPPERS.get(name)
    if line is None:
        return None
    rules = _grammar(name, line)
    reading = read(argv[1:], rules)
    if reading is None:
        return None
    skip = "skip1" in rules.marks
    places = reading.operand_places[skip:]
    if "assigned" in rules.marks:
        while places and "=" in argv[places[0] + 1]:
            if not may_hand_over(argv[places[0] + 1]):
                return None
            places = places[1:]
    if not places:
        return None
    start = places[0] + 1
    if sure is not None and not _all_exact(sure[: start + 1]):
        return None
    inner = argv[start:]
    if "applet" in rules.marks and inner[0] not in APPLETS and inner[1:] != ("--help",):
        return None
    if "appends" in rules.marks:
        return _fed(inner, sure and sure[start:], reading)
    return inner, None if sure is None else sure[start:]


def module(name: str, argv: Argv, sure: Sure | None) -> tuple[Argv, Sure | None] | None:
    """`python -m pip list` asks what `pip list` asks, unless the working directory has a `pip.py` of its own."""
    if name.rstrip("0123456789.") not in PYTHONS or argv[2:3] == () or argv[2] not in MODULES:
        return None
    if sure is not None and not _all_exact(sure[:3]):
        return None
    module = "_json" if argv[2] == "json.tool" else argv[2]
    return (module, *argv[3:]), None if sure is None else sure[2:]


def at_exec(argv: Argv, sure: Sure | None) -> tuple[Argv, Sure, Argv] | None:
    """`fd -e py -x wc -l`: what it runs for each file, with a word nobody knows; and the rest."""
    if (sure is not None and not _all_exact(sure)) or ";" in argv or seeks_secrets(argv):
        return None
    at = next(at for at, word in enumerate(argv) if word in RUNS_EACH)
    inner = argv[at + 1 :]
    hidden = any(word[:2] in ("-H", "-u", "-I", "--") for word in argv[1:at])
    if (
        not inner
        or (hidden and inner[0] not in LISTERS)
        or any(word[:1] in ("/", "~") or names_secret(word) for word in argv[1:at])
    ):
        return None
    known: list[Certainty] = ["unknown" if "{" in word else "exact" for word in inner]
    return (*inner, "x"), (*known, "unknown"), argv[:at]


def _fed(inner: Argv, sure: Sure | None, reading: Reading) -> tuple[Argv, Sure] | None:
    """What xargs runs: more arguments follow, and nobody knows which; with `-I` they stand inside the words."""
    replaced = ["{}" if value is None else value for name, value in reading.options if name in ("-I", "--replace")]
    given: Sure = sure or tuple(["exact" for _ in inner])
    known: list[Certainty] = [
        "unknown" if any(text in word for text in replaced) else certainty
        for word, certainty in zip(inner, given, strict=True)
    ]
    return None if known[0] != "exact" else ((*inner, "x"), (*known, "unknown"))


def _all_exact(sure: Sure) -> bool:
    return all(certainty == "exact" for certainty in sure)


def _grammar(name: str, line: str) -> Grammar:
    if name not in _grammars:
        _grammars[name] = grammar(line, SAFE)
    return _grammars[name]
