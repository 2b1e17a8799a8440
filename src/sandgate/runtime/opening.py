"""Opens a session: configuration and rules are loaded, and who answers questions is settled."""

from __future__ import annotations

import os

from sandgate.config import load_settings
from sandgate.errors import RequestError
from sandgate.protocol.environment import Environment
from sandgate.runtime.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Loaded
    from sandgate.protocol.trace import Recorder


def open_runtime(
    environment: Environment | None = None,
    *,
    reviewers: tuple[Reviewer, ...] = (),
    answers: tuple[str, ...] = (),
    ask_at_terminal: bool = False,
    colour: bool = False,
    record: Recorder | None = None,
    side_by_side: bool = False,
    loaded: Loaded | None = None,
    lasting: bool = True,
) -> Runtime:
    """Load the configuration and rules that hold in `environment.cwd` and open a session on them.

    Without an `environment`: in our own directory, with our own variables.
    Questions go to the prepared `answers`, then to `reviewers`, then to the person at the terminal if
    `ask_at_terminal`; whatever is left unanswered is refused. `side_by_side`: who answers can hold several questions at
    once. `loaded`: the configuration, where it must be that of another session. `lasting`: more than one command may
    come; people are not offered an answer for a session that ends with the command. Raises ConfigError and RuleError.
    """
    if environment is None:
        environment = Environment(cwd=os.getcwd(), environ=os.environ)
    if not isinstance(environment, Environment):
        raise RequestError("open_runtime takes an Environment", hint="Environment(cwd=..., environ=os.environ)")
    if not os.path.isabs(environment.cwd):
        from sandgate.display import visible

        raise RequestError(f"the directory `{visible(environment.cwd)}` is not an absolute path")
    # Where it leads from here on is no longer asked: a confined command may put a link in its place.
    environment = environment.but(cwd=os.path.realpath(environment.cwd))
    loaded = loaded or load_settings(
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        profile=environment.profile,
        typed=environment.typed,
        tighter=environment.tighter,
    )
    asked = answers or reviewers or ask_at_terminal
    runtime = Runtime(
        environment.but(person_present=True) if asked else environment,
        loaded,
        reviewers=_chain(answers, reviewers, ask_at_terminal, colour) if asked else (),
        record=record,
        side_by_side=side_by_side,
    )
    runtime.gate.lasting = lasting
    if not lasting:
        runtime.confinement.expect_one_command()
    return runtime


def _chain(
    answers: tuple[str, ...], reviewers: tuple[Reviewer, ...], ask_at_terminal: bool, colour: bool
) -> tuple[Reviewer, ...]:
    from sandgate.reviewers.assembly import reviewers_for

    return reviewers_for(answers, reviewers, ask_at_terminal=ask_at_terminal, colour=colour)
