"""Who may speak over HTTP: named principals, each known by a token.

A port on the loopback address is open to every user and every web page of the machine, so being connected proves
nothing and the token is all there is. Only a digest of each token is kept: nothing that prints, logs or dumps this
object can give one away. No message quotes a line of a token file either: a name in the wrong column is a token.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat

from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping

DEFAULT_NAME = "default"
TOKEN_CHARACTERS_MIN = 32
TOKEN_CHARACTERS_MAX = 512
FRESH_TOKEN_BYTES = 32
NAME_CHARACTERS_MAX = 64
PRINCIPALS_MAX = 64
FILE_BYTES_MAX = 64 * 1024

_ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_IN_A_TOKEN = _ALNUM | frozenset("-._~+/=")  # what a bearer token may hold, RFC 6750 section 2.1
_IN_A_NAME = _ALNUM | frozenset("-._@")


class Tokens:
    """The principals of one server; at least one."""

    def __init__(self, named: list[tuple[str, str]]) -> None:
        """`named` holds (name, token). Refuses short tokens, odd characters, and anything that occurs twice."""
        if not 1 <= len(named) <= PRINCIPALS_MAX:
            raise RequestError(f"a server takes 1 to {PRINCIPALS_MAX} tokens", why=f"{len(named)} are given")
        self._digests: dict[str, bytes] = {}
        for number, (name, token) in enumerate(named, start=1):
            self._add(f"token {number}", name, token)

    @classmethod
    def fresh(cls) -> tuple[Tokens, str]:
        """One principal, `default`, and the token made for it; the token is not kept here."""
        token = secrets.token_urlsafe(FRESH_TOKEN_BYTES)
        return cls([(DEFAULT_NAME, token)]), token

    @classmethod
    def from_variable(cls, environ: MutableMapping[str, str], variable: str) -> Tokens | None:
        """The token in that variable, for `default`; None without it.

        It is taken out of `environ`, so that no command started later inherits it.
        """
        token = environ.pop(variable, None)
        if token is None:
            return None
        try:
            return cls([(DEFAULT_NAME, token)])
        except RequestError as problem:
            raise RequestError(f"the token in `{variable}` cannot be used", why=problem.why) from None

    @classmethod
    def from_file(cls, path: str) -> Tokens:
        """The principals of a file with lines `name token`; empty lines and lines that begin with `#` do not count."""
        named = []
        for number, line in enumerate(_private_text(path).splitlines(), start=1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2:
                raise RequestError(f"line {number} of the token file `{path}` is not `name token`")
            named.append((words[0], words[1]))
        try:
            return cls(named)
        except RequestError as problem:
            raise RequestError(f"the token file `{path}` cannot be used", why=str(problem)) from None

    def principal(self, token: str) -> str | None:
        """The principal whose token this is, if any. Takes the same time for every wrong token and every principal."""
        digest = _digest(token)
        found = None
        for name, known in self._digests.items():
            if hmac.compare_digest(known, digest):
                found = name
        return found

    def __repr__(self) -> str:
        return f"Tokens({', '.join(self._digests)})"

    def _add(self, place: str, name: str, token: str) -> None:
        if not TOKEN_CHARACTERS_MIN <= len(token) <= TOKEN_CHARACTERS_MAX:
            limits = f"{TOKEN_CHARACTERS_MIN} to {TOKEN_CHARACTERS_MAX} characters"
            raise RequestError(f"{place} cannot be used", why=f"a token has {limits}, this one {len(token)}")
        if not _IN_A_TOKEN.issuperset(token):
            raise RequestError(f"{place} cannot be used", why="a token consists of letters, digits and -._~+/=")
        if not name or len(name) > NAME_CHARACTERS_MAX or not _IN_A_NAME.issuperset(name):
            why = f"a name has 1 to {NAME_CHARACTERS_MAX} letters, digits and -._@"
            raise RequestError(f"the name of {place} cannot be used", why=why)
        digest = _digest(token)
        if name in self._digests or digest in self._digests.values():
            raise RequestError(f"{place} cannot be used", why="its name or the token itself occurs twice")
        self._digests[name] = digest


def write_token_file(path: str, token: str) -> None:
    """Write a new file for `Tokens.from_file`, for our eyes only; refused where anything exists already."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            os.fchmod(descriptor, 0o600)  # whatever the umask says
            file.write(f"{DEFAULT_NAME} {token}\n")
    except FileExistsError:
        raise RequestError(
            f"cannot write the token to `{path}`", why="the file exists", hint="remove it, or name another file"
        ) from None
    except OSError as problem:
        raise RequestError(f"cannot write the token to `{path}`", why=problem.strerror or "") from problem


def _private_text(path: str) -> str:
    """The text of a file that no other user can read or write."""
    what = f"cannot read the token file `{path}`"
    try:
        # Not blocking: a named pipe in its place would hold the program up.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise RequestError(what, why="it is no regular file")
            if facts.st_uid != os.geteuid():
                raise RequestError(what, why="it belongs to another user")
            if stat.S_IMODE(facts.st_mode) & ~0o600:
                raise RequestError(what, why="others may reach it", hint=f"chmod 600 {path}")
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as problem:
        raise RequestError(what, why=problem.strerror or "") from problem
    if len(data) > FILE_BYTES_MAX:
        raise RequestError(what, why=f"it is larger than {FILE_BYTES_MAX} bytes")
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        raise RequestError(what, why="it holds more than plain ASCII") from None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
