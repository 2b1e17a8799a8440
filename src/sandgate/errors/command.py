"""What can go wrong on the way of one command: its request, its confinement, its start; and the bases of the others."""

from __future__ import annotations


class SandgateError(Exception):
    """Base of everything Sandgate raises on purpose."""

    code = "sandgate_error"

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what

    @property
    def sentence(self) -> str:
        """What happened, why, and what can be done, in one line."""
        return "; ".join((str(self), *self.hint.splitlines()))


class RequestError(SandgateError):
    """The caller's input cannot be used."""

    code = "bad_request"


class ConfigError(RequestError):
    """A configuration file or override cannot be used."""

    code = "bad_config"


class RuleError(RequestError):
    """A rules file cannot be read, parsed, or fails its own examples."""

    code = "bad_rules"


class ConfinementError(SandgateError):
    """The command cannot be confined as asked, so it did not run."""

    code = "cannot_confine"


class BackendUnavailable(ConfinementError):
    """No sandbox backend on this host can enforce the policy."""

    code = "backend_unavailable"


class SetupFailed(ConfinementError):
    """Building the sandbox stopped at some step; nothing ran."""

    code = "sandbox_setup_failed"


class LaunchError(SandgateError):
    """The sandbox stands, but the command cannot be started in it."""

    code = "cannot_start"


class ProgramNotFound(LaunchError):
    """No such program on the command's own PATH."""

    code = "program_not_found"


class ProgramNotExecutable(LaunchError):
    """The program exists but the kernel will not execute it."""

    code = "program_not_executable"


class DirectoryMissing(LaunchError):
    """The working directory cannot be entered."""

    code = "directory_missing"


class ModelError(SandgateError):
    """A model gave no answer that could be used. Nothing here ever holds a key.

    Nor what was asked or answered, but for a few words of the provider in `why`, made safe to print (model/quoting.py).
    """

    code = "model_error"


class MissingKey(ModelError):
    """The variable that should hold the provider's key is not set, or blank."""

    code = "missing_key"
