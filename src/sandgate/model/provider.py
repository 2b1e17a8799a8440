"""Who answers: the address of a Responses API, and what opens it.

The key is looked up for every request and is in no value that could be printed: a provider shows only its name.
"""

from __future__ import annotations

from sandgate.errors import ModelFailed
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Pairs = tuple[tuple[str, str], ...]


class Provider(Record):
    """One `[model_providers.<name>]` (protocol.md section 2.4)."""

    name: str
    base_url: str  # "https://host/v1"; `/responses` is added
    env_key: str = ""  # the variable that holds the key; "": none is sent
    env_key_instructions: str = ""  # where to get one
    query_params: Pairs = ()
    http_headers: Pairs = ()
    env_http_headers: Pairs = ()  # header and the variable that holds its value; left out while that is blank

    def __repr__(self) -> str:
        return f"Provider({self.name!r})"

    @property
    def url(self) -> str:
        """Where questions go, without the query."""
        return self.base_url.rstrip("/") + "/responses"

    def headers(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The provider's own headers with the key. Raises ModelFailed when that is missing or cannot be a header."""
        found = dict(self.http_headers)
        for header, variable in self.env_http_headers:
            if value := environ.get(variable, "").strip():
                found[header] = _sendable(value, variable)
        if self.env_key:
            found["Authorization"] = f"Bearer {self._key(environ)}"
        return found

    def _key(self, environ: Mapping[str, str]) -> str:
        key = environ.get(self.env_key, "").strip()
        if not key:
            raise ModelFailed(f"Missing environment variable: `{self.env_key}`.", hint=self.env_key_instructions)
        return _sendable(key, self.env_key)


def _sendable(value: str, variable: str) -> str:
    """Checked here, because a library's complaint about a header would quote it."""
    if not (value.isascii() and value.isprintable()):
        raise ModelFailed(f"the variable `{variable}` holds characters that cannot be sent in a header")
    return value
