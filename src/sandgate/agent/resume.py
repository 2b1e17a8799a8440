"""What an agent begins with: nothing, an earlier session that goes on, or a copy of one.

A session that goes on keeps the policy it had, unless today's is stricter, or the caller says otherwise on the way in:
a session that could only read must not write because it was continued elsewhere.
"""

from __future__ import annotations

from sandgate.agent.turn_changes import is_model_name
from sandgate.config import load_settings
from sandgate.config.agent_rows import EFFORTS, SUMMARIES
from sandgate.config.check import GRANULAR_REQUIRED
from sandgate.config.schema import APPROVAL_MODES, SANDBOX_MODES
from sandgate.config.state_directory import ensured_state
from sandgate.config.tighten import asks_no_less
from sandgate.display import visible
from sandgate.errors import RequestError, SessionNotFound
from sandgate.protocol.items import Compaction
from sandgate.protocol.operations import ContextChange
from sandgate.protocol.permissions import Granular
from sandgate.protocol.usage import TokenInfo, TokenUsage
from sandgate.record import Record
from sandgate.session.forking import BeforeUserMessage, Interrupted, fork
from sandgate.session.notices import turn_aborted
from sandgate.session.synthetic_messages import is_session_prefix
from sandgate.session.transcript_files import find_transcript, unarchive
from sandgate.session.transcript_reader import read_transcript
from sandgate.session.transcript_writer import TranscriptWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from sandgate.model.prompt import ModelSettings
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.items import Item
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.session.forking import Carry
    from sandgate.session.transcript import Kept, Unkept
    from sandgate.session.transcript_files import FoundTranscript
    from sandgate.session.transcript_reader import Transcript

    Warn = Callable[[str], None]

LAST = "last"
NAME_CHARS_MAX = 60  # of a provider's name, from a transcript
PAGE = 25  # sessions looked at together for the last one of a person
SEALED_ELSEWHERE = (
    "an earlier part of this conversation was replaced by what only the models of `{was}` can read;"
    " `{now}` may not know it"
)
KEPT_STRICTER = "the session goes on with `{key}` as it was, `{was}`; `-c {key}={now}` would change that"
BROUGHT_BACK = "the session was put away; it goes on, so it is back in the list"
WENT_ELSEWHERE = "the session last worked in {was}; it goes on in {now}"
NETWORK = "sandbox.network"
WORKSPACE = "sandbox_workspace_write"
NETWORK_ACCESS = f"{WORKSPACE}.network_access"


class PastSession(Record):
    """An earlier session. `writer` is None where a copy is to be made of it."""

    transcript: Transcript
    writer: TranscriptWriter | None = None


class Beginning(Record):
    """What a session begins with, and where it is kept."""

    transcript: Kept | Unkept
    path: str | None = None
    items: tuple[Item, ...] = ()
    messages: tuple[Mapping[str, Any], ...] | None = None  # kept events, as JSON
    info: TokenInfo | None = None
    context: Mapping[str, Any] | None = None  # what held for the last turn
    cut_off: str | None = None  # the id of that turn, when it has no end
    forked_from_id: str | None = None
    approvals: tuple[Mapping[str, Any], ...] = ()  # for the session, as they were written

    @property
    def last_turn(self) -> str:
        """The id of the last turn that was the person's; "" where none is known."""
        context = self.context or {}
        found = context.get("last_turn", context.get("turn_id"))
        return found if isinstance(found, str) else ""


def beginning(earlier: Transcript, transcript: Kept, path: str) -> Beginning:
    """Of a session that goes on, or of a copy."""
    return Beginning(
        transcript,
        path,
        items=earlier.items,
        messages=earlier.initial_messages(),
        info=token_info(earlier),
        context=earlier.context,
        cut_off=earlier.open_turn,
        forked_from_id=earlier.meta.forked_from_id,
        approvals=earlier.approvals(),
    )


def sealed_elsewhere(kept: Beginning, provider_id: str) -> str | None:
    """What to say where a part of the conversation is sealed for another provider; None where none is."""
    was = (kept.context or {}).get("model_provider", provider_id)
    if was == provider_id or not any(isinstance(item, Compaction) for item in kept.items):
        return None
    return SEALED_ELSEWHERE.format(was=visible(str(was), limit=NAME_CHARS_MAX), now=provider_id)


def session_id_of(environment: Environment, wanted: str) -> str:
    """The id of the session that is asked for, as `look_back` finds it. Blocks on the disk. Raises SessionNotFound."""
    return _found(ensured_state(environment.environ), wanted, environment.cwd)[0]


def look_back(home: str, resume: str, cwd: str, *, copy: bool, warn: Warn) -> PastSession:
    """The session that is asked for; "last" is the newest in `cwd` that is no sub-agent's. Blocks on the disk.

    One that goes on is ours alone from now on, and no longer put away.
    Raises SessionNotFound, SessionBusy, TranscriptUnreadable, StorageError.
    """
    _id, path, put_away = _found(home, resume, cwd)
    if copy:
        return PastSession(read_transcript(path))
    if put_away is not None:
        path = unarchive(home, put_away).path
        warn(BROUGHT_BACK)
    writer, transcript = TranscriptWriter.resumed(path, on_problem=warn, on_recovered=warn)
    return PastSession(transcript, writer)


def copied(past: PastSession, writer: TranscriptWriter, *, before: int | None, carry: Carry) -> Transcript | None:
    """A new transcript with what the old one has, up to that message of the person's. Raises UserMessageOutOfRange.

    `carry` makes an approval for the session one of the new session's.
    """
    at = Interrupted(turn_aborted()) if before is None else BeforeUserMessage(before, allow_empty=before == 0)
    return fork(past.transcript.path, writer, at, is_prefix=is_session_prefix, carry=carry)


def as_it_was(environment: Environment, past: PastSession, warn: Warn) -> Environment:
    """Where today's policy is looser than that of the session, the session's. What is said on the way in holds.

    Raises RequestError where neither is stricter.
    """
    context = past.transcript.context or {}
    loaded = load_settings(
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        profile=environment.profile,
        typed=environment.typed,
    )
    said = _keys_said(environment)
    sandbox = context.get("sandbox_policy")
    wanted = _sandbox_as_it_was(sandbox if isinstance(sandbox, dict) else {}, loaded.values, said)
    if "approval_policy" not in said:
        # What an agent takes where no setting says otherwise (`config.for_run`).
        asks = _approval_as_it_was(context, loaded.values.get("approval_policy", "on-failure"))
        wanted = [*asks, *wanted]
    if place := _elsewhere(past, environment.cwd):
        warn(place)
    for key, was, now in wanted:
        warn(KEPT_STRICTER.format(key=key, was=was, now=now))
    return environment.but(tighter=(*environment.tighter, *((key, was) for key, was, _now in wanted)))


def model_as_it_was(how: ModelSettings, past: PastSession, environment: Environment) -> ModelSettings:
    """What the session's turns have asked for last, where the caller does not say otherwise."""
    context, said, changed = past.transcript.context or {}, _keys_said(environment), changed_before(past)
    model, effort, summary = map(context.get, ("model", "effort", "summary"))
    if "model" in changed and is_model_name(model) and "model" not in said:
        how = how.but(model=model)
    if "effort" in changed and (effort is None or effort in EFFORTS) and "model_reasoning_effort" not in said:
        how = how.but(effort=effort, summary=summary if effort and summary in SUMMARIES else None)
    return how


def changed_before(past: PastSession) -> tuple[str, ...]:
    """What its turns have asked for: names of `ContextChange`."""
    changed = (past.transcript.context or {}).get("changed")
    return tuple(name for name in ContextChange.__match_args__ if isinstance(changed, list) and name in changed)


def _elsewhere(past: PastSession, cwd: str) -> str | None:
    """What to say where its turns worked somewhere else than it goes on; a transcript chooses no workspace."""
    was = (past.transcript.context or {}).get("cwd")
    if "cwd" not in changed_before(past) or not isinstance(was, str) or was == cwd:
        return None
    return WENT_ELSEWHERE.format(was=visible(was), now=visible(cwd))


def _keys_said(environment: Environment) -> set[str]:
    return {*(each.partition("=")[0].strip() for each in environment.overrides), *_typed(environment)}


def _approval_as_it_was(context: Mapping[str, Any], now: Any) -> list[tuple[str, str, str]]:
    was = _policy_of(context)
    if was is None or asks_no_less(now, was):
        return []
    if isinstance(was, Granular) and isinstance(now, Granular):  # what either refuses
        was = Granular(
            *(one and other for one, other in zip(was.fields().values(), now.fields().values(), strict=True))
        )
    if not asks_no_less(was, now):
        raise RequestError(
            f"the session had `approval_policy` as {_words(was)}",
            why=f"today's, {_words(now)}, is neither that nor stricter",
            hint="say which one holds: `-c approval_policy=...`",
        )
    return [("approval_policy", _words(was), _words(now))]


def _policy_of(context: Mapping[str, Any]) -> ApprovalPolicy | None:
    """What the transcript says; where it leaves out what is granted, nothing is."""
    name = context.get("approval_policy")
    if name == "granular":
        table = context.get("granular")
        given = table if isinstance(table, dict) else {}
        return Granular(*(given.get(field) is True for field in Granular.__match_args__))
    return name if name in APPROVAL_MODES else None


def _words(policy: ApprovalPolicy) -> str:
    """As `-c` takes it."""
    if not isinstance(policy, Granular):
        return policy
    given = policy.fields()  # of which the others ask nothing, and are not taken where they say that they do
    flags = ", ".join(f"{name} = {str(given[name]).lower()}" for name in GRANULAR_REQUIRED)
    return f"{{ granular = {{ {flags} }} }}"


def _sandbox_as_it_was(
    sandbox: Mapping[str, Any], values: Mapping[str, Any], said: set[str]
) -> list[tuple[str, str, str]]:
    # The tag has had two names; a session of the other one must not become a freer one.
    was, now = sandbox.get("mode", sandbox.get("type")), values.get("sandbox_mode", "workspace-write")
    wanted = []
    if "sandbox_mode" not in said and was in SANDBOX_MODES and SANDBOX_MODES.index(was) < SANDBOX_MODES.index(now):
        wanted.append(("sandbox_mode", was, now))
        now = was
    if sandbox.get("network_access") is False and _has_network(values, now) and not said & {NETWORK, NETWORK_ACCESS}:
        wanted.append((NETWORK, "off", "on"))
    if was == now == "workspace-write":
        wanted += _places_as_they_were(sandbox, values, said)
    return wanted


def _has_network(values: Mapping[str, Any], mode: str) -> bool:
    """But for a mode without a sandbox, where nothing could switch it off."""
    if mode == "danger-full-access":
        return False
    chosen = values.get(NETWORK)
    return chosen == "on" or (chosen is None and mode == "workspace-write" and values.get(NETWORK_ACCESS, False))


def _places_as_they_were(
    sandbox: Mapping[str, Any], values: Mapping[str, Any], said: set[str]
) -> list[tuple[str, str, str]]:
    wanted = []
    for name in ("exclude_tmpdir_env_var", "exclude_slash_tmp"):
        key = f"{WORKSPACE}.{name}"
        if sandbox.get(name) is True and not values.get(key, False) and key not in said:
            wanted.append((key, "true", "false"))
    roots = sandbox.get("writable_roots")
    for key in (f"{WORKSPACE}.writable_roots", "additional_writable_roots"):
        now = values.get(key, ())
        kept = [root for root in now if isinstance(roots, list) and root in roots]
        if len(kept) < len(now) and key not in said:
            wanted.append((key, _listed(kept), _listed(now)))
    return wanted


def _listed(paths: Sequence[str]) -> str:
    import json

    return json.dumps(list(paths), ensure_ascii=False)


def token_info(transcript: Transcript) -> TokenInfo | None:
    """How full the window was."""
    info = (transcript.last_token_count() or {}).get("info")
    if not isinstance(info, dict):
        return None
    try:
        total, last = TokenUsage(**info["total_token_usage"]), TokenUsage(**info["last_token_usage"])
    except (KeyError, TypeError):
        return None
    window = info.get("model_context_window")
    counts = [*total.fields().values(), *last.fields().values(), 0 if window is None else window]
    return TokenInfo(total, last, window) if all(isinstance(count, int) for count in counts) else None


def _found(home: str, wanted: str, cwd: str) -> tuple[str, str, FoundTranscript | None]:
    """Id and path, and where it is put away, what it is brought back by."""
    if wanted != LAST:
        found = find_transcript(home, wanted)
        return found.id, found.path, found if found.archived else None
    from sandgate.session.session_listing import sessions_page  # with sqlite3

    cursor = None
    while True:
        page = sessions_page(home, page_size=PAGE, cursor=cursor)
        for session in page.sessions:
            if session.head.cwd == cwd and isinstance(session.head.source, str):  # a sub-agent's is a table
                return session.head.id, session.path, None
        cursor = page.next_cursor
        if cursor is None:
            raise SessionNotFound(
                "there is no earlier session in this directory",
                hint="`sandgate sessions list` has those of all; name one: `sandgate agent resume SESSION`",
            )


def _typed(environment: Environment) -> set[str]:
    typed = environment.typed
    given = {
        "additional_writable_roots": typed.add_dirs or None,
        "approval_policy": typed.approval_policy,
        "sandbox_mode": typed.sandbox_mode,
        NETWORK: typed.network,
    }
    return {key for key, value in given.items() if value is not None}
