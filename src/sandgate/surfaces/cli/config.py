"""`sandgate config show`: the effective settings, each with the layer it came from."""

from __future__ import annotations

import json

from sandgate.config.reference import setting_rows
from sandgate.display import visible
from sandgate.errors import SandgateError
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.place_lines import home_line, scratch_words
from sandgate.surfaces.cli.session import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.runtime.runtime import Runtime
    from sandgate.surfaces.cli.parse import ParsedLine

HOSTS_TMP = "/tmp: the host's"


def main(parsed: ParsedLine) -> int:
    """Print every key in force on stdout, and on stderr what they come to in the home and in /tmp."""
    runtime = opened(parsed)
    loaded = runtime.loaded
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
    for line in _effects(runtime):
        say.fact(line)
    return 0


def _effects(runtime: Runtime) -> Iterator[str]:
    try:
        closed, permissions = runtime.confinement.closed_entries(), runtime.confinement.permissions()
    except SandgateError:  # the settings are shown all the same; a command says what is wrong
        return
    if closed is not None:
        yield home_line(closed)
        yield f"commands here have as {scratch_words(permissions) or HOSTS_TMP}"
        yield from _in_force(runtime, permissions)


def _in_force(runtime: Runtime, permissions: EffectivePermissions) -> Iterator[str]:
    """What the settings and the defaults come to for a command here, each kind on one line, in full."""
    approval = runtime.settings.approval
    asked = approval if isinstance(approval, str) else "granular"
    yield f"in force: approval policy {asked}, the network {permissions.network}"
    yield f"commands may write: {_all(permissions.open_places)}"
    yield f"protected there: {_all(_inside((*permissions.read_only, *permissions.absent), permissions))}"
    yield f"hidden: {_all(permissions.hidden)}"
    if permissions.copies and runtime.confinement.backend() == "namespace":
        yield f"seen without the secrets in it, of what is hidden: {_all(path for path, _ in permissions.copies)}"
    yield f"variables not passed on: {_all(runtime.dropped_variables)}"


def _inside(paths: Iterable[str], permissions: EffectivePermissions) -> list[str]:
    """As they are called in the writable place that they lie in."""
    places = sorted((place.rstrip("/") + "/" for place in permissions.open_places), key=len, reverse=True)
    return [path.removeprefix(next((place for place in places if path.startswith(place)), "")) for path in paths]


def _all(names: Iterable[str]) -> str:
    return ", ".join([visible(name) for name in sorted(set(names))]) or "none"
