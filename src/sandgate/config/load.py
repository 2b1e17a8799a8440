"""Finds, checks and stacks the layers of configuration.

From low to high: defaults, the system's file, the user's file, the project's files from its root down to the working
directory, the profile, `-c` and `--enable/--disable`, the dedicated options of the command line. Tables merge key by
key, everything else is replaced whole. With no file anywhere this is a handful of failed system calls.

A project's files are other people's input: they count only in a trusted project, and may only tighten. So what
decides about them (trust, the profile, root markers) is read from the user's own layers first.
"""

from __future__ import annotations

import os.path

from sandgate.config.features import ASSESSMENT
from sandgate.config.layers import ConfigLayer, Stack
from sandgate.config.paths import RULES_NAME, SYSTEM_DIRECTORY, sandgate_home, user_home
from sandgate.config.places import Places
from sandgate.config.project import project_directories, project_entry, project_root, trust_of
from sandgate.config.schema import default_of
from sandgate.config.settings import Settings, settings_from
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.protocol.environment import TypedOverrides
from sandgate.protocol.permissions import NAMED_KINDS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from sandgate.config.project import Trust
    from sandgate.config.reading import TableReading

    RulesOwner = Literal["system", "user", "project"]

ROOTS_KEY = "additional_writable_roots"
MARKERS_KEY = "project_root_markers"


NO_OPTIONS = TypedOverrides()
# option of the command line -> the key it sets
OPTION_KEYS = (
    ("approval_policy", "approval_policy"),
    ("sandbox_mode", "sandbox_mode"),
    ("allow_broad_workspace", "sandbox.allow_broad_workspace"),
    ("network", "sandbox.network"),
    ("backend", "sandbox.backend"),
    ("timeout_ms", "exec.timeout_ms"),
    (ASSESSMENT, f"features.{ASSESSMENT}"),
)


class RulesDirectory(Record):
    """A directory that may hold rule files, and whose it is. It need not exist."""

    owner: RulesOwner
    path: str


class Loaded(Record):
    """Everything configuration says. `origins` has no entry for a key that stands at its default."""

    settings: Settings
    warnings: tuple[str, ...]
    layers: tuple[ConfigLayer, ...]  # low to high, disabled ones included; one without a file or values is left out
    origins: Mapping[str, ConfigLayer]  # dotted key -> the layer whose value holds
    values: Mapping[str, Any]  # dotted key -> merged value, in the form `Settings` uses
    rules: tuple[RulesDirectory, ...]  # low to high


class _Own(Record):
    """The layers that are the user's own word, from low to high, and all they say together."""

    below: Stack  # system and user: the project lies above these
    above: tuple[tuple[ConfigLayer, tuple[str, ...]], ...]  # profile and flags, with their warnings
    together: Stack


def load_settings(
    *,
    cwd: str,
    environ: Mapping[str, str],
    overrides: tuple[str, ...] = (),
    profile: str | None = None,
    typed: TypedOverrides = NO_OPTIONS,
    tighter: tuple[tuple[str, str], ...] = (),
    ignore_user: bool = False,
    system_dir: str = SYSTEM_DIRECTORY,
) -> Loaded:
    """The configuration that holds in `cwd` (absolute). `tighter`: what a client asks for, key and value.

    Raises ConfigError for what cannot be used, and RequestError for what a client may not ask for.
    """
    places = Places(cwd=os.path.realpath(cwd), system=system_dir, own=sandgate_home(environ), home=user_home(environ))
    flags = _flags(overrides, typed, places)
    own = _own_layers(places, flags, profile=profile, ignore_user=ignore_user)
    root = project_root(places.cwd, own.together.values.get(MARKERS_KEY, default_of(MARKERS_KEY)))
    entry, named = project_entry(places.cwd, root, own.together.projects)
    trust = trust_of(entry)
    directories = project_directories(root, places.cwd, home=places.home, own=places.own)

    stack = own.below
    if directories:
        from sandgate.config.project_layers import push_project_layers

        free = named if entry.get("allow_project_policy") is True else None
        push_project_layers(stack, places, directories, root=root, trust=trust, free=free)
    for layer, warnings in own.above:
        stack.push(layer, *warnings)
    _push_options(stack, typed, places)
    if tighter:
        from sandgate.config.client import push_client_settings

        push_client_settings(stack, places, tighter)
    return _loaded(stack, places, root, trust, directories if trust == "trusted" else ())


def _loaded(stack: Stack, places: Places, root: str, trust: Trust, directories: tuple[str, ...]) -> Loaded:
    own = (RulesDirectory("user", os.path.join(places.own, RULES_NAME)),) if places.own else ()
    return Loaded(
        settings=settings_from(stack.values, trust=trust, project_root=root, home=places.own),
        warnings=tuple(dict.fromkeys(stack.warnings)),
        layers=tuple(stack.layers),
        origins=stack.origins,
        values=stack.values,
        rules=(
            RulesDirectory("system", os.path.join(places.system, RULES_NAME)),
            *own,
            *(RulesDirectory("project", os.path.join(directory, RULES_NAME)) for directory in directories),
        ),
    )


def _own_layers(places: Places, flags: TableReading | None, *, profile: str | None, ignore_user: bool) -> _Own:
    below = Stack()
    system = places.read(places.system, guarded=True)
    if system:
        below.push(system.layer("system", file=system.source.label), *system.warnings)
    user = None if ignore_user else places.read(places.own, guarded=True)
    if user:
        below.push(user.layer("user", file=user.source.label), *user.warnings)
    elif ignore_user:
        below.push(ConfigLayer("user", disabled="ignored by --ignore-user-config"))

    above: list[tuple[ConfigLayer, tuple[str, ...]]] = []
    readings = [reading for reading in (system, user, flags) if reading]
    chosen = profile if profile is not None else _chosen_profile(readings)
    if chosen is not None:
        from sandgate.config.profiles import profile_layer

        directory = None if ignore_user else places.own
        above.append(profile_layer(chosen, readings, directory=directory, home=places.home))
    if flags:
        above.append((flags.layer("flags"), tuple(flags.warnings)))
    together = Stack()
    for layer in (*below.layers, *(layer for layer, _warnings in above)):
        together.push(layer)
    return _Own(below, tuple(above), together)


def _chosen_profile(readings: list[TableReading]) -> str | None:
    """The key `profile`, of the highest layer that has it."""
    names = [str(reading.values["profile"]) for reading in readings if "profile" in reading.values]
    return names[-1] if names else None


def _flags(overrides: tuple[str, ...], typed: TypedOverrides, places: Places) -> TableReading | None:
    """`-c` in order, then what is enabled, then what is disabled."""
    if not (overrides or typed.enable or typed.disable):
        return None
    from sandgate.config.features import canonical_feature
    from sandgate.config.overrides import table_of

    reading = places.reading("-c").read(table_of(overrides))
    for names, on in ((typed.enable, True), (typed.disable, False)):
        for name in names:
            reading.values[f"features.{canonical_feature(name)}"] = on
    return reading


def _existing(place: str, typed: str) -> str:
    if not os.path.exists(place):
        from sandgate.commandline.words import quoted

        raise RequestError(
            f"cannot make `{visible(typed)}` writable",
            why="`--add-dir` names what exists, and there is nothing of that name",
            hint=f"make it first: mkdir -p {quoted(place)}",
        )
    return place


def _granted(text: str) -> tuple[str, str]:
    """The key and the path of `KIND=PATH`."""
    kind, mark, path = text.partition("=")
    if kind not in NAMED_KINDS or not path:
        kinds = ", ".join([f"`{each}`" for each in NAMED_KINDS])
        why = f"`{visible(kind)}` is none of {kinds}" if mark and path else "it has the form KIND=PATH"
        raise RequestError(f"cannot grant `{visible(text)}`", why=why, hint="for example: --grant new_entry=~/made")
    return f"grants.{kind}", path


def _push_options(stack: Stack, typed: TypedOverrides, places: Places) -> None:
    """The dedicated options, checked like any layer; `--add-dir` appends instead of replacing."""
    given = [(key, value) for option, key in OPTION_KEYS if (value := getattr(typed, option)) is not None]
    if not (given or typed.add_dirs or typed.grants):
        return
    reading = places.reading("the command line")
    for key, value in given:
        section, _, name = key.rpartition(".")
        reading.read({section: {name: value}} if section else {name: value})
    if typed.add_dirs:
        # Not canonical yet: the sandbox must see a link on the way, and refuse one that a command could have made.
        added = tuple(_existing(reading.source.absolute("--add-dir", path), path) for path in typed.add_dirs)
        reading.values[ROOTS_KEY] = tuple(dict.fromkeys((*stack.values.get(ROOTS_KEY, ()), *added)))
    granted: dict[str, tuple[str, ...]] = {}
    for text in typed.grants:
        key, path = _granted(text)
        before: tuple[str, ...] = granted.get(key) or stack.values.get(key, ())
        granted[key] = (*before, reading.source.absolute("--grant", path))
    reading.values.update(granted)
    stack.push(reading.layer("options"))
