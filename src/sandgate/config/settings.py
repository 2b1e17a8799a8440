"""The settings a session runs with: every layer merged, every value in the type the program uses.

Nothing below `runtime` reads configuration; parts are handed the two or three values they need from here.
`for_run` is the one place where the command matters: `sandgate run` has defaults of its own.
"""

from __future__ import annotations

from sandgate.config.features import ASSESSMENT, FEATURES
from sandgate.config.paths import state_directory
from sandgate.config.schema import PROVIDERS, SERVERS, default_of
from sandgate.errors import ConfigError
from sandgate.execution.environment import EnvironmentPolicy
from sandgate.protocol.confinement import ConfinementSettings, Limits
from sandgate.protocol.permissions import (
    NAMED_KINDS,
    DangerFullAccess,
    ExternalSandbox,
    Grant,
    Granular,
    ReadOnly,
    WorkspaceWrite,
    confines,
)
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from sandgate.config.assessor import ModelAssessment
    from sandgate.config.project import Trust
    from sandgate.config.reviewer import AutoReviewSettings
    from sandgate.external.server import ExternalServer
    from sandgate.protocol.confinement import ReportMode
    from sandgate.protocol.permissions import ApprovalPolicy, BackendName, GitProtection, SandboxMode, SandboxPolicy

    BackendChoice = Literal["auto"] | BackendName
    RetryAfterApproval = Literal["ask", "by-risk", "silent"]
    Values = Mapping[str, Any]

FEATURE_PREFIX = "features."


class Settings(Record):
    """What holds. `approval_explicit` and `sandbox_explicit` tell whether any layer chose, or the default stands."""

    approval: ApprovalPolicy
    approval_explicit: bool
    sandbox: SandboxPolicy
    sandbox_explicit: bool
    workspace: WorkspaceWrite  # what `workspace-write` means here, whether or not it is in force
    backend: BackendChoice
    report: ReportMode
    tmp: Literal["private", "shared"]  # what commands have as /tmp: the project's own, or the host's
    ask: Literal["after", "at-call"]  # when a reviewer is asked about what the sandbox refuses
    caches: Literal["off", "private", "shared"]  # what commands write in caches of the home
    protect_git: GitProtection
    protected_names: tuple[str, ...]  # beside the built-in ones
    unix_sockets: tuple[str, ...]  # host sockets that stay reachable
    grants: tuple[Grant, ...]  # what every command is given of what lies outside the workspace
    nested_depth: int  # how far below a writable directory repositories are looked for
    broad_workspace: bool  # whether a home, or a directory of programs, may be a workspace
    secrets_hidden: tuple[str, ...]  # absolute, may hold globs; beside the built-in ones
    secrets_opened: tuple[str, ...]
    environment: EnvironmentPolicy
    timeout_ms: int | None
    capture_bytes: int
    kill_grace_ms: int
    allow_login_shell: bool
    longest_poll_ms: int  # of a command in the background
    output_tokens: int | None  # of one answer of a tool; None: what is usual for the model
    on_network_denial: Literal["terminate", "continue"]  # of a live command
    review_input: Literal["always", "escalated", "never"]  # to a live command
    limits: Limits
    retry_after_approval: RetryAfterApproval
    require_record: bool  # an approval that cannot be written down is a no
    rules_enabled: bool
    auto_review: AutoReviewSettings | None  # None: people answer
    features: tuple[str, ...]  # the enabled ones
    provider_keys: tuple[str, ...]  # variables that open model providers and MCP servers
    model_assessment: ModelAssessment | None  # None: no model is asked about risk
    external_servers: tuple[ExternalServer, ...]  # whose tools a model may call; the enabled ones
    trust: Trust
    project_root: str
    home: str | None  # Sandgate's own directory: user configuration and state


def settings_from(values: Values, *, trust: Trust, project_root: str, home: str | None) -> Settings:
    """Typed settings from merged values; what is not among them has its default.

    Raises ConfigError where two values cannot both hold.
    """

    def of(name: str) -> Any:
        return values.get(name, default_of(name))

    workspace = _workspace(of)
    mode: SandboxMode = of("sandbox_mode") or ("workspace-write" if trust == "trusted" else "read-only")
    assessment = _model_assessment(of, values)
    settings = Settings(
        approval=of("approval_policy") or ("untrusted" if trust == "untrusted" else "on-request"),
        approval_explicit="approval_policy" in values,
        sandbox=_sandbox(mode, workspace, network=of("sandbox.network")),
        sandbox_explicit="sandbox_mode" in values,
        workspace=workspace,
        backend=of("sandbox.backend"),
        report=of("sandbox.notify"),
        tmp=of("sandbox.tmp"),
        ask=of("sandbox.ask"),
        caches=of("sandbox.caches"),
        protect_git=of("sandbox.protect_git"),
        protected_names=of("sandbox.protected_names"),
        unix_sockets=of("sandbox.unix_sockets"),
        grants=tuple([Grant(kind, path) for kind in NAMED_KINDS for path in of(f"grants.{kind}")]),
        nested_depth=of("sandbox.nested_depth"),
        broad_workspace=of("sandbox.allow_broad_workspace"),
        secrets_hidden=of("secrets.hidden"),
        secrets_opened=of("secrets.opened"),
        environment=_environment(of),
        timeout_ms=of("exec.timeout_ms"),
        capture_bytes=of("exec.capture_bytes"),
        kill_grace_ms=of("exec.kill_grace_ms"),
        allow_login_shell=of("allow_login_shell"),
        longest_poll_ms=of("background_terminal_max_timeout"),
        output_tokens=of("tool_output_token_limit"),
        on_network_denial=of("terminals.on_network_denial"),
        review_input=of("terminals.review_input"),
        limits=Limits(**{name: of(f"limits.{name}") for name in Limits.__match_args__}),
        retry_after_approval=of("retry_after_approval"),
        require_record=of("approvals.require_record"),
        rules_enabled=of("rules.enabled"),
        auto_review=_auto_review(of, values),
        features=tuple(_features(values)),
        provider_keys=_provider_keys(values, assessment),
        model_assessment=assessment,
        external_servers=_external_servers(values),
        trust=trust,
        project_root=project_root,
        home=home,
    )
    _require_backend_fits(settings)
    return settings


def with_policies(settings: Settings, approval: ApprovalPolicy, sandbox: SandboxPolicy) -> Settings:
    """The same under these policies. Raises ConfigError where they do not fit the rest."""
    settings = settings.but(approval=approval, approval_explicit=True, sandbox=sandbox, sandbox_explicit=True)
    _require_backend_fits(settings)
    return settings


def for_confinement(settings: Settings, environ: Mapping[str, str]) -> ConfinementSettings:
    """The part of them that says what holds commands back."""
    same = {name: getattr(settings, name) for name in ConfinementSettings.__match_args__ if name != "state"}
    return ConfinementSettings(state=state_directory(environ), **same)


def for_run(settings: Settings, *, person_present: bool) -> Settings:
    """The settings of `sandgate run`: its own defaults instead of a session's, for keys that no layer sets."""
    approval: ApprovalPolicy = "on-failure" if person_present else "never"
    return settings.but(
        approval=settings.approval if settings.approval_explicit else approval,
        sandbox=settings.sandbox if settings.sandbox_explicit else settings.workspace,
    )


def _workspace(of: Any) -> WorkspaceWrite:
    table = "sandbox_workspace_write"
    network = of("sandbox.network")
    return WorkspaceWrite(
        writable_roots=tuple(dict.fromkeys((*of(f"{table}.writable_roots"), *of("additional_writable_roots")))),
        network_access=network == "on" if network else of(f"{table}.network_access"),
        exclude_tmpdir_env_var=of(f"{table}.exclude_tmpdir_env_var"),
        exclude_slash_tmp=of(f"{table}.exclude_slash_tmp"),
    )


def _sandbox(mode: SandboxMode, workspace: WorkspaceWrite, *, network: str | None) -> SandboxPolicy:
    match mode:
        case "read-only":
            return ReadOnly(network_access=network == "on")
        case "workspace-write":
            return workspace
        case "external-sandbox":
            return ExternalSandbox(network_access=network == "on")
        case "danger-full-access":
            if network == "off":
                raise ConfigError(
                    "cannot switch the network off",
                    why="`danger-full-access` runs commands without a sandbox, so nothing would hold them back",
                    hint="use `workspace-write`, or set the network to `on`",
                )
            return DangerFullAccess()


def _auto_review(of: Any, values: Values) -> AutoReviewSettings | None:
    if of("approvals_reviewer") == "user":
        return None
    from sandgate.config.reviewer import auto_review

    return auto_review(of, values)


def _environment(of: Any) -> EnvironmentPolicy:
    table = "shell_environment_policy"
    return EnvironmentPolicy(
        inherit=of(f"{table}.inherit"),
        ignore_default_excludes=of(f"{table}.ignore_default_excludes"),
        exclude=of(f"{table}.exclude"),
        set=tuple(of(f"{table}.set").items()),
        include_only=of(f"{table}.include_only"),
        allow=of(f"{table}.allow"),
    )


def _features(values: Values) -> list[str]:
    return sorted(name for name, _stage, default, _doc in FEATURES if values.get(FEATURE_PREFIX + name, default))


def _provider_keys(values: Values, assessment: ModelAssessment | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*_keys_of_providers(values, assessment), *_keys_of_servers(values))))


def _keys_of_servers(values: Values) -> tuple[str, ...]:
    if not any(name.startswith(f"{SERVERS}.") for name in values):
        return ()
    from sandgate.config.external import token_variables

    return token_variables(values)


def _external_servers(values: Values) -> tuple[ExternalServer, ...]:
    if not any(name.startswith(f"{SERVERS}.") for name in values):
        return ()
    from sandgate.config.external import external_servers

    return external_servers(values)


def _keys_of_providers(values: Values, assessment: ModelAssessment | None) -> tuple[str, ...]:
    if assessment is None and not any(name.startswith(f"{PROVIDERS}.") for name in values):
        return ()
    from sandgate.config.providers import secret_variables

    return secret_variables(values, *((assessment.provider,) if assessment and assessment.provider else ()))


def _model_assessment(of: Any, values: Values) -> ModelAssessment | None:
    if not of(FEATURE_PREFIX + ASSESSMENT):
        return None
    from sandgate.config.assessor import model_assessment

    return model_assessment(of, values)


def _require_backend_fits(settings: Settings) -> None:
    if settings.backend == "bwrap":
        raise ConfigError(
            "cannot use the sandbox backend `bwrap`",
            why="nothing here drives bubblewrap: namespaces are built by a helper of our own, and Landlock is what "
            "works where that cannot",
            hint="leave the backend at `auto`; `sandgate doctor` says what that takes here",
        )
    if settings.backend == "none" and confines(settings.sandbox):
        raise ConfigError(
            "cannot use the sandbox backend `none`",
            why="it confines nothing, and the sandbox mode asks for confinement",
            hint="say `danger-full-access` as well if that is what you want, or leave the backend at `auto`",
        )


def plain_value(value: object) -> object:
    """A value as it would stand in TOML or JSON."""
    if isinstance(value, Granular):
        return {"granular": value.fields()}
    return list(value) if isinstance(value, tuple) else value
