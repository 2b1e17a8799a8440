"""Where Sandgate's own files are: its home directory and the system's directory."""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import ConfigError
from sandgate.protocol.environment import STATE_NAME, STATE_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SYSTEM_DIRECTORY = "/etc/sandgate"
HOME_VARIABLE = "SANDGATE_HOME"
DIRECTORY_NAME = ".sandgate"  # below the user's home, and in a project
STATE_IN_HOME = ".local/state"  # where that variable points when it is unset (XDG Base Directory Specification)
CONFIG_NAME = "config.toml"
RULES_NAME = "rules"
# Homes of other programs: their files look like ours and mean something else.
FOREIGN_HOMES = frozenset((".codex", ".claude", ".gemini", ".cursor"))


def user_home(environ: Mapping[str, str]) -> str | None:
    """The user's home directory: `$HOME` when it is absolute, else what the user database says."""
    home = environ.get("HOME", "")
    if home.startswith("/"):
        return os.path.normpath(home)
    from pwd import getpwuid

    try:
        return getpwuid(os.getuid()).pw_dir
    except KeyError:
        return None


def sandgate_home(environ: Mapping[str, str]) -> str | None:
    """`$SANDGATE_HOME`, which must be an existing directory, else `~/.sandgate`, which need not exist.

    None when there is no home directory at all: then there is no user configuration and no state.
    """
    chosen = environ.get(HOME_VARIABLE, "")
    if chosen:
        return _canonical_home(chosen)
    home = user_home(environ)
    return os.path.join(home, DIRECTORY_NAME) if home else None


def state_directory(environ: Mapping[str, str]) -> str | None:
    """Where what outlives a session is kept: `$XDG_STATE_HOME/sandgate`, else `~/.local/state/sandgate`.

    It need not exist. None when there is no home directory at all. A relative `$XDG_STATE_HOME` counts as unset.
    """
    chosen = environ.get(STATE_VARIABLE, "")
    if chosen.startswith("/"):
        return os.path.join(os.path.normpath(chosen), STATE_NAME)
    home = user_home(environ)
    return os.path.join(home, STATE_IN_HOME, STATE_NAME) if home else None


def _canonical_home(chosen: str) -> str:
    path = os.path.realpath(chosen)
    if not os.path.isdir(path):
        raise ConfigError(
            f"cannot use `{HOME_VARIABLE}`",
            why=f"`{visible(chosen)}` is not a directory",
            hint="create it, or unset the variable",
        )
    if os.path.basename(path) in FOREIGN_HOMES:
        raise ConfigError(
            f"cannot use `{HOME_VARIABLE}`",
            why=f"`{visible(chosen)}` is the home of another program",
            hint="name a directory of Sandgate's own",
        )
    return path
