"""Orders to a service after which others can read what was private: open buckets, links, exports, shared images."""

from __future__ import annotations

from sandgate.assessment.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg

PUBLIC_ACCESS = ("public-read", "public-read-write", "allusers", "allauthenticatedusers", "0.0.0.0/0", "::/0",
                 "--allow-unauthenticated", "--publicly-accessible", "authenticated-read", "--public",
                 "--make-public")  # fmt: skip
# With one of these values, these options open something for everybody.
OPTIONS = frozenset(
    words("--public-access --allow-blob-public-access --public-network-access --access --visibility --share-level")
)
VALUES = frozenset(words("public blob container true enabled on everyone all anonymous unauthenticated"))
# Words of an order that make a link for whoever has it, or a copy in another place.
LINKS = frozenset(
    words("presign signurl sign-url signed-url generate-sas share sharelink create-share link-create grant-access")
)
COPIES = frozenset(words("export extract unload dump"))


def opens(args: Sequence[Arg]) -> bool:
    """Whether everybody may come in from now on, to data or to a port."""
    before = ""
    for arg in args:
        text = arg.text.lower()
        if _is_mark(text) or (before in OPTIONS and text in VALUES):
            return True
        name, equals, value = text.partition("=")
        if equals and name in OPTIONS and value in VALUES:
            return True
        before = text
    return False


def opens_data(args: Sequence[Arg]) -> bool:
    """Whether anybody may read from now on; an open port is something else."""
    return opens([arg for arg in args if not arg.text.endswith("/0")])


def hands_out(path: Sequence[str]) -> bool:
    """Whether the words of an order make a link, or a copy, of what is stored: `s3 presign`, `sql export`."""
    for word in path:
        parts = word.lower().replace("_", "-").split("-")
        if word in LINKS or not COPIES.isdisjoint(parts):
            return True
    return False


def _is_mark(text: str) -> bool:
    if text in PUBLIC_ACCESS:
        return True
    return any(text.endswith(("=" + mark, ":" + mark)) or text.startswith(mark + ":") for mark in PUBLIC_ACCESS)
