"""Puts an agent together: a gate, a model, a conversation, and where it is kept."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate import __version__
from sandgate.agent.delegate_limit import DelegateLimit
from sandgate.agent.delegates import Delegates
from sandgate.agent.early_loading import AskedModel
from sandgate.agent.models import (
    SCRIPTED,
    no_model,
    provider_model,
    recorded_model,
    remote_compaction,
    replayed_model,
    scripted_model,
    stream_retries,
)
from sandgate.agent.on_behalf import asked_on_behalf, origin_of
from sandgate.agent.prompt_history import PromptHistory
from sandgate.agent.resume import (
    Beginning,
    as_it_was,
    beginning,
    changed_before,
    copied,
    look_back,
    model_as_it_was,
    sealed_elsewhere,
)
from sandgate.agent.session_approvals import SessionApprovals
from sandgate.agent.tools import AgentTools
from sandgate.agent.turn_changes import TurnChanges
from sandgate.agent.turn_context import Situation
from sandgate.agent.undo import KeptUndo
from sandgate.agent.user_shell import telling_of
from sandgate.config.agent import agent_settings, own_instructions
from sandgate.config.state_directory import ensured_state
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.events import Failed, SessionConfigured, TurnAborted, Warned
from sandgate.protocol.permissions import approval_name
from sandgate.protocol.wire import sandbox_json
from sandgate.record import Record
from sandgate.runtime.opening import open_runtime
from sandgate.session.base_instructions import BASE_INSTRUCTIONS
from sandgate.session.compacting import Compactor
from sandgate.session.compaction import SUMMARY_PROMPT, compaction_limit
from sandgate.session.conversation import Conversation
from sandgate.session.event_log import EventLog
from sandgate.session.fair_lock import FairLock
from sandgate.session.history import History
from sandgate.session.ids import new_id
from sandgate.session.inbox import SessionInbox
from sandgate.session.notices import turn_aborted
from sandgate.session.sampling import Sampler
from sandgate.session.session import Session
from sandgate.session.transcript import Kept, Unkept
from sandgate.session.transcript_lines import PARENT, SessionMeta, timestamp
from sandgate.session.transcript_writer import TranscriptWriter
from sandgate.session.turn import SessionSettings
from sandgate.session.turn_kinds import KnownTurnKinds
from sandgate.session.turn_loop import TurnLoop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.agent.delegates import Opening
    from sandgate.agent.on_behalf import Heard
    from sandgate.agent.options import AgentOptions, Superior
    from sandgate.agent.resume import PastSession
    from sandgate.agent.turn_program import TurnProgram
    from sandgate.agent.undo import PatchUndo
    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Loaded
    from sandgate.config.agent import AgentSettings
    from sandgate.external.servers import ExternalServers
    from sandgate.model.prompt import ModelSettings
    from sandgate.model.streaming import Model
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.trace import Recorder
    from sandgate.runtime.aio import AsyncGate
    from sandgate.runtime.runtime import Runtime
    from sandgate.session.inbox import Answerer


class Made(Record):
    """The parts of one agent that others need."""

    session: Session
    model: Model
    conversation: Conversation
    approvals: SessionApprovals


class Making:
    """One agent, on its way. `superior`: whose work it does, under the configuration `loaded` there; None: its own."""

    def __init__(
        self, environment: Environment, options: AgentOptions, superior: Superior | None, loaded: Loaded | None = None
    ) -> None:
        self.environment = environment
        self._loaded = loaded
        self._options = options
        self._superior = superior
        self._past: PastSession | None = None
        self._warnings: list[str] = []
        self._history: tuple[int | None, int | None] = None, None  # what was typed in earlier sessions
        self._loop = asyncio.get_running_loop()
        self._conversation: Conversation | None = None
        self.servers: ExternalServers | None = None  # of others, that this session started
        self.program: TurnProgram | None = None  # of the person, that hears of its turns

    def gate(self, reviewers: tuple[Reviewer, ...], record: Recorder, *, side_by_side: bool) -> Runtime:
        """With the policy of the session that goes on. Blocks on the disk."""
        options = self._options
        if options.resume is not None:
            home = ensured_state(self.environment.environ)
            self._past = look_back(home, options.resume, self.environment.cwd, copy=options.fork, warn=self._warn)
        try:
            if self._past is not None:
                self.environment = as_it_was(self.environment, self._past, self._warn)
            return open_runtime(
                self.environment, reviewers=reviewers, record=record, side_by_side=side_by_side, loaded=self._loaded
            )
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Nothing comes of it: others may go on with the session. Blocks on the disk."""
        if self._past is not None and self._past.writer is not None:
            self._past.writer.close()

    async def made(
        self, gate: AsyncGate, tools: AgentTools, opening: Opening, answerer: Answerer | None, *, asks: bool
    ) -> Made:
        """Raises ConfigError, RequestError, StorageError."""
        runtime, superior = gate.runtime, self._superior
        settings = agent_settings(runtime.loaded.values)
        if self._options.provider is not None:
            settings = settings.but(provider_id=self._options.provider)
        model, retries, settings = self._model(settings, runtime)
        holding = self._holding(runtime, settings, model, retries)
        if superior is not None and superior.instructions is not None:
            settings = settings.but(document_bytes=0, instructions=None)
        situation = await on_thread(lambda: Situation(runtime, settings))
        approvals = SessionApprovals(runtime, holding.session_id)
        kept, patches = await on_thread(lambda: self._begun(runtime, holding, approvals, tools))
        if superior is None:
            model = AskedModel(model, self._loop, kept.transcript.enlist)
        conversation = Conversation(History(kept.items), kept.transcript, EventLog(), info=kept.info)
        servers = await self._started(runtime) if superior is None else superior.servers
        if servers is not None:
            from sandgate.agent.external_tools import ExternalTools

            tools.external = ExternalTools(servers, gate)
        tighter = self._options.only_tighten or superior is not None
        turning = TurnChanges(runtime, holding, only_tighten=tighter, summary=settings.summary)
        origin = origin_of(holding, self._options.source, lambda: turning.now.model, runtime.loaded.values)
        heard = asked_on_behalf(runtime.asking, origin, conversation, superior)
        delegates = self._delegates(
            conversation, settings, model, opening, turning, runtime, servers, tools.undoing, heard, asks=asks
        )
        depth = 0 if superior is None else superior.depth
        tools.patches = superior is None or superior.writes
        if depth < settings.max_depth and (superior is None or superior.delegates):
            tools.delegates = delegates
        compactor = Compactor(
            model,
            conversation,
            initial=situation.all,
            prompt=settings.compact_prompt or SUMMARY_PROMPT,
            remote=None if settings.compact_prompt else remote_compaction(model),
        )
        loop = TurnLoop(Sampler(model, tools, conversation, FairLock()), conversation, compactor)
        session = Session(
            holding,
            conversation,
            inbox=SessionInbox(conversation.tell, answerer or self._asked(holding.session_id)),
            tools=tools,
            works=_works(loop, compactor, tools, delegates, conversation),
            situation=situation,
            turning=turning,
            configured=_configured(holding, kept, self._history),
            patches=patches,
            last_turn=kept.last_turn,
        )
        self._tell_beginning(conversation, kept, situation, holding)
        if settings.notify and superior is None:
            from sandgate.agent.turn_program import listening

            self.program = listening(settings.notify, runtime.environ, session, conversation.tell)
        return Made(session, model, conversation, approvals)

    def _tell_beginning(
        self, conversation: Conversation, kept: Beginning, situation: Situation, holding: SessionSettings
    ) -> None:
        if kept.cut_off is not None:
            conversation.record((turn_aborted(reason="cut_off"),))
            kept.transcript.keep_event(TurnAborted(kept.cut_off, "interrupted"))  # said once, whatever happens next
        if kept.items:
            situation.resumed(kept.context)
            self._warnings += filter(None, [sealed_elsewhere(kept, holding.provider_id)])
        self._conversation = conversation
        for failure in () if self.servers is None else self.servers.failures:
            conversation.tell("", Failed(failure.message, "mcp_server_failed"))
        notices = () if self.servers is None else self.servers.notices
        for warning in (*situation.problems, *notices, *self._warnings):
            conversation.tell("", Warned(warning))

    def _asked(self, name: str) -> Answerer | None:
        superior = self._superior
        if superior is None or superior.ask is None:
            return None
        ask, own = superior.ask, {"id": name, "kind": superior.kind}
        return lambda request, delegate: ask(request, delegate or own)

    def _delegates(
        self,
        conversation: Conversation,
        settings: AgentSettings,
        model: Model,
        opening: Opening,
        turning: TurnChanges,
        runtime: Runtime,
        servers: ExternalServers | None,
        undoing: PatchUndo,
        heard: Heard,
        *,
        asks: bool,
    ) -> Delegates:
        superior, holding = self._superior, turning.now
        reviewer = model
        if settings.review_model is not None and self._options.model_script is None:
            reviewer, _ = provider_model(settings, settings.review_model, runtime.loaded.values, runtime.environ)
        return Delegates(
            opening,
            conversation,
            session_id=holding.session_id,
            token_budget=holding.token_budget,
            model=model,
            reviewer=reviewer,
            room=DelegateLimit(settings.max_delegates) if superior is None else superior.room,
            depth=0 if superior is None else superior.depth,
            asks=asks,
            servers=servers,
            undoing=undoing,
            turning=turning,
            heard=heard,
        )

    async def _started(self, runtime: Runtime) -> ExternalServers | None:
        """The servers of others that the settings name. Raises ExternalServerFailed for one that is required."""
        wanted = runtime.settings.external_servers
        if not wanted:
            return None
        from sandgate.external.servers import ExternalServers

        servers = ExternalServers(wanted, environ=runtime.environ, cwd=runtime.directory, version=__version__)
        await servers.start()
        self.servers = servers
        return servers

    def _model(self, settings: AgentSettings, runtime: Runtime) -> tuple[Model, int, AgentSettings]:
        """The model, recorded if the options want that, how often it is tried again, and what holds with it."""
        model, retries, settings = self._model_itself(settings, runtime)
        path = self._options.model_record
        recorded = path is not None and self._superior is None and not self._options.unasked
        return (recorded_model(model, path) if path is not None and recorded else model), retries, settings

    def _model_itself(self, settings: AgentSettings, runtime: Runtime) -> tuple[Model, int, AgentSettings]:
        options = self._options
        if self._superior is not None:
            return self._superior.model, stream_retries(settings, runtime.loaded.values), settings
        if options.model_script is not None:
            return scripted_model(options.model_script, settings), 0, settings.but(provider_id=SCRIPTED)
        if options.model_replay is not None:
            return replayed_model(options.model_replay, settings), 0, settings.but(provider_id=SCRIPTED)
        if options.unasked:
            return no_model(settings), 0, settings
        model, retries = provider_model(settings, options.model, runtime.loaded.values, runtime.environ)
        return model, retries, settings

    def _holding(self, runtime: Runtime, settings: AgentSettings, model: Model, retries: int) -> SessionSettings:
        past, superior = self._past, self._superior
        goes_on = past is not None and past.writer is not None
        own = None if superior is None else superior.instructions
        return SessionSettings(
            session_id=past.transcript.meta.id if past is not None and goes_on else new_id(),
            cwd=runtime.directory,
            instructions=own or self._options.instructions or own_instructions(settings) or BASE_INSTRUCTIONS,
            model=self._how(model),
            provider_id=settings.provider_id,
            approval=runtime.policies.approval,
            sandbox=runtime.policies.sandbox,
            stream_max_retries=retries,
            compact_at_tokens=compaction_limit(settings.compact_at_tokens, settings.context_window),
            token_budget=settings.token_budget if superior is None else superior.token_budget,
            delegate="" if superior is None else superior.kind,
            parent_id="" if superior is None else superior.session_id,
            changed=() if past is None else changed_before(past),
        )

    def _how(self, model: Model) -> ModelSettings:
        """How the first turn asks the model."""
        if self._superior is not None and self._superior.how is not None:
            return self._superior.how
        if self._past is None or self._options.model is not None:
            return model.settings
        return model_as_it_was(model.settings, self._past, self.environment)

    def _begun(
        self, runtime: Runtime, holding: SessionSettings, approvals: SessionApprovals, tools: AgentTools
    ) -> tuple[Beginning, tuple[str, ...]]:
        """What the session begins with, its approvals in force, and what of its last turn can be taken back. Blocks."""
        kept = self._kept(runtime, holding, approvals)
        if self._superior is None:
            self._history = PromptHistory(runtime.environ, runtime.loaded.values).standing()
        self._warnings += approvals.renew(kept.approvals)
        return kept, self._patches(runtime, tools, holding, kept)

    def _kept(self, runtime: Runtime, holding: SessionSettings, approvals: SessionApprovals) -> Beginning:
        """What the session begins with, and where it is kept. Blocks on the disk."""
        past, options, superior = self._past, self._options, self._superior
        if past is not None and past.writer is not None:
            return beginning(past.transcript, Kept(past.writer, on_thread), past.writer.path)
        if options.ephemeral and past is None:
            return Beginning(Unkept())
        meta = SessionMeta(
            holding.session_id,
            timestamp=timestamp(),
            cwd=holding.cwd,
            cli_version=__version__,
            source=options.source if superior is None else {"subagent": superior.kind, PARENT: superior.session_id},
            model_provider=holding.provider_id,
            forked_from_id=past.transcript.meta.id if past is not None else None,
        )
        home = ensured_state(runtime.environ)
        writer = TranscriptWriter.new(home, meta, on_problem=self._warn, on_recovered=self._warn)
        transcript = Kept(writer, on_thread)
        if past is None:
            return Beginning(transcript, writer.path)
        carry = approvals.carry_from(past.transcript.meta.id)
        made = copied(past, writer, before=options.fork_before, carry=carry)
        return Beginning(transcript, writer.path) if made is None else beginning(made, transcript, writer.path)

    def _patches(
        self, runtime: Runtime, tools: AgentTools, holding: SessionSettings, kept: Beginning
    ) -> tuple[str, ...]:
        """The calls of the last turn whose patches can be taken back. Blocks on the disk."""
        superior = self._superior
        if superior is not None:
            patched, own = superior.patched, holding.session_id
            tools.undoing.hand_up = lambda name, record: patched(f"{own}/{name}", record)
            return ()
        if kept.path is not None:
            tools.undoing.kept = KeptUndo(ensured_state(runtime.environ), holding.session_id)
        return tools.undoing.applied_in(kept.last_turn) if kept.last_turn else ()

    def _warn(self, text: str) -> None:
        """Of the transcript, on whatever thread met it; told at once where there is a conversation already."""
        conversation = self._conversation
        if conversation is None:
            self._warnings.append(text)
            return
        with suppress(RuntimeError):  # the loop is closed; no surface watches any more
            self._loop.call_soon_threadsafe(conversation.log.emit, "", Warned(text))


def _works(
    loop: TurnLoop, compactor: Compactor, tools: AgentTools, delegates: Delegates, conversation: Conversation
) -> KnownTurnKinds:
    return KnownTurnKinds(
        loop,
        compactor,
        read_image=tools.image,
        undo=tools.undo,
        review=delegates.review,
        user_shell=telling_of(tools.user_shell, conversation),
    )


def _configured(holding: SessionSettings, kept: Beginning, history: tuple[int | None, int | None]) -> SessionConfigured:
    return SessionConfigured(
        holding.session_id,
        holding.model.model,
        holding.cwd,
        approval_name(holding.approval),
        sandbox_json(holding.sandbox),
        holding.provider_id,
        reasoning_effort=holding.model.effort,
        rollout_path=kept.path,
        forked_from_id=kept.forked_from_id,
        initial_messages=kept.messages,
        history_log_id=history[0],
        history_entry_count=history[1],
    )
