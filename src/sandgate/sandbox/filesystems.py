"""Which file system a path lies on, as the kernel lists the mounts: proc_pid_mountinfo(5).

Only asked whether its change times may be trusted. A device number alone does not tell: btrfs(5) shows another one to
stat(2) than to the list of mounts.
"""

from __future__ import annotations

MOUNTS = "/proc/self/mountinfo"
MOUNTS_BYTES_MAX = 1 << 20  # some 8 000 mounts; what comes after is taken for unknown

# Kept by this kernel itself, on a disk or in memory that no other machine writes to: every change shows in a change
# time. A network file system learns late of changes, and one in user space may say what it likes.
KEEP_CHANGE_TIMES = frozenset(
    {
        "bcachefs", "btrfs", "erofs", "ext2", "ext3", "ext4", "f2fs", "iso9660", "overlay", "ramfs", "squashfs",
        "tmpfs", "xfs", "zfs",
    }
)  # fmt: skip

# Their times are those that the maker of the image wrote: another image in the same place may show the same ones.
OF_IMAGES = frozenset({"erofs", "iso9660", "squashfs"})
# A directory of several layers shows the times of the uppermost, whatever the others hold the next time it is mounted.
LAYERED = "overlay"
BOOT = "/proc/sys/kernel/random/boot_id"


def layers() -> tuple[str, ...]:
    """Which layers lie upon each other, as mounted in this run of the machine."""
    with open(BOOT, encoding="ascii") as boot:
        return boot.read(), *(line for line in _lines() if f" - {LAYERED} " in line)


class Filesystems:
    """The mounts of this process, read when they are first asked for and not again."""

    __slots__ = ("_hanging", "_lines", "_mounts", "_root")

    def __init__(self) -> None:
        self._mounts: dict[tuple[str, str], tuple[str, str]] | None = None
        self._root = ""
        self._lines: list[str] | None = None
        self._hanging: tuple[str, ...] | None = None

    def hanging(self) -> tuple[str, ...]:
        """Mount points of file systems that give no answer now. Asked once for one list of mounts."""
        if self._hanging is None:
            from sandgate.sandbox.hanging import hangs, may_hang

            found = []
            for line in self._table():
                fields, _, more = line.partition(" - ")
                if more and may_hang(more.split(" ", 1)[0]):
                    found.append(_written_out(fields.split()[4]))
            self._hanging = tuple([place for place in dict.fromkeys(found) if hangs(place)])
        return self._hanging

    def _table(self) -> list[str]:
        if self._lines is None:
            self._lines = _lines()
        return self._lines

    def keep_change_times(self, path: str) -> bool:
        """Whether every change to canonical `path` shows in its change time."""
        return self.type_of(path) in KEEP_CHANGE_TIMES

    def type_of(self, path: str) -> str:
        """The type, such as "ext4"; "" when it is not known."""
        mounts = self._mounts
        if mounts is None:
            mounts = self._mounts = self._read()
        # From the root down, as the kernel walks: what is mounted below a covered directory is out of sight.
        here, filesystem = self._root, ""
        for place in _places(path):
            while (found := mounts.get((here, place))) is not None:
                here, filesystem = found
        return filesystem

    def _read(self) -> dict[tuple[str, str], tuple[str, str]]:
        """(mount above, mount point) → (mount, type)."""
        mounts: dict[tuple[str, str], tuple[str, str]] = {}
        identities = set()
        for line in self._table():
            fields, _, more = line.partition(" - ")
            words = fields.split()
            if len(words) < 6 or not more:
                continue
            mounts[(words[1], _written_out(words[4]))] = (words[0], more.split(" ", 1)[0])
            identities.add(words[0])
        self._root = next((above for above, point in mounts if point == "/" and above not in identities), "")
        return mounts


def _places(path: str) -> list[str]:
    """ "/", "/a", "/a/b"."""
    places, at = ["/"], path.find("/", 1)
    while path != "/":
        if at < 0:
            return [*places, path]
        places.append(path[:at])
        at = path.find("/", at + 1)
    return places


def _lines() -> list[str]:
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as table:
            return table.read(MOUNTS_BYTES_MAX).splitlines()
    except OSError:
        return []


def _written_out(name: str) -> str:
    """The kernel writes a space, tab, line end or backslash as three octal digits."""
    first, *rest = name.split("\\")
    return first + "".join(chr(int(part[:3], 8)) + part[3:] for part in rest)
