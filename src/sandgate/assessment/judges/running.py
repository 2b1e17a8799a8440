"""Programs that run something else: shells, interpreters, `sudo` and all wrappers, and the shell's own words."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg, Value
from sandgate.assessment.findings import HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE, SYSTEM, Finding
from sandgate.assessment.inline import judge_code
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.files import below_base, find_bases
from sandgate.assessment.knowledge import entry_for, knows
from sandgate.assessment.knowledge.interpreters import LANGUAGES, SHELL_VALUES, SHELLS
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import shown
from sandgate.commandline.arguments import grammar, read
from sandgate.commandline.wrappers import WRAPPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

PRIVILEGED = frozenset(words("sudo doas su pkexec runuser chroot nsenter systemd-run sudoedit machinectl"))
# Runners of a project's own tools: what stands before the inner command.
RUNNERS = {
    "uv": "run", "poetry": "run", "pdm": "run", "hatch": "run", "pipenv": "run", "rye": "run", "bundle": "exec",
    "pnpm": "exec", "yarn": "exec", "npm": "exec", "conda": "run", "mise": "exec", "direnv": "exec", "coverage": "run",
    "asdf": "exec",
}  # fmt: skip
DIRECT_RUNNERS = frozenset(
    words("npx bunx uvx cross-env dotenv torsocks proxychains proxychains4 caffeinate doppler rlwrap winpty")
)
ANYTHING = "It can do anything you can do"
MAX_POSITIONAL = 9  # `$1` to `$9`
MAX_TAILS = 8  # tried behind a wrapper whose options are not known
FED_BY_LINES = frozenset(words("sort uniq head tail grep egrep fgrep rg sed awk tr cut cat tac rev"))
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


def _judge_wrapper(call: Call, inquiry: Inquiry) -> None:
    name = call.program
    if name in PRIVILEGED:
        inquiry.note(
            Finding(HIGH, "privilege", name, f"runs with other rights (`{name}`)",
                    "Runs with the rights of another account" if name != "chroot" else "Runs in another root directory",
                    "", (PRIVILEGE,))
        )  # fmt: skip
    texts = tuple(arg.text for arg in call.args)
    if name == "command" and texts[:1] and texts[0] in {"-v", "-V"}:
        inquiry.add(LOW, "reads", name, "only looks for a program")
        return
    known = grammar(WRAPPERS[name], WRAPPERS)
    reading = read(texts, known)
    if reading is None:
        _every_tail(call, inquiry)
        return
    for script in (reading.value("-c", "--command", "--session-command"), reading.value("-S", "--split-string")):
        if (script is not None and "-c=" in WRAPPERS[name]) or (script is not None and name == "env"):
            inquiry.run_script(script, call)
    rest = [call.args[place] for place in reading.operand_places]
    if "skip1" in known.marks:
        rest = rest[1:]
        if name == "flock" and rest and rest[0].text == "-c":
            inquiry.run_script(" ".join(arg.text for arg in rest[1:]), call)
            return
    elif "script" in known.marks:
        inquiry.run_script(" ".join(arg.text for arg in rest), call)
        return
    elif "operand" in known.marks:
        for arg in rest[:1]:
            inquiry.run_script(arg.text, call)
        return
    elif "command_option" in known.marks:
        return
    _run_rest(rest, call, inquiry, assigned="assigned" in known.marks)


def _run_rest(rest: list[Arg], call: Call, inquiry: Inquiry, *, assigned: bool) -> None:
    while assigned and rest and "=" in rest[0].text and not rest[0].text.startswith("="):
        name, _, value = rest[0].text.partition("=")
        judge_assignment(name, [Arg(value)], call, inquiry)
        rest = rest[1:]
    if not rest:
        if call.program in {"env"}:
            call.carry("environment", "the environment")
        inquiry.add(LOW, "reads", call.program, "runs nothing by itself")
        return
    inquiry.run(call.inside(rest[0].text, rest[1:]))


def _every_tail(call: Call, inquiry: Inquiry) -> None:
    """Options we do not know: any argument may be where the inner command begins."""
    inquiry.doubt(f"options of `{call.program}` that are not known", target=call.program)
    starts = [at for at, arg in enumerate(call.args) if arg.text[:1] != "-" and knows(_base(arg.text))]
    for at in starts[:MAX_TAILS]:
        inquiry.run(call.inside(call.args[at].text, call.args[at + 1 :]))


def _base(text: str) -> str:
    return text.rsplit("/", 1)[-1]


def judge_runner(call: Call, inquiry: Inquiry) -> bool:
    """`uv run X`, `npx X`: whether `call` is such a thing; X is then judged."""
    args = list(call.args)
    if call.program in DIRECT_RUNNERS:
        at = 0
    elif call.program in RUNNERS and args and args[0].text == RUNNERS[call.program]:
        at = 1
    else:
        return False
    while at < len(args) and (args[at].text.startswith("-") or "=" in args[at].text):
        at += (
            2
            if args[at].text in {"--with", "-p", "--python", "--package", "--group", "--extra", "-n", "-c", "--call"}
            else 1
        )
    if at >= len(args):
        return False
    inner = call.inside(args[at].text.split("@", 1)[0] or args[at].text, args[at + 1 :])
    if call.program in {"npx", "bunx", "uvx"}:
        inquiry.add(MEDIUM, "contacts", args[at].text, "may download a package to run it",
                    f"Runs {shown(args[at].text)}, which may be downloaded first", "", (NETWORK,))  # fmt: skip
        if not knows(inner.program):
            return True
    inquiry.run(inner)
    return True


def _judge_xargs(call: Call, inquiry: Inquiry) -> None:
    texts = tuple(arg.text for arg in call.args)
    reading = read(texts, grammar(WRAPPERS["xargs"], WRAPPERS))
    if reading is None:
        _every_tail(call, inquiry)
        return
    rest = [call.args[place] for place in reading.operand_places]
    if not rest:
        inquiry.add(LOW, "reads", "xargs", "prints its input")
        return
    fed = fed_arguments(call.feeder)
    mark = reading.value("-I", "-i", "-J", "--replace")
    if mark is not None or (reading.has("-i", "--replace")):
        mark = mark or "{}"
        for each in fed:
            args = [
                arg.but(text=arg.text.replace(mark, each.text), known=each.known, glob=each.glob, raw="")
                for arg in rest
            ]
            inquiry.run(call.inside(args[0].text, args[1:]))
    else:
        inquiry.run(call.inside(rest[0].text, [*rest[1:], *fed]))


def _replaced(arg: Arg, mark: str, by: Arg) -> Arg:
    if mark not in arg.text:
        return arg
    return arg.but(text=arg.text.replace(mark, by.text), known=by.known, glob=by.glob, raw="")


def fed_arguments(feeder: Call | None) -> list[Arg]:
    """What a pipeline hands to `xargs`, as far as it can be known."""
    filtered = False
    while feeder is not None and feeder.program in FED_BY_LINES and not _has_files(feeder):
        filtered = filtered or feeder.program in {"grep", "egrep", "fgrep", "rg", "head", "tail", "awk", "sed"}
        feeder = feeder.feeder
    if feeder is None:
        return [Arg(UNKNOWN, known=False)]
    if feeder.program == "find":
        bases, chosen = find_bases(feeder)
        return [below_base(base, filtered=chosen or filtered) for base in bases]
    operands = list(parsed(feeder.args, "-I -name").operands)
    if feeder.program in {"echo", "printf"}:
        return operands
    if feeder.program == "ls":
        return [below_base(base, filtered=filtered) for base in operands or [Arg(".")] if not base.glob] + [
            base for base in operands if base.glob
        ]
    if feeder.program == "git":
        return [below_base(Arg("."), filtered=filtered or "ls-files" not in [arg.text for arg in operands])]
    if feeder.program in {"grep", "egrep", "fgrep", "rg", "fd", "ag"}:
        return [below_base(base, filtered=True) for base in operands[1:] or [Arg(".")]]
    return [Arg(UNKNOWN, known=False)]


def _has_files(call: Call) -> bool:
    if call.program == "tr":
        return False
    operands = parsed(call.args, "-e -n -k -d -f -c -t -F -v -m").operands
    return len(operands) > (1 if call.program in {"grep", "egrep", "fgrep", "rg", "sed", "awk"} else 0)


def _judge_shell(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, SHELL_VALUES, stop_at_operand=True)
    if options.has("--version --help -n"):
        inquiry.add(LOW, "reads", call.program, "runs nothing")
        return
    if options.has("-c"):
        for arg in options.operands[:1]:
            _given_script(arg, call, inquiry)
        return
    if options.operands and not options.has("-s"):
        judge_script_file(options.operands[0], call, inquiry)
        return
    if any(arg.text == "-i" or arg.text.startswith("-i") for arg in call.args) and call.upstream.get("network"):
        inquiry.add(
            HIGH, "contacts", call.upstream["network"], "hands a shell to another machine", "", "", (PRIVILEGE,)
        )
    _from_input(call, inquiry, "a shell")


def _given_script(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    tags = dict(arg.carries)
    if "network" in tags or ("network" in call.upstream and not arg.known):
        _runs_download(tags.get("network") or call.upstream["network"], inquiry)
    elif not arg.known and ("decoded" in tags or "decoded" in call.upstream):
        _runs_hidden(inquiry)
    elif not arg.known and not arg.raw:
        inquiry.doubt("runs text that is made while it runs", level=MEDIUM)
    inquiry.run_script(arg.raw or arg.text.replace(UNKNOWN, "${?}"), call)


def _runs_download(host: str, inquiry: Inquiry) -> None:
    said = f"Runs a program straight from {shown(host)} without showing it"
    inquiry.add(HIGH, "runs", host, "runs what it downloads", said, ANYTHING, (NETWORK, SYSTEM))


def _runs_hidden(inquiry: Inquiry) -> None:
    inquiry.note(
        Finding(HIGH, "unknown", "?", "runs text that was encoded to hide it",
                "Runs a program that is hidden in encoded text", ANYTHING, (SYSTEM,), "low")
    )  # fmt: skip
    inquiry.doubts.append("the program is hidden in encoded text")


def _from_input(call: Call, inquiry: Inquiry, what: str) -> None:
    """A shell or interpreter that reads its program from its input."""
    feeder = call.feeder
    if "network" in call.upstream:
        _runs_download(call.upstream["network"], inquiry)
        return
    if "decoded" in call.upstream:
        _runs_hidden(inquiry)
    if call.stdin_text is not None:
        _judge_text(call.stdin_text, call, inquiry)
    elif feeder is not None and feeder.program in {"echo", "printf"}:
        text = " ".join(arg.text for arg in feeder.args if arg.text not in {"-n", "-e", "-E"})
        _judge_text(text.replace("\\n", "\n"), call, inquiry)
    elif feeder is not None and feeder.stdin_text is not None:
        _judge_text(feeder.stdin_text, call, inquiry)
    elif feeder is not None or call.upstream:
        inquiry.doubt(f"feeds {what} from a source that was not read", target=call.program)
    else:
        inquiry.add(MEDIUM, "runs", call.program, f"starts {what}", f"Starts {what}")


def _judge_text(text: str, call: Call, inquiry: Inquiry) -> None:
    if call.program in LANGUAGES:
        judge_code(text, LANGUAGES[call.program].name, call, inquiry)
    else:
        inner = call.inside(call.program, ())
        inner.stdin_text, inner.feeder = None, None
        inquiry.run_script(text, inner)


def judge_script_file(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    """A program in a file: we do not read it, we only know where it comes from."""
    path, _ = call.paths(arg)
    tags = dict(arg.carries)
    if "network" in tags:
        _runs_download(tags["network"], inquiry)
        return
    if path is not None and path in inquiry.downloads:
        _runs_download(inquiry.downloads[path], inquiry)
        return
    if path is not None and path in inquiry.written:
        inquiry.run_script(inquiry.written[path], call)
    if (path is not None and path in {"/dev/stdin", "/proc/self/fd/0"}) or arg.text == "-":
        _from_input(call, inquiry, "an interpreter")
        return
    if path is None:
        inquiry.doubt("which script runs cannot be known before it runs", target=call.program)
        return
    activates = path.endswith(("/bin/activate", "/nvm.sh", "/activate.fish"))
    inquiry.add(
        LOW if activates else MEDIUM, "runs", path, "runs a script that was not read", f"Runs the script {shown(path)}"
    )


def _judge_interpreter(call: Call, inquiry: Inquiry) -> None:
    language = LANGUAGES[call.program]
    if call.args and entry_for((call.program, call.args[0].text)) is not entry_for((call.program,)):
        by_table(call, inquiry)  # `deno test`, `bun install`
        return
    options = parsed(call.args, f"{language.code} {language.values}", stop_at_operand=True)
    codes = [arg for name, arg in options.values if name in language.code.split()]
    if {arg.text for arg in call.args} and {arg.text for arg in call.args} <= {"--version", "-V", "-v", "--help", "-h"}:
        inquiry.add(LOW, "reads", call.program, "only shows its version")
        return
    if language.name == "Perl" and codes and options.has("-i"):
        for arg in options.operands:
            inquiry.write(arg, call, verb="Changes")
    for arg in codes:
        tags = dict(arg.carries)
        if not arg.known and "network" in tags:
            _runs_download(tags["network"], inquiry)
        judge_code(arg.raw or arg.text, language.name, call, inquiry)
    if codes:
        return
    module = options.value("-m")
    if module is not None and call.program == "python":
        _module(module, options.operands, call, inquiry)
    elif options.operands:
        _program_file(options.operands, call, inquiry)
    else:
        _from_input(call, inquiry, f"a {language.name} interpreter")


def _program_file(operands: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    name = _base(operands[0].text)
    if knows(name):
        inquiry.run(call.inside(name, operands[1:]))
        return
    judge_script_file(operands[0], call, inquiry)


def _module(module: Arg, operands: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    name = module.text
    if name in {"http.server", "SimpleHTTPServer", "pyftpdlib"}:
        inquiry.add(MEDIUM, "contacts", "network", "serves the working directory to the network",
                    "Lets other machines read the working directory", "", (NETWORK, "data_exfiltration"))  # fmt: skip
    elif name in {
        "json.tool",
        "timeit",
        "this",
        "platform",
        "sysconfig",
        "site",
        "compileall",
        "py_compile",
        "pydoc",
        "tokenize",
        "dis",
    }:
        inquiry.add(LOW, "runs", name, "runs a harmless part of Python")
    elif name in {"venv", "ensurepip", "build", "zipapp"}:
        inquiry.add(MEDIUM, "writes", name, "creates files in the project", f"Runs Python's {shown(name)}")
    elif knows(name):
        after = list(call.args)
        at = next((index for index, arg in enumerate(after) if arg.text in {"-m", "-m" + name} or arg == module), 0)
        inquiry.run(call.inside(name, after[at + (2 if after[at].text == "-m" else 1) :]))
    else:
        del operands
        inquiry.add(MEDIUM, "runs", name, "runs a module that is not known", f"Runs the Python module {shown(name)}")


def _judge_eval(call: Call, inquiry: Inquiry) -> None:
    text = " ".join(arg.raw or arg.text for arg in call.args)
    if not text.strip() and any(arg.note for arg in call.args):
        inquiry.doubt("runs a text that is empty here")
    joined = Arg(
        text, all(arg.known for arg in call.args), carries=tuple(each for arg in call.args for each in arg.carries)
    )
    _given_script(joined, call, inquiry)


def _judge_source(call: Call, inquiry: Inquiry) -> None:
    for arg in call.args[:1]:
        judge_script_file(arg, call, inquiry)


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


def judge_read(call: Call, inquiry: Inquiry) -> None:
    """`read X`, `mapfile X`, `unset X`: from here on only the running shell knows."""
    for arg in parsed(call.args, "-p -t -n -N -d -a -u -C -c -O -s").operands:
        if call.program == "unset":
            call.shell.variables[arg.text] = Value(("",))
        else:
            call.shell.variables[arg.text] = Value((UNKNOWN,), known=False)
    inquiry.add(LOW, "reads", call.program, "sets shell variables")


def _judge_set(call: Call, inquiry: Inquiry) -> None:
    """`set -- a b`: the script's own arguments."""
    texts = [arg.text for arg in call.args]
    if "--" in texts:
        given = tuple(texts[texts.index("--") + 1 :])
        known = all(arg.known for arg in call.args)
        for name in ("@", "*"):
            call.shell.variables[name] = Value(given or ("",), known)
        for number, text in enumerate(given[:MAX_POSITIONAL], 1):
            call.shell.variables[str(number)] = Value((text,), known)
    inquiry.add(LOW, "reads", "set", "sets shell options")


def judge_declaration(call: Call, inquiry: Inquiry) -> None:
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
    "eval": _judge_eval,
    "source": _judge_source,
    ".": _judge_source,
    "xargs": _judge_xargs,
    "alias": _judge_alias,
    "set": _judge_set,
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _judge_cd),
    **dict.fromkeys(("read", "mapfile", "readarray", "unset", "getopts"), judge_read),
    **dict.fromkeys(("export", "local", "declare", "typeset", "readonly"), judge_declaration),
    **dict.fromkeys(SHELLS, _judge_shell),
    **dict.fromkeys(LANGUAGES, _judge_interpreter),
    **dict.fromkeys((name for name in WRAPPERS if name not in {"eval", "xargs"}), _judge_wrapper),
}
