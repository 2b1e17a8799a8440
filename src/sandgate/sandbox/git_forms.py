"""The forms of what git writes beside objects: references, logs, the steps of a rebase. Bytes in, yes or no out.

Only what has its form is carried over from a draft, so a file is never more than its name says: a list of steps runs
no program, a reference names a reference, an author's script is an author.
"""

from __future__ import annotations

import re

from sandgate.places.git_draft import is_ref_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.places.git_draft import Kind

TEXT_BYTES_MAX = 64 << 20  # of one file that is no object; a log of half a million commits
_HASH = rb"(?:[0-9a-f]{40}|[0-9a-f]{64})"
_ONE_HASH = re.compile(_HASH + rb"\n?")
_HASHES = re.compile(rb"(?:" + _HASH + rb"\n?)*")
_PACKED = re.compile(_HASH + rb" (refs/[^\n]+)|\^" + _HASH + rb"|#[^\n]*")
_LOGGED = re.compile(rb"(?:" + _HASH + rb" " + _HASH + rb" [^\n]* \d+ [+-]\d{4}(?:\t[^\n]*)?\n)*")
# No `exec`, and nothing that later versions may add.
_VERBS = frozenset(
    b"pick p reword r edit e squash s fixup f label l reset t merge m update-ref u revert noop break b drop d".split()
)
_SAID = rb"GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\n]|'\\[!'\\]')*'\n?"
_AUTHOR = re.compile(rb"(?:" + _SAID + rb"){0,3}")
_STRATEGIES = frozenset((b"ort", b"recursive", b"resolve", b"octopus", b"ours", b"subtree", b""))
_OPTIONS = re.compile(rb"[A-Za-z0-9 '\n=\t,@.<>\[\]-]*")
_STRATEGY_LINE = re.compile(rb"(?im)^(?:.*\])?\s*strategy\s*=\s*(.*?)\s*$")  # also behind `[options]`


def has_form(kind: Kind, text: bytes) -> bool:
    """Whether `text` is what a file of this kind is; kinds that say more are judged elsewhere."""
    form = _FORMS.get(kind)
    return form is not None and form(text)


def _is_ref(text: bytes) -> bool:
    if text.startswith(b"ref: "):
        return is_ref_name(text[5:].removesuffix(b"\n").decode("utf-8", "surrogateescape"))
    return _ONE_HASH.fullmatch(text) is not None


def _is_packed(text: bytes) -> bool:
    for line in text.splitlines():
        found = _PACKED.fullmatch(line)
        if found is None or (found[1] is not None and not is_ref_name(found[1].decode("utf-8", "surrogateescape"))):
            return False
    return True


def _is_steps(text: bytes) -> bool:
    """Comments begin with `#`, whatever the settings say: with another sign, those lines are no commands either."""
    lines = (line.strip() for line in re.split(rb"[\r\n]", text))
    return all(not line or line[:1] == b"#" or line.split(None, 1)[0] in _VERBS for line in lines)


def _is_options(text: bytes) -> bool:
    named = _STRATEGY_LINE.findall(text)
    return _OPTIONS.fullmatch(text) is not None and all(name in _STRATEGIES for name in named)


_FORMS: dict[str, Callable[[bytes], bool]] = {
    "ref": _is_ref,
    "refs": lambda text: _HASHES.fullmatch(text) is not None,
    "packed": _is_packed,
    "log": lambda text: _LOGGED.fullmatch(text) is not None,
    "text": lambda _text: True,
    "blank": lambda text: not text.strip(),
    "steps": _is_steps,
    "author": lambda text: _AUTHOR.fullmatch(text) is not None,
    "strategy": lambda text: text.strip() in _STRATEGIES,
    "options": _is_options,
    "shared": lambda text: text in (b"../..\n", b"../.."),
}
