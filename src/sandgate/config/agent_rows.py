"""The configuration keys of the agent, and of the model that speaks about risk, as rows of the one table."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.row import Row

TOKENS_MAX = 2**31 - 1
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
SUMMARIES = ("auto", "concise", "detailed", "none")
DOCUMENT_BYTES = 32 * 1024  # of all `AGENTS.md` together
DOCUMENT_BYTES_MAX = 16 * 1024 * 1024
HISTORY_BYTES = 4 * 1024 * 1024
HISTORY_BYTES_MAX = 64 * 1024 * 1024
DELEGATES = 4  # sub-agents at the same time, where no setting says otherwise
DEPTH = 1
ASSESSMENT_MS_MAX = 10 * 60 * 1000  # a person has long decided by then

AGENT_ROWS: tuple[Row, ...] = (
    ("model", "text", None, None, "ignored", "The model that `sandgate agent` works with."),
    ("model_provider", "text", None, "openai", "ignored", "Whose it is: a name from `model_providers`."),
    ("review_model", "text", None, None, "ignored", "The model that reviews. Unset: the one that works."),
    ("model_reasoning_effort", "choice", EFFORTS, None, "ignored", "How hard it thinks. Unset: as it is used to."),
    (
        "model_reasoning_summary", "choice", SUMMARIES, "auto", "ignored",
        "What it tells of what it thought; only for models that think.",
    ),
    (
        "model_prices", "variables", None, {}, "ignored",
        "What models cost, for `sandgate sessions list`: by model, `\"INPUT CACHED OUTPUT CURRENCY\"` for a million "
        "tokens each, as in `\"1.25 0.125 10 USD\"`. Sandgate knows no prices by itself.",
    ),
    ("model_verbosity", "choice", ("low", "medium", "high"), None, "ignored", "How much it says. Unset: not said."),
    ("model_context_window", "count", (1, TOKENS_MAX), None, "ignored", "What it can hold, in tokens. Unset: unknown."),
    ("model_max_output_tokens", "count", (1, TOKENS_MAX), None, "ignored", "The longest answer, in tokens."),
    (
        "model_auto_compact_token_limit", "count", (1, TOKENS_MAX), None, "ignored",
        "From how many tokens the conversation is summarised. Unset: nine tenths of the window, if that is known.",
    ),
    ("instructions", "text", None, None, "ignored", "What the agent is told about you, beside `AGENTS.md`."),
    (
        "model_instructions_file", "paths", None, (), "ignored",
        "A file with the agent's base instructions, in place of the built-in ones.",
    ),
    ("compact_prompt", "text", None, None, "ignored", "What a summary is asked for with. Unset: our own words."),
    (
        "project_doc_max_bytes", "count", (0, DOCUMENT_BYTES_MAX), DOCUMENT_BYTES, "lower",
        "How much of all `AGENTS.md` files together is read. Bytes; 0 reads none.",
    ),
    (
        "project_doc_fallback_filenames", "names", None, (), "ignored",
        "Names that stand in for `AGENTS.md` where there is none.",
    ),
    (
        "history.persistence", "choice", ("none", "save-all"), "save-all", "ignored",
        "Whether what a client says you typed (`add_to_history`) is kept for your later sessions.",
    ),
    (
        "history.max_bytes", "count", (1024, HISTORY_BYTES_MAX), HISTORY_BYTES, "ignored",
        "How much of it; what is older goes first, down to eight tenths.",
    ),
    (
        "notify", "words", None, (), "ignored",
        "A program, and its arguments, that is started after each turn of an agent that came to its end, with one more "
        "argument: a JSON object that names session, turn, directory and messages. It runs outside the sandbox.",
    ),
    ("agents.max_depth", "count", (0, 8), DEPTH, "lower", "How deep sub-agents may start others; 0: none at all."),
    ("agents.max_threads", "count", (1, 64), DELEGATES, "lower", "How many sub-agents work at the same time."),
    (
        "agents.token_budget", "count", (1, TOKENS_MAX), None, "lower",
        "New input and output of one session in tokens, after which it stops. Unset: no end.",
    ),
)  # fmt: skip

ASSESSMENT_ROWS: tuple[Row, ...] = (
    (
        "assessment.model", "text", None, None, "ignored",
        "The model that adds its words to the risk shown with a question. Unset: the one of the turn that asks, or "
        "`model`, with its provider and effort. Needs the feature `experimental_sandbox_command_assessment`.",
    ),
    ("assessment.provider", "text", None, "openai", "ignored", "Where it is asked: a provider's name."),
    (
        "assessment.effort", "choice", EFFORTS, "low", "ignored",
        "How hard it should think; `none` for models that do not reason. Where `assessment.model` is unset and this "
        "is, too: as hard as the turn's model.",
    ),
    (
        "assessment.timeout_ms", "count", (1, ASSESSMENT_MS_MAX), 5000, "ignored",
        "How long an answer may take, connecting included. Milliseconds. The question does not wait for it: it is "
        "shown at once, and the answer added when it comes.",
    ),
    (
        "assessment.form_wait_ms", "count", (0, ASSESSMENT_MS_MAX), 1500, "ignored",
        "How long a question that is shown once, as a form in an MCP client, waits for the model's words. "
        "Milliseconds. 0: it does not, and no model is asked about it.",
    ),
    (
        "assessment.when", "choice", ("retry", "all"), "retry", "ignored",
        "`retry` asks it when the sandbox has stopped something; `all` with every question about a command.",
    ),
)  # fmt: skip
