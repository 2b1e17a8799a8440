"""`sandgate caches`: what the commands of projects keep in caches of their own, and how to be rid of it."""

from __future__ import annotations

import os

from sandgate.config.paths import state_directory
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.timestamps import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.runtime.caches import KeptCache
    from sandgate.surfaces.cli.parse import ParsedLine

IN_USE = 1  # the exit code when something was not cleared
_MIB = 1 << 20


def main(parsed: ParsedLine) -> int:
    """0; 1 when caches were not cleared because a command uses them."""
    return _clear(parsed) if parsed.words == ("clear",) else _list(parsed)


def _list(parsed: ParsedLine) -> int:
    from sandgate.runtime.caches import kept_caches

    if parsed.on("all"):
        raise RequestError("`--all` means nothing to `sandgate caches list`", why="it lists those of every project")
    kept = kept_caches(state_directory(os.environ))
    if parsed.on("json"):
        import json

        fields = ("project", "place", "bytes", "files", "complete", "used_s")
        say.out(json.dumps({"caches": [{name: getattr(one, name) for name in fields} for one in kept]}) + "\n")
        return 0
    for one in kept:
        say.out(f"{_line(one)}\n")
    if not kept:
        say.fact("no project keeps caches of its own")
    return 0


def _line(one: KeptCache) -> str:
    from datetime import UTC, datetime

    used = here(datetime.fromtimestamp(one.used_s, UTC).isoformat())
    size = f"{'' if one.complete else 'more than '}{one.bytes / _MIB:.1f} MiB in {one.files} files"
    return f"{visible(one.project)}  {visible(one.place)}  {size}  used {used}"


def _clear(parsed: ParsedLine) -> int:
    from sandgate.runtime.caches import clear_caches
    from sandgate.surfaces.cli.session import opened

    if parsed.on("json"):
        raise RequestError("`--json` means nothing to `sandgate caches clear`")
    project = None if parsed.on("all") else opened(parsed, lasting=False).confinement.project
    cleared = clear_caches(state_directory(os.environ), project)
    for path in cleared.removed:
        say.fact(f"cleared: the caches of {visible(path)}")
    for path in cleared.in_use:
        say.fact(f"not cleared: a command uses the caches of {visible(path)}; end it first")
    if not cleared.removed and not cleared.in_use:
        whose = "no project keeps" if project is None else f"{visible(project)} does not keep"
        say.fact(f"nothing to clear: {whose} caches of its own")
    return IN_USE if cleared.in_use else 0
