"""The objects of a draft: each is what its name says, and no tree of one has a submodule that no index has."""

from __future__ import annotations

import posixpath

from sandgate.execution.draft_files import repository_of
from sandgate.execution.repacked import without_old
from sandgate.places.git_draft import innermost
from sandgate.sandbox.git_objects import PACK_BYTES_MAX, checked_object, checked_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.execution.draft_files import DraftFiles
    from sandgate.sandbox.git_objects import Checked

ALL_UNPACKED_MAX = 4 << 30  # bytes of its objects, unpacked; some 20 s


class DraftObjects:
    """Carries over the objects of one draft, and keeps what they say of submodules."""

    def __init__(self, files: DraftFiles) -> None:
        self._files = files
        self.late: list[tuple[str, bytes]] = []  # objects that go over with the state, or not at all
        # Commits, trees and tags, by name, of each repository: the one itself is "", submodules by their directory
        self.leading: dict[str, dict[str, tuple[bytes, bytes]]] = {}
        self._known: set[bytes] = set()  # last parts of the names of submodules in indexes that are accepted
        self._held: set[bytes] = set()  # the same of those that are there now
        self._unpacked_left = ALL_UNPACKED_MAX

    def know(self, links: Iterable[bytes]) -> None:
        """An index that is accepted has these submodules."""
        self._known |= _last_parts(links)

    def carry(self, carry: Callable[[str, bytes], None]) -> None:
        """Each one as soon as it is looked at, packs before their indexes; after the indexes.

        An object stays for later commands, which may name it. So none may be a tree with a submodule that no index has,
        and one whose submodule is new waits in `late` until the index is carried over with it.
        """
        for written in self._files.draft.written:
            if written.kind == "object" and self._files.real.about(written.path) is None:
                self._object(written.path, carry)
            elif written.path.endswith(".pack") and self._files.real.about(written.path) is None:
                self._pack(written.path, carry)

    def _new_links(self, links: frozenset[bytes]) -> frozenset[bytes]:
        """Names that trees give to submodules, and that no index has now."""
        if links - self._held:
            for directory in {innermost(each.path)[0] for each in self._files.draft.written}:
                self._held |= _last_parts(self._files.entries_now(posixpath.join(directory, "index")).gitlinks())
        return links - self._held

    def _object(self, path: str, carry: Callable[[str, bytes], None]) -> None:
        packed = self._files.content(path, PACK_BYTES_MAX)
        if packed is None:
            return
        checked = checked_object("".join(path.split("/")[-2:]), packed, max(1, self._unpacked_left))
        if self._is_taken(path, checked, "the object is not what its name says, or too large"):
            self._carried([(path, packed)], checked, carry)

    def _pack(self, path: str, carry: Callable[[str, bytes], None]) -> None:
        index_path = path.removesuffix(".pack") + ".idx"
        pack, index = self._files.content(path, PACK_BYTES_MAX), self._files.content(index_path, PACK_BYTES_MAX)
        if pack is None or index is None:
            return
        checked = checked_pack(pack, index, max(1, self._unpacked_left))
        if checked.is_sound and self._new_links(checked.gitlinks) - self._known:
            checked = without_old(checked, posixpath.join(self._files.real.path, repository_of(path)))
        if self._is_taken(path, checked, "the pack is not what its index says, or too large"):
            self._carried([(path, pack), (index_path, index)], checked, carry)

    def _is_taken(self, path: str, checked: Checked, otherwise: str) -> bool:
        unknown = self._new_links(checked.gitlinks) - self._known
        if not checked.is_sound:
            self._files.refuse("create", path, blocks=f"{otherwise}: `{path}`")
        elif unknown:
            name = min(unknown).decode("utf-8", "replace")
            self._files.refuse("create", path, blocks=f"a commit of it has a submodule `{name}` that its index has not")
        self._unpacked_left -= checked.unpacked_bytes
        leading = self.leading.setdefault(repository_of(path), {})
        leading |= {name: (kind, content) for name, kind, content in checked.leading}
        return checked.is_sound and not unknown

    def _carried(self, files: list[tuple[str, bytes]], checked: Checked, carry: Callable[[str, bytes], None]) -> None:
        if self._new_links(checked.gitlinks):
            self.late += files
            return
        for path, content in files:
            try:
                carry(path, content)
            except OSError as problem:
                self._files.refuse("create", path, blocks=f"`{path}` could not be written: {problem.strerror}")


def _last_parts(names: Iterable[bytes]) -> set[bytes]:
    return {name.rpartition(b"/")[2] for name in names}
