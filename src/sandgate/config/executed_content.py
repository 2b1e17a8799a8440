"""What a rule is tied to that holds only as long as the files its command executes stay as they are."""

from __future__ import annotations

from sandgate.approvals.holding import binding_of, contents_of
from sandgate.commandline.words import joined
from sandgate.errors import RequestError
from sandgate.protocol.commands import CommandRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.environment import Environment


def executed_content(argv: tuple[str, ...], environment: Environment) -> tuple[str, ...]:
    """`sha256:… /path` for each file that `argv`, started there, would execute and that is not the system's.

    Raises RequestError where it executes none that is known, or one that is too large to be read.
    """
    found = contents_of(binding_of(CommandRequest(argv, environment.cwd, dict(environment.environ))))
    if found is None:
        raise RequestError(
            f"a rule cannot be tied to what `{joined(argv)}` executes",
            why="a file of it cannot be read, or is too large",
            hint="leave `--same-content` out",
        )
    if not found:
        raise RequestError(
            f"a rule cannot be tied to what `{joined(argv)}` executes",
            why="no file that it names, and that is not the system's, will be executed",
            hint="name the file (`bash deploy.sh`), go where it lies, or leave `--same-content` out",
        )
    return found
