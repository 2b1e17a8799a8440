"""Pictures that a model asks for or a person gives, by their path: a file becomes part of the conversation.

A model sees no more through a picture than its commands could read: what the sandbox hides is not readable here, and
the file that was judged is the file that is read. A file goes as it is, since making it smaller would need a library
that parses hostile input; one that a provider would turn away is refused with its size. Blocks as long as the disk
takes; what could block for ever (a FIFO, a device) is never opened.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.display import visible
from sandgate.errors import ImageUnusable
from sandgate.patch.disk_lookup import KERNEL_AREAS, READ_FLAGS, absolute, path_access_of
from sandgate.protocol.items import InputImage, InputText
from sandgate.tools.image_format import image_format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import EffectivePermissions

IMAGE_BYTES_MAX = 8 << 20  # of the file; a third more as text, sent again with every request of the conversation
IMAGE_SIDE_MAX = 8_000  # pixels; the largest that common providers take
PATH_CHARS_MAX = 4_096  # PATH_MAX, <linux/limits.h>
_READ_BYTES = 1 << 20


def read_image(path: str, *, cwd: str, permissions: EffectivePermissions | None) -> InputImage:
    """The picture at `path`, relative to `cwd` (absolute), as a `data:` URL.

    `permissions`: what the reader's commands may touch (`Confinement.permissions()`); None: everything that we may.
    Raises ImageUnusable.
    """
    if len(path) > PATH_CHARS_MAX or not path or "\0" in path:
        raise _unusable(path, "this is not a path")
    try:
        named = absolute(cwd, path)
        tmp = permissions.private_tmp if permissions is not None and permissions.confined else None
        content = _content(os.path.realpath(named if tmp is None else tmp.on_host(named)), permissions)
    except OSError as problem:
        raise _unusable(path, problem.strerror or "it cannot be read") from problem
    found = image_format(content)
    if found is None:
        raise _unusable(path, "it is not a PNG, JPEG, GIF or WebP picture")
    if max(found.width, found.height) > IMAGE_SIDE_MAX:
        raise _unusable(
            path,
            f"it has {found.width} by {found.height} pixels, and no side may have more than {IMAGE_SIDE_MAX}",
            hint="make a smaller copy",
        )
    from binascii import b2a_base64

    return InputImage(f"data:{found.media_type};base64,{b2a_base64(content, newline=False).decode()}")


def image_or_words(path: str, *, cwd: str, permissions: EffectivePermissions | None) -> InputImage | InputText:
    """A picture that a person gave by its path; when it cannot be used, words that name it and say why."""
    try:
        return read_image(path, cwd=cwd, permissions=permissions)
    except ImageUnusable as problem:
        return InputText(str(problem))


def _content(place: str, permissions: EffectivePermissions | None) -> bytes:
    """Of the regular file at a canonical path."""
    if place.startswith(KERNEL_AREAS):  # what the kernel makes up on the spot may never end
        raise OSError(errno.EINVAL, "it is not a regular file")
    access = path_access_of(permissions)
    if access is not None and not access.readable(place):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    _require_regular(os.lstat(place).st_mode)  # opening a device may already do something
    if access is None:
        descriptor = os.open(place, READ_FLAGS)
    else:
        from sandgate.kernel.beneath import open_canonical

        descriptor = open_canonical(place, READ_FLAGS)
    try:
        _require_regular(os.fstat(descriptor).st_mode)
        return _all_of(descriptor)
    finally:
        os.close(descriptor)


def _require_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def _all_of(descriptor: int) -> bytes:
    content = bytearray()
    while piece := os.read(descriptor, _READ_BYTES):
        content += piece
        if len(content) > IMAGE_BYTES_MAX:
            raise OSError(errno.EFBIG, f"it is larger than {IMAGE_BYTES_MAX >> 20} MiB")
    return bytes(content)


def _unusable(path: str, why: str, *, hint: str = "") -> ImageUnusable:
    return ImageUnusable(f"cannot show the image `{visible(path, limit=PATH_CHARS_MAX)}`", why=why, hint=hint)
