"""Which shell runs a script that is given as one string."""

from __future__ import annotations

import os
import pwd

from sandgate.commandline.words import program_name

KNOWN_SHELLS = ("bash", "zsh", "sh")  # whose `-c` we understand; anything else runs in the next candidate
FALLBACKS = ("/bin/bash", "/bin/zsh", "/bin/sh")


def user_shell() -> str:
    """The user's own shell if we understand it, else bash, zsh, or sh. `$SHELL` is not asked: it can be forged."""
    try:
        own = pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        own = ""
    candidates = (own, *FALLBACKS) if program_name(own) in KNOWN_SHELLS else FALLBACKS
    return next((path for path in candidates if os.access(path, os.X_OK)), FALLBACKS[-1])


def shell_argv(script: str) -> tuple[str, ...]:
    """The argv that runs `script` without login files."""
    return (user_shell(), "-c", script)
