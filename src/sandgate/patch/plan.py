"""From a parsed patch to exact bytes: what every touched file is now, and what it will be.

The hunks are carried out one after the other on an overlay in memory, so two hunks on one file compose, and what a
reviewer is shown is what will be written. Nothing on the disk changes here. A plan names the state each file must
still have when it is applied; files are told apart by where they really lie, not by how a path is spelled.
"""

from __future__ import annotations

import os

from sandgate.errors import PatchDoesNotFit
from sandgate.patch.compute import carry_out, compute_update
from sandgate.patch.disk_lookup import FileState, absolute
from sandgate.patch.drafts import FileDraft
from sandgate.patch.hunks import AddFile, DeleteFile, UpdateFile
from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.patch.disk_lookup import Tree
    from sandgate.patch.hunks import Hunk, Patch
    from sandgate.patch.text import FileText
    from sandgate.protocol.patches import FileChange

WARNINGS_MAX = 50
EMPTY = "No files were modified."


class FileWrite(Record):
    """One entry of a directory that changes. None stands for "there is nothing"."""

    place: str  # canonical
    path: str  # absolute, as the patch names it
    before: FileState | None
    after: FileState | None
    is_original: bool = False  # the file left behind by a move


class PatchPlan(Record):
    """A verified patch. `touched` holds every absolute path it names, move targets included."""

    writes: tuple[FileWrite, ...]
    changes: tuple[FileChange, ...] = ()
    summary: tuple[str, ...] = ()  # `A path`, `M path`, `D path`, spelled as in the patch
    warnings: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    fuzz: int = 0  # 0: every line matched exactly


def plan_patch(patch: Patch, *, cwd: str, tree: Tree, strict_unique: bool = False, describe: bool = True) -> PatchPlan:
    """What `patch` does to the files below `cwd` as they are now. Raises PatchDoesNotFit, and then nothing fits.

    `describe` asks for `changes`; without it no diff is computed.
    """
    if not patch.hunks:
        raise PatchDoesNotFit(EMPTY)
    overlay = _Overlay(cwd, tree, strict_unique=strict_unique)
    for hunk in patch.hunks:
        overlay.carry_out(hunk)
    writes = overlay.writes()
    _check_parents(writes)
    changes: tuple[FileChange, ...] = ()
    if describe:
        from sandgate.patch.changes import file_changes

        changes = file_changes(overlay.drafts)
    return PatchPlan(
        writes,
        changes=changes,
        summary=overlay.summary(),
        warnings=overlay.warnings(writes),
        touched=tuple(overlay.touched),
        fuzz=overlay.fuzz,
    )


class _Overlay:
    """The tree as it is after the hunks so far. `drafts` by place, in the order in which they were first touched."""

    def __init__(self, cwd: str, tree: Tree, *, strict_unique: bool) -> None:
        self._cwd = cwd
        self._tree = tree
        self._strict = strict_unique
        self._aliases: dict[tuple[int, int], list[str]] = {}  # of files with several names: the places touched
        self._listed: dict[str, list[str]] = {"A": [], "M": [], "D": []}
        self._warnings: list[str] = []
        self.drafts: dict[str, FileDraft] = {}
        self.touched: dict[str, None] = {}
        self.fuzz = 0

    def carry_out(self, hunk: Hunk) -> None:
        path = self._named(hunk.path)
        match hunk:
            case AddFile():
                self._add(hunk, path)
            case DeleteFile():
                self._delete(hunk, path)
            case UpdateFile():
                self._update(hunk, path)
            case _:
                never_reached(hunk)

    def summary(self) -> tuple[str, ...]:
        return tuple(f"{letter} {path}" for letter, paths in self._listed.items() for path in paths)

    def warnings(self, writes: tuple[FileWrite, ...]) -> tuple[str, ...]:
        said = (*self._warnings, *self._other_names(writes))
        kept = said[:WARNINGS_MAX]
        return kept if len(kept) == len(said) else (*kept, "and more warnings")

    def writes(self) -> tuple[FileWrite, ...]:
        return tuple(
            FileWrite(place, draft.path, draft.first, after, is_original=draft.moved_away)
            for place, draft in self.drafts.items()
            if draft.changes(after := draft.state())
        )

    def _other_names(self, writes: tuple[FileWrite, ...]) -> Iterator[str]:
        """Of files with further names that no write is about; a name that is merely removed is no change of a file."""
        written = {write.place for write in writes}
        for places in self._aliases.values():
            here = [write for write in writes if write.place in places]
            first = next((write for write in here if write.after is not None or write.is_original), None)
            if first is None or first.before is None:
                continue
            others = first.before.links - len(written.intersection(places))
            if others > 0:
                names = "another name, which keeps" if others == 1 else f"{others} other names, which keep"
                yield f"{first.path} has {names} the old content"

    def _named(self, spelled: str) -> str:
        path = absolute(self._cwd, spelled)
        self.touched[path] = None
        return path

    def _add(self, hunk: AddFile, path: str) -> None:
        draft = self._draft_to_write(path)
        draft.write(hunk.content.encode("utf-8", "surrogateescape"))
        self._listed["A"].append(hunk.path)

    def _delete(self, hunk: DeleteFile, path: str) -> None:
        place = self._tree.place(path)
        try:
            if place not in self.drafts and self._tree.leads_to_directory(place):
                raise IsADirectoryError
            draft = self._draft(place, path)
        except OSError as problem:
            raise PatchDoesNotFit(f"Failed to delete file {path}") from problem
        if not draft.exists:
            raise PatchDoesNotFit(f"Failed to delete file {path}")
        draft.remove()
        self._listed["D"].append(hunk.path)

    def _update(self, hunk: UpdateFile, path: str) -> None:
        place = self._target(path)
        draft = self._draft_to_read(place, path)
        moved = None if hunk.move_path is None else self._destination(hunk.move_path, place, draft)
        source = draft if moved is None else draft.copied()
        if hunk.chunks:
            text = self._text(source, path)
            computed = compute_update(
                text,
                hunk.chunks,
                path=path,
                strict_unique=self._strict,
                warn=len(self._warnings) < WARNINGS_MAX + 1,
            )
            carry_out(text, computed)
            self.fuzz += computed.fuzz
            self._warnings += computed.warnings
        if moved is not None:
            self._move(path, source, moved)
        self._listed["M"].append(hunk.path if hunk.move_path is None else hunk.move_path)

    def _text(self, draft: FileDraft, path: str) -> FileText:
        try:
            return draft.text()
        except UnicodeDecodeError as problem:
            raise PatchDoesNotFit(
                f"Failed to read file to update {path}: stream did not contain valid UTF-8"
            ) from problem

    def _destination(self, spelled: str, place: str, draft: FileDraft) -> FileDraft | None:
        """The draft a move writes to; None when it is the file itself, under whatever name."""
        path = self._named(spelled)
        target = self._target(path)
        if target == place or (draft.first is not None and self._is_same_file(target, place)):
            return None
        destination = self._draft_to_write(path)
        if destination.exists:
            self._warnings.append(f"{path} exists and is replaced")
        return destination

    def _is_same_file(self, one: str, other: str) -> bool:
        if any(place in self.drafts and not self.drafts[place].exists for place in (one, other)):
            return False
        return self._tree.is_one_entry(one, other)

    def _move(self, path: str, source: FileDraft, destination: FileDraft) -> None:
        entry = self._tree.place(path)
        original = self._draft(entry, path)
        destination.take_over(source, original)
        original.remove(moved=True)

    def _target(self, path: str) -> str:
        """The place that a write to `path` ends up at."""
        place = self._tree.place(path)
        if place in self.drafts:
            return place
        place = self._tree.followed(place)
        identity = self._tree.identity(place) if self._aliases else None
        known = () if identity is None else self._aliases.get(identity, ())
        return next((other for other in known if self._tree.is_one_entry(other, place)), place)

    def _draft_to_read(self, place: str, path: str) -> FileDraft:
        try:
            draft = self._draft(place, path)
            if not draft.exists:
                raise FileNotFoundError(2, os.strerror(2))
        except OSError as problem:
            why = f"{problem.strerror} (os error {problem.errno})"
            raise PatchDoesNotFit(f"Failed to read file to update {path}: {why}") from problem
        return draft

    def _draft_to_write(self, path: str) -> FileDraft:
        place = self._target(path)
        try:
            draft = self._draft(place, path)
        except NotADirectoryError as problem:
            raise PatchDoesNotFit(f"Failed to create parent directories for {path}") from problem
        except OSError as problem:
            raise PatchDoesNotFit(f"Failed to write file {path}", why=str(problem.strerror)) from problem
        if draft.is_link:
            raise PatchDoesNotFit(f"Failed to write file {path}", why="the link leads nowhere")
        return draft

    def _draft(self, place: str, path: str) -> FileDraft:
        draft = self.drafts.get(place)
        if draft is None:
            state = self._tree.state(place)
            draft = self.drafts[place] = FileDraft(path, state)
            if state is not None and state.links > 1 and (identity := self._tree.identity(place)) is not None:
                self._aliases.setdefault(identity, []).append(place)
        return draft


def _check_parents(writes: tuple[FileWrite, ...]) -> None:
    """A file cannot lie below what becomes, or stays, a file."""
    files = {write.place for write in writes if write.after is not None}
    fine: set[str] = set()
    for write in writes:
        if write.after is None:
            continue
        directory = os.path.dirname(write.place)
        passed = []
        while directory not in fine and not os.path.isdir(directory):
            if directory in files or os.path.lexists(directory):
                raise PatchDoesNotFit(f"Failed to create parent directories for {write.path}")
            passed.append(directory)
            directory = os.path.dirname(directory)
        fine.update(passed)
