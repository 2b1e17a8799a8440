"""What the words of a script become when the shell puts in what the text says: variables, defaults, printed text.

`x=rm; $x -rf y`, `echo rm x | sh`, `set -- rm; "$@"` name no `rm` where a program's name stands, and run it. Here every
value that the text gives to a name is put in, whatever the order, so one candidate too many comes out rather than one
too few. Where a program's name, or the text a shell is fed, cannot be known from the script, that is said too.
"""

from __future__ import annotations

from itertools import islice, product

from sandgate.commandline import feeding
from sandgate.commandline.braces import CLOSE, COMMA, OPEN, braced
from sandgate.commandline.carried import handed_over
from sandgate.commandline.commissions import run_for
from sandgate.commandline.feeding import STANDARD_INPUT
from sandgate.commandline.grammar import SCRIPT_BYTES_MAX
from sandgate.commandline.printing import UNKNOWN, printed, said
from sandgate.commandline.renaming import NAMINGS, named_in, renamed_by
from sandgate.commandline.subscripts import evaluated
from sandgate.commandline.words import joined, program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.commandline.script import Assignment, Piece, SimpleCommand, Word

    Argv = tuple[str, ...]
    Values = dict[str, dict[str, None]]  # name → what it may hold

_GAP = "\x1c"  # where an unquoted value is split
# A pattern stands for a name that is not known; the directories before it do not matter.
_MEANING = str.maketrans({"*": UNKNOWN, "?": UNKNOWN, "[": UNKNOWN, "{": OPEN, ",": COMMA, "}": CLOSE})
_PATTERNS = frozenset("*?[{,}")
_LONG_WORDS = 1_000  # of longer commands fewer alternatives are made
_COMMAND_STEPS = 5  # what one command costs beside its words
STEPS_MAX = 50_000  # pieces put together for one command line, about a tenth of a second
ALTERNATIVES_MAX = 16  # of one word; more are unknown
VALUE_CHARACTERS_MAX = 4_000  # of a value; what is longer, or doubled again and again, is unknown
ARGVS_MAX = 64  # that one command may become
OUTPUTS_DEEP_MAX = 4  # substitutions inside one another, or `cat` behind `cat`, whose output is looked for
ROUNDS = 3  # names that get their values from other names
_READING = words_of("read mapfile readarray getopts")
_SETTING = words_of("env sudo doas export")
_DECLARING = words_of("declare typeset local")
_NAMING = _READING | _SETTING | _DECLARING | {"printf", "set"}  # these give values to names
_SOURCING = words_of("source .")
_PARAMETERS = ("@", "*", *"123456789")


class Unfolded(Record):
    """Commands with known values put in, texts that shells are fed, and what cannot be known."""

    commands: tuple[Argv, ...] = ()
    scripts: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()  # as the script says it
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()  # what names hold, for the scripts


class Work:
    """How much may still be put together for one command line."""

    def __init__(self) -> None:
        self.left = STEPS_MAX

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _TooMuch


class _TooMuch(Exception):
    pass


def unfold(text: str, work: Work, given: Iterable[tuple[str, tuple[str, ...]]] = ()) -> Unfolded:
    """`text` read as bash. `given`: what names hold from outside."""
    from sandgate.commandline.walk import script

    read = script(text)
    try:
        work.spend(len(read.commands))
        found = _Unfolding(read.commands, {name: dict.fromkeys(texts) for name, texts in given}, work)
        return found.result() if read.complete else found.result("a part that cannot be read")
    except _TooMuch:
        return Unfolded(unknown=("more than is looked at",))


class _Unfolding:
    """One script. Values are gathered first, from all of it."""

    def __init__(self, commands: tuple[SimpleCommand, ...], values: Values, work: Work) -> None:
        self._all = commands
        self._work = work
        self._stages: dict[tuple[int, int], list[SimpleCommand]] = {}
        for command in commands:
            for stage in command.pipes:
                self._stages.setdefault(stage, []).append(command)
        # `exec <<< ls; sh`
        self._inputs = [
            each.stdin_text for each in commands if len(each.words) == 1 and each.words[0].literal == "exec"
        ]
        self._shifts = any(each.words and each.words[0].literal == "shift" for each in commands)
        self._values = values
        self._functions = frozenset(each.function for each in commands if each.function)
        self._scripts: dict[str, None] = {}
        self._unknown: dict[str, None] = {}
        self._depth = 0
        self._files: dict[str, str | None] = {}
        self._renamed: dict[str, Argv] = {}  # by the last part of a name: what it has come to mean
        self._plain: dict[int, tuple[Word, list[str]]] = {}  # words that mean themselves, by identity
        for _ in range(ROUNDS):
            self._outputs: dict[str, str | None] = {}
            self._learned = False
            for command in commands:
                self._learn(command)
            if not self._learned:
                break

    def result(self, *unknown: str) -> Unfolded:
        self._outputs = {}
        found: dict[Argv, None] = {}
        for command in self._all:
            for each in command.assignments:
                if each.name.startswith(NAMINGS):
                    self._renamed.update(named_in(each.name, [text.replace(_GAP, " ") for text in self._held(each)]))
            for argv in self._argvs(command):
                self._renamed.update(renamed_by(argv, command))
        for command in self._all:
            self._write(command)
            for name, text in [(each.name, text) for each in command.assignments for text in self._held(each)]:
                for script in (*run_for(name, text.replace(_GAP, " ")), *evaluated(text)):
                    self._scripts[script.replace(UNKNOWN, "${?}")] = None
            for argv in self._argvs(command):
                found[argv] = None
                self._scripts.update(dict.fromkeys(script for word in argv[1:] for script in evaluated(word)))
                meant = self._renamed.get(program_name(argv[0]))
                if meant is not None:
                    found[(*meant, *argv[1:])] = None
                if not is_known(argv[0]):
                    self._unknown[command.words[0].written] = None
                    found[argv[1:]] = None  # a name may turn out to be nothing, or a shell
                    self._scripts.update(
                        dict.fromkeys(argv[at + 1] for at, word in enumerate(argv[:-1]) if word == "-c")
                    )
                self._feed(argv, command)
        kept = tuple((name, tuple(texts)) for name, texts in self._values.items())
        commands = tuple(argv for argv in found if argv)
        return Unfolded(commands, tuple(self._scripts), (*self._unknown, *unknown), kept)

    def _learn(self, command: SimpleCommand) -> None:
        for each in command.assignments:
            self._set(each.name, *self._held(each))
        for piece in [piece for word in command.words for piece in word.pieces if piece.fallback]:
            self._set(piece.text, piece.fallback.strip("'\""), UNKNOWN)  # `: ${x:=ls}`
        for argv in self._argvs(command) if self._may_set(command) else ():
            name, rest = argv[0], argv[1:]
            if name in _READING:
                told = command.stdin_text
                known = told is not None and not any(mark in told for mark in "$`")
                for word in rest:
                    self._set(word, told.strip() if told is not None and known else UNKNOWN)
            elif name in _SETTING:
                for variable, equals, value in [word.partition("=") for word in rest]:
                    if equals:
                        self._set(variable, value)
            elif name == "printf" and rest[:1] == ("-v",) and len(rest) > 2:
                self._set(rest[1], printed(("printf", *rest[2:])))
            elif name in _DECLARING:
                if any(word[:1] == "-" and "n" in word for word in rest):  # `declare -n r=x`: `$r` is `$x`
                    for word in rest:
                        self._set(word.partition("=")[0], UNKNOWN)
            elif name == "set" or name in self._functions:
                self._set_parameters([word for word in rest if word != "--"])

    def _set_parameters(self, words: list[str]) -> None:
        """What `$@`, `$1`, … may be, also behind a `shift` somewhere."""
        for start in range(min(len(words), ALTERNATIVES_MAX) if self._shifts else 1):
            for parameter in _PARAMETERS[:2]:
                self._set(parameter, " ".join(words[start:]))
        for parameter in _PARAMETERS[2:]:
            self._set(parameter, *words)

    def _may_set(self, command: SimpleCommand) -> bool:
        name = command.words[0].literal if command.words else None
        if not name or not _PATTERNS.isdisjoint(name):
            return True
        return name in _NAMING or name in self._functions

    def _held(self, assignment: Assignment) -> list[str]:
        texts = [text for word in assignment.values for text in self._texts(word)] or [UNKNOWN]
        # `"${a[@]}"` is all of an array.
        return [*texts, _GAP.join(texts)] if len(assignment.values) > 1 else texts

    def _set(self, name: str, *texts: str) -> None:
        held = self._values.setdefault(name, {})
        for text in texts:
            if text not in held:
                fits = len(held) < ALTERNATIVES_MAX and len(text) <= VALUE_CHARACTERS_MAX
                self._learned = self._learned or fits or UNKNOWN not in held
                held[text if fits else UNKNOWN] = None

    def _argvs(self, command: SimpleCommand) -> list[Argv]:
        """What the command may be, words split where the shell splits them."""
        if not command.words:
            return []
        spelled = [self._texts(word) for word in command.words]
        if max(map(len, spelled)) == 1:
            only = _GAP.join([texts[0] for texts in spelled]).split(_GAP)
            self._work.spend(_COMMAND_STEPS + len(only))
            argv = tuple([word for word in only if word])
            return [argv] if argv else []
        # The first word varies fastest: of too many, each program is among those that are kept.
        most = min(ARGVS_MAX, 1 + _LONG_WORDS // len(spelled))
        made = [_GAP.join(reversed(words)).split(_GAP) for words in islice(product(*reversed(spelled)), most)]
        self._work.spend(_COMMAND_STEPS + sum(map(len, made)))
        argvs = dict.fromkeys(tuple(word for word in words if word) for words in made)
        return [argv for argv in argvs if argv]

    def _texts(self, word: Word) -> list[str]:
        known = self._plain.get(id(word))
        if known is not None:
            self._work.spend(1)
            return known[1]
        literal = word.literal
        plain = literal is not None and (literal in ("[", "[[") or _PATTERNS.isdisjoint(literal))
        if literal is not None and plain and len(literal) <= VALUE_CHARACTERS_MAX:
            self._plain[id(word)] = word, [literal]
            self._work.spend(1)
            return [literal]
        drafts = [""]
        for piece in word.pieces:
            ends = self._piece(piece) if literal not in ("[", "[[") else [piece.text]
            self._work.spend(len(drafts) * len(ends))
            drafts = [_short(draft + end) for draft in drafts for end in ends][: ALTERNATIVES_MAX + 1]
        drafts = [_GAP.join(braced(draft, ALTERNATIVES_MAX)) if OPEN in draft else draft for draft in drafts]
        return [*drafts[:ALTERNATIVES_MAX], UNKNOWN] if len(drafts) > ALTERNATIVES_MAX else drafts

    def _piece(self, piece: Piece) -> list[str]:
        if piece.kind == "text":
            return [piece.text if piece.quoted else piece.text.translate(_MEANING)]
        if piece.kind == "variable":
            held = self._values.get(piece.text, {" ": None} if piece.text == "IFS" else None)
            texts = list(held) if held is not None else [UNKNOWN, ""]  # what nobody has set is nothing
            if piece.fallback and not any(mark in piece.fallback for mark in "$`"):
                texts.append(piece.fallback.strip("'\""))
        else:
            said = self._output(piece.text) if piece.kind == "command" else None
            texts = [UNKNOWN if said is None else said]
        splits = not piece.quoted or piece.text == "@"
        if splits and "IFS" in self._values:  # it may be split anywhere
            texts.append(UNKNOWN)
        return [text.replace(" ", _GAP).replace("\n", _GAP).replace("\t", _GAP) if splits else text for text in texts]

    def _output(self, text: str) -> str | None:
        """What a substitution surely prints; None when only running it would tell."""
        if text not in self._outputs:
            self._outputs[text] = None  # for one that holds itself
            if self._depth < OUTPUTS_DEEP_MAX:
                self._depth += 1
                self._outputs[text] = self._printed_by(text)
                self._depth -= 1
        return self._outputs[text]

    def _printed_by(self, text: str) -> str | None:
        from sandgate.commandline.walk import script

        inner = script(text)
        argvs = self._argvs(inner.commands[0]) if len(inner.commands) == 1 and inner.complete else []
        return said(argvs[0], inner.commands[0].stdin_text) if len(argvs) == 1 else None

    def _write(self, command: SimpleCommand) -> None:
        """`echo ls > x.sh; sh x.sh`: what is written here may be run a moment later."""
        for each in command.redirections:
            path = each.target.literal
            if path and ">" in each.operator and not path.startswith("/dev/"):
                self._put(path, self._said(command))
        if command.words and command.words[0].literal == "tee":
            for word in command.words[1:]:
                self._put(word.literal or "", next(iter(self._input(command)), None))

    def _put(self, path: str, text: str | None) -> None:
        before = self._files.get(path, "")
        self._files[path] = None if text is None or before is None else before + text + "\n"

    def _feed(self, argv: Argv, command: SimpleCommand) -> None:
        """Note the text that reaches a shell, behind whatever wrappers."""
        from sandgate.commandline.invocation import started_by

        waiting = [argv]
        seen: set[Argv] = set()
        while waiting and len(seen) < ARGVS_MAX:
            each = waiting.pop()
            if not each or each in seen:
                continue
            seen.add(each)
            self._work.spend(len(each))
            waiting.extend(started_by(each).commands)
            name = program_name(each[0])
            if name in ("xargs", "parallel"):
                self._by_input(each, command)
            elif name in SHELL_PROGRAMS or name in _SOURCING:
                self._into_shell(each, command)
            elif name in feeding.FED and feeding.may_take_orders(each):
                for text in [*self._input(command), *[self._files[word] for word in each[1:] if word in self._files]]:
                    if text is None and feeding.takes_input(each):
                        self._take(text, f"what `{name}` is fed")
                    elif text is not None:
                        self._scripts.update(dict.fromkeys(feeding.fed(each, text)))
            if feeding.reads_code(each):  # `python3 - <<EOF`
                for text in self._input(command):
                    self._scripts.update(dict.fromkeys(handed_over((name, text or ""))))

    def _into_shell(self, argv: Argv, command: SimpleCommand) -> None:
        words = [each for each in command.words if len(each.pieces) == 1 and each.pieces[0].kind == "command"]
        for word in words[:1] if "-c" not in argv else ():  # `bash <(…)`
            self._take(self._output(word.pieces[0].text), word.written)
        for path in [word for word in argv[1:] if word in self._files]:
            self._take(self._files[path], path)
        if _reads_input(argv) or (command.stdin_text is not None and argv[-1].isdigit()):  # `sh 0<<<x`
            for text in self._input(command):
                self._take(text, f"what `{program_name(argv[0])}` is fed")

    def _take(self, text: str | None, what: str) -> None:
        if text is None or UNKNOWN in text:
            self._unknown[what] = None
        if text is not None:
            self._scripts[text.replace(UNKNOWN, "${?}")] = None

    def _by_input(self, argv: Argv, command: SimpleCommand) -> None:
        """`xargs env`, `xargs -I{} {}`, `parallel ::: ls`: the input names the program."""
        from sandgate.commandline.invocation import started_by

        inner = next(iter(started_by(argv).commands), ())
        if ":::" in argv:
            self._scripts.update(dict.fromkeys(feeding.in_parallel(argv, inner)))
            return
        mark = feeding.replaced(argv)
        if not inner:
            for text in self._input(command) if program_name(argv[0]) == "parallel" else ():
                self._take(text, f"what `{argv[0]}` is fed")
            return
        words = " ".join(inner)
        for text in self._input(command) or [None]:
            if text is None and (mark in inner[0] or feeding.open_ended(inner, mark)):
                self._unknown[f"what `{argv[0]}` is fed"] = None
            else:
                fed = "${?}" if text is None else text
                self._scripts[words.replace(mark, fed) if mark in words else f"{words} {fed}"] = None
                if text is not None and mark in words:  # one word stays one
                    self._scripts[joined(tuple(word.replace(mark, text.strip()) for word in inner))] = None

    def _input(self, command: SimpleCommand) -> list[str | None]:
        """The texts that reach this command's input; None for one that cannot be known."""
        if command.stdin_text is not None:
            return [command.stdin_text]
        if any(each.operator.startswith("<") for each in command.redirections):
            return [None]
        behind = [(number, position) for number, position in command.pipes if position > 0]
        texts: list[str | None] = []
        for number, position in behind[-1:]:
            texts = [self._said(each) for each in self._stages.get((number, position - 1), ())]
        if not texts:
            return self._inputs
        known = [text for text in texts if text is not None]
        return [*texts, "".join(known)] if len(known) > 1 else texts

    def _said(self, feeder: SimpleCommand) -> str | None:
        argvs = self._argvs(feeder)
        if len(argvs) != 1:
            return None
        if argvs[0] == ("cat",) and feeder.stdin_text is None:
            if self._depth >= OUTPUTS_DEEP_MAX:
                return None
            self._depth += 1
            texts = self._input(feeder)
            self._depth -= 1
            return texts[0] if len(texts) == 1 else None
        return said(argvs[0], feeder.stdin_text)


def is_known(program: str) -> bool:
    """Whether the text shows which program this is: its last part counts, wherever it lies."""
    name = program_name(program)
    return bool(name) and UNKNOWN not in name and name != "{}"


def _reads_input(argv: Argv) -> bool:
    from sandgate.commandline.invocation import inner_place

    if argv[0] in _SOURCING or any(word in STANDARD_INPUT for word in argv[1:]):
        return any(word in STANDARD_INPUT for word in argv[1:])
    return inner_place(argv) == len(argv) or any(word[:1] == "-" and "s" in word[1:] for word in argv[1:2])


def _short(text: str) -> str:
    return text if len(text) <= SCRIPT_BYTES_MAX else UNKNOWN
