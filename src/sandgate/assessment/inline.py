"""Judges programs written on the command line: `python -c …`, `perl -e …`, `node -e …`, `awk …`.

Not a parser for any of them. One scanner finds names, strings and brackets, which look alike in all these languages;
the tables say which names delete, write, run or talk. Code that uses only harmless names is low, code with unknown
calls is at least medium and says that we cannot be sure.
"""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import (
    DELETION,
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.giving import hands_shell, uploaded_to
from sandgate.assessment.inline_code import judge_alone, sends_environment
from sandgate.assessment.inline_databases import FILE_DATABASES, file_opened, judge_statements
from sandgate.assessment.knowledge.interpreters import (
    CONTACTING,
    DECODING,
    DELETING,
    DELETING_TREES,
    HARMLESS,
    HIDING,
    HOME_NAMES,
    HOME_PIECES,
    READING,
    RUNNING,
    SENDING,
    TAKING_RIGHTS,
    WRITING,
)
from sandgate.assessment.lexing import Token, as_calls, tokens
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded
from sandgate.commandline.decoding import ansi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import RiskCategory

MAX_ARGUMENT_TOKENS = 40  # looked at after a call's name; what stands further away belongs to something else
MAX_CODE_TOKENS = 400  # searched for a path when a call does not name one
REMOTE = ("http://", "https://", "ftp://", "ws://", "wss://")
FETCHING = frozenset(
    words("file_get_contents fetch urlopen get post put open read request Request curl_init URL URI slurp getstore")
)
EVALUATING = frozenset(words("exec eval Function instance_eval class_eval load loadstring source eval_string"))
ENVIRONMENT = frozenset(words("environ env ENV getenv"))
LOGIN_MARKS = ("header", "auth", "token=", "key=", "appid=")
APPLYING = frozenset(words("Haskell OCaml Lua Groovy Elixir Raku Nim Swift Crystal Scala"))  # calls without brackets
SOURCE_FILES = (".py", ".js", ".ts", ".tsx", ".rb", ".go", ".rs", ".c", ".cpp", ".h", ".java", "/*", "/**")
UPLOADED = frozenset(
    words("readFileSync readFile read_text read_bytes file_get_contents slurp environ readTextFileSync")
)
FUNCTIONS = frozenset(words("unlink unlinkSync rmSync rmtree rmdir remove removedirs"))
METHODS = frozenset({"write_text", "write_bytes", "unlink", "rmdir", "touch", "rename"})
_STATEMENTS = frozenset(
    words("""
    if for while in and or not def class return import from as with try except finally lambda else elif pass raise
    del assert yield True False None new const let var function typeof await async of my our use unless foreach END
    BEGIN do then end switch case print echo puts
    """)
)


def judge_code(code: str, language: str, call: Call, inquiry: Inquiry) -> None:
    """Add findings for code given as text."""
    if language == "Tcl":
        from sandgate.assessment.tcl import judge_tcl

        judge_tcl(code, call, inquiry)
        return
    found = tokens(as_calls(code) if language in {"Lisp", "Clojure", "Scheme"} else code)
    before = len(inquiry.findings) + len(inquiry.pending)
    _judge_whole(found, language, call, inquiry)
    unknown = [name for index in range(len(found)) for name in _judge_token(found, index, language, call, inquiry)]
    if "secret" in call.outflow and "network" in call.outflow:
        inquiry.send(f"the content of {worded(call.outflow['secret'])}", call.outflow["network"])
    if any(token.kind == "string" and "\\x" in token.text for token in found):
        inquiry.doubt(f"the {language} code hides part of its text")
    if unknown:
        inquiry.doubt(f"runs {language} code that was not understood", target=language)
    elif len(inquiry.findings) + len(inquiry.pending) == before:
        inquiry.add(LOW, "runs", language, f"runs {language} code that only looks or computes",
                    f"Runs a few words of {language}")  # fmt: skip


def _judge_whole(found: list[Token], language: str, call: Call, inquiry: Inquiry) -> None:
    """What only shows in several words together: text that is decoded or fetched and then run, endless copies."""
    names = {part for token in found if token.kind == "name" for part in (token.text, token.text.rsplit(".", 1)[-1])}
    runs_text = bool(names & EVALUATING)
    urls = [token.text for token in found if token.kind == "string" and token.text.startswith(REMOTE)]
    for url in urls if runs_text or names & FETCHING else []:
        inquiry.contact(host_of(url), call)
        in_address = "?" in url and any(not ENVIRONMENT.isdisjoint(name.split(".")) for name in names)
        if in_address and not _logs_in(found):  # `get('https://x/?k=' + process.env.KEY)`
            inquiry.send("variables of the environment", host_of(url))
    if (urls or names & (CONTACTING | SENDING)) and sends_environment(found, names):
        inquiry.send("variables of the environment", next((host_of(url) for url in urls), "?"))
    judge_alone(found, call, inquiry)
    judge_statements(found, names, inquiry)
    given_to = uploaded_to(found, names)
    if given_to and not _logs_in(found):
        inquiry.send("the content of files", host_of(given_to))
    if runs_text and ("network" in call.upstream or names & CONTACTING or (urls and names & EVALUATING)):
        inquiry.add(HIGH, "runs", language, "runs what it downloads", "Runs a program straight from the network", "",
                    (NETWORK, SYSTEM))  # fmt: skip
    elif (names & CONTACTING and names & {"dup2", "pty.spawn"}) or hands_shell(found, names, language):
        said = "Gives another machine control of this account"
        categories: tuple[RiskCategory, ...] = (PRIVILEGE, EXFILTRATION, NETWORK)
        inquiry.add(HIGH, "contacts", language, "hands a shell to another machine", said, "", categories)
    elif runs_text and names & DECODING:
        inquiry.doubt("runs text that was encoded to hide it", level=HIGH, target=language)
    if "fork" in {name.rsplit(".", 1)[-1] for name in names} and names & {"while", "loop", "forever", "for"}:
        inquiry.add(HIGH, "runs", language, "starts copies of itself without end",
                    "Starts copies of itself until the machine stops answering", "", (EXHAUSTION,))  # fmt: skip


def _judge_token(found: list[Token], index: int, language: str, call: Call, inquiry: Inquiry) -> list[str]:
    """Judge one token; returns the names of calls nothing is known about."""
    token = found[index]
    following = found[index + 1] if index + 1 < len(found) else Token("mark", "")
    previous = found[index - 1] if index else Token("mark", "")
    if (
        previous.text in "(,"
        and following.text in {",", ")"}
        and _handed_on(token, found, index, language, call, inquiry)
    ):
        return []
    if token.kind == "string":
        if language == "awk" and previous.text in {">", "|"}:
            _awk_output(previous.text, token.text, call, inquiry)
        elif language == "awk" and token.text.startswith(("/inet", "/inet4", "/inet6")):
            host = (token.text.split("/") + ["?"] * 5)[4]
            inquiry.contact(host, call)
            inquiry.add(HIGH, "contacts", host, "talks to another machine from within awk", "", "",
                        (NETWORK, EXFILTRATION))  # fmt: skip
        elif language == "awk" and following.text == "|":  # `"command" | getline`
            _awk_output("|", token.text, call, inquiry)
        return []
    if token.kind == "backtick":  # a command; in JavaScript a text, unless it is handed to a shell: $`…`
        if language in {"Perl", "Ruby", "PHP"} or previous.text.endswith("$"):
            inquiry.run_script(token.text, call)
        return []
    if token.kind != "name" or token.text in _STATEMENTS or token.text[:1].isdigit():
        return []
    called = following.text == "(" and following.kind == "mark"
    bare = following.kind in {"string", "name"} and (
        language in {"Perl", "Ruby"} or (language in APPLYING and token.text.rsplit(".", 1)[-1] in DELETING_TREES)
    )
    if not (called or bare or (language == "awk" and token.text == "system")):
        return []
    last = token.text.replace(":", ".").rsplit(".", 1)[-1]
    arguments = _arguments(found, index + 1)
    if last == "delete" and previous.text == ")" and len(arguments) == 1:  # `objects.filter(…).delete()`
        inquiry.add(HIGH, "deletes", "database", "deletes all that was asked for", "Deletes data in a database",
                    "Only a backup can bring it back", (DELETION,))  # fmt: skip
        return []
    if last in METHODS and not [each for each in arguments if each.kind == "string" and "/" in each.text]:
        arguments = found[max(0, index - MAX_ARGUMENT_TOKENS) : index]  # the path stands before: `Path(…).unlink()`
        arguments += found[index + 1 : index + MAX_ARGUMENT_TOKENS] if not _strings(arguments) else []
    if last in DELETING | DELETING_TREES and not _strings(arguments):
        arguments = found[:MAX_CODE_TOKENS]  # which file is only known to a loop; then any path in the code may be it
    if _judge_call(token.text, last, arguments, language, call, inquiry):
        return []
    known = last in HARMLESS or token.text in HARMLESS or bare or language == "awk"
    defined = previous.text in {"def", "function", "class", "sub"}
    return [] if known or defined else [token.text]


def _handed_on(token: Token, found: list[Token], index: int, language: str, call: Call, inquiry: Inquiry) -> bool:
    """`map(os.remove, glob("/x/*"))`, `array_map("unlink", …)`: a function that another one will call."""
    last = token.text.rsplit(".", 1)[-1]
    if last not in FUNCTIONS or (token.kind == "string" and language != "PHP") or token.kind == "mark":
        return False
    around = found[index + 1 : index + MAX_ARGUMENT_TOKENS]
    if not _strings(around):
        around = found[max(0, index - MAX_ARGUMENT_TOKENS) : index]
    return _judge_call(token.text, last, around, language, call, inquiry)


def _strings(found: Sequence[Token]) -> bool:
    return any(each.kind == "string" for each in found)


def _awk_output(mark: str, text: str, call: Call, inquiry: Inquiry) -> None:
    if mark == "|":
        inquiry.run_script(text, call)
    else:
        inquiry.write(Arg(text, raw=text), call)


def _arguments(found: list[Token], start: int) -> list[Token]:
    """The tokens up to the bracket that closes the call, or the end of the statement."""
    depth = 0
    kept: list[Token] = []
    for token in found[start : start + MAX_ARGUMENT_TOKENS]:
        if token.kind == "mark":
            depth += (token.text in "([{") - (token.text in ")]}")
            if depth <= 0 and token.text in ");":
                break
        kept.append(token)
    return kept


def _judge_call(name: str, last: str, arguments: Sequence[Token], language: str, call: Call, inquiry: Inquiry) -> bool:
    """Whether the call was recognised."""
    if (
        last in DELETING_TREES
        or name in DELETING_TREES
        or (last in {"rm", "remove"} and any(each.text == "recursive" for each in arguments))
    ):
        _delete(arguments, call, inquiry, recursive=True)
    elif last in RUNNING or name in RUNNING:
        _run(name, arguments, language, call, inquiry)
    elif last in HIDING or name in HIDING:
        inquiry.doubt(f"builds code while it runs (`{last}`)")
    elif name in SENDING or (last in {"sendall", "sendto"}):
        host = _host(arguments)
        upload = any(not ENVIRONMENT.isdisjoint(each.text.split(".")) for each in arguments) or any(
            each.text in {"open", "read", "readFileSync", "read_text"} for each in arguments
        )
        inquiry.contact(host, call)
        if upload or call.upstream:
            inquiry.send("the content of files or variables", host)
    elif name in FILE_DATABASES:
        for path in file_opened(_paths(arguments, call)):
            inquiry.read(path, call)
    elif last in CONTACTING or name in CONTACTING:
        inquiry.contact(_host(arguments), call)
        if {each.text.rsplit(".", 1)[-1] for each in arguments} & UPLOADED and not _logs_in(arguments):
            inquiry.send("the content of files or variables", _host(arguments))
    elif last in TAKING_RIGHTS:
        inquiry.add(HIGH, "privilege", name, "takes the rights of another account",
                    "Takes the rights of another account", "", (PRIVILEGE,))  # fmt: skip
    elif last in {"fork", "forkpty"}:
        inquiry.add(HIGH if call.looped else MEDIUM, "runs", "?", "starts copies of itself", "", "", (EXHAUSTION,))
    elif name in {"os.kill", "process.kill"} or last == "kill":
        _kill(arguments, inquiry)
    elif last in DELETING or name in DELETING:
        return _delete_some(name, last, arguments, call, inquiry)
    elif last in READING or (last in {"read", "readlines", "binread"} and _strings(arguments)):
        for path in _paths(arguments, call)[:1]:
            if not path.text.startswith(REMOTE):
                inquiry.read(path, call)
    elif last in WRITING:
        return _write(last, arguments, call, inquiry)
    else:
        return False
    return True


def _logs_in(found: Sequence[Token]) -> bool:
    """Whether what goes out stands where one says who one is, which is no loss."""
    return any(mark in each.text.lower() for each in found for mark in LOGIN_MARKS)


def _kill(arguments: Sequence[Token], inquiry: Inquiry) -> None:
    first = [each.text for each in arguments[:3]]
    everything = "-" in first and "1" in first
    words = "Ends all processes of this account" if everything else "Signals a process"
    inquiry.add(HIGH if everything else MEDIUM, "runs", "processes", "signals processes", words, "",
                (EXHAUSTION,) if everything else ())  # fmt: skip


def _delete_some(name: str, last: str, arguments: Sequence[Token], call: Call, inquiry: Inquiry) -> bool:
    """`remove`, `delete` and the like also mean harmless things; they count when they are given a path."""
    paths = _paths(arguments, call)
    certain = last in {"unlink", "unlinkSync", "rmdir", "removedirs"} or name in {"os.remove", "fs.rm"}
    if not certain and not any("/" in path.text or path.text.startswith("~") for path in paths):
        return False
    _delete(arguments, call, inquiry, recursive=last in {"removedirs"})
    return True


def _delete(arguments: Sequence[Token], call: Call, inquiry: Inquiry, *, recursive: bool) -> None:
    for path in _paths(arguments, call) or [Arg(UNKNOWN, known=False)]:
        whole = path.text.removeprefix("./").startswith("**/") and path.text.endswith(SOURCE_FILES)
        found = path.but(text="./*", raw="./*") if whole else path
        inquiry.delete(found, call, recursive=recursive or path.glob)


def _paths(arguments: Sequence[Token], call: Call) -> list[Arg]:
    """The paths that stand in a call's arguments; a name for the home directory counts as one."""
    home = any(each.kind == "name" and each.text.rsplit(".", 1)[-1] in HOME_NAMES for each in arguments) or any(
        each.kind == "string" and each.text == "HOME" for each in arguments
    )
    value = call.shell.lookup("HOME")
    base = value.texts[0] if value else call.shell.home
    strings = [
        ("~" if home and each.text[0] == "/" and at and arguments[at - 1].text in {"+", "", ".", "~"} else "")
        + _with_home(each.text.lstrip("<> ") if each.text[:2] != "<<" else each.text)
        for at, each in enumerate(arguments)
        if each.kind == "string" and each.text not in {"HOME", ""}
    ]
    strings = [text for text in strings if text]
    if home:
        joined = {arguments[at + 1].text for at in range(len(arguments) - 1) if arguments[at].text in {"+", "."}}
        strings = [text[1:] if text in joined and text[:1] == "/" else text for text in strings]
        inner = [text for text in strings if not text.startswith(("/", "~"))]
        strings = [text for text in strings if text.startswith(("/", "~"))] + [base + "/" + text for text in inner]
        strings = strings or [base]
    made = []
    for text in strings:
        path = base + text[1:] if text == "~" or text.startswith("~/") else text
        made.append(Arg(path, glob="*" in path, raw=path))
    return made


def _with_home(text: str) -> str:
    """A string that begins with the home directory in the words of some language: `"$ENV{HOME}/x"`."""
    return next((f"~{text[len(start) :]}" for start in HOME_PIECES if text.startswith(start)), text)


def _write(last: str, arguments: Sequence[Token], call: Call, inquiry: Inquiry) -> bool:
    strings = _paths(arguments, call)
    if last == "open":
        modes = {each.text for each in strings[1:]}
        if not any(mode[:1] in {"w", "a", "x", ">", "+"} or "+" in mode for mode in modes):
            for path in strings[:1]:
                inquiry.read(path, call)
            return True
        strings = [each for each in strings if each.text not in modes]
    if last in {"replace", "copy", "rename", "move", "call"} and not any(
        "/" in each.text or "." in each.text for each in strings
    ):
        return last in {"replace", "copy"}
    for path in strings[-1:] if last in {"copyfile", "copy", "move", "rename", "symlink", "copytree"} else strings[:1]:
        inquiry.write(path, call)
    if not strings:
        inquiry.write(Arg(UNKNOWN, known=False), call)
    return True


def _run(name: str, arguments: Sequence[Token], language: str, call: Call, inquiry: Inquiry) -> None:
    strings = [_unescaped(each.text) for each in arguments if each.kind == "string"]
    if name == "exec" and language == "Python":
        inquiry.doubt("builds code while it runs (`exec`)")
        return
    if not strings:
        inquiry.doubt(f"runs a program that cannot be known before it runs (`{name}`)")
        return
    if len(strings) == 1 or " " in strings[0]:
        inquiry.run_script(_joined(arguments), call)
    else:
        inquiry.run(call.inside(strings[0], [Arg(text, raw=text) for text in strings[1:]]))


def _joined(arguments: Sequence[Token]) -> str:
    """A command line that is put together: `"rm -rf " + os.getenv("HOME")`."""
    first = _unescaped(next(each.text for each in arguments if each.kind == "string"))
    if not first.endswith((" ", "/", "=")):
        return first
    names = [each.text.rsplit(".", 1)[-1] for each in arguments if each.kind in {"name", "string"}]
    home = any(name in HOME_NAMES for name in names)
    return first + ("~" if home else "${?}" if len(names) > 1 else "")


def _unescaped(text: str) -> str:
    """The inside of a string as the program gets it; the escapes of these languages are those of `$'…'`."""
    return ansi(text) if "\\" in text else text


def _host(arguments: Sequence[Token]) -> str:
    for each in arguments:
        if each.kind == "string" and each.text:
            return host_of(each.text)
    return "?"


def host_of(url: str) -> str:
    """The host (with its port) of a URL or of `user@host/path`; "?" when it is not there."""
    rest = url.split("://", 1)[-1]
    rest = rest.split("/", 1)[0].split("?", 1)[0].rsplit("@", 1)[-1]
    return rest or "?"
