"""Carries out what a command may not do itself, on the objects that it was allowed for.  openat2(2), statx(2), proc(5)

Directories are opened beneath the root, or beneath one of our making, and no link is followed on the way; a directory
that is another one than was shown ends it. The last name is never followed either: what exists is opened as a mere
place, looked at, and only then changed through that very descriptor. What is new is made exclusively; all of it
without capabilities. The same as native/perform.c.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from sandgate.kernel.beneath import open_beneath, open_canonical
from sandgate.kernel.capabilities import WithoutPowers
from sandgate.kernel.given_grants import Permit, wish_for_new_name
from sandgate.kernel.object_identity import identity_at
from sandgate.kernel.own_names import OwnName
from sandgate.kernel.renames import rename_between
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.deeds import Deed, Spot
    from sandgate.kernel.given_grants import GivenGrants
    from sandgate.kernel.object_identity import ObjectIdentity
    from sandgate.kernel.own_names import OwnNames

_STATUS_FLAGS = os.O_APPEND | os.O_NONBLOCK | os.O_DIRECT | os.O_NOATIME  # what F_SETFL changes
_PLACE = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_DEVICES = (stat.S_IFCHR, stat.S_IFBLK)


class Performed(Record):
    """What was carried out, or tried."""

    grant: int  # the number of the grant that covers it
    fd: int | None = None  # of an open
    error: int = 0  # what the caller gets


class _Site:
    """A name in its directory, with what permits the change. Owns the descriptor `directory`; use it in a `with`."""

    def __init__(self, permit: Permit, spot: Spot) -> None:
        self.permit = permit
        self.spot = spot
        start, way = permit.tree, permit.below
        parent, _, self.name = (way if start >= 0 else spot.path).rpartition("/")
        try:
            self.directory = (
                open_beneath(start, parent, _DIRECTORY) if start >= 0 else open_canonical(parent, _DIRECTORY)
            )
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EXDEV):  # a link on the way
                raise _refusal() from error
            raise
        if identity_at(self.directory)[0] != spot.parent:
            os.close(self.directory)
            raise _refusal()

    def __enter__(self) -> _Site:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.directory)

    def check(self) -> None:
        """What stands under the name is what the permit, and the call when it was read, speak of."""
        self._compare(*identity_at(self.directory, self.name))

    def open_object(self) -> int:
        """The object itself, as a place: nothing can be exchanged any more."""
        fd = os.open(self.name, _PLACE, dir_fd=self.directory)
        try:
            self._compare(*identity_at(fd))
        except OSError:
            os.close(fd)
            raise
        return fd

    def _compare(self, found: ObjectIdentity, mode: int) -> None:
        kind = stat.S_IFMT(mode)
        if kind in _DEVICES or kind != self.spot.kind:
            raise _refusal()
        if self.permit.own not in (None, found):
            raise OSError(errno.ESTALE, "not what was made")
        if self.spot.meant not in (None, found):
            raise _refusal()


class Performer:
    """For one command."""

    def __init__(self, grants: GivenGrants, own: OwnNames, *, umask: int) -> None:
        """`umask` is ours: what it takes from a new file is given back, as far as the command's own leaves it."""
        self._grants = grants
        self._own = own
        self._umask = umask
        self._without_powers = WithoutPowers()

    def could_be_allowed(self, deed: Deed) -> bool:
        """A held call that no answer could make right would only waste somebody's time."""
        if deed.to is not None:
            return self._grants.may_be_moved(deed.at, deed.to)
        return deed.kind != "open" or self._grants.may_be_opened(deed.at, deed.flags)

    def perform(self, deed: Deed) -> Performed | None:
        """What came of it; None when no grant covers it, and nothing was done."""
        done = self._once(deed)
        if done is not None and done.error and self._has_changed(deed, done.error):
            done = self._once(deed)
        return done.but(error=errno.EACCES) if done is not None and done.error == errno.ESTALE else done

    def _once(self, deed: Deed) -> Performed | None:
        permits = self._permits(deed)
        if permits is None:
            return None
        at, to = permits
        grant = (to or at).grant
        try:
            with self._without_powers:
                return Performed(grant, self._carried_out(deed, at, to))
        except OSError as error:
            return Performed(grant, error=error.errno or errno.EIO)

    def _carried_out(self, deed: Deed, at: Permit, to: Permit | None) -> int | None:
        with _Site(at, deed.at) as site:
            if deed.to is None or to is None:
                return self._act(deed, site)
            with _Site(to, deed.to) as new:
                self._act_on_two(deed, site, new)
        return None

    def _permits(self, deed: Deed) -> tuple[Permit, Permit | None] | None:
        grants = self._grants
        at = grants.permit(deed.wish, deed.at, directory=deed.kind == "directory")
        if deed.to is None:
            return (at, None) if at is not None and self.could_be_allowed(deed) else None
        if not grants.may_be_moved(deed.at, deed.to):
            return None
        to = grants.permit(wish_for_new_name(deed.to), deed.to, directory=deed.at.kind == stat.S_IFDIR)
        if at is None and deed.kind == "rename":
            at = grants.permit_for_setting_aside(deed.at, deed.to)
        return (at, to) if at is not None and to is not None else None

    def _act(self, deed: Deed, site: _Site) -> int | None:
        made = not deed.at.exists
        fd = self._done(deed, site)
        try:
            if deed.kind == "remove":
                self._own.move(deed.at.path, None)
            elif made and site.permit.becomes_own:
                self._remember(site, is_made=True)
        except OSError:
            if fd is not None:
                os.close(fd)
            raise
        return fd

    def _done(self, deed: Deed, site: _Site) -> int | None:
        match deed.kind:
            case "open":
                return _open_existing(site, deed) if deed.at.exists else self._open_new(site, deed)
            case "directory":
                os.mkdir(site.name, deed.new_mode, dir_fd=site.directory)
                self._widen(site, deed)
            case "node":
                os.mknod(site.name, stat.S_IFMT(deed.mode) | deed.new_mode, dir_fd=site.directory)
                self._widen(site, deed)
            case "bind":
                if deed.make is not None:
                    deed.make(site.directory, site.name)
                self._widen(site, deed)
            case "symlink":
                os.symlink(deed.link_text, site.name, dir_fd=site.directory)
            case "remove":
                site.check()
                (os.rmdir if deed.flags else os.unlink)(site.name, dir_fd=site.directory)
            case _:
                _change(site, deed)
        return None

    def _act_on_two(self, deed: Deed, old: _Site, new: _Site) -> None:
        if deed.kind == "link":
            _link(old, new)
            if new.permit.becomes_own:
                self._remember(new, is_made=self._grants.is_made_by_us(old.spot.path))
            return
        old.check()
        if new.spot.exists:
            new.check()
        rename_between(old.directory, old.name, new.directory, new.name, replaces=new.spot.exists and not deed.flags)
        if _is_still_there(old, new):
            return
        was_own = self._own.at(old.spot.path) is not None
        self._own.move(old.spot.path, new.spot.path)
        if not was_own and new.permit.becomes_own:
            self._remember(new, is_made=old.permit.tree >= 0)

    def _open_new(self, site: _Site, deed: Deed) -> int:
        flags = deed.flags | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
        fd = os.open(site.name, flags, deed.new_mode, dir_fd=site.directory)
        if deed.new_mode & self._umask:
            os.fchmod(fd, deed.new_mode)  # our own umask took bits the command's umask leaves
        return fd

    def _widen(self, site: _Site, deed: Deed) -> None:
        """The same, of what is made without being opened: if it is still what we made, with the mode it had then."""
        if not deed.new_mode & self._umask:
            return
        with _Held(os.open(site.name, _PLACE, dir_fd=site.directory)) as fd:
            mode = os.fstat(fd).st_mode
            if mode & 0o1777 == deed.new_mode & ~self._umask:
                os.chmod(f"/proc/self/fd/{fd}", deed.new_mode | mode & stat.S_ISGID)

    def _remember(self, site: _Site, *, is_made: bool) -> None:
        """What came to be under a name. A directory is kept, to be told, with all below, from what takes its place."""
        identity, mode = identity_at(site.directory, site.name)
        tree = -1
        if is_made and stat.S_ISDIR(mode):
            tree = os.open(site.name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=site.directory)
        permit = site.permit
        own = OwnName(identity, permit.grant, is_made=is_made, is_passing=permit.is_passing, tree=tree)
        self._own.remember(site.spot.path, own)

    def _has_changed(self, deed: Deed, code: int) -> bool:
        """Others work on the disk as well: what was missing may be there by now, and the other way round; and what was
        our own may be somebody else's. Then it is another wish, permitted by itself or not at all."""
        if code == errno.ESTALE:
            for spot in (deed.at, deed.to):
                if spot is not None:
                    self._own.move(spot.path, None)
            return True
        if deed.kind != "open" or not deed.flags & os.O_CREAT:
            return False
        appeared = code == errno.EEXIST and not deed.at.exists and not deed.flags & os.O_EXCL
        if not appeared and not (code == errno.ENOENT and deed.at.exists):
            return False
        deed.at.exists = appeared
        deed.at.kind = stat.S_IFREG if appeared else 0
        return True


class _Held:
    """A descriptor, closed in the end."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __enter__(self) -> int:
        return self._fd

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _open_existing(site: _Site, deed: Deed) -> int:
    flags = deed.flags
    if flags & os.O_CREAT and flags & os.O_EXCL:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    with _Held(site.open_object()) as place:
        # Nonblocking, whatever was asked: a lease that somebody holds would hold us, and with us every other call.
        asked = flags & ~(os.O_CREAT | os.O_EXCL) | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        fd = os.open(f"/proc/self/fd/{place}", asked)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags & _STATUS_FLAGS)
    return fd


def _change(site: _Site, deed: Deed) -> None:
    with _Held(site.open_object()) as place:
        if deed.change is not None:
            deed.change(place)


def _link(old: _Site, new: _Site) -> None:
    with _Held(old.open_object()) as place:
        os.link(f"/proc/self/fd/{place}", new.name, dst_dir_fd=new.directory, follow_symlinks=True)


def _is_still_there(old: _Site, new: _Site) -> bool:
    """Of two names of one object rename(2) takes neither away, and says that all went well."""
    try:
        return identity_at(old.directory, old.name) == identity_at(new.directory, new.name)
    except OSError:
        return False


def _refusal() -> OSError:
    return OSError(errno.EACCES, os.strerror(errno.EACCES))
