"""The forms of small files in a git directory."""

from __future__ import annotations

import pytest

from sandgate.sandbox.git_forms import has_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.places.git_draft import Kind

HASH = b"0123456789abcdef0123456789abcdef01234567"
GOOD: tuple[tuple[Kind, bytes], ...] = (
    ("ref", HASH + b"\n"),
    ("ref", b"ref: refs/heads/main\n"),
    ("refs", HASH + b"\n" + HASH + b"\n"),
    ("packed", b"# pack-refs with: peeled \n" + HASH + b" refs/heads/a\n^" + HASH + b"\n"),
    ("log", HASH + b" " + HASH + b" A U <a@b> 1700000000 +0100\tcommit: one\n"),
    ("text", b"\xff anything"),
    ("blank", b"\n"),
    ("steps", b"pick 0123 one\n# exec x\nfixup -C 0123\nreset [new root]\n\n"),
    ("author", b"GIT_AUTHOR_NAME='O'\\''Neill'\nGIT_AUTHOR_EMAIL='e'\nGIT_AUTHOR_DATE='@1 +0000'\n"),
    ("strategy", b"ort\n"),
    ("options", b"[options]\n\tstrategy = ort\n\tallow-empty = true\n"),
    ("options", b"-SABCDEF"),
    ("shared", b"../..\n"),
)
BAD: tuple[tuple[Kind, bytes], ...] = (
    ("ref", b"ref: ../config\n"),
    ("ref", HASH + b"\n[core]\n"),
    ("refs", b"x\n"),
    ("packed", HASH + b" ../config\n"),
    ("log", b"#!/bin/sh\n"),
    ("log", HASH + b" " + HASH),
    ("blank", b"x"),
    ("steps", b"pick 0123 one\nexec touch x\n"),
    ("steps", b"x touch x\n"),
    ("steps", b"pick 0123\rexec touch x\n"),
    ("author", b"GIT_AUTHOR_NAME='a'; touch x\n"),
    ("author", b"GIT_AUTHOR_NAME='a'`touch x`'b'\n"),
    ("strategy", b"../evil\n"),
    ("options", b"[options]\n\tstrategy = evil\n"),
    ("options", b"-S`touch x`"),
    ("shared", b"/elsewhere\n"),
    ("config", b""),
    ("home", b"/a/.git\n"),
)


@pytest.mark.parametrize(("kind", "text"), GOOD)
def test_what_git_writes_has_its_form(kind: Kind, text: bytes) -> None:
    assert has_form(kind, text)


@pytest.mark.parametrize(("kind", "text"), BAD)
def test_what_says_more_has_not(kind: Kind, text: bytes) -> None:
    """Required: no file of a draft runs anything, or leads elsewhere."""
    assert not has_form(kind, text)
