"""The project's own files as layers: only in a trusted project, and only where they tighten."""

from __future__ import annotations

import os.path

from sandgate.config.layers import ConfigLayer
from sandgate.config.paths import CONFIG_NAME, RULES_NAME
from sandgate.config.tighten import NEVER_FROM_PROJECT, tightened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.config.layers import Stack
    from sandgate.config.places import Places
    from sandgate.config.project import Trust


def push_project_layers(
    stack: Stack, places: Places, directories: tuple[str, ...], *, root: str, trust: Trust, free: str | None
) -> None:
    """Put every project file on the stack, the outermost first, so that the closest wins.

    `free`: the one directory whose own file may loosen policies. Below it commands may make such a file, so a person
    who later works there would have the policy that a command wrote.
    """
    for directory in directories:
        if trust == "trusted":
            _push_trusted(stack, places, directory, policy_free=os.path.dirname(directory) == free)
        elif any(os.path.exists(os.path.join(directory, name)) for name in (CONFIG_NAME, RULES_NAME)):
            _push_disabled(stack, directory, root=root, trust=trust)


def _push_disabled(stack: Stack, directory: str, *, root: str, trust: Trust) -> None:
    """Whatever is in an untrusted directory is not even read: it can do nothing, not even fail."""
    path = os.path.join(directory, CONFIG_NAME)
    if trust == "untrusted":
        stack.push(ConfigLayer("project", path, disabled="the project is marked untrusted"))
        return
    stack.push(
        ConfigLayer("project", path, disabled="the project is not trusted"),
        f"ignored {directory}: the project is not trusted; to use it, write "
        f'`[projects."{root}"]` with `trust_level = "trusted"` into the user configuration',
    )


def _push_trusted(stack: Stack, places: Places, directory: str, *, policy_free: bool) -> None:
    forbidden: list[str] = []

    def sift(table: Mapping[str, object]) -> Mapping[str, object]:
        forbidden.extend(name for name in table if name in NEVER_FROM_PROJECT)
        return {name: value for name, value in table.items() if name not in NEVER_FROM_PROJECT}

    reading = places.read(directory, guarded=False, sift=sift)
    if reading is None:
        return
    path = reading.source.label
    result = tightened(reading.values, stack.values, policy_free=policy_free)
    warnings = list(reading.warnings)
    unsupported = sorted((*forbidden, *result.unsupported))
    if unsupported:
        warnings.append(f"Ignored unsupported project-local config keys in {path}: {', '.join(unsupported)}")
    if result.loosening:
        warnings.append(f"Ignored settings in {path} that would loosen the policy: {', '.join(result.loosening)}")
    stack.push(ConfigLayer("project", path, values=result.values), *warnings)
