"""What programs try to write and do without: bytecode, caches of test tools, logs of runs, the times of update checks,
histories of dialogues, counters of coverage, what their own dumps would hold. By name alone.

A refusal of such a write is not why a command failed, so no question comes of it, unless the command speaks of what it
would write. It is refused all the same. Names are those the programs' own manuals give.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.places.remade import BYTECODE, BYTECODE_DIRECTORY, CACHES_OF_TOOLS

# Everything below a directory of this name: what a command says that wants just that.
_DIRECTORIES = {BYTECODE_DIRECTORY: "compile", **dict.fromkeys(CACHES_OF_TOOLS, "cache")}
_ENDINGS = {**dict.fromkeys(BYTECODE, "compile"), ".gcda": "gcov"}
# What runtimes set for their own process, as they start (proc(5)).
_OWN_SETTINGS = frozenset(("coredump_filter",))
# Relative to a home. A trailing slash means everything below, a trailing `*` any rest of the name.
_IN_HOME = words_of("""
    .npm/_logs/ .npm/_update-notifier-last-checked .config/configstore/update-notifier-* .config/go/telemetry/
    .bash_history* .zsh_history* .histfile* .python_history* .node_repl_history .irb_history .sqlite_history
    .psql_history .mysql_history* .rediscli_history .octave_hist .gnuplot_history .lesshs* .local/state/less/
    .local/state/lesshs* .viminf* .wget-hsts .local/share/recently-used.xbel*
    """)


def is_dispensable(path: str, home: str, command: str) -> bool:
    """Whether a program that may not write this absolute path goes on without. `home`: the command's own, "" for none;
    `command`: its words, joined."""
    parts = path.split("/")
    directory = next((part for part in parts if part in _DIRECTORIES), "")
    if directory:
        return directory not in command and _DIRECTORIES[directory] not in command
    if ending := _ending(parts[-1]):
        return ending not in command and _ENDINGS[ending] not in command
    if path.startswith("/proc/") and parts[-1] in _OWN_SETTINGS:
        return parts[-1] not in command
    if not home or not path.startswith(home + "/"):
        return False
    inner = path[len(home) + 1 :]
    place = next((each for each in _IN_HOME if _covers(each, inner)), "")
    return bool(place) and place.strip("/*").rpartition("/")[2] not in command


def _ending(name: str) -> str:
    """A bytecode file is written under another name first: `m.cpython-311.pyc.140212226660656`."""
    stem, _, number = name.rpartition(".")
    return next((each for each in _ENDINGS if name.endswith(each) or (stem.endswith(each) and number.isdigit())), "")


def _covers(place: str, inner: str) -> bool:
    if place[-1] == "/":
        return inner == place[:-1] or inner.startswith(place)
    return inner.startswith(place[:-1]) if place[-1] == "*" else inner == place
