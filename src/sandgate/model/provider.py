"""Who answers: the address of a model's API, what opens it, and how patient one is with it.

The key is looked up for every request and is in no value that could be printed: a provider shows only its name.
"""

from __future__ import annotations

from sandgate.errors import MissingKey, ModelFailed
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Pairs = tuple[tuple[str, str], ...]

KEY_HINT = "it has to hold the key of the model provider `{provider}`; `model_provider` chooses another one"
# Its Responses API loses the thoughts of a model that it has not stored.
AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
PATHS = {"responses": "/responses", "chat": "/chat/completions"}


class Provider(Record):
    """One `[model_providers.<name>]`."""

    name: str
    base_url: str  # "https://host/v1"; what `wire_api` asks for is added
    env_key: str = ""  # the variable that holds the key; "": none is sent
    env_key_instructions: str = ""  # where to get one
    query_params: Pairs = ()
    http_headers: Pairs = ()
    env_http_headers: Pairs = ()  # header and the variable that holds its value; left out while that is blank
    wire_api: Literal["responses", "chat"] = "responses"
    request_max_retries: int = 4  # of a request that could not be placed; 0 to 100
    stream_max_retries: int = 5  # of an answer that broke off; the session counts them
    stream_idle_timeout_ms: int = 300_000  # between two events of an answer, and until the first
    remote_compaction: bool = False  # makes room in a conversation itself, at `/responses/compact`
    path: str = ""  # what is added to `base_url`; "": what `wire_api` asks for

    def __repr__(self) -> str:
        return f"Provider({self.name!r})"

    @property
    def url(self) -> str:
        """Where questions go, without the query."""
        return self.base_url.rstrip("/") + (self.path or PATHS[self.wire_api])

    @property
    def stores(self) -> bool:
        """It is asked to keep what was said, and told the ids it gave to it. Everywhere else nothing is kept."""
        place = self.base_url.partition("://")[2].partition("/")[0].rpartition("@")[2]
        return place.partition(":")[0].lower().endswith(AZURE)

    def headers(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The provider's own headers with the key. Raises MissingKey, and ModelFailed for what cannot be a header."""
        found = dict(self.http_headers)
        for header, variable in self.env_http_headers:
            if value := environ.get(variable, "").strip():
                found[header] = _sendable(value, variable)
        if self.env_key:
            found["Authorization"] = f"Bearer {self._key(environ)}"
        return found

    def secrets(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        """What no message may repeat: the key, and every value of a header or of the query that is ours."""
        values = [value for _, value in (*self.http_headers, *self.query_params)]
        values += [environ.get(variable, "") for _, variable in self.env_http_headers]
        values.append(environ.get(self.env_key, "") if self.env_key else "")
        return tuple(dict.fromkeys(text for value in values if (text := value.strip())))

    def _key(self, environ: Mapping[str, str]) -> str:
        key = environ.get(self.env_key, "").strip()
        if not key:
            hint = self.env_key_instructions or KEY_HINT.format(provider=self.name)
            raise MissingKey(f"Missing environment variable: `{self.env_key}`.", hint=hint)
        return _sendable(key, self.env_key)


def _sendable(value: str, variable: str) -> str:
    """Checked here, because a library's complaint about a header would quote it."""
    if not (value.isascii() and value.isprintable()):
        raise ModelFailed(f"the variable `{variable}` holds characters that cannot be sent in a header")
    return value
