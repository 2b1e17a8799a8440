"""Layers of settings and how they stack: later ones win, and every value remembers which layer it came from."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    LayerName = Literal["default", "system", "user", "project", "profile", "flags", "options", "client"]


class ConfigLayer(Record):
    """Checked settings of one origin. A disabled layer is shown and has no effect."""

    name: LayerName  # `flags` is -c and --enable/--disable, `options` the dedicated options of the command line
    file: str | None = None
    profile: str | None = None
    values: Mapping[str, object] = {}
    projects: Mapping[str, Mapping[str, object]] = {}
    disabled: str | None = None  # why it has no effect, and therefore no values

    @property
    def title(self) -> str:
        """`user /home/me/.sandgate/config.toml`, `profile ci`, `-c`, ..."""
        name = {"flags": "-c", "options": "command line"}.get(self.name, self.name)
        return " ".join(part for part in (name, self.profile, self.file) if part)


class Stack:
    """Layers from low to high and what they say together. Only tables of variables merge; lists are replaced."""

    def __init__(self) -> None:
        self.layers: list[ConfigLayer] = []
        self.values: dict[str, Any] = {}
        self.origins: dict[str, ConfigLayer] = {}
        self.projects: dict[str, dict[str, object]] = {}
        self.warnings: list[str] = []

    def push(self, layer: ConfigLayer, *warnings: str) -> None:
        self.layers.append(layer)
        self.warnings.extend(warnings)
        for key, value in layer.values.items():
            if isinstance(value, dict):
                self.values[key] = {**self.values.get(key, {}), **value}
                self.origins.update((f"{key}.{name}", layer) for name in value)
            else:
                self.values[key] = value
                self.origins[key] = layer
        for path, entry in layer.projects.items():
            self.projects.setdefault(path, {}).update(entry)
