"""Reading one table as somebody wrote it: every key checked, the whole made flat.

Flat means dotted key → value ready for use, so that stacking layers is stacking small dicts. What nobody knows is
a warning with the nearest known name, because a newer or older Sandgate may know it; what is known and wrong
is an error, because a policy must not be half read.
"""

from __future__ import annotations

from sandgate.config.check import checked
from sandgate.config.features import ALIASES, alias_notice
from sandgate.config.layers import Layer
from sandgate.config.schema import KEYS, PROJECT_ENTRY, PROVIDER_ENTRY, PROVIDERS, SECTIONS, STRICT_SECTIONS, key_of
from sandgate.display import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.config.layers import LayerName
    from sandgate.config.source import Source

PROFILES = "profiles"
PROJECTS = "projects"


class Reading:
    """A table on its way to becoming a layer."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.values: dict[str, object] = {}
        self.projects: dict[str, dict[str, object]] = {}
        self.profiles: dict[str, object] = {}  # unchecked: only the chosen one is looked at
        self.warnings: list[str] = []

    def layer(self, name: LayerName, *, file: str | None = None, profile: str | None = None) -> Layer:
        return Layer(name, file, profile, self.values, self.projects)

    def read(self, table: Mapping[str, object]) -> Reading:
        for name, value in table.items():
            if name == PROJECTS:
                self._read_projects(value)
            elif name == PROVIDERS:
                self._read_providers(value)
            elif name == PROFILES:
                self.profiles = self._table(PROFILES, value)
            elif name in ALIASES and f"features.{ALIASES[name]}" in KEYS:
                self._read_alias(name, value)
            else:
                self._read_key(name, name, value)
        return self

    def _read_key(self, name: str, dotted: str, value: object) -> None:
        plain = "." not in name  # the quoted name "sandbox.backend" is not the key sandbox.backend
        if plain and dotted in KEYS:
            self.values[dotted] = checked(key_of(KEYS[dotted]), value, self.source)
        elif plain and dotted in SECTIONS:
            for inner, each in self._table(dotted, value).items():
                self._read_key(inner, f"{dotted}.{inner}", each)
        else:
            self._unknown(dotted)

    def _read_alias(self, alias: str, value: object) -> None:
        """An old top-level name gives way to the same feature in this layer's own `[features]`."""
        self.warnings.append(alias_notice(alias))
        key = f"features.{ALIASES[alias]}"
        self.values.setdefault(key, checked(key_of(KEYS[key]), value, self.source, name=alias))

    def _read_projects(self, value: object) -> None:
        for path, entry in self._table(PROJECTS, value).items():
            dotted = f'{PROJECTS}."{path}"'
            known = self.projects.setdefault(self.source.absolute(dotted, path), {})
            for name, each in self._table(dotted, entry).items():
                if name in PROJECT_ENTRY:
                    row = key_of(PROJECT_ENTRY[name])
                    known[name] = checked(row, each, self.source, name=f"{dotted}.{name}")
                else:
                    self._unknown(f"{dotted}.{name}", near=name, known=tuple(PROJECT_ENTRY))

    def _read_providers(self, value: object) -> None:
        """Fields as keys of their own, for which no name of a provider may look like a part of a key."""
        for name, entry in self._table(PROVIDERS, value).items():
            dotted = f"{PROVIDERS}.{name}"
            if not name.replace("-", "").replace("_", "").isalnum():
                raise self.source.wrong(dotted, "a provider's name is one plain word")
            for field, each in self._table(dotted, entry).items():
                if field in PROVIDER_ENTRY:
                    row = key_of(PROVIDER_ENTRY[field])
                    self.values[f"{dotted}.{field}"] = checked(row, each, self.source, name=f"{dotted}.{field}")
                else:
                    self._unknown(f"{dotted}.{field}", near=field, known=tuple(PROVIDER_ENTRY))

    def _table(self, dotted: str, value: object) -> dict[str, object]:
        if isinstance(value, dict):
            return value
        raise self.source.wrong(dotted, "it must be a table", hint=f"write it as [{dotted}]")

    def _unknown(self, dotted: str, *, near: str = "", known: tuple[str, ...] = ()) -> None:
        from sandgate.config.suggest import nearest

        question = nearest(near or dotted, known or (*KEYS, *SECTIONS, PROJECTS, PROFILES, PROVIDERS))
        if dotted.rpartition(".")[0] in STRICT_SECTIONS:
            raise self.source.wrong(dotted, "there is no such key", hint=question)
        place = self.source.place(dotted)
        warning = f"ignored unknown key `{visible(dotted)}` in {place}"
        self.warnings.append(f"{warning}: {question}" if question else warning)
