"""Which shell runs a script that is given as one string, and how it is told to.

A model may name a shell. What it names may be missing, unknown to us, or its idea of a joke, so the script then runs
in the nearest thing there is, and a notice says in which. Nothing is taken from `$SHELL`, which any program can set,
and `PATH` is asked last, after the places that belong to root: a program planted in a workspace must not become the
shell because it comes first there.
"""

from __future__ import annotations

import os
import pwd

from sandgate.commandline.words import program_name
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    ShellKind = Literal["bash", "zsh", "sh", "pwsh", "cmd"]

KNOWN_SHELLS = ("bash", "zsh", "sh")  # whose `-c` we understand; anything else runs in the next candidate
FALLBACKS = ("/bin/bash", "/bin/zsh", "/bin/sh")
UTF8_PREFIX = "[Console]::OutputEncoding=[System.Text.Encoding]::UTF8;"  # PowerShell's pipe is not UTF-8 by itself
SHOWN_CHARS_MAX = 80  # of a name in a notice

_LOGIN_REFUSED = "login shell is disabled by config; omit `login` or set it to false."
_KINDS: dict[str, ShellKind] = {
    "bash": "bash",
    "zsh": "zsh",
    "sh": "sh",
    "pwsh": "pwsh",
    "powershell": "pwsh",
    "cmd": "cmd",
}
_ROOTS_OWN: dict[ShellKind, tuple[str, ...]] = {
    "bash": ("/bin/bash", "/usr/bin/bash"),
    "zsh": ("/bin/zsh", "/usr/bin/zsh"),
    "sh": ("/bin/sh", "/usr/bin/sh"),
    "pwsh": ("/usr/local/bin/pwsh", "/usr/bin/pwsh"),
    "cmd": (),
}


class ScriptShell(Record):
    """A shell that exists, or `/bin/sh`, and what to tell a caller who asked for another."""

    path: str
    kind: ShellKind
    notice: str = ""

    def argv(self, script: str, *, login: bool = False) -> tuple[str, ...]:
        """The command that runs `script`; `login`: after reading the user's login files."""
        match self.kind:
            case "bash" | "zsh" | "sh":
                return (self.path, "-lc" if login else "-c", script)
            case "pwsh":
                if not script.startswith(UTF8_PREFIX):
                    script = f"{UTF8_PREFIX}\n{script}"
                return (self.path, *(() if login else ("-NoProfile",)), "-Command", script)
            case "cmd":
                return (self.path, "/c", script)


def user_shell() -> str:
    """The user's own shell if we understand it, else bash, zsh, or sh. `$SHELL` is not asked: it can be forged."""
    own = _own_shell()
    candidates = (own, *FALLBACKS) if program_name(own) in KNOWN_SHELLS else FALLBACKS
    return next((path for path in candidates if _runs(path)), FALLBACKS[-1])


def shell_argv(script: str, *, shell: str | None = None, login: bool = False) -> tuple[str, ...]:
    """The argv that runs `script`, in the user's shell or one like `shell`; without login files unless `login`."""
    return chosen_shell(shell).argv(script, login=login)


def chosen_shell(wanted: str | None) -> ScriptShell:
    """The shell for a script whose author asked for `wanted`: a path, a name, or None for the user's own."""
    if wanted is None:
        path = user_shell()
        return ScriptShell(path, shell_kind(path) or "sh")
    kind = shell_kind(wanted)
    if kind is None:
        return _instead(wanted, ScriptShell(FALLBACKS[-1], "sh"), "is no shell we know")
    if wanted.startswith("/") and _runs(wanted):
        return ScriptShell(wanted, kind)
    found = _find(kind)
    if found is None:
        return _instead(wanted, ScriptShell(FALLBACKS[-1], "sh"), "is not installed")
    return _instead(wanted, found, "cannot be run") if "/" in wanted else found


def shell_kind(path: str) -> ShellKind | None:
    """What kind of shell this is, judged by its name: `/bin/zsh`, `bash`, `pwsh.exe`; None for any other."""
    name = program_name(path)
    while name not in _KINDS:
        stem, dot, _ending = name.rpartition(".")
        if not dot or not stem:
            return None
        name = stem
    return _KINDS[name]


def login_wanted(asked: bool | None, *, allowed: bool, usual: bool) -> bool:
    """Whether to start a login shell. `usual`: where the caller does not say (None), in this session.

    Raises RequestError when it is asked for and not allowed.
    """
    if asked and not allowed:
        raise RequestError(_LOGIN_REFUSED)
    return allowed and usual if asked is None else asked


def _find(kind: ShellKind) -> ScriptShell | None:
    own = _own_shell()
    if shell_kind(own) == kind and _runs(own):
        return ScriptShell(own, kind)
    directories = [entry for entry in os.environ.get("PATH", "").split(":") if entry.startswith("/")]
    candidates = (*_ROOTS_OWN[kind], *(f"{directory}/{kind}" for directory in directories))
    path = next((path for path in candidates if _runs(path)), None)
    return ScriptShell(path, kind) if path else None


def _instead(wanted: str, used: ScriptShell, why: str) -> ScriptShell:
    asked = visible(wanted, limit=SHOWN_CHARS_MAX)
    return used.but(notice=f"the shell `{asked}` {why}; `{visible(used.path)}` ran the command instead")


def _own_shell() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""


def _runs(path: str) -> bool:
    try:
        return os.path.isfile(path) and os.access(path, os.X_OK)
    except ValueError:  # a NUL, which no path can hold
        return False
