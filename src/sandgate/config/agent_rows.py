"""The configuration keys of the agent, as rows of the one table."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.row import Row

TOKENS_MAX = 2**31 - 1
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
SUMMARIES = ("auto", "concise", "detailed", "none")
DOCUMENT_BYTES = 32 * 1024  # of all `AGENTS.md` together
DOCUMENT_BYTES_MAX = 16 * 1024 * 1024
DELEGATES = 4  # sub-agents at the same time, where no setting says otherwise
DEPTH = 1

AGENT_ROWS: tuple[Row, ...] = (
    ("model", "text", None, None, "ignored", "The model that `sandgate agent` works with."),
    ("model_provider", "text", None, "openai", "ignored", "Whose it is: a name from `model_providers`."),
    ("review_model", "text", None, None, "ignored", "The model that reviews. Unset: the one that works."),
    ("model_reasoning_effort", "choice", EFFORTS, None, "ignored", "How hard it thinks. Unset: as it is used to."),
    (
        "model_reasoning_summary", "choice", SUMMARIES, "auto", "ignored",
        "What it tells of what it thought; only for models that think.",
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
    ("agents.max_depth", "count", (0, 8), DEPTH, "lower", "How deep sub-agents may start others; 0: none at all."),
    ("agents.max_threads", "count", (1, 64), DELEGATES, "lower", "How many sub-agents work at the same time."),
    (
        "agents.token_budget", "count", (1, TOKENS_MAX), None, "lower",
        "New input and output of one session in tokens, after which it stops. Unset: no end.",
    ),
)  # fmt: skip
