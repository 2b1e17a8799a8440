"""From a command and its grants to an inert plan, with the backend that was chosen for this session."""

from __future__ import annotations

import os
from _thread import allocate_lock

from sandgate.errors import BackendUnavailable, RequestError
from sandgate.execution.head_start import CHANGED, Habit, HeadStart
from sandgate.gate.project_directory import ProjectDirectory, make_own
from sandgate.kernel.networks import EmptyNetworks
from sandgate.places.git import INIT, may_move_repositories
from sandgate.policy.common_places import homes_of
from sandgate.policy.effective import effective_permissions, network_mode
from sandgate.protocol.confinement import IN_MEMORY, PATCH, SetupFailure
from sandgate.protocol.permissions import ESCALATE, EffectivePermissions, Grant, WorkspaceWrite, confines
from sandgate.protocol.trace import Notice
from sandgate.sandbox.backends import backend_named, find_helper, first_backend
from sandgate.sandbox.facts import workspace_facts
from sandgate.sandbox.memory import Memory
from sandgate.sandbox.protection import Protection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.execution.drafts import DraftRoom, Drafts
    from sandgate.execution.git_users import GitReaders
    from sandgate.gate.contracts import GivenByRules
    from sandgate.gate.new_repositories import NewRepositories
    from sandgate.policy.effective import WorkspaceFacts
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand, ConfinementSettings
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.permissions import BackendName, NetworkMode
    from sandgate.protocol.trace import Recorder
    from sandgate.sandbox.looking import Known
    from sandgate.sandbox.memory import LaterLook, Mark
    from sandgate.sandbox.project_caches import ProjectCaches

STATE_DIRECTORY_NAME = ".sandgate"
STORED_FACTS = "facts"  # in the project's own directory, beside its /tmp
CACHE_MARKS = ("/.", "~", "HOME", "go/pkg")  # one of them is in every word that names a cache
FIND = "find "  # a step of native/mounts.c and hiding.c: what a plan speaks of is looked for
LIVE_ELSEWHERE = "the session cannot go to another project while commands of this one live"
HELPER_HINT = "install a C compiler (`apt install gcc`), or choose `--backend landlock`"
# Of a plan that does not know of a repository that another command of the session has begun.
OUTDATED = SetupFailure("the plan: a repository was begun since it was made", "ESTALE")


class Confinement:
    """Makes the plans of one session. The backend is fixed once a command ran with it."""

    def __init__(self, settings: ConfinementSettings, environment: Environment, record: Recorder) -> None:
        self._settings = settings
        self.environment = environment
        self._record = record
        self._drafts: DraftRoom | None = None  # made for the first command that may change a git directory
        self._memory = Memory()
        self._memory.expects_more = True
        self.networks = EmptyNetworks()
        self.habit = Habit()
        self.approved_names: set[str] = set()  # protected names that a reviewed patch has made: no quarantine for them
        self._before: tuple[WorkspaceFacts, tuple[Grant, ...], EffectivePermissions] | None = None
        self.one_command = False  # the session ends with the first command
        self._crowded: tuple[str, ...] = ()  # what was said to be closed because it holds too much
        self._told: set[str] = set()
        self._own = ProjectDirectory(settings, environment)
        self._begun: NewRepositories | None = None  # made for the first command, unless a lone one needs none
        self._caches: ProjectCaches | None = None  # made for the first command that may use some
        self._taking = allocate_lock()
        self.given_by_rules: GivenByRules = lambda _command, _here: ()
        self._kind: BackendName | None = None
        self.helper: str | None = None

    def hold(self, settings: ConfinementSettings, environment: Environment) -> None:
        """Other plans from the next one on. Raises RequestError, and then nothing has changed."""
        goes_to = ProjectDirectory(settings, environment)
        if goes_to.project != self._own.project:
            if self._begun is not None and self._begun.running.any:
                raise RequestError(LIVE_ELSEWHERE, hint="end them first")
            self.close()
            self._own, self._begun, self._drafts, self._caches = goes_to, None, None, None
            self._memory = Memory()
            self._memory.expects_more = True
        self._settings, self.environment, self._before = settings, environment, None

    @property
    def state_directory(self) -> str:
        """Sandgate's own files: never writable and never readable for a command."""
        return self._settings.home or os.path.join(os.path.expanduser("~"), STATE_DIRECTORY_NAME)

    def permissions(self, grants: tuple[Grant, ...] = (), later: LaterLook | None = None) -> EffectivePermissions:
        """What a command with these grants may touch, looked up now; or `later`, where it is as it was the last time.

        Our own directories are made first where a command could write beside them: what does not exist when a command
        starts could be filled by that command later, behind our back.
        """
        permissions, unmade = self._resolved(grants, later)
        made = permissions.confined and make_own(unmade, permissions.absent)
        return self._resolved(grants)[0] if made else permissions

    def _resolved(
        self, grants: tuple[Grant, ...], later: LaterLook | None = None
    ) -> tuple[EffectivePermissions, tuple[str, ...]]:
        """The permissions, and our own directories that do not exist."""
        settings, environment = self._settings, self.environment
        grants = (*(Grant("unix_socket", path) for path in settings.unix_sockets), *grants)
        private_tmp, scratch = self._own_tmp()
        self._share_roots(grants)
        caches = self._shared_caches() if settings.caches == "shared" else ()
        facts = workspace_facts(
            settings.sandbox,
            policy_cwd=environment.cwd,
            environ=environment.environ,
            state_directory=self.state_directory,
            extra_roots=caches,
            grants=grants,
            protection=self._protected_here(),
            opened_secrets=settings.secrets_opened,
            more_secrets=settings.secrets_hidden,
            private_tmp=private_tmp,
            scratch=scratch,
            memory=self._memory,
            stored=f"{os.path.dirname(private_tmp)}/{STORED_FACTS}" if private_tmp else "",
            later=later if self._kind == "namespace" and not grants else None,
        )
        before = self._before  # read once: threads may share a session, and must not share grants
        if before is not None and before[:2] == (facts, grants):
            return before[2], facts.unmade
        for note in facts.notes:
            self.say_once(note)
        permissions = effective_permissions(settings.sandbox, facts, extra_roots=caches, grants=grants)
        self._say_crowded(facts.crowded)
        self._before = (facts, grants, permissions)
        return permissions, facts.unmade

    def say_once(self, note: str) -> None:
        """A warning, unless it was given before."""
        if note and note not in self._told:
            self._told.add(note)
            self._record(Notice("warning", note))

    def _say_crowded(self, places: tuple[str, ...]) -> None:
        """Once for each set of them, as long as it lasts."""
        if places and places != self._crowded:
            from sandgate.sandbox.mount_budget import crowded_sentence

            self._record(Notice("warning", crowded_sentence(places)))
        self._crowded = places

    def _own_tmp(self) -> tuple[str | None, str]:
        """`private_tmp` and `scratch` of `WorkspaceFacts`: what the backend can make of a directory of our own."""
        if self._settings.tmp == "shared" or not confines(self._settings.sandbox):
            return None, ""
        try:
            kind = self.backend()
        except BackendUnavailable:  # nothing will run, and the caller wants to know something else
            return None, ""
        place = self._own.taken()
        return (place, "") if kind == "namespace" else (None, place)

    def _shared_caches(self) -> tuple[str, ...]:
        from sandgate.sandbox.project_caches import all_existing

        return all_existing(self._homes())

    def _share_roots(self, grants: tuple[Grant, ...]) -> None:
        """So that no other session begins a repository in a further root of ours; before the disk is looked at."""
        policy = self._settings.sandbox
        roots = [grant.value for grant in grants if grant.kind == "write_root"]
        if isinstance(policy, WorkspaceWrite):
            roots += policy.writable_roots
        if roots:
            self.new_repositories().share({os.path.realpath(root) for root in roots} - {self.project})

    def new_repositories(self) -> NewRepositories:
        with self._taking:
            if self._begun is None:
                from sandgate.gate.new_repositories import NewRepositories

                state = self._settings.state
                self._begun = NewRepositories(state, self.project, self._own.held, goes_on=not self.one_command)
            return self._begun

    def head_start(self) -> HeadStart:
        """What starts the commands of one passage, and may be ready before their plan."""
        return HeadStart(self.networks, self.habit)

    def enter(self, plan: ConfinedCommand) -> bool:
        """From now on `plan` runs, until `leave`. False: a repository was begun since it was made; it is made anew."""
        return self.one_command or not plan.confined or self.new_repositories().running.enter(plan)

    def leave(self, plan: ConfinedCommand) -> None:
        """It is over."""
        if plan.confined and not self.one_command:
            self.new_repositories().running.leave(plan)
        self._remember()

    def expect_one_command(self) -> None:
        """The session ends with the first command: nothing is made or kept for a second one."""
        self.one_command, self.habit.is_lone, self._memory.expects_more = True, True, False
        self.networks.expect_one_command()

    def _protected_here(self) -> Protection:
        """Where nothing can lie over a git directory, it stays closed."""
        named = self._settings
        wanted = Protection(named.protect_git, named.protected_names, named.nested_depth, named.broad_workspace)
        if wanted.git != "draft" or not confines(named.sandbox):
            return wanted
        try:
            kind = self.backend()
        except BackendUnavailable:  # nothing will run
            return wanted.but(git="all")
        takes_none = self._drafts is not None and self._drafts.is_unusable
        return wanted if kind == "namespace" and not takes_none else wanted.but(git="all")

    def drafted(self, plan: ConfinedCommand) -> tuple[ConfinedCommand, Drafts | GitReaders | None]:
        """The plan with drafts of the git directories that it may change, and these, to be settled or released."""
        if not plan.permissions.drafts:
            return plan, None
        if plan.reads_only:
            from sandgate.execution.git_users import GitReaders

            return plan, GitReaders(plan.permissions.drafts)
        with self._taking:
            if self._drafts is None:
                from sandgate.execution.drafts import DraftRoom

                self._drafts = DraftRoom(self._own.last)
        return self._drafts.taken(plan)

    def close(self) -> None:
        """The session needs the project's directory, network and mounts no longer; a later command takes them again."""
        for kept in (self.networks, self.habit, self._drafts):
            if kept is not None:
                kept.close()
        self._own.close()
        with self._taking:
            if self._begun is not None:
                self._begun.close()

    def scratch_place(self) -> str:
        """The directory on this machine that commands have for scratch files; "" for the host's own /tmp."""
        permissions = self.permissions()
        tmp = permissions.private_tmp
        return permissions.scratch or (tmp.source or IN_MEMORY if tmp is not None else "")

    def closed_entries(self) -> tuple[str, ...] | None:
        """What is closed of the home now and can be opened, canonical; None where commands are not confined."""
        permissions = self.permissions()
        if not permissions.confined:
            return None
        homes = self._homes()
        closed = [path for path in permissions.hidden if path not in permissions.sealed]
        return tuple([path for path in closed if any(path.startswith(home.rstrip("/") + "/") for home in homes)])

    def _homes(self) -> list[str]:
        return [os.path.realpath(home) for home in homes_of(self.environment.environ)]

    @property
    def project(self) -> str:
        """Whose /tmp and caches these are, canonical."""
        return self._own.project

    def summary(self) -> dict[str, object]:
        """What holds commands back, as JSON values, for the reviewer of one."""
        permissions = self.permissions()
        return {
            "policy": type(self._settings.sandbox).__name__,
            "confined": permissions.confined,
            "writable": list(permissions.open_places),
            "network": permissions.network,
        }

    def _remember(self) -> None:
        """For the next session, what this one had to find out for its first command."""
        if self._memory.unsaved is not None:
            from sandgate.sandbox.stored_facts import save

            save(self._memory)

    def marks(self) -> Mapping[str, Mark]:
        """By what the directories behind the last plan would show a change."""
        return self._memory.marks()

    def listings(self) -> Mapping[str, Known]:
        """Directories that the search for protected names knows, as it has seen them."""
        return self._memory.listings

    def plan(
        self,
        command: CommandRequest,
        grants: tuple[Grant, ...],
        *,
        reads: bool = False,
        later: LaterLook | None = None,
    ) -> ConfinedCommand:
        """An inert plan. Raises ConfinementError when it cannot be kept. `reads`: policy vouches that it only reads.
        Where `later` is owed a look afterwards, the plan holds only if that finds everything as it was."""
        carried: tuple[Grant, ...] = ()
        ruled = self.given_by_rules(command, self) if ESCALATE not in grants else ()
        grants = (*grants, *[each.grant for each in ruled])
        if (grants or self._settings.grants) and command.argv[0] != PATCH:
            from sandgate.sandbox.carried_grants import parted

            grants, carried = parted(self._settings.grants, grants, self.permissions)
        permissions = self.permissions(grants, later)
        if any(INIT in word for word in command.argv):
            permissions = self.new_repositories().permitted(permissions, command)
        if permissions.drafts and not permissions.case_insensitive and may_move_repositories(command.argv):
            from sandgate.gate.git_alone import moving, with_steady_programs

            permissions = moving(permissions, command)
        backend = backend_named(self.backend() if permissions.confined else "none")
        plan = backend.confine(command, permissions, limits=self._settings.limits, report=self._settings.report)
        if permissions.lifted:
            plan = with_steady_programs(plan)
        if reads and permissions.drafts:
            plan = plan.but(reads_only=True)
        plan = plan.but(supervised_grants=carried, by_rules=ruled) if carried or ruled else plan
        if plan.backend != "namespace" or command.argv[0] == PATCH or self._settings.caches != "private":
            return plan
        if not isinstance(self._settings.sandbox, WorkspaceWrite):
            return plan
        return self._with_caches(plan, reads=reads, later=later)

    def _with_caches(self, plan: ConfinedCommand, *, reads: bool, later: LaterLook | None) -> ConfinedCommand:
        """The plan with the layers it uses; with none where it only reads and speaks of none, as most commands do."""
        if reads and not any(mark in word for word in (plan.cwd, *plan.argv) for mark in CACHE_MARKS):
            return plan
        if self._caches is None:
            from sandgate.sandbox.project_caches import ProjectCaches

            self._caches = ProjectCaches(self._homes()[:1])
        plan, said = self._caches.added(plan, self._own.taken, reads=reads, later=later)
        self.say_once(said)
        return plan

    @property
    def last_permissions(self) -> EffectivePermissions:
        """What the last plan was made with; nothing before the first one."""
        return self._before[2] if self._before is not None else EffectivePermissions()

    def namespace_network(self, grants: tuple[Grant, ...]) -> NetworkMode | None:
        """The network mode of the next plan with these grants; None when it will not build namespaces."""
        if not confines(self._settings.sandbox) or ESCALATE in grants or self.backend() != "namespace":
            return None
        return network_mode(self._settings.sandbox, grants)

    @property
    def has_chosen(self) -> bool:
        """Whether `backend` will find nothing new, and so no reason to fail."""
        return self._kind is not None

    def backend(self) -> BackendName:
        """The backend of this session, chosen on first use; the first command is its real trial."""
        if self._kind is None:
            self.helper, missing = find_helper()
            kind = first_backend(self._settings.backend, self.helper)
            if kind == "namespace" and self.helper is None:
                raise BackendUnavailable("cannot use the backend `namespace`", why=missing, hint=HELPER_HINT)
            if kind == "landlock" and self._settings.backend == "auto":
                return self._take_over(None, missing)
            self._kind = kind
        return self._kind

    def fall_back(self, plan: ConfinedCommand, failure: SetupFailure) -> bool:
        """Whether another plan may do after the first one failed: with another backend, or as things are by now.

        Nothing ran yet. Raises BackendUnavailable when this host has no other one.
        """
        if failure in (OUTDATED, CHANGED) or (failure.step.startswith(FIND) and failure.errno == "ENOENT"):
            return True
        if self._settings.backend != "auto" or plan.backend != "namespace":
            return False
        self._take_over(failure, f"step `{failure.step}` failed with {failure.errno}")
        return True

    def quarantine(self, paths: tuple[str, ...]) -> list[str]:
        """Move protected names that a command made away from where they could do harm; one sentence each."""
        from sandgate.execution.quarantine import quarantine

        strange = tuple(path for path in paths if path not in self.approved_names)
        return quarantine(strange, state_directory=self.state_directory)

    def put_back(self, path: str, content: bytes | None, why: str) -> str:
        """Of a file that says what is not harmless; the sentence about it."""
        from sandgate.execution import quarantine

        return quarantine.put_back(path, content, why, state_directory=self.state_directory)

    def _take_over(self, failure: SetupFailure | None, why: str) -> BackendName:
        from sandgate.sandbox.fallback import backend_after, recall, verdict_key

        known = recall(self.state_directory, verdict_key(self.helper)) is not None
        kind = self._kind = backend_after(failure, helper=self.helper, state_directory=self.state_directory)
        if not known:
            self.say_once(f"no namespace sandbox here ({why}); using {kind} from now on, see `sandgate doctor`")
        return kind
