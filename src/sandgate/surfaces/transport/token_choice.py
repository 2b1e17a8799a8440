"""Which tokens a server takes, and that no confined command can choose or read them."""

from __future__ import annotations

import os

from sandgate.config.state_directory import ensured_state
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.transport.tokens import Tokens, write_token_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.runtime import Environment


def chosen_tokens(
    environment: Environment, variable: str, name: str, *, file: str | None, say: Callable[[str], None]
) -> tuple[Tokens, Environment]:
    """Those of the file that was named, the one of the `variable`, or one of our own that is kept as `name`.

    With the environment for commands: they do not inherit the variable, and do not see the file.
    """
    environ = dict(environment.environ)
    named = Tokens.from_variable(environ, variable)
    environment = environment.but(environ=environ)
    if file is None and named is not None:
        return named, environment
    path = os.path.abspath(file or os.path.join(ensured_state(environ), name))
    if file is None and not os.path.lexists(path):
        write_token_file(path, Tokens.fresh()[1])
    tokens = Tokens.from_file(path)
    say(f"the token is in {visible(path)}, a line `name token`")
    return tokens, environment.but(hidden=(path, os.path.realpath(path)))


def require_out_of_reach(path: str, permissions: EffectivePermissions) -> None:
    """A command that can replace the file would choose the tokens."""
    real = os.path.realpath(path)
    within = [root for root in permissions.writable if os.path.commonpath((root, real)) == root]
    if permissions.confined and within:
        raise RequestError(
            f"the token file `{visible(path)}` cannot be used",
            why=f"a confined command may write below {visible(within[0])}, and so could choose its tokens",
            hint="keep it elsewhere, or leave `--token-file` out",
        )
