"""Puts files back that a command was let change, where what they say now is not harmless: lists of submodules.

Looked at when the command and all it started are gone. Such a file needs no draft: git obeys nothing in it until
a person asks for submodules, and then by its form alone.
"""

from __future__ import annotations

import os

from sandgate.execution.plain_file import read_plain
from sandgate.protocol.denials import Refused
from sandgate.sandbox.git_changed_config import CONFIG_CHARS_MAX, ConfigPlace
from sandgate.sandbox.submodule_list import refused_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.protocol.confinement import AttemptOutcome
    from sandgate.protocol.permissions import EffectivePermissions

    PutBack = Callable[[str, bytes | None, str], str]  # path, content, why → the sentence that tells it


def settled(
    outcome: AttemptOutcome, before: Mapping[str, bytes | None], permissions: EffectivePermissions, put_back: PutBack
) -> AttemptOutcome:
    """`before` is what the files said that have changed since; None for what was not there."""
    place = ConfigPlace(lambda path: not _is_below_any(path, permissions.on_host().writable))
    for path, content in before.items():
        wrong = _wrong(path, content, place)
        if wrong:
            outcome = outcome.but(
                refused=(*outcome.refused, Refused("write" if content is not None else "create", "", path=path)),
                remarks=(*outcome.remarks, put_back(path, content, wrong)),
            )
    return outcome


def is_harmless(path: str, permissions: EffectivePermissions) -> bool:
    """Of a file that was not there before."""
    return not _wrong(path, None, ConfigPlace(lambda named: not _is_below_any(named, permissions.on_host().writable)))


def _wrong(path: str, before: bytes | None, place: ConfigPlace) -> str:
    try:
        content = _read(path)
    except OSError as problem:
        return problem.strerror or str(problem)
    return "" if content is None else refused_entry(_text(before or b""), _text(content), place)


def _read(path: str) -> bytes | None:
    """None for none."""
    try:
        content = read_plain(path, CONFIG_CHARS_MAX + 1)[1]
    except FileNotFoundError:
        return None
    if len(content) > CONFIG_CHARS_MAX:
        raise OSError("it is too large")
    return content


def _is_below_any(path: str, places: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(f"{real}/".startswith(f"{place.rstrip('/')}/") for place in places)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
