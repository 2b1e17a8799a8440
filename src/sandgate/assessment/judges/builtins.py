"""The shell's own words: they change where the script is, what its variables hold and what its words mean."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg, Value
from sandgate.assessment.findings import HIGH, LOW, MEDIUM, PRIVILEGE, SYSTEM
from sandgate.assessment.judges.feeding import fed_arguments
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

MAX_POSITIONAL = 9  # `$1` to `$9`
RISKY_VARIABLES = frozenset(words("LD_PRELOAD LD_AUDIT BASH_ENV DYLD_INSERT_LIBRARIES PROMPT_COMMAND"))
COMMAND_VARIABLES = frozenset(
    words("GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER PAGER EDITOR VISUAL GIT_EDITOR MANPAGER BROWSER GIT_SSH")
)
CODE_PATHS = frozenset(words("LD_LIBRARY_PATH PYTHONSTARTUP PERL5OPT RUBYOPT ENV GCONV_PATH GIT_CONFIG_GLOBAL"))


def judge_assignment(name: str, values: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    """Variables that decide which code runs."""
    if name in RISKY_VARIABLES and values and values[0].text:
        inquiry.add(HIGH, "runs", values[0].text, f"`{name}` loads foreign code into every program",
                    f"Loads {shown(values[0].text)} into every program it starts", "", (PRIVILEGE, SYSTEM))  # fmt: skip
    elif name in CODE_PATHS:
        inquiry.add(MEDIUM, "runs", name, f"`{name}` changes which code programs load")
    if name in COMMAND_VARIABLES or name == "PROMPT_COMMAND":
        for arg in values:
            inquiry.run_script(arg.text, call)


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
    for arg in parsed(call.args, "-p -t -n -N -d -a -u -C -c -O -s").operands:
        if call.program == "unset":
            call.shell.variables[arg.text] = Value(("",))
        else:
            fed = fed_arguments(call.feeder)
            call.shell.variables[arg.text] = Value(tuple(each.text for each in fed), all(each.known for each in fed))
    inquiry.add(LOW, "reads", call.program, "sets shell variables")


def _judge_set(call: Call, inquiry: Inquiry) -> None:
    """`set -- a b`: the script's own arguments."""
    texts = [arg.text for arg in call.args]
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


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "alias": _judge_alias,
    "set": _judge_set,
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _judge_cd),
    **dict.fromkeys(("read", "mapfile", "readarray", "unset", "getopts"), _judge_read),
    **dict.fromkeys(("export", "local", "declare", "typeset", "readonly"), _judge_declaration),
}
