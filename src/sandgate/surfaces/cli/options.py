"""Every command and option of the program, in one table.

Parsing, `--help` and the reference page are made from it. It stands in for argparse because importing that
costs as much as a bare interpreter, on the path of every command (docs/decisions/0002).
"""

from __future__ import annotations

from sandgate.record import Record


class Option(Record):
    """One option. Without `metavar` it is a switch; `many` collects every use in order."""

    flags: tuple[str, ...]
    key: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False


class Command(Record):
    """One sub-command. `module` is imported only when it is chosen and offers `main(parsed) -> exit code`."""

    name: str
    summary: str
    options: tuple[Option, ...]
    module: str
    takes_command: bool = False  # needs `-- CMD [ARG…]`
    words: tuple[str, ...] = ()  # fixed words that follow the name, such as `show`
    argument: str = ""  # the name of one word that may follow, such as `FILE`
    # What may follow instead, such as `show ID`: fixed words, and arguments in capitals. `[FILE…]`: any number of them;
    # `-- CMD…`: everything after the dashes, at least one word.
    forms: tuple[str, ...] = ()


DECIDING = (
    Option(("-C", "--cd"), "cd", "working directory of the command and of the policy", "DIR"),
    Option(
        ("-s", "--sandbox"),
        "sandbox",
        "what the sandbox permits",
        "MODE",
        ("read-only", "workspace-write", "danger-full-access"),
    ),
    Option(
        ("-a", "--ask-for-approval"),
        "approval",
        "when a reviewer is asked",
        "POLICY",
        ("untrusted", "on-failure", "on-request", "never"),
    ),
    Option(("--add-dir",), "add_dir", "one more place the command may write (repeatable)", "DIR", many=True),
    Option(("--network",), "network", "override the policy's network setting", "MODE", ("off", "on")),
    Option(
        ("--backend",),
        "backend",
        "how to confine; `none` only together with danger-full-access",
        "NAME",
        ("auto", "namespace", "bwrap", "landlock", "none"),
    ),
    Option(("-p", "--profile"), "profile", "use a named configuration profile", "NAME"),
    Option(("-c", "--config"), "config", "override one setting (repeatable)", "KEY=VALUE", many=True),
    Option(("--enable",), "enable", "switch a feature on (repeatable)", "FEATURE", many=True),
    Option(("--disable",), "disable", "switch a feature off (repeatable)", "FEATURE", many=True),
    Option(("--json",), "json", "machine-readable output on stdout, nothing else there"),
    Option(("--timeout",), "timeout", "hard limit on the command, fractions allowed", "SECONDS"),
    Option(
        ("--answer",),
        "answer",
        "answer the next approval prompt without a person (repeatable, used in order)",
        "ANSWER",
        ("approve", "approve-session", "approve-always", "deny", "abort"),
        many=True,
    ),
    Option(("--color",), "color", "when to use colour; NO_COLOR is honoured", "WHEN", ("auto", "always", "never")),
    Option(("-v", "--verbose"), "verbose", "say why each attempt was allowed and which layers were active"),
)
RUNNING = (
    Option(("--escalate",), "escalate", "ask to run without the sandbox from the start"),
    Option(("--justification",), "justification", "one sentence for the reviewer", "TEXT"),
    Option(("--shell",), "shell", "CMD is one string for the user's shell"),
    Option(("--tty",), "tty", "give the command a terminal of its own"),
    Option(("--env",), "env", "set a variable for the command (repeatable)", "KEY=VALUE", many=True),
)
JSON = Option(("--json",), "json", "print one JSON object")

COMMANDS = (
    Command("run", "run one command through the gate", DECIDING + RUNNING, "run", takes_command=True),
    Command("check", "say what would happen to a command, and why; runs nothing", DECIDING + RUNNING, "check", True),
    Command("assess", "assess the risk of a command; runs nothing", DECIDING + RUNNING, "assess", True),
    Command(
        "doctor",
        "say what this host can enforce, what is chosen and why",
        (JSON, Option(("--attack",), "attack", "run the canary attacks against the live sandbox"), *DECIDING[:9]),
        "doctor",
    ),
    Command(
        "config",
        "show the effective settings",
        (JSON, Option(("--origin",), "origin", "name the layer each came from"), *DECIDING[:9]),
        "config",
        words=("show",),
    ),
    Command(
        "patch",
        "apply a patch from FILE, from the argument itself, or from standard input; all of it, or nothing",
        (
            Option(("--check",), "check", "only say what would change"),
            Option(("--in-order",), "in_order", "hunk by hunk: what came before one that fails stays"),
            Option(("--strict-unique",), "strict_unique", "refuse a change that fits in more than one place"),
            *(option for option in DECIDING if option.key not in ("json", "timeout", "verbose")),
        ),
        "patch",
        argument="FILE|PATCH",
    ),
    Command(
        "mcp",
        "serve the gate to any agent that speaks the Model Context Protocol, on stdin and stdout",
        (
            Option(("--http",), "http", "serve HTTP on this host instead, to whoever has the token"),
            Option(("--port",), "port", "the port of `--http`; without it, a free one", "PORT"),
            Option(("--token-file",), "token_file", "tokens of `--http`, a line `NAME TOKEN` each", "FILE"),
            Option(
                ("--wait-for-approvals",),
                "wait",
                "let a client that cannot ask its user wait for `sandgate approvals`",
            ),
            Option(("--approval-timeout",), "approval_timeout", "how long a question stays open (600)", "SECONDS"),
            *(option for option in DECIDING if option.key not in ("json", "answer", "color", "verbose")),
        ),
        "mcp",
    ),
    Command(
        "approvals",
        "see the questions that wait for an answer, and answer them",
        (
            Option(("--json",), "json", "print JSON: `list` one object, `watch` one a line"),
            Option(("--reason",), "reason", "one sentence that goes with the answer", "TEXT"),
            Option(("--uses",), "uses", "approve-session, approve-always: how many times it holds", "N"),
            Option(("--until",), "until", "the same: how long, or until when, with the zone", "2h|MOMENT"),
        ),
        "approvals",
        forms=("list", "watch", "resolve ID DECISION"),
    ),
    Command(
        "rules",
        "see the rules, try them, add one, or take over those of other agents",
        (
            Option(("--json",), "json", "print one JSON object"),
            Option(("--decide",), "decide", "what `add` decides (allow)", "DECISION", ("allow", "ask", "forbid")),
            Option(("--because",), "because", "one sentence people are shown", "TEXT"),
            Option(("--until",), "until", "when it ends: 30m, 2h, 7d, a date, or a time with its zone", "WHEN"),
            Option(("--uses",), "uses", "how often it may be what allows a command", "N"),
            Option(("--user",), "user", "add to your own rules (the default)"),
            Option(("--project",), "project", "add to this project's rules, which may only ask or forbid"),
            Option(("--write",), "write", "keep what was imported among your own rules"),
            *(option for option in DECIDING[:9] if option.key != "json"),
        ),
        "rules",
        forms=(
            "list",
            "check -- CMD…",
            "test [FILE…]",
            "add -- PREFIX…",
            "import claude-settings FILE",
            "import gemini-policy FILE",
        ),
    ),
    Command("features", "list feature flags with stage and state", (JSON, *DECIDING[:9]), "features", words=("list",)),
)


def command_named(name: str) -> Command | None:
    """The command of that name, if there is one."""
    return next((command for command in COMMANDS if command.name == name), None)
