"""Servers that let everybody in: an address that the whole network reaches, and no question who is there.

Either alone is ordinary. A development server listens everywhere so that a phone can look at it, a notebook needs no
token while only this machine reaches it; together they hand this account to whoever is near. A debugger's port asks
nobody anything to begin with.
"""

from __future__ import annotations

from sandgate.assessment.findings import EXFILTRATION, HIGH, NETWORK, PRIVILEGE
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry

_EVERYWHERE = ("0.0.0.0", "[::]", "address=*")
_EVERYWHERE_OPTIONS = frozenset(words("--bind_ip_all --bind-all --listen-all --expose --public"))
_SIGNS = (*_EVERYWHERE, *_EVERYWHERE_OPTIONS, "--protected-mode")
_UNASKED = frozenset(
    words("""
    --noauth --no-auth --auth=none --no-authentication --disable-auth --without-auth --allow-anonymous --no-login
    --anonymous-auth=true --no-password --insecure-no-auth --disable-authentication --dangerously-omit-auth
    --skip-auth --auth-none --no-token --disable-token
    """)
)
_EMPTY = ("token=", "password=", "passwd=")  # `--ServerApp.token=`, with nothing behind it
_DEBUGGING = ("--inspect", "-agentlib:jdwp", "--remote-debugging-address", "-Xrunjdwp")
_FEATURES = {"--auth": "none", "--protected-mode": "no", "-SecurityTypes": "None", "--security-mode": "none"}


def judge_exposed(call: Call, said: str, inquiry: Inquiry) -> None:
    """One finding for a server that anybody may use; `said`: all arguments in one text."""
    if not any(mark in said for mark in _SIGNS):
        return
    everywhere = any(
        arg.text in _EVERYWHERE_OPTIONS or any(mark in arg.text for mark in _EVERYWHERE) for arg in call.args
    )
    if not everywhere and not any(arg.text in _FEATURES for arg in call.args):
        return
    texts = [arg.text for arg in call.args]
    unprotected = any(texts[at : at + 2] == ["--protected-mode", "no"] for at in range(len(texts)))
    if unprotected and not any(text in {"127.0.0.1", "localhost"} for text in texts):
        everywhere = True
    if everywhere and (_asks_nobody(texts) or any(_debugs(text) for text in texts)):
        inquiry.add(HIGH, "contacts", call.program, "a server that everybody on the network may use",
                    f"Lets everybody on the network use {worded(call.program)}", "They can do there what you can do",
                    (NETWORK, EXFILTRATION, PRIVILEGE))  # fmt: skip


def _asks_nobody(texts: list[str]) -> bool:
    return any(
        text in _UNASKED
        or (text[:2] == "--" and text.lower().endswith(_EMPTY))
        or (text in _FEATURES and texts[at + 1 : at + 2] == [_FEATURES[text]])
        for at, text in enumerate(texts)
    )


def _debugs(text: str) -> bool:
    return text.startswith(_DEBUGGING) and any(mark in text for mark in _EVERYWHERE)
