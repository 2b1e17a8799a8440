"""Every configuration key, in one table: what it accepts, its default, and what a project may do with it.

The loader, the warnings for unknown keys, `config show` and the reference page are all made from these rows.
A row is a plain tuple, because a table of constants costs nothing to import; `key_named` gives it names.

`project` says how far a project's own file may move the value. A repository is other people's input, so the
answer is never "anywhere": it may tighten, or it may not touch the key at all.
"""

from __future__ import annotations

from sandgate.config.agent_rows import AGENT_ROWS, ASSESSMENT_ROWS
from sandgate.config.features import FEATURES
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.row import Kind, ProjectRule, Row

BYTES_MAX = 2**62
COUNT_MAX = 2**31 - 1
MS_MAX = 30 * 24 * 3600 * 1000  # thirty days; longer is a mistake

APPROVAL_MODES = ("untrusted", "on-request", "on-failure", "never")
SANDBOX_MODES = ("read-only", "workspace-write", "external-sandbox", "danger-full-access")

# name, kind, choices (tightest first) or range, default, what a project may do, meaning
ROWS: tuple[Row, ...] = (
    (
        "approval_policy", "approval", APPROVAL_MODES, None, "tighter",
        "Who is asked, and when. A table `{ granular = { sandbox_approval, rules, mcp_elicitations } }` is "
        "`on-request` with each class of question switched on or off (`skill_approval` and `request_permissions` are "
        "read, and may not be true: nothing asks such questions). Unset: `sandgate run`, `patch`, "
        "`mcp` and the Python API take `on-failure` with somebody to ask and `never` without; everything else "
        "`on-request`, or `untrusted` in a project marked untrusted.",
    ),
    (
        "approvals_reviewer", "choice", ("user", "auto_review", "guardian_subagent"), "user", "ignored",
        "Who answers questions under `on-request` and granular policies: a person, or a model in place of one "
        "(`guardian_subagent` is its old name). What the model does not approve goes to a person who is attached.",
    ),
    (
        "auto_review.on_denial", "choice", ("deny", "ask"), "ask", "ignored",
        "What becomes of a question the automatic reviewer did not approve, where a person could be asked: `ask` them, "
        "or `deny`.",
    ),
    (
        "auto_review.timeout_ms", "count", (1, 600_000), 90_000, "ignored",
        "How long one automatic review may take. Milliseconds; later is a refusal that says so.",
    ),
    (
        "auto_review.policy", "text", None, None, "ignored",
        "What the automatic reviewer is to allow and deny, in your words, in place of the built-in rules.",
    ),
    (
        "auto_review.model", "text", None, None, "ignored",
        "The model that reviews. Unset: the one of `assessment.model`.",
    ),
    (
        "auto_review.provider", "text", None, None, "ignored",
        "Whose model it is: a name from `model_providers`. Unset: that of `assessment.provider`.",
    ),
    (
        "sandbox_mode", "choice", SANDBOX_MODES, None, "tighter",
        "What a command may write. Unset: `sandgate run`, `patch`, `mcp` and the Python API take `workspace-write`; "
        "everything else `workspace-write` in a trusted project, `read-only` elsewhere.",
    ),
    (
        "sandbox_workspace_write.writable_roots", "paths", None, (), "fewer",
        "Extra writable directories in `workspace-write`. Ignored in the other modes, like the rest of this table.",
    ),
    ("sandbox_workspace_write.network_access", "flag", None, False, "only-false", "Network in `workspace-write`."),
    ("sandbox_workspace_write.exclude_tmpdir_env_var", "flag", None, False, "only-true", "`$TMPDIR` is not writable."),
    ("sandbox_workspace_write.exclude_slash_tmp", "flag", None, False, "only-true", "`/tmp` is not writable."),
    (
        "additional_writable_roots", "paths", None, (), "fewer",
        "More writable directories in `workspace-write`; `--add-dir` appends to this list.",
    ),
    (
        "sandbox.backend", "choice", ("auto", "namespace", "bwrap", "landlock", "none"), "auto", "ignored",
        "How commands are confined. `auto` takes the first that really works here; `none` is accepted only with "
        "`danger-full-access` or `external-sandbox`, and `bwrap` is refused: nothing here drives bubblewrap.",
    ),
    (
        "sandbox.network", "choice", ("off", "on"), None, "tighter",
        "Overrides the network setting of whatever sandbox mode is in force. Unset: the mode decides.",
    ),
    (
        "sandbox.tmp", "choice", ("private", "shared"), "private", "tighter",
        "`private`: commands have a `/tmp` of the project's own, kept between them and cleared away when no "
        "command used it for a day. `shared`: the host's.",
    ),
    (
        "sandbox.caches", "choice", ("off", "private", "shared"), "private", "tighter",
        "`private`: commands may write in caches of the home (`~/.cache`, `~/.npm`, `~/.cargo/registry` …), and what "
        "they write stays in the project. `shared`: they write the real ones. `off`: the real ones are read-only.",
    ),
    (
        "sandbox.ask", "choice", ("after", "at-call"), "at-call", "ignored",
        "When a reviewer is asked about what the sandbox refuses. `at-call`: the refused call waits while somebody "
        "decides, and a yes carries out that call; where nobody is attached, or the call cannot wait, as with `after`: "
        "when the command has failed, and a yes runs it again from the start.",
    ),
    (
        "sandbox.notify", "choice", ("report", "off"), "report", "tighter",
        "`report` has the kernel tell exactly what was denied; `off` guesses from the command's output.",
    ),
    (
        "sandbox.protect_git", "choice", ("all", "draft", "hooks-and-config"), "draft", "tighter",
        "What of `.git` stays read-only: `all` of it; all of it, but commands work in a `draft`, of which what is "
        "harmless is carried over when they end, so that `git commit` works; or only the files that make Git run "
        "programs.",
    ),
    (
        "sandbox.protected_names", "entries", None, (), "more",
        "More names that stay read-only in every writable directory, beside the built-in ones. Worth adding where "
        "nobody edits them every day: `.gitattributes`, `.npmrc`, `.pre-commit-config.yaml`, `.github/workflows`.",
    ),
    (
        "sandbox.nested_depth", "count", (0, 16), 3, "ignored",
        "How many directories deep repositories inside a writable directory are looked for, to protect theirs too.",
    ),
    (
        "sandbox.allow_broad_workspace", "flag", None, False, "only-false",
        "Whether a home directory, what contains one, or a directory of programs may be a workspace or writable root. "
        "Start files, keys and installed programs in a home stay read-only all the same.",
    ),
    (
        "sandbox.unix_sockets", "paths", None, (), "fewer",
        "Host unix sockets that confined commands may reach. A socket of Docker or of a session bus is a way out of "
        "the sandbox: a command that may use it can do everything.",
    ),
    ("grants.write_path", "paths", None, (), "fewer", "Files elsewhere that commands may change or replace."),
    ("grants.new_entry", "paths", None, (), "fewer", "New names elsewhere that commands may make, and below."),
    ("grants.remove", "paths", None, (), "fewer", "What commands may remove or move away, with all that is below it."),
    ("grants.metadata", "paths", None, (), "fewer", "Whose mode, times and attributes commands may change."),
    (
        "secrets.hidden", "paths", None, (), "more",
        "More files and directories that confined commands cannot read. Closed without it: everything in a home that "
        "begins with a dot or lies below `~/.config` or `~/.local`, unless it is known to be harmless.",
    ),
    (
        "secrets.opened", "paths", None, (), "fewer",
        "What confined commands may read although it is closed: entries of a home that are not known to be harmless, "
        "such as `~/.NAME` or `~/.config/NAME`, and known secrets. `secrets.hidden` wins.",
    ),
    (
        "shell_environment_policy.inherit", "choice", ("none", "core", "all"), "all", "tighter",
        "Which variables a command starts from.",
    ),
    (
        "shell_environment_policy.ignore_default_excludes", "flag", None, False, "only-false",
        "Keep variables whose names or values look like secrets: tokens, keys, passwords, addresses with a password.",
    ),
    (
        "shell_environment_policy.exclude", "names", None, (), "more",
        "Drop variables whose whole name matches one of these globs (`*`, `?`, any case).",
    ),
    (
        "shell_environment_policy.set", "variables", None, {}, "ignored",
        "Variables to set, after the drops. Tables of several layers are merged.",
    ),
    (
        "shell_environment_policy.include_only", "names", None, (), "narrower",
        "When not empty, keep only variables that match one of these globs, `set` included.",
    ),
    (
        "shell_environment_policy.allow", "names", None, (), "fewer",
        "Variables to keep although the built-in list takes them for secrets or for ways out of the sandbox (globs).",
    ),
    ("exec.timeout_ms", "count", (1, MS_MAX), None, "lower", "Hard limit on a command. Unset: none. Milliseconds."),
    (
        "exec.capture_bytes", "count", (0, BYTES_MAX), 1024 * 1024, "ignored",
        "How much of each output stream is kept for the report, half from its start and half from its end.",
    ),
    (
        "exec.kill_grace_ms", "count", (0, MS_MAX), 0, "ignored",
        "Time between asking a command to stop and killing it. Milliseconds.",
    ),
    (
        "allow_login_shell", "flag", None, True, "only-false",
        "Whether a model may have its scripts run by a login shell, which reads the user's login files first. In an "
        "agent's session it is the default then; MCP clients and Python programs ask for it; `sandgate run --shell` "
        "never does.",
    ),
    (
        "background_terminal_max_timeout", "count", (0, MS_MAX), 300_000, "lower",
        "How long one look at a command in the background may wait for output. Milliseconds; below 5000 counts as "
        "5000, and above an hour as an hour.",
    ),
    (
        "tool_output_token_limit", "count", (1, COUNT_MAX), None, "lower",
        "How many tokens of output a model sees in one answer. Unset: what is usual for the model.",
    ),
    (
        "terminals.on_network_denial", "choice", ("terminate", "continue"), "continue", "tighter",
        "What happens to a live command when the sandbox refuses it a connection: it is ended and its caller told, or "
        "it copes by itself. Where nothing watches (`doctor` says: denials are guessed), the refusal goes unseen.",
    ),
    (
        "terminals.review_input", "choice", ("always", "escalated", "never"), "escalated", "tighter",
        "Whose input a reviewer sees before it is typed: that of every live command, only of those that were "
        "approved to run without the sandbox (under `untrusted`, of all that run without it), "
        "or of none.",
    ),
    ("limits.core_bytes", "count", (0, BYTES_MAX), 0, "lower", "Largest core dump of a command."),
    ("limits.open_files", "count", (16, COUNT_MAX), None, "lower", "Open files of a command. Unset: as inherited."),
    ("limits.processes", "count", (1, COUNT_MAX), None, "lower", "Processes of the user. Unset: as inherited."),
    ("limits.file_bytes", "count", (0, BYTES_MAX), None, "lower", "Largest file it may write. Unset: as inherited."),
    ("limits.memory_bytes", "count", (0, BYTES_MAX), None, "lower", "Address space. Unset: as inherited."),
    (
        "retry_after_approval", "choice", ("ask", "by-risk", "silent"), "by-risk", "tighter",
        "Whether a command that was approved is asked about again when the sandbox stops it: always (`ask`), or not "
        "(`silent`, and `by-risk` unless its risk is high) where all it lacked was to write plain places of the "
        "workspace; then it runs once more with these. For anything else a question comes in every case.",
    ),
    (
        "approvals.require_record", "flag", None, True, "only-true",
        "An approval counts only once it is written down (`sandgate approvals log`). Off: one that cannot be, as on a "
        "full or read-only disk, counts with a warning.",
    ),
    (
        "rules.enabled", "flag", None, True, "ignored",
        "Read the rule files in `rules/` beside the user's and the project's configuration. Off: only the system's "
        "rules hold.",
    ),
    (
        "project_root_markers", "names", None, (".git",), "ignored",
        "The nearest directory upwards that holds one of these is the project's root.",
    ),
    *ASSESSMENT_ROWS,
    *AGENT_ROWS,
    ("profile", "text", None, None, "ignored", "The profile to use when `--profile` is not given."),
    *((f"features.{name}", "flag", None, default, "ignored", doc) for name, _stage, default, doc in FEATURES),
)  # fmt: skip

KEYS: dict[str, Row] = {row[0]: row for row in ROWS}
SECTIONS = frozenset(name.rpartition(".")[0] for name in KEYS if "." in name)
PROJECT_ENTRY: dict[str, Row] = {
    "trust_level": (
        "trust_level", "choice", ("untrusted", "trusted"), None, "ignored",
        "Whether the project's own configuration and rules are read.",
    ),
    "allow_project_policy": (
        "allow_project_policy", "flag", None, False, "ignored",
        "The project's file may also loosen the approval, sandbox and environment policies: the one in the directory "
        "that is described; those below it still only tighten.",
    ),
}  # fmt: skip
PROVIDERS = "model_providers"
BUILT_IN_PROVIDERS = (
    "openai",
    "ollama",
    "oss",
    "lmstudio",
)  # a table of that name is an error
PROVIDER_ENTRY: dict[str, Row] = {
    "name": ("name", "text", None, None, "ignored", "What people call it."),
    "base_url": (
        "base_url", "text", None, None, "ignored",
        "Its address, to which `/responses` is added, or `/chat/completions`.",
    ),
    "env_key": (
        "env_key", "text", None, None, "ignored",
        "The variable that holds its key. No command ever inherits that variable.",
    ),
    "env_key_instructions": ("env_key_instructions", "text", None, None, "ignored", "Said when the key is missing."),
    "wire_api": (
        "wire_api", "choice", ("responses", "chat"), "responses", "ignored",
        "What it speaks: the Responses API, or Chat Completions, which only a session's own model may.",
    ),
    "query_params": ("query_params", "variables", None, {}, "ignored", "Added to the address."),
    "http_headers": ("http_headers", "variables", None, {}, "ignored", "Sent with every request."),
    "env_http_headers": (
        "env_http_headers", "variables", None, {}, "ignored",
        "Headers whose values are in variables; left out while those are blank.",
    ),
    "request_max_retries": (
        "request_max_retries", "count", (0, 100), 4, "ignored",
        "How often a session's request that could not be placed is tried again.",
    ),
    "stream_max_retries": (
        "stream_max_retries", "count", (0, 100), 5, "ignored",
        "How often a session asks again when an answer broke off.",
    ),
    "stream_idle_timeout_ms": (
        "stream_idle_timeout_ms", "count", (1, 24 * 3600 * 1000), 300_000, "ignored",
        "How long a session waits for the next event of an answer before it counts as broken off. Milliseconds.",
    ),
    "remote_compaction": (
        "remote_compaction", "flag", None, False, "ignored",
        "Whether it makes room in a long conversation itself, at `/responses/compact`; the built-in `openai` does. "
        "What it keeps, only it can read. Setting `compact_prompt` has summaries written by the model instead.",
    ),
}  # fmt: skip
SERVERS = "mcp_servers"
SERVER_ENTRY: dict[str, Row] = {
    "command": ("command", "text", None, None, "ignored", "A server that is a program: what to start. Not confined."),
    "args": ("args", "words", None, (), "ignored", "Its arguments."),
    "cwd": ("cwd", "path", None, None, "ignored", "Where it is started. Unset: where the session is."),
    "env": (
        "env", "variables", None, {}, "ignored",
        "Variables it gets. It inherits only what hardly any program works without, such as `PATH` and `HOME`.",
    ),
    "env_vars": ("env_vars", "names", None, (), "ignored", "More variables it inherits, by name."),
    "url": ("url", "text", None, None, "ignored", "A server somewhere else: its address, for streamable HTTP."),
    "bearer_token_env_var": (
        "bearer_token_env_var", "text", None, None, "ignored",
        "The variable that holds the token for it. No command ever inherits that variable.",
    ),
    "http_headers": ("http_headers", "variables", None, {}, "ignored", "Sent with every request."),
    "env_http_headers": (
        "env_http_headers", "variables", None, {}, "ignored",
        "Headers whose values are in variables; left out while those are blank.",
    ),
    "enabled": ("enabled", "flag", None, True, "ignored", "Whether it is started."),
    "required": ("required", "flag", None, False, "ignored", "Whether a session fails to start without it."),
    "startup_timeout_sec": (
        "startup_timeout_sec", "seconds", (0, 3_600), 10, "ignored", "How long it may take to start.",
    ),
    "startup_timeout_ms": (
        "startup_timeout_ms", "count", (1, 3_600_000), None, "ignored",
        "The old form of `startup_timeout_sec`, which wins over it.",
    ),
    "tool_timeout_sec": ("tool_timeout_sec", "seconds", (0, 86_400), 60, "ignored", "How long one call may take."),
    "enabled_tools": ("enabled_tools", "names", None, None, "ignored", "The tools a model may have. Unset: all."),
    "disabled_tools": (
        "disabled_tools", "names", None, (), "ignored", "Those it may not have, also of the enabled ones.",
    ),
    "supports_parallel_tool_calls": (
        "supports_parallel_tool_calls", "flag", None, False, "ignored",
        "Whether its tools may run at the same time as others.",
    ),
    "default_tools_approval_mode": (
        "default_tools_approval_mode", "choice", ("prompt", "auto", "approve"), "prompt", "ignored",
        "`prompt` asks about every call. `auto` believes the server which of its tools only read, and asks about the "
        "others. `approve` lets every call through. For one tool: `tools.TOOL.approval_mode`.",
    ),
}  # fmt: skip
SERVER_TOOLS = "tools"
# A misspelt key here would quietly leave a secret in the environment, so it is an error, not a warning.
STRICT_SECTIONS = frozenset({"shell_environment_policy"})
# What `allow_project_policy` sets free.
POLICY_KEYS = ("approval_policy", "sandbox_mode", "sandbox_workspace_write.", "shell_environment_policy.")


class Key(Record):
    """A row of the table with names on its columns."""

    name: str
    kind: Kind
    choices: tuple[str, ...]
    range: tuple[int, int]
    default: object
    project: ProjectRule
    doc: str


def named_row(row: Row) -> Key:
    """A row with names on its columns."""
    name, kind, accepted, default, project, doc = row
    numbers = [each for each in accepted or () if isinstance(each, int)]
    return Key(
        name=name,
        kind=kind,
        choices=tuple(each for each in accepted or () if isinstance(each, str)),
        range=(numbers[0], numbers[1]) if numbers else (0, 0),
        default=default,
        project=project,
        doc=doc,
    )


def key_named(name: str) -> Key:
    """The row of a known key."""
    return named_row(KEYS[name])


def default_of(name: str) -> object:
    """What a known key is when no layer sets it."""
    return KEYS[name][3]
