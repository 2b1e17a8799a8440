"""`sandgate config show`: the effective settings, each with the layer it came from."""

from __future__ import annotations

import json

from sandgate.config.reference import setting_rows
from sandgate.display import visible
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import Parsed


def main(parsed: Parsed) -> int:
    """Print every key in force."""
    loaded = opened(parsed).loaded
    rows = setting_rows(loaded)
    if parsed.on("json"):
        entries = {name: {"value": value, "origin": origin} for name, value, origin in rows}
        say.out(json.dumps(entries, default=list) + "\n")
        return 0
    for warning in loaded.warnings:
        say.fact(f"warning: {warning}")
    for name, value, origin in rows:
        shown = "unset" if value is None else visible(json.dumps(value, default=list, ensure_ascii=False))
        say.out(f"{name} = {shown}{f'  # {visible(origin)}' if parsed.on('origin') else ''}\n")
    return 0
