"""A profile: a named layer, kept as a table `[profiles.NAME]` or as a file `NAME.config.toml` beside the user's.

It may contain any key. Both forms of the same name are an error, because it would be unclear which one is meant.
"""

from __future__ import annotations

import os.path

from sandgate.config.files import read_toml
from sandgate.config.layers import ConfigLayer
from sandgate.config.reading import PROFILES, TableReading
from sandgate.config.source import Source
from sandgate.display import visible
from sandgate.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def profile_layer(
    name: str, readings: Iterable[TableReading], *, directory: str | None, home: str | None
) -> tuple[ConfigLayer, tuple[str, ...]]:
    """The layer of profile `name` and its warnings. `readings` hold the tables, `directory` the files."""
    if not name or name.startswith(".") or "/" in name or not name.isprintable():
        raise ConfigError(f"config profile `{visible(name)}` not found", why="a profile's name is one plain word")
    table = _table_of(name, readings)
    path = os.path.join(directory, f"{name}.config.toml") if directory else None
    file = read_toml(path, guarded=True) if path else None
    if file and table:
        raise ConfigError(
            f"config profile `{name}` is defined twice",
            why=f"as [{PROFILES}.{name}] in {table[1].label} and as {file.path}",
            hint="remove one of them",
        )
    if file and directory:
        return _layer(name, file.table, Source(file.path, directory, home, file.text), file.path)
    if table:
        return _layer(name, table[0], table[1].but(table=f"{PROFILES}.{name}"), None)
    raise ConfigError(
        f"config profile `{name}` not found",
        hint=f"write [{PROFILES}.{name}] in the user configuration" + (f", or {path}" if path else ""),
    )


def _table_of(name: str, readings: Iterable[TableReading]) -> tuple[dict[str, object], Source] | None:
    """The last layer's `[profiles.NAME]`: a user's replaces the system's."""
    found = None
    for reading in readings:
        if name in reading.profiles:
            table = reading.profiles[name]
            if not isinstance(table, dict):
                raise reading.source.wrong(f"{PROFILES}.{name}", "it must be a table")
            found = table, reading.source
    return found


def _layer(
    name: str, table: dict[str, object], source: Source, file: str | None
) -> tuple[ConfigLayer, tuple[str, ...]]:
    inner = {key: value for key, value in table.items() if key not in ("profile", PROFILES)}
    reading = TableReading(source).read(inner)
    warnings = [
        f"ignored `{key}` in config profile `{name}`: profiles do not nest" for key in table if key not in inner
    ]
    return reading.layer("profile", file=file, profile=name), (*warnings, *reading.warnings)
