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
    default: str = ""  # what holds without it, for its help; "": nothing that a name has


class Command(Record):
    """One sub-command. `module` is imported only when it is chosen and offers `main(parsed) -> exit code`."""

    name: str
    summary: str
    options: tuple[Option, ...]
    module: str
    takes_command: bool = False  # needs `-- CMD [ARG…]`
    words: tuple[str, ...] = ()  # fixed words that may follow the name, such as `show`: they are meant without, too
    argument: str = ""  # the name of one word that may follow, such as `FILE`
    # What may follow instead, such as `show ID`: fixed words, and arguments in capitals. `[FILE…]`: any number of them;
    # `RULES…` at the end: one or more names of rule files;
    # `[NAME]` at the end: may be left out; `-- CMD…`: everything after the dashes, at least one word. Of two forms that
    # fit, the first counts; a word after `--` is never a fixed one where something may be left out.
    forms: tuple[str, ...] = ()
    codes: str = ""  # what its exit codes mean, for its help


DECIDING = (
    Option(("-C", "--cd"), "cd", "working directory of the command and of the policy", "DIR", default="where you are"),
    Option(
        ("-s", "--sandbox"),
        "sandbox",
        "what the sandbox permits",
        "MODE",
        ("read-only", "workspace-write", "danger-full-access"),
        default="workspace-write",
    ),
    Option(
        ("-a", "--ask-for-approval"),
        "approval",
        "when a reviewer is asked",
        "POLICY",
        ("untrusted", "on-failure", "on-request", "never"),
        default="on-failure with somebody to ask, never without",
    ),
    Option(
        ("--add-dir",), "add_dir", "one more place the command may write; `DIR/` is made (repeatable)", "DIR", many=True
    ),
    Option(
        ("--grant",),
        "grant",
        "`write_path`, `new_entry`, `remove` or `metadata` of one path outside the workspace (repeatable)",
        "KIND=PATH",
        many=True,
    ),
    Option(
        ("--allow-broad-workspace",), "broad_workspace", "work in a home directory, or where programs are installed"
    ),
    Option(
        ("--network",),
        "network",
        "override the policy's network setting",
        "MODE",
        ("off", "on"),
        default="off, but for danger-full-access",
    ),
    Option(
        ("--backend",),
        "backend",
        "how to confine; `none` only together with danger-full-access, and `bwrap` is refused",
        "NAME",
        ("auto", "namespace", "bwrap", "landlock", "none"),
        default="auto",
    ),
    Option(("-p", "--profile"), "profile", "use a named configuration profile", "NAME"),
    Option(("-c", "--config"), "config", "override one setting (repeatable)", "KEY=VALUE", many=True),
    Option(("--enable",), "enable", "switch a feature on (repeatable)", "FEATURE", many=True),
    Option(("--disable",), "disable", "switch a feature off (repeatable)", "FEATURE", many=True),
    Option(("--json",), "json", "machine-readable output on stdout, nothing else there"),
    Option(("--timeout",), "timeout", "hard limit on the command, fractions allowed", "SECONDS", default="none"),
    Option(
        ("--answer",),
        "answer",
        "answer the next approval prompt without a person (repeatable, used in order)",
        "ANSWER",
        ("approve", "approve-session", "approve-session-changing", "approve-always", "deny", "abort"),
        many=True,
    ),
    Option(
        ("--color",),
        "color",
        "when to use colour; NO_COLOR is honoured",
        "WHEN",
        ("auto", "always", "never"),
        default="auto",
    ),
    Option(("-v", "--verbose"), "verbose", "say why each attempt was allowed and which layers were active"),
)
# What decides how a command would run, for those that run none.
SETTING = tuple(option for option in DECIDING if option.key not in ("json", "timeout", "answer", "color", "verbose"))
RUNNING = (
    Option(("--escalate",), "escalate", "ask to run without the sandbox from the start; needs `-a on-request`"),
    Option(("--justification",), "justification", "one sentence for the reviewer", "TEXT"),
    Option(("--shell",), "shell", "CMD is one string for the user's shell"),
    Option(("--tty",), "tty", "give the command a terminal of its own"),
    Option(("--env",), "env", "set a variable for the command (repeatable)", "KEY=VALUE", many=True),
)
SERVE = Option(
    ("--serve",),
    "serve",
    "show a port that the command serves on this host's loopback, while it runs (repeatable)",
    "[HOST_PORT:]PORT",
    many=True,
)
APPROVAL_TIMEOUT = Option(
    ("--approval-timeout",), "approval_timeout", "how long a question stays open", "SECONDS", default="600"
)
WAITING = (
    Option(("--wait-for-approvals",), "wait", "where nobody is at this terminal, wait for `sandgate approvals`"),
    APPROVAL_TIMEOUT,
)
JSON = Option(("--json",), "json", "print one JSON object")
MODEL = (
    Option(("-m", "--model"), "model", "the model that works, instead of the configured one", "NAME"),
    Option(("--model-record",), "model_record", "add what the model is asked and answers to this file", "FILE"),
    Option(
        ("--model-replay",), "model_replay", "take the model's answers from such a file; no network is used", "FILE"
    ),
    Option(("--model-script",), "model_script", "take the model's answers from this file; no network is used", "FILE"),
)
# A session of a model asks by rules of its own where neither option nor setting says: the reference has them.
ASKING_A_MODEL = tuple(
    option.but(default="") if option.key == "approval" else option
    for option in DECIDING
    if option.key not in ("json", "timeout", "verbose")
)
LOOSENING = Option(("--allow-loosening",), "loosening", "clients may also loosen the policy, and work anywhere")
LAST_MESSAGE = Option(("-o", "--output-last-message"), "last_message", "write the last message to this file", "FILE")
AGENT_CODES = """\
Exit codes: 0 the turn came to its end; 1 it failed, or the model did; 77 something was refused, and nothing that
came after it ran; 124 a limit was reached: the budget, or the provider's; 130 interrupted by Ctrl-C; 128+N ended
by signal N; 2 bad usage; 78 bad configuration or rules; 125 Sandgate could not do its part. A command of the
model that failed is no failure of the turn."""
REVIEW_CODES = """\
Exit codes: 0 nothing was found; 1 there are findings, or the verdict is that the change is incorrect; 77 the review
could not go on without something that was refused; 124 a limit was reached; 125 there is no verdict: the review
failed, or its answer had another form; 130 interrupted; 2 bad usage; 78 bad configuration or rules."""

PATCH_CODES = """\
Exit codes: 0 applied, or taken back; 1 it does not fit the files as they are; 2 malformed, empty or bad usage;
77 refused; 78 bad configuration; 125 Sandgate could not do its part. Nothing changed but with 0."""

COMMANDS = (
    Command(
        "run", "run one command through the gate", (*DECIDING, *RUNNING, SERVE, *WAITING), "run", takes_command=True
    ),
    Command("check", "say what would happen to a command, and why; runs nothing", DECIDING + RUNNING, "check", True),
    Command("assess", "assess the risk of a command; runs nothing", DECIDING + RUNNING, "assess", True),
    Command(
        "doctor",
        "say what this host can enforce, what is chosen and why",
        (JSON, Option(("--attack",), "attack", "run the canary attacks against the live sandbox"), *SETTING),
        "doctor",
    ),
    Command(
        "config",
        "show the effective settings",
        (JSON, Option(("--origin",), "origin", "name the layer each came from"), *SETTING),
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
            Option(("--undo",), "undo", "take back the last patch that was applied here with `sandgate patch`"),
            *(option for option in DECIDING if option.key not in ("json", "timeout", "verbose")),
        ),
        "patch",
        argument="FILE|PATCH",
        codes=PATCH_CODES,
    ),
    Command(
        "mcp",
        "serve the gate to any agent that speaks the Model Context Protocol, on stdin and stdout",
        (
            Option(("--http",), "http", "serve HTTP on this host instead, to clients that have a token"),
            Option(("--port",), "port", "the port of `--http`; without it, a free one", "PORT"),
            Option(("--token-file",), "token_file", "tokens of `--http`, a line `NAME TOKEN` each", "FILE"),
            Option(
                ("--ask",),
                "ask",
                "who is asked: the client, by a form; you, by `sandgate approvals`; or both, the one after the other",
                "CHANNEL",
                ("forms", "approvals", "both"),
                default="forms, or both with --wait-for-approvals",
            ),
            Option(
                ("--wait-for-approvals",),
                "wait",
                "`--ask both`: what the client shows to no person waits for `sandgate approvals`",
            ),
            APPROVAL_TIMEOUT,
            Option(("--sessions",), "sessions", "clients may also hand whole tasks to agents, which need a model"),
            *MODEL,
            *(option for option in DECIDING if option.key not in ("json", "answer", "color", "verbose")),
        ),
        "mcp",
    ),
    Command(
        "approvals",
        "see the questions that wait for an answer, answer them, and see what was decided",
        (
            Option(("--json",), "json", "print JSON: `list` one object, `watch` and `log` one a line"),
            Option(("--reason",), "reason", "one sentence that goes with the answer", "TEXT"),
            Option(("--uses",), "uses", "approve-session(-changing), approve-always: how many times it holds", "N"),
            Option(("--until",), "until", "the same: how long, or until when, with the zone", "2h|MOMENT"),
        ),
        "approvals",
        forms=("list", "watch", "resolve ID DECISION", "log", "override ACTION"),
    ),
    Command(
        "ports",
        "see which ports the sandboxed commands serve, and show one of them on this host's loopback",
        (
            Option(("--pid",), "pid", "serve: of this process, where several commands serve the port", "PID"),
            Option(("--json",), "json", "list: print one JSON object"),
        ),
        "ports",
        forms=("serve PORT", "[list]"),
    ),
    Command(
        "rules",
        "see the rules, try them, add or remove one, or take over those of other agents",
        (
            Option(("--json",), "json", "print one JSON object"),
            Option(
                ("--decide",),
                "decide",
                "what `add` decides; `remove`: only such rules",
                "DECISION",
                ("allow", "ask", "forbid"),
                default="allow",
            ),
            Option(
                ("--grant",),
                "granted",
                "`add`, `remove`: a rule about this place, of commands that begin so, or of all",
                "KIND=PATH",
                many=True,
            ),
            Option(("--because",), "because", "one sentence people are shown", "TEXT"),
            Option(("--until",), "until", "when it ends: 30m, 2h, 7d, a date, or a time with its zone", "WHEN"),
            Option(("--uses",), "uses", "how often it may be what allows a command", "N"),
            Option(
                ("--same-content",),
                "same_content",
                "only while the files it executes stay as they are now",
            ),
            Option(("--user",), "user", "add to, remove from: your own rules (the default)"),
            Option(("--project",), "project", "the same: this project's rules, which may only ask or forbid"),
            Option(("--write",), "write", "keep what was imported among your own rules"),
            *(option for option in SETTING if option.key != "grant"),
        ),
        "rules",
        forms=(
            "list",
            "check -- CMD…",
            "check RULES…",
            "test [FILE…]",
            "add -- PREFIX…",
            "remove -- PREFIX…",
            "add --grant KIND=PATH",
            "remove --grant KIND=PATH",
            "import claude-settings FILE",
            "import gemini-policy FILE",
        ),
    ),
    Command(
        "agent",
        "let a model work on PROMPT, every command of it through the gate; without PROMPT, or for `-`, from stdin",
        (
            *MODEL,
            Option(("-i", "--image"), "image", "show the model this picture, too (repeatable)", "FILE", many=True),
            Option(("--last",), "last", "resume, fork, undo: the newest session of this directory"),
            Option(("--before",), "before", "fork: before the user's message of this number, from 0", "N"),
            Option(("--ephemeral",), "ephemeral", "keep no transcript"),
            Option(("--skip-git-repo-check",), "skip_git", "work also outside of repositories and trusted directories"),
            Option(
                ("--output-schema",), "output_schema", "JSON Schema the provider is to hold the last message to", "FILE"
            ),
            LAST_MESSAGE,
            Option(("--json",), "json", "one JSON event a line on stdout, nothing else there"),
            *ASKING_A_MODEL,
        ),
        "agent",
        forms=("resume [SESSION] [PROMPT]", "fork [SESSION] [PROMPT]", "undo [SESSION]", "[PROMPT]"),
        codes=AGENT_CODES,
    ),
    Command(
        "app-server",
        "serve sessions of a model to clients of the app-server protocol, such as editors and terminal programs",
        (
            Option(
                ("--listen",),
                "listen",
                "where clients come to: `stdio://`, `unix://PATH`, or `ws://127.0.0.1:PORT` with a token",
                "ADDRESS",
                default="stdio://",
            ),
            Option(("--token-file",), "token_file", "tokens of `ws://`, a line `NAME TOKEN` each", "FILE"),
            LOOSENING,
            Option(("--out",), "out", "schema: the directory for JSON Schema and TypeScript, which is made", "DIR"),
            *MODEL,
            *(option for option in ASKING_A_MODEL if option.key not in ("answer", "color")),
        ),
        "app_server",
        forms=("schema", "[serve]"),
    ),
    Command(
        "acp",
        "serve sessions of a model to an editor that speaks the Agent Client Protocol, on stdin and stdout",
        (
            LOOSENING,
            *MODEL,
            *(option for option in ASKING_A_MODEL if option.key not in ("answer", "color")),
        ),
        "acp",
    ),
    Command(
        "review",
        "have changes reviewed by a model that has not seen how they came about; by default, the uncommitted ones",
        (
            Option(("--uncommitted",), "uncommitted", "review what is not committed yet"),
            Option(("--base",), "base", "review what this branch does not have", "BRANCH"),
            Option(("--commit",), "commit", "review one commit", "SHA"),
            *MODEL,
            LAST_MESSAGE,
            Option(("--json",), "json", "print the findings as one JSON object"),
            *ASKING_A_MODEL,
        ),
        "review",
        forms=("[PROMPT]",),
        codes=REVIEW_CODES,
    ),
    Command(
        "sessions",
        "see past sessions, put them away, or delete them",
        (
            Option(("--json",), "json", "list: print one JSON object"),
            Option(("--all",), "all", "list: those of sub-agents, too"),
            Option(("--archived",), "archived", "list: those that were put away"),
            Option(("--limit",), "limit", "list: how many", "N", default="20"),
            Option(("--cursor",), "cursor", "list: go on after this place, as the last list said", "CURSOR"),
        ),
        "sessions",
        forms=("list", "show SESSION", "archive SESSION", "unarchive SESSION", "delete SESSION"),
    ),
    Command(
        "caches",
        "see what commands of projects keep in caches of their own, and clear it",
        (
            JSON,
            Option(("--all",), "all", "clear: those of every project, not of this one alone"),
            *SETTING,
        ),
        "caches",
        forms=("clear", "[list]"),
    ),
    Command("features", "list feature flags with stage and state", (JSON, *SETTING), "features", words=("list",)),
    Command(
        "completion",
        'print what makes your shell complete these commands: eval "$(sandgate completion bash)"',
        (),
        "completion",
        forms=("bash", "zsh", "fish"),
    ),
)


def command_named(name: str) -> Command | None:
    """The command of that name, if there is one."""
    return next((command for command in COMMANDS if command.name == name), None)
