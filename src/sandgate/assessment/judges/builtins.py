"""The shell's own words: they change where the script is, what its variables hold and what its words mean."""

from __future__ import annotations

from sandgate.assessment.expansion import Value
from sandgate.assessment.findings import EXHAUSTION, HIGH, LOW, MEDIUM
from sandgate.assessment.judges.feeding import fed_arguments
from sandgate.assessment.judges.spoken import echo_output
from sandgate.assessment.judges.trust import HISTORIES, no_history
from sandgate.assessment.options import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.commandline.script import SimpleCommand

_READ_ON = ("keys", "secret", "file", "environment")  # what a variable holds that was read from there
MAX_POSITIONAL = 9  # `$1` to `$9`
# What a loop without rest makes a burden: nothing at all, and what takes room each time.
_TAKING = frozenset((":", "true", "false", "dd", "fallocate", "truncate", "mktemp", "mkdir", "touch", "cp"))


def _judge_cd(call: Call, inquiry: Inquiry) -> None:
    operands = parsed(call.args).operands
    target = operands[0].text if operands else None
    if target == "-" or (operands and not operands[0].known):
        call.shell.cwd = None
    else:
        home = call.shell.lookup("HOME")
        call.shell.cwd = call.shell.resolve(
            target if target is not None else home.texts[0] if home else call.shell.home
        )
    inquiry.add(LOW, "reads", "cd", "changes the directory")


def _judge_read(call: Call, inquiry: Inquiry) -> None:
    """`read X`, `mapfile X`, `unset X`: from here on only the running shell knows."""
    options = parsed(call.args, "-p -t -n -N -d -a -u -C -c -O -s")
    callback = options.value("-C")
    if callback is not None:
        inquiry.run_script(callback.text, call)
    for arg in options.operands:
        if call.program == "unset":
            if arg.text in HISTORIES:
                no_history(arg.text, inquiry)
            call.shell.variables[arg.text] = Value(("",))
        elif call.stdin_text is not None and call.program == "read":
            known = not any(mark in call.stdin_text for mark in "$`")
            call.shell.variables[arg.text] = Value((call.stdin_text.strip(),), known)
        else:
            fed = fed_arguments(call.feeder)
            carried = tuple([(tag, call.upstream[tag]) for tag in _READ_ON if tag in call.upstream])
            texts = tuple([each.text for each in fed])
            call.shell.variables[arg.text] = Value(texts, all(each.known for each in fed), carried)
    inquiry.add(LOW, "reads", call.program, "sets shell variables")


def _judge_set(call: Call, inquiry: Inquiry) -> None:
    """`set -- a b`: the script's own arguments."""
    texts = [arg.text for arg in call.args]
    if texts[:2] == ["+o", "history"]:
        no_history("history", inquiry)
    if not texts:
        call.carry("environment", "the environment")
    if "--" in texts:
        given = tuple(texts[texts.index("--") + 1 :])
        known = all(arg.known for arg in call.args)
        for name in ("@", "*"):
            call.shell.variables[name] = Value(given or ("",), known)
        for number, text in enumerate(given[:MAX_POSITIONAL], 1):
            call.shell.variables[str(number)] = Value((text,), known)
    inquiry.add(LOW, "reads", "set", "sets shell options")


def _judge_declaration(call: Call, inquiry: Inquiry) -> None:
    """`export`, `local`, `declare`: the assignments have been made already."""
    if not [arg for arg in call.args if arg.text[:1] != "-"] and call.program in {"export", "declare"}:
        call.carry("environment", "the environment")
    inquiry.add(LOW, "reads", call.program, "sets shell variables")


def _judge_alias(call: Call, inquiry: Inquiry) -> None:
    for arg in call.args:
        name, equals, value = arg.text.partition("=")
        if equals:
            inquiry.add(MEDIUM, "runs", name, "changes what a word means")
            inquiry.run_script(value, call)
    inquiry.add(LOW, "reads", "alias", "shows or sets short names")


def _judge_completion(call: Call, inquiry: Inquiry) -> None:
    """`complete -C`, `bind -x`: the shell runs the text when a key is pressed."""
    for option, arg in parsed(call.args, "-C -x").values:
        inquiry.run_script(arg.text.partition(":")[2] if option == "-x" else arg.text, call)
    inquiry.add(MEDIUM, "runs", call.program, "changes what keys do in this shell")


def judge_loop(command: SimpleCommand, inquiry: Inquiry) -> None:
    """A command in a loop that starts it in the background, or that neither ends nor rests."""
    busy = command.spinning and not command.pipes and command.words[0].literal in _TAKING
    if busy or (command.background and command.spinning):
        inquiry.add(HIGH, "runs", "?", "repeats without end or rest",
                    "Takes all of the processor, and does not stop by itself", "", (EXHAUSTION,))  # fmt: skip
    elif command.background:
        inquiry.add(MEDIUM, "runs", "?", "starts commands in the background in a loop", "", "", (EXHAUSTION,))


def _judge_printf(call: Call, inquiry: Inquiry) -> None:
    """`printf -v NAME`: what is printed becomes a variable."""
    if len(call.args) > 2 and call.args[0].text == "-v":
        name, call.args = call.args[1], call.args[2:]
        call.shell.variables[name.text] = Value((echo_output(call),), all(arg.known for arg in call.args))
    inquiry.add(LOW, "reads", "printf", "prints text")


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "alias": _judge_alias,
    "printf": _judge_printf,
    **dict.fromkeys(("complete", "bind"), _judge_completion),
    "set": _judge_set,
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _judge_cd),
    **dict.fromkeys(("read", "mapfile", "readarray", "unset", "getopts"), _judge_read),
    **dict.fromkeys(("export", "local", "declare", "typeset", "readonly"), _judge_declaration),
}
