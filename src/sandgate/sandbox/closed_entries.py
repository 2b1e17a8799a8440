"""Says what a command may have missed that is closed to it: where it failed, and where it fetches packages.

Most programs do not tell which file they missed; in a closed directory they find nothing, and complain about that.
"""

from __future__ import annotations

import os

from sandgate.display import in_toml, visible
from sandgate.places.package_sources import sources_of
from sandgate.places.used_by import entries_of, variables_of
from sandgate.policy.common_places import homes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.permissions import EffectivePermissions

PROGRAMS_MAX = 16  # of one command, that are looked at
SAID_MAX = 3  # entries, or variables, named in the line
NAME_CHARS_MIN = 4  # of a variable; a shorter name is an ordinary word
OUTPUT_BYTES_MAX = 65_536  # of what a command said last, looked at for names


def closed_to(plan: ConfinedCommand, report: DenialReport) -> str | None:
    """One line about a command that failed; None where nothing closed is known to be used, or a denial names it.

    Nor is there one about keys where the way to whom they are for was closed: nobody is told to open what another run,
    with the connection, may never want.
    """
    if any(denial.operation == "connect" and denial.certain for denial in report.denials):
        return None
    named = [denial.path for denial in report.denials if denial.path]
    found: dict[str, str] = {}
    for program, subcommand in _programs(plan.argv):
        for home in homes_of(plan.env):
            for path in (f"{home}/{entry}" for entry in entries_of(program, subcommand)):
                if is_closed(path, plan.permissions) and os.path.lexists(path) and not _is_named(path, named):
                    found.setdefault(path, program)
    if not found:
        return None
    places = list(found)[:SAID_MAX]
    values = ", ".join(filter(None, map(in_toml, places)))
    opening = f"; to open: secrets.opened = [{values}]" if values else ""
    programs = ", ".join(f"`{name}`" for name in dict.fromkeys(found[path] for path in places))
    shown = [path for path in places if _is_shown(path, plan)]
    how = "seen without the secrets in it" if len(shown) == len(places) else "closed to commands"
    how = f"{how}, or seen without the secrets in it" if 0 < len(shown) < len(places) else how
    return f"{programs} may want {', '.join(map(visible, places))}, {how}{opening}"


def seen_in_part(plan: ConfinedCommand, report: DenialReport) -> str | None:
    """One line about a command that names a file of which it saw a part: it read it well, and took that for all."""
    denied = [denial.path for denial in report.denials if denial.path]
    shown = [place for place, rest in plan.permissions.copies if _is_shown(place, plan) and _lacks(place, rest)]
    shown = [place for place in shown if is_closed(place, plan.permissions)]
    places = [place for place in shown if _names(plan, place) and not _is_named(place, denied)][:SAID_MAX]
    if not places:
        return None
    values = ", ".join(filter(None, map(in_toml, places)))
    opening = f"; to open: secrets.opened = [{values}]" if values else ""
    return f"{', '.join(map(visible, places))}: seen without the secrets in it{opening}"


def _lacks(place: str, shown: bytes) -> bool:
    """Whether there is more in the file than that; also where that cannot be told."""
    try:
        with open(place, "rb") as file:
            return file.read(len(shown) + 1) != shown
    except OSError:
        return True


def _names(plan: ConfinedCommand, place: str) -> bool:
    """Whether a word of the command is this path, or its text has it as one writes paths of a home."""
    if any(os.path.normpath(os.path.join(plan.cwd, word)) == place for word in plan.argv):
        return True
    spelled = [place]
    for home in homes_of(plan.env):
        if place.startswith(f"{home}/"):
            spelled += [place.replace(home, sign, 1) for sign in ("~", "$HOME", "${HOME}")]
    return any(_is_path_in(word, path) for word in plan.argv for path in spelled)


def _is_path_in(text: str, path: str) -> bool:
    """Whether `text` has it to its end: `~/.npmrc` is not in `~/.npmrc.bak`, nor in `a~/.npmrc`."""
    at = text.find(path)
    while at >= 0:
        before, behind = text[at - 1 : at], text[at + len(path) : at + len(path) + 1]
        if not (_goes_on(before) or _goes_on(behind)):
            return True
        at = text.find(path, at + 1)
    return False


def _goes_on(char: str) -> bool:
    return char.isalnum() or (char in "_-./~" and char != "")


def fetched_without(plan: ConfinedCommand) -> str | None:
    """One line about a command that may have fetched packages without what says from where; None for any other."""
    for program, subcommand in _programs(plan.argv):
        entries, variables = sources_of(program, subcommand)
        paths = [f"{home}/{entry}" for home in homes_of(plan.env) for entry in entries]
        closed = [path for path in paths if is_closed(path, plan.permissions) and not _is_shown(path, plan)]
        closed = [path for path in closed if os.path.lexists(path)]
        dropped = [name for name in variables if name in os.environ and name not in plan.env]
        if closed or dropped:
            return _without(program, closed[:SAID_MAX], dropped[:SAID_MAX])
    return None


def _without(program: str, closed: list[str], dropped: list[str]) -> str:
    values = ", ".join(filter(None, map(in_toml, closed)))
    opening = [f"secrets.opened = [{values}]"] if values else []
    opening += [f"--env {name}=…" for name in dropped]
    missed = ", ".join([*map(visible, closed), *(f"${name}" for name in dropped)])
    return (
        f"`{visible(program)}` fetches without {missed}, closed to commands: what a registry named there has "
        f"comes from the public one now; to open: {' and '.join(opening)}"
    )


def not_passed_on(plan: ConfinedCommand, output: bytes) -> str | None:
    """One line about a command that failed and uses variables that it was not given, or names them in what it says."""
    text = "\0".join((*plan.argv, output[-OUTPUT_BYTES_MAX:].decode("utf-8", "replace")))
    names = sorted(name for name in os.environ if len(name) >= NAME_CHARS_MIN and name not in plan.env)
    used = [shape for each in _programs(plan.argv) for shape in variables_of(*each)] if names else []
    found = [name for name in names if _is_one_of(name, used) or (name in text and _stands_alone(name, text))][
        :SAID_MAX
    ]
    if not found:
        return None
    missed = ", ".join(f"${name}" for name in found)
    options = " ".join(f'--env {name}="${name}"' for name in found)
    return (
        f"{missed} {'is' if len(found) == 1 else 'are'} set here and not passed on to commands; to pass on: {options}"
    )


def _is_one_of(name: str, shapes: list[str]) -> bool:
    return any(name.startswith(shape[:-1]) if shape[-1] == "*" else name == shape for shape in shapes)


def _stands_alone(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = text.find(name, at + 1)
    return False


def is_closed(path: str, permissions: EffectivePermissions) -> bool:
    """Whether the view shows nothing under this name: the deepest entry at or above it decides."""
    hidden, opened = frozenset(permissions.hidden), frozenset((*permissions.reopened, *permissions.writable))
    while path != "/":
        if path in hidden:
            return True
        if path in opened:
            return False
        path = os.path.dirname(path)
    return False


def _is_shown(path: str, plan: ConfinedCommand) -> bool:
    return plan.backend == "namespace" and any(place == path for place, _ in plan.permissions.copies)


def _is_named(path: str, named: list[str]) -> bool:
    return any(path == one or path.startswith(one + "/") or one.startswith(path + "/") for one in named)


def _programs(argv: tuple[str, ...]) -> list[tuple[str, str]]:
    """The programs that a command runs, as far as its own text tells, each with its first word that is no option."""
    from sandgate.commandline.split import segments

    split = segments(argv)
    commands = [command.argv for command in split.script.commands] if split.script is not None else split.commands
    found: dict[tuple[str, str], None] = {}
    for words in commands[:PROGRAMS_MAX]:
        if words:
            subcommand = next((word for word in words[1:] if word[:1] != "-"), "")
            found[words[0].rpartition("/")[2], subcommand] = None
    return list(found)
