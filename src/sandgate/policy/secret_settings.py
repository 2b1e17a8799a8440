"""Variables and settings that are named like secrets: `$GITHUB_TOKEN`, `npm config get //host/:_authToken`.

Showing one is as much as showing the file it came from. By name only, like `secret_names`.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

VARIABLE_ENDINGS = ("SECRET", "SECRET_KEY", "ACCESS_KEY", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY",
                    "PRIVATE_KEY", "CREDENTIALS", "DATABASE_URL", "SECRET_ACCESS_KEY", "PASSPHRASE")  # fmt: skip
SETTING_ENDINGS = ("token", "password", "passwd", "secret", "_auth", "extraheader", "apikey", "api_key", "api-key",
                   "secret_access_key", "secret_key", "private_key", "passphrase")  # fmt: skip
_PRINTERS = frozenset(words_of("echo printf print"))
_ASKING = frozenset(words_of("get --get --get-all --get-regexp --get-urlmatch"))


def is_secret_variable(name: str) -> bool:
    """Whether a variable of this name is one that holds a password or a key."""
    return name.isupper() and name.endswith(VARIABLE_ENDINGS)


def shows_secret_variable(program: str, words: tuple[str, ...]) -> bool:
    """`printenv GITHUB_TOKEN`, `echo "$GITHUB_TOKEN"`; `${GITHUB_TOKEN:+set}` shows only whether there is one."""
    if program == "printenv":
        return any(is_secret_variable(word) for word in words)
    if program not in _PRINTERS:
        return False
    return any("$" in word and any(_shown(piece) for piece in word.split("$")[1:]) for word in words)


def _shown(piece: str) -> bool:
    """Whether what stands behind a `$` gives away a secret."""
    braced = piece[:1] == "{"
    rest = piece[1:] if braced else piece
    end = next((at for at, letter in enumerate(rest) if not (letter.isalnum() or letter == "_")), len(rest))
    return is_secret_variable(rest[:end]) and not (braced and rest[end:].startswith((":+", "+")))


def asks_for_secret_setting(words: tuple[str, ...]) -> bool:
    """`git config --get http.extraheader`, `npm config get _authToken`."""
    return not _ASKING.isdisjoint(words) and any(
        word.lower().endswith(SETTING_ENDINGS) for word in words[1:] if word[:1] != "-"
    )
