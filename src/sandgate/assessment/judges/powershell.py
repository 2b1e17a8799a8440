"""PowerShell: its commands say by their verb what they do, `Remove-Item`, `Get-Process`, `Stop-Service`.

Not a parser: statements are split at `;`, `|` and line breaks, and the first word of each is looked up. What is no
command of PowerShell is a program like in any other shell.
"""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    HIGH,
    LOW,
    MEDIUM,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.inline import host_of
from sandgate.assessment.judges.interpreters import judge_script_file, runs_download
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import RiskLevel

VALUES = (
    "-c -Command -command -File -f -file -ExecutionPolicy -ep -ex -EncodedCommand -enc -e -ec -WorkingDirectory -wd "
    "-WindowStyle -w -OutputFormat -InputFormat -Version"
)
CODE = "-c -Command -command"
HIDDEN = "-EncodedCommand -enc -e -ec"
FETCHING = frozenset(
    words("iwr irm curl wget invoke-webrequest invoke-restmethod start-bitstransfer new-object"
          " (new-object (iwr (irm (invoke-webrequest (invoke-restmethod")
)  # fmt: skip
FETCHED = ("downloadstring", "downloadfile", "downloaddata", "iwr ", "irm ", "invoke-webrequest", "invoke-restmethod")
EVALUATING = frozenset(words("iex invoke-expression"))
REMOVING = frozenset(words("remove-item ri del rd erase rm rmdir clear-content clc"))
# Of what a machine stands on, or of what keeps watch over it.
GUARDS = ("mppreference", "executionpolicy", "firewall", "windefend", "eventlog", "auditpol", "bitlocker", "amsi")
LOOKING = frozenset(
    words("""
    get test select where foreach format measure out write sort convertto convertfrom compare find group resolve show
    join split read ls dir cat echo gci gc pwd gps
    """)
)
CHANGING = frozenset(
    words("set new add stop start restart enable disable install uninstall update register unregister rename move copy "
          "clear remove reset revoke grant suspend resume mount dismount initialize format-volume push publish")
)  # fmt: skip
OF_THE_MACHINE = frozenset(words("service process itemproperty localuser localgroupmember scheduledtask acl"))
WRITING = frozenset(words("out-file tee-object tee export-csv export-clixml"))
NESTING = "({$>&`@["  # a statement with one of these may do more than its first word says
WHOLE_SYSTEM = frozenset(words("format-volume clear-disk initialize-disk remove-partition stop-computer "
                               "restart-computer clear-eventlog remove-eventlog"))  # fmt: skip


def _judge_powershell(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, VALUES, clusters=False)
    if call.args and options.has("--version -Version -v --help -h -Help"):
        inquiry.add(LOW, "reads", call.program, "only shows help")
        return
    given = options.value(CODE)
    hidden = options.value(HIDDEN)
    script = options.value("-File -f -file")
    if hidden is not None:
        text = _decoded(hidden.text)
        inquiry.doubt("the program is hidden in encoded text", level=HIGH, target=call.program)
        _judge_text(text, call, inquiry)
    elif given is not None:
        _judge_text(" ".join([given.raw or given.text, *[arg.text for arg in options.operands]]), call, inquiry)
    elif script is not None:
        judge_script_file(script, call, inquiry)
    elif options.operands and options.operands[0].text.endswith(".ps1"):
        judge_script_file(options.operands[0], call, inquiry)
    elif options.operands:
        _judge_text(" ".join([arg.text for arg in options.operands]), call, inquiry)
    else:
        inquiry.doubt("feeds a shell from a source that was not read", target=call.program)


def _decoded(text: str) -> str:
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(text).decode("utf-16-le", "replace")
    except (Error, ValueError):
        return ""


def _judge_text(text: str, call: Call, inquiry: Inquiry) -> None:
    lower = text.lower()
    parts = lower.replace("|", " ").replace(";", " ").replace("(", " ").replace("&", " ").split()
    url = next((part.strip("'\"") for part in parts if "://" in part), "")
    if not EVALUATING.isdisjoint(parts) and any(mark in lower for mark in FETCHED):
        runs_download(host_of(url), inquiry)
    for statement in text.replace("|", "\n").replace(";", "\n").split("\n"):
        if statement.strip():
            _judge_statement(statement.strip(), call, inquiry)


def _judge_statement(statement: str, call: Call, inquiry: Inquiry) -> None:
    said = statement.split()
    name = said[0].lower().lstrip("(&")
    verb, dash, noun = name.partition("-")
    if name in REMOVING:
        _remove(said[1:], call, inquiry)
    elif name in WHOLE_SYSTEM:
        inquiry.add(HIGH, "deletes", name, "changes what the whole machine stands on", f"Runs {worded(name)}", "",
                    (DELETION, SYSTEM, COMPLIANCE))  # fmt: skip
    elif name in FETCHING:
        url = next((word.strip("'\"") for word in said if "://" in word), "?")
        inquiry.contact(host_of(url), call)
    elif (dash and verb not in LOOKING and any(mark in statement.lower() for mark in GUARDS)) or "verb runas" in (
        statement.lower()
    ):
        inquiry.add(HIGH, "privilege", name, "switches a protection of the system", f"Runs {worded(statement)}", "",
                    (SYSTEM, COMPLIANCE, PRIVILEGE))  # fmt: skip
    elif name in WRITING:
        inquiry.add(MEDIUM, "writes", name, "writes a file")
    elif verb in LOOKING and not any(mark in statement for mark in NESTING):
        inquiry.add(LOW, "reads", name, "shows something")
        for word in said[1:]:
            if word[:1] != "-":
                path = word.strip("'\",")
                inquiry.read(Arg(call.shell.home + path[1:] if path[:2] == "~/" else path), call)
    elif dash and verb in CHANGING:
        level: RiskLevel = HIGH if noun in OF_THE_MACHINE else MEDIUM
        inquiry.add(level, "runs", name, "changes something", f"Runs {worded(name)}", "",
                    (SYSTEM,) if level == HIGH else ())  # fmt: skip
    elif not EVALUATING.isdisjoint((name,)) or name[:1] in "$[{'\"" or dash:
        inquiry.doubt("runs PowerShell code that was not understood", target=call.program)
    else:
        inquiry.run_script(statement, call)


def _remove(given: list[str], call: Call, inquiry: Inquiry) -> None:
    recursive = any(word.lower().startswith(("-r", "/s")) for word in given)
    paths = [word.strip("'\",") for word in given if word[:1] != "-" and word.lower() not in {"/s", "/q"}]
    for path in paths:
        if path[1:2] == ":" or path.lower().startswith(("$env:", "$home", "~")):
            inquiry.add(HIGH, "deletes", path, "deletes recursively" if recursive else "deletes",
                        f"Deletes {worded(path)}", "", (DELETION,))  # fmt: skip
        else:
            inquiry.delete(Arg(path, glob="*" in path, raw=path), call, recursive=recursive)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "pwsh": _judge_powershell,
    "powershell": _judge_powershell,
}
