"""`sandgate features list`: every feature flag with its stage and state."""

from __future__ import annotations

from sandgate.config.features import FEATURES
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine


def main(parsed: ParsedLine) -> int:
    """Print the flags, sorted by name."""
    enabled = opened(parsed).settings.features
    rows = sorted((name, stage, name in enabled) for name, stage, _default, _doc in FEATURES)
    if parsed.on("json"):
        import json

        say.out(json.dumps({name: {"stage": stage, "enabled": on} for name, stage, on in rows}) + "\n")
        return 0
    say.out("".join(f"{name}  {stage}  {'on' if on else 'off'}\n" for name, stage, on in rows))
    return 0
