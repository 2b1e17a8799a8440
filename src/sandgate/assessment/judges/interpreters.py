"""Shells and languages that run a text: from an option, a file, their input, or straight from the network."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE, SYSTEM, Finding
from sandgate.assessment.inline import judge_code
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import base_name, by_table
from sandgate.assessment.judges.naming import judge_name
from sandgate.assessment.judges.ordering import judge_order
from sandgate.assessment.judges.spoken import echo_output, spoken
from sandgate.assessment.knowledge import entry_for, knows
from sandgate.assessment.knowledge.interpreters import LANGUAGES, SHELL_VALUES, SHELLS
from sandgate.assessment.lexing import tokens
from sandgate.assessment.options import parsed
from sandgate.assessment.places import below, place_of
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

EDITORS = frozenset({"emacs", "emacsclient"})  # what is no code are files to edit
DENO_RIGHTS = frozenset({"-A", "--allow-all", "--allow-run", "--allow-write", "--allow-ffi"})
BARE_CONNECTIONS = frozenset({"nc", "telnet", "socat", "openssl"})  # the other end says what it likes when it likes
EVAL_WORDS = frozenset({"eval", "e"})
EVAL_PROGRAMS = frozenset({"deno", "crystal", "nim"})
ANYTHING = "It can do anything you can do"


def _judge_java(call: Call, inquiry: Inquiry) -> None:
    """`java -jar tool.jar -s http://host delete-job x`: a program of its own, with orders of its own."""
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if "-jar" in texts and (at := texts.index("-jar")) + 1 < len(texts):
        orders = parsed(call.args[at + 2 :], "-s -auth -u -p -url").operands
        judge_order(call.inside(texts[at + 1].rsplit("/", 1)[-1], orders), inquiry)


def _judge_shell(call: Call, inquiry: Inquiry) -> None:
    options = parsed(_without_plus(call.args), SHELL_VALUES, stop_at_operand=True)
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


def _without_plus(args: Sequence[Arg]) -> list[Arg]:
    """`bash +x +o posix -c …`: the arguments without what switches an option off."""
    kept: list[Arg] = []
    rest = iter(args)
    for arg in rest:
        if arg.text[:1] == "+" and len(arg.text) > 1:
            if arg.text[-1] in "oO":
                next(rest, None)
            continue
        kept.append(arg)
        if arg.text in SHELL_VALUES.split():
            kept.extend([value for value in (next(rest, None),) if value is not None])
        elif arg.text[:1] != "-":
            kept.extend(rest)
    return kept


def _given_script(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    tags = dict(arg.carries)
    if "network" in tags or ("network" in call.upstream and not arg.known):
        runs_download(tags.get("network") or call.upstream["network"], inquiry)
    elif not arg.known and ("decoded" in tags or "decoded" in call.upstream):
        _runs_hidden(inquiry)
    elif not arg.known and not arg.raw:
        inquiry.doubt("runs text that is made while it runs", level=MEDIUM)
    if "said" in tags and arg.text == UNKNOWN:
        inquiry.run_script(tags["said"], call)
        return
    inquiry.run_script(arg.raw or arg.text.replace(UNKNOWN, "${?}"), call)


def runs_download(host: str, inquiry: Inquiry) -> None:
    """Note that something that came from `host` a moment ago is run."""
    said = f"Runs a program straight from {worded(host)} without showing it"
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
        if feeder is not None and feeder.program in BARE_CONNECTIONS:
            inquiry.add(HIGH, "contacts", call.upstream["network"], "takes orders from another machine",
                        "Gives another machine control of this account", "", (PRIVILEGE, NETWORK))  # fmt: skip
        runs_download(call.upstream["network"], inquiry)
        return
    if "decoded" in call.upstream:
        _runs_hidden(inquiry)
        hidden = _decoded(feeder)
        if hidden:
            _judge_text(hidden, call, inquiry)
            return
    if call.stdin_text is not None:
        _judge_text(call.stdin_text, call, inquiry)
    elif (said := spoken(feeder)) is not None:
        _judge_text(said, call, inquiry)
    elif feeder is not None and feeder.stdin_text is not None:
        _judge_text(feeder.stdin_text, call, inquiry)
    elif feeder is not None and feeder.program in LANGUAGES and call.program not in LANGUAGES:
        inquiry.doubt(f"feeds {what} from a source that was not read", target=call.program)
        for token in [each for arg in feeder.args for each in tokens(arg.text) if each.kind == "string"]:
            _judge_text(token.text, call, inquiry)
    elif feeder is not None or call.upstream:
        inquiry.doubt(f"feeds {what} from a source that was not read", target=call.program)
    else:
        inquiry.add(MEDIUM, "runs", call.program, f"starts {what}", f"Starts {what}")


def _decoded(feeder: Call | None) -> str:
    """What `echo TEXT | base64 -d` prints; nothing when that is not known."""
    if feeder is None or feeder.program not in {"base64", "xxd"}:
        return ""
    text = feeder.stdin_text or ""
    if not text and feeder.feeder is not None and feeder.feeder.program in {"echo", "printf"}:
        text = echo_output(feeder.feeder).split("\n", 1)[0]
    from binascii import Error, a2b_base64, unhexlify

    try:
        return (a2b_base64(text) if feeder.program == "base64" else unhexlify(text.strip())).decode()
    except (Error, ValueError):
        return ""


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
        runs_download(tags["network"], inquiry)
        return
    if "said" in tags:
        _judge_text(tags["said"], call, inquiry)
    fetched = "" if path is None else inquiry.fetched_from(path)
    if path is not None and fetched and (path in inquiry.downloads or call.program in {*SHELLS, "source", "."}):
        runs_download(fetched, inquiry)
        return
    if path is not None and path in inquiry.written:
        inquiry.run_script(inquiry.written[path], call)
    if (path is not None and path in {"/dev/stdin", "/proc/self/fd/0"}) or arg.text == "-":
        _from_input(call, inquiry, "an interpreter")
        return
    if path is None:
        inquiry.doubt("which script runs cannot be known before it runs", target=call.program)
        return
    judge_script_name(path, call, inquiry)
    activates = path.endswith(("/bin/activate", "/nvm.sh", "/activate.fish"))
    inquiry.add(
        LOW if activates else MEDIUM, "runs", path, "runs a script that was not read", f"Runs the script {worded(path)}"
    )


def judge_script_name(path: str, call: Call, inquiry: Inquiry) -> None:
    """`./deploy.sh production`: a script that was not read says by its name what it does."""
    if not {"--dry-run", "-n", "--help", "-h", "--check"} & {arg.text for arg in call.args}:
        name = base_name(path).partition(".")[0]
        judge_name(name, inquiry, releases=name == "release")


def judge_interpreter(call: Call, inquiry: Inquiry) -> None:
    """A language of `LANGUAGES`: its inline code, a program in a file, a module, or what it is fed."""
    language = LANGUAGES[call.program]
    named = (call.program, *[arg.text for arg in call.args[:2]])
    if entry_for(named) is not entry_for((call.program,)):
        by_table(call, inquiry)  # `deno test`, `bun install`
        return
    fetched = [arg.text for arg in call.args if arg.text.startswith(("http://", "https://"))]
    if call.program == "deno" and fetched and {arg.text.partition("=")[0] for arg in call.args} & DENO_RIGHTS:
        runs_download(fetched[0], inquiry)
    if call.args and call.args[0].text in EVAL_WORDS and call.program in EVAL_PROGRAMS:
        for arg in parsed(call.args[1:]).operands:
            judge_code(arg.raw or arg.text, language.name, call, inquiry)
        return
    server = parsed(call.args, "-S -t -d -c") if call.program == "php" else None
    if server is not None and server.has("-S"):
        _serves(server.value("-S"), server.value("-t"), call, inquiry)
    texts = [arg.text for arg in call.args]
    if call.program == "ruby" and texts[:3] == ["-run", "-e", "httpd"]:
        own = parsed(call.args[3:], "-p -b")
        _serves(own.value("-b"), own.operands[0] if own.operands else None, call, inquiry)
        return
    options = parsed(call.args, f"{language.code} {language.values}", stop_at_operand=True)
    codes = [arg for name, arg in options.values if name in language.code.split()]
    if {arg.text for arg in call.args} and {arg.text for arg in call.args} <= {"--version", "-V", "-v", "--help", "-h"}:
        inquiry.add(LOW, "reads", call.program, "only shows its version")
        return
    if language.name in {"Perl", "Ruby"} and codes and options.has("-i"):
        for arg in options.operands:
            inquiry.write(arg, call, verb="Changes")
    for arg in codes:
        tags = dict(arg.carries)
        if not arg.known and "network" in tags:
            runs_download(tags["network"], inquiry)
        judge_code(arg.raw or arg.text, language.name, call, inquiry)
    if codes or call.program in EDITORS:
        if call.program in EDITORS:
            by_table(call, inquiry)
        return
    module = options.value("-m")
    if module is not None and call.program == "python":
        _module(module, options.operands, call, inquiry)
    elif options.operands:
        _program_file(options.operands, call, inquiry)
    else:
        _from_input(call, inquiry, f"a {language.name} interpreter")


def _program_file(operands: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    name = base_name(operands[0].text)
    if knows(name):
        inquiry.run(call.inside(name, operands[1:]))
        return
    judge_script_file(operands[0], call, inquiry)


def _module(module: Arg, operands: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    name = module.text
    if name in {"http.server", "SimpleHTTPServer", "pyftpdlib"}:
        options = parsed(call.args, "-m -b --bind -d --directory -p --protocol", clusters=False)
        _serves(options.value("-b --bind"), options.value("-d --directory"), call, inquiry)
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
        for arg in operands[:1]:
            inquiry.read(arg, call)
        for arg in operands[1:2] if name == "json.tool" else ():
            inquiry.write(arg, call)
    elif name in {"venv", "ensurepip", "build", "zipapp"}:
        inquiry.add(MEDIUM, "writes", name, "creates files in the project", f"Runs Python's {worded(name)}")
    elif knows(name):
        after = list(call.args)
        at = next((index for index, arg in enumerate(after) if arg.text in {"-m", "-m" + name} or arg == module), 0)
        inquiry.run(call.inside(name, after[at + (2 if after[at].text == "-m" else 1) :]))
    else:
        inquiry.add(MEDIUM, "runs", name, "runs a module that is not known", f"Runs the Python module {worded(name)}")


def _serves(bound: Arg | None, given: Arg | None, call: Call, inquiry: Inquiry) -> None:
    """`python -m http.server`, `php -S`: who can read what. Only what belongs to the project may be shown around."""
    if bound is not None and is_local(bound.text) and not bound.text.startswith("0.0.0.0"):
        inquiry.add(MEDIUM, "contacts", "localhost", "serves files to this machine", "Serves files to this machine")
        return
    path, _ = call.paths(given if given is not None else Arg("."))
    project = path is not None and place_of(path, inquiry.facts).kind in {"trunk", "workspace", "build"}
    shared = project and path is not None and below(path, inquiry.facts.cwd)
    what = "the working directory" if given is None else worded(path or "?")
    inquiry.add(MEDIUM if shared else HIGH, "contacts", "network", f"serves {what} to the network",
                f"Lets other machines read {what}", "", (NETWORK, "data_exfiltration"))  # fmt: skip


def _judge_server(call: Call, inquiry: Inquiry) -> None:
    """`serve DIRECTORY`, `http-server DIRECTORY`."""
    options = parsed(call.args, "-l --listen -p --port -a --host -c --config -o --open -P --proxy -S -C -K -i "
                                "--interfaces -b --bind -r --root -d --directory")  # fmt: skip
    given = options.operands[0] if options.operands else options.value("-r --root -d --directory")
    _serves(options.value("-a --host -i --interfaces -b --bind"), given, call, inquiry)


def _judge_caddy(call: Call, inquiry: Inquiry) -> None:
    """`caddy file-server --root DIRECTORY`; the rest is told by the tables."""
    by_table(call, inquiry)
    options = parsed(call.args, "--root -r --listen -l --domain -d --config")
    if "file-server" in [arg.text for arg in options.operands]:
        listen = options.value("--listen -l")
        bound = listen if listen is not None and not listen.text.startswith(":") else None
        _serves(bound, options.value("--root -r"), call, inquiry)


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


def _judge_ed(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    run_fed_lines(call, inquiry, "!")


def run_fed_lines(call: Call, inquiry: Inquiry, mark: str) -> None:
    """`make -f -` and `ed`: the lines of the text they are fed that begin with `mark` are commands for the shell."""
    text = call.stdin_text or ""
    if not text and call.feeder is not None and call.feeder.program in {"echo", "printf"}:
        text = echo_output(call.feeder)
    for line in text.split("\n"):
        if line[:1] == mark:
            inquiry.run_script(line[1:].lstrip("@-+"), call)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "java": _judge_java,
    "eval": _judge_eval,
    "source": _judge_source,
    **dict.fromkeys(
        (
            "serve",
            "http-server",
            "live-server",
            "miniserve",
            "dufs",
            "darkhttpd",
            "updog",
            "devd",
            "static-web-server",
            "webfsd",
            "filebrowser",
            "goshs",
        ),
        _judge_server,
    ),
    "caddy": _judge_caddy,
    ".": _judge_source,
    "ed": _judge_ed,
    **dict.fromkeys(SHELLS, _judge_shell),
    **dict.fromkeys(LANGUAGES.keys() - {"bun", "deno"}, judge_interpreter),
}
