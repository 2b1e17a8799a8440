"""Reading one table as the user or a project wrote it: every key checked, the whole made flat.

Flat means dotted key → value ready for use, so that stacking layers is stacking small dicts. An unknown key is
a warning with the nearest known name, because a newer or older Sandgate may know it; what is known and wrong
is an error, because a policy must not be half read.
"""

from __future__ import annotations

from sandgate.config.check import checked
from sandgate.config.features import ALIASES, alias_notice
from sandgate.config.layers import ConfigLayer
from sandgate.config.schema import (
    BUILT_IN_PROVIDERS,
    KEYS,
    PROJECT_ENTRY,
    PROVIDER_ENTRY,
    PROVIDERS,
    SECTIONS,
    SERVER_ENTRY,
    SERVER_TOOLS,
    SERVERS,
    STRICT_SECTIONS,
    named_row,
)
from sandgate.display import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sandgate.config.layers import LayerName
    from sandgate.config.row import Row
    from sandgate.config.source import Source

PROFILES = "profiles"
PROJECTS = "projects"


class TableReading:
    """A table on its way to becoming a layer."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.values: dict[str, object] = {}
        self.projects: dict[str, dict[str, object]] = {}
        self.profiles: dict[str, object] = {}  # unchecked: only the chosen one is looked at
        self.warnings: list[str] = []

    def layer(self, name: LayerName, *, file: str | None = None, profile: str | None = None) -> ConfigLayer:
        return ConfigLayer(name, file, profile, self.values, self.projects)

    def read(self, table: Mapping[str, object]) -> TableReading:
        for name, value in table.items():
            if name == PROJECTS:
                self._read_projects(value)
            elif name == PROVIDERS:
                self._read_providers(value)
            elif name == SERVERS:
                self._read_servers(value)
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
            self.values[dotted] = checked(named_row(KEYS[dotted]), value, self.source)
        elif plain and dotted in SECTIONS:
            for inner, each in self._table(dotted, value).items():
                self._read_key(inner, f"{dotted}.{inner}", each)
        else:
            self._unknown(dotted)

    def _read_alias(self, alias: str, value: object) -> None:
        """An old top-level name gives way to the same feature in this layer's own `[features]`."""
        self.warnings.append(alias_notice(alias))
        key = f"features.{ALIASES[alias]}"
        self.values.setdefault(key, checked(named_row(KEYS[key]), value, self.source, name=alias))

    def _read_projects(self, value: object) -> None:
        for path, entry in self._table(PROJECTS, value).items():
            dotted = f'{PROJECTS}."{path}"'
            known = self.projects.setdefault(self.source.absolute(dotted, path), {})
            for name, each in self._table(dotted, entry).items():
                if name in PROJECT_ENTRY:
                    row = named_row(PROJECT_ENTRY[name])
                    known[name] = checked(row, each, self.source, name=f"{dotted}.{name}")
                else:
                    self._unknown(f"{dotted}.{name}", near=name, known=tuple(PROJECT_ENTRY))

    def _read_providers(self, value: object) -> None:
        for dotted, entry in self._named(PROVIDERS, value, "a provider's name"):
            if dotted.removeprefix(f"{PROVIDERS}.") in BUILT_IN_PROVIDERS:
                raise self.source.wrong(dotted, "this provider is built in", hint="give yours another name")
            for field, each in entry.items():
                self._read_field(dotted, field, each, PROVIDER_ENTRY)

    def _read_servers(self, value: object) -> None:
        for dotted, entry in self._named(SERVERS, value, "a server's name"):
            for field, each in entry.items():
                if field == SERVER_TOOLS:
                    self._read_tools(f"{dotted}.{field}", each)
                elif field == "bearer_token":
                    hint = "put it into a variable, and name that in `bearer_token_env_var`"
                    raise self.source.wrong(f"{dotted}.{field}", "a token does not belong into a file", hint=hint)
                else:
                    self._read_field(dotted, field, each, SERVER_ENTRY)

    def _read_tools(self, dotted: str, value: object) -> None:
        """`tools.TOOL.approval_mode`, as a table from tools to modes."""
        row = named_row(SERVER_ENTRY["default_tools_approval_mode"])
        modes: dict[str, object] = {}
        for tool, entry in self._table(dotted, value).items():
            for field, each in self._table(f"{dotted}.{tool}", entry).items():
                if field == "approval_mode":
                    modes[tool] = checked(row, each, self.source, name=f"{dotted}.{tool}.{field}")
                else:
                    self._unknown(f"{dotted}.{tool}.{field}", near=field, known=("approval_mode",))
        self.values[dotted] = modes

    def _named(self, table: str, value: object, what: str) -> Iterator[tuple[str, dict[str, object]]]:
        """Entries whose fields are keys of their own, for which no name may look like a part of a key."""
        for name, entry in self._table(table, value).items():
            if not name.replace("-", "").replace("_", "").isalnum():
                raise self.source.wrong(f"{table}.{name}", f"{what} is one plain word")
            yield f"{table}.{name}", self._table(f"{table}.{name}", entry)

    def _read_field(self, dotted: str, field: str, value: object, known: Mapping[str, Row]) -> None:
        if field in known:
            name = f"{dotted}.{field}"
            self.values[name] = checked(named_row(known[field]), value, self.source, name=name)
        else:
            self._unknown(f"{dotted}.{field}", near=field, known=tuple(known))

    def _table(self, dotted: str, value: object) -> dict[str, object]:
        if isinstance(value, dict):
            return value
        raise self.source.wrong(dotted, "it must be a table", hint=f"write it as [{dotted}]")

    def _unknown(self, dotted: str, *, near: str = "", known: tuple[str, ...] = ()) -> None:
        from sandgate.config.suggest import nearest

        question = nearest(near or dotted, known or (*KEYS, *SECTIONS, PROJECTS, PROFILES, PROVIDERS, SERVERS))
        if dotted.rpartition(".")[0] in STRICT_SECTIONS:
            raise self.source.wrong(dotted, "there is no such key", hint=question)
        place = self.source.place(dotted)
        warning = f"ignored unknown key `{visible(dotted)}` in {place}"
        self.warnings.append(f"{warning}: {question}" if question else warning)
