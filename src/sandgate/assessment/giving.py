"""Code on a command line that gives something away: the content of a file, or a shell.

Between reading and giving stands whatever a language offers, so both ends are looked for and not the way. Who only
fetches, or only reads, does neither.
"""

from __future__ import annotations

from sandgate.assessment.knowledge.interpreters import RUNNING
from sandgate.assessment.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.lexing import Token

GIVING = frozenset(
    words("""
    post put post_form Post Put PostForm requests.post sendall sendto https.request http.request upload putFile
    send_file storbinary sendmail send_message create_connection net.connect fsockopen TCPSocket TCPSocket.new
    IO::Socket::INET
    """)
)
TAKING = frozenset(
    words("""
    readFileSync readFile read_text read_bytes file_get_contents slurp File.read IO.read File.binread
    readTextFileSync createReadStream os.ReadFile ReadAllText
    """)
)
METHODS = frozenset(("POST", "PUT"))
REMOTE = ("http://", "https://", "ftp://", "ws://", "wss://")
IPV4_PARTS = 4
# Talking to a bare socket and running programs in a few words of code: that is a shell for somebody else.
RAW_SOCKETS = frozenset(words("socket.socket TCPSocket TCPSocket.new TCPSocket.open fsockopen inet_aton net.connect "
                              "net.Socket IO::Socket::INET create_connection socket.tcp"))  # fmt: skip
QUOTED_COMMANDS = frozenset(words("Perl Ruby PHP"))  # where backticks run what is between them


def uploaded_to(found: Sequence[Token], names: set[str]) -> str:
    """The address or host that code with these tokens gives the content of a file to; empty when it does not.

    `names`: all names in it, whole and by their last part.
    """
    if names.isdisjoint(TAKING):
        return ""
    texts = [token.text for token in found if token.kind == "string"]
    if names.isdisjoint(GIVING) and METHODS.isdisjoint(texts):
        return ""
    return next((text for text in texts if text.startswith(REMOTE) or _is_host(text)), "")


def hands_shell(found: Sequence[Token], names: set[str], language: str) -> bool:
    """Whether code talks to a bare socket and starts programs, by a call or between backticks."""
    if names.isdisjoint(RAW_SOCKETS):
        return False
    quoted = language in QUOTED_COMMANDS and any(token.kind == "backtick" for token in found)
    return quoted or not names.isdisjoint(RUNNING)


def _is_host(text: str) -> bool:
    """`c2.example.org`, `203.0.113.20:80`; `data.json` is none."""
    name, _, port = text.rpartition(":")
    parts = (name if name and port.isdecimal() else text).split(".")
    if len(parts) == IPV4_PARTS and all(part.isdecimal() for part in parts):
        return True
    return len(parts) > 2 and parts[-1].isalpha() and all(part.replace("-", "").isalnum() for part in parts)
