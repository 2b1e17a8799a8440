"""What a client may choose for a session: its mode (the approval policy), its model, and how hard that thinks."""

from __future__ import annotations

from acp.schema import SessionConfigOptionSelect, SessionConfigSelectOption, SessionMode, SessionModeState

from sandgate.config.agent_rows import EFFORTS
from sandgate.config.schema import APPROVAL_MODES
from sandgate.config.tighten import asks_no_less
from sandgate.protocol.operations import ContextChange
from sandgate.record import Record
from sandgate.surfaces.acp.refusal import bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    from acp.schema import SessionConfigOptionBoolean

    from sandgate.protocol.events import SessionConfigured

    Option: TypeAlias = SessionConfigOptionSelect | SessionConfigOptionBoolean

MODE, MODEL, EFFORT = "mode", "model", "effort"
OWN_EFFORT = "default"  # of the model
MODE_WORDS: Mapping[str, tuple[str, str]] = {
    "untrusted": ("Ask", "You are asked before whatever is not known to only read"),
    "on-request": ("Ask for more", "You are asked where a command needs more than the sandbox gives it"),
    "on-failure": ("Ask after refusals", "You are asked when the sandbox has refused something to a command"),
    "never": ("Never ask", "Nothing is asked; what would need an answer is refused"),
    "granular": ("Granular", "As the table in the configuration says"),
}


class Standing(Record):
    """What holds for a session from its next turn on. `first`: the approval policy that it was opened with."""

    first: str
    approval: str
    model: str
    effort: str | None
    models: tuple[str, ...]  # that were chosen so far
    loosening: bool

    def after(self, change: ContextChange) -> Standing:
        """With what was agreed."""
        approval = self.approval if change.approval_policy is None else str(change.approval_policy)
        model = change.model or self.model
        effort = self.effort if change.effort == "" else change.effort
        models = tuple(dict.fromkeys((*self.models, model)))
        return self.but(approval=approval, model=model, effort=effort, models=models)


def standing_of(configured: SessionConfigured, *, loosening: bool) -> Standing:
    """Of a session that was just opened."""
    approval, model = configured.approval_policy, configured.model
    return Standing(approval, approval, model, configured.reasoning_effort, (model,), loosening)


def modes(now: Standing) -> SessionModeState:
    """Which there are, and which holds."""
    shown = [SessionMode(id=name, name=MODE_WORDS[name][0], description=MODE_WORDS[name][1]) for name in _modes(now)]
    return SessionModeState(current_mode_id=now.approval, available_modes=shown)


def options(now: Standing) -> list[Option]:
    """The same and the rest, for clients that show them as options."""
    efforts = (OWN_EFFORT, *EFFORTS)
    described = {name: MODE_WORDS[name] for name in _modes(now)}
    return [
        _select(MODE, "Approvals", "mode", now.approval, described),
        _select(MODEL, "Model", "model", now.model, {name: (name, None) for name in now.models}),
        _select(EFFORT, "Effort", "thought_level", now.effort or OWN_EFFORT, {each: (each, None) for each in efforts}),
    ]


def change_of(now: Standing, option: str, value: object) -> ContextChange:
    """What a client's choice asks for. Raises the library's RequestError for what is not offered."""
    for each in options(now):
        values = [offered.value for offered in getattr(each, "options", ()) if hasattr(offered, "value")]
        if each.id == option and value in values:
            return _change(option, str(value))
    raise bad_params("that is none of the session's options, or none of their values")


def _change(option: str, value: str) -> ContextChange:
    if option == MODE:
        mode = next((each for each in APPROVAL_MODES if each == value), None)
        return ContextChange(approval_policy=mode)  # type: ignore[arg-type] # the table has exactly those of the type
    if option == MODEL:
        return ContextChange(model=value)
    return ContextChange(effort=None if value == OWN_EFFORT else value)


def _modes(now: Standing) -> tuple[str, ...]:
    offered: tuple[str, ...] = ()
    if now.loosening:
        offered = APPROVAL_MODES
    elif now.first in APPROVAL_MODES:
        offered = tuple(mode for mode in APPROVAL_MODES if asks_no_less(mode, now.first))
    return offered if now.approval in offered else (*offered, now.approval)


def _select(
    name: str,
    title: str,
    category: Literal["mode", "model", "thought_level"],
    current: str,
    offered: Mapping[str, tuple[str, str | None]],
) -> SessionConfigOptionSelect:
    values = [
        SessionConfigSelectOption(value=value, name=words, description=about)
        for value, (words, about) in offered.items()
    ]
    return SessionConfigOptionSelect(
        type="select", id=name, name=title, category=category, current_value=current, options=values
    )
