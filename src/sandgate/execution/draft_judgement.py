"""What in the draft of a git directory may be carried over: names were looked at before, here it is what files say."""

from __future__ import annotations

import os
import posixpath
import re
import stat

from sandgate.commandline import git_settings
from sandgate.execution.commit_walk import CommitWalk, Stray
from sandgate.execution.repacked import same_references, without_old
from sandgate.places.git_draft import HASH_CHARS, innermost
from sandgate.record import Record
from sandgate.sandbox.git_changed_config import ConfigPlace, refused_of_submodule, refused_setting
from sandgate.sandbox.git_draft import Unwanted
from sandgate.sandbox.git_entries import SHA1_BYTES, SHA256_BYTES, IndexEntries
from sandgate.sandbox.git_forms import TEXT_BYTES_MAX, has_form
from sandgate.sandbox.git_objects import PACK_BYTES_MAX, checked_object, checked_pack
from sandgate.sandbox.old_objects import OldObjects, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.execution.held_tree import HeldTree
    from sandgate.places.git_draft import Kind
    from sandgate.protocol.denials import Operation
    from sandgate.sandbox.git_draft import Draft, Written
    from sandgate.sandbox.git_objects import Checked

ALL_BYTES_MAX = 1 << 30  # read out of one draft
ALL_UNPACKED_MAX = 4 << 30  # bytes of its objects, unpacked; some 20 s
INDEX_BYTES_MAX = 256 << 20
POINTER_BYTES_MAX = 4096
COMMITS_NAMED_MAX = 3
_NAMES = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")
_ORDER = {"log": 0, "text": 0, "index": 2}  # the rest is between


class Circumstances(Record):
    """What is known about the command beside its draft."""

    began_ns: int  # when it was started, by the clock that stamps files
    writable: tuple[str, ...]  # canonical places that commands can write, less git directories with drafts
    is_alone: Callable[[], bool]  # whether no other command has a draft of the same git directory now


class Accepted(Record):
    """A file with what it will say."""

    path: str
    kind: Kind
    content: bytes
    mode: int
    written_ns: int = 0  # of an index: git compares the times of files with its own


class DraftJudgement:
    """Answers about one draft. `blocked` is the reason why nothing but objects and settings goes over; "" for none."""

    def __init__(self, upper: HeldTree, real: HeldTree, draft: Draft, circumstances: Circumstances) -> None:
        self.upper = upper
        self.real = real
        self.draft = draft
        self.circumstances = circumstances
        self.blocked = ""
        self.refused: dict[str, Unwanted] = {}
        self.unset: dict[str, str] = {}  # files of settings that stay, and the setting, or what else, for whose sake
        self.settings: list[Accepted] = []
        self.state: list[Accepted] = []
        self.gone = list(draft.gone)
        self._left = ALL_BYTES_MAX
        self._unpacked_left = ALL_UNPACKED_MAX
        self.late: list[tuple[str, bytes]] = []  # objects that go over with the state, or not at all
        self._known: set[bytes] = set()  # last parts of the names of submodules in indexes that are accepted
        self._held: set[bytes] = set()  # the same of those that are there now
        self._dropped: list[str] = []  # git directories in this one that do not come about
        # Its commits, trees and tags, by name, of each repository: the one itself is "", submodules by their directory
        self._leading: dict[str, dict[str, tuple[bytes, bytes]]] = {}
        self._hung: dict[str, dict[bytes, str]] = {}  # directories that indexes have as a whole, by repository

    def refuse(self, operation: Operation, path: str, *, blocks: str = "") -> None:
        self.refused.setdefault(path, Unwanted(operation, path))
        self.blocked = self.blocked or blocks

    def objects(self, carry: Callable[[str, bytes], None]) -> None:
        """Each one as soon as it is looked at, packs before their indexes; after `index`.

        An object stays for later commands, which may name it. So none may be a tree with a submodule that no index has,
        and one whose submodule is new waits in `late` until the index is carried over with it.
        """
        for written in self.draft.written:
            if written.kind == "object" and self.real.about(written.path) is None:
                self._object(written.path, carry)
            elif written.path.endswith(".pack") and self.real.about(written.path) is None:
                self._pack(written.path, carry)

    def index(self) -> None:
        """Indexes, and what they rest on."""
        for kinds in (("config",), ("home", "shared"), ("index",)):
            for each in self.draft.written:
                if each.kind in kinds:
                    self._judge(each)

    def rest(self) -> None:
        """All that `index` and `objects` have left."""
        for each in self.draft.written:
            if each.kind not in ("config", "home", "shared", "index", "object", "pack"):
                self._judge(each)
        self.state = [one for one in self.state if not self._is_dropped(one.path)]
        self.settings = [one for one in self.settings if not self._is_dropped(one.path)]
        self.state.sort(key=lambda one: (_ORDER.get(one.kind, 1), one.path))

    def commits_lead_nowhere(self) -> None:
        """No commit that is new, or that a reference names now, shows a submodule where no index has one."""
        named: dict[str, list[str]] = {}
        for repository, leading in self._leading.items():
            named.setdefault(repository, []).extend(leading)
        for one in self.state:
            if one.kind in ("ref", "refs", "packed"):
                now = self._now(one.path) or b""
                if _replaces(one, now):
                    self.blocked = self.blocked or "it has git take one object for another (`refs/replace`)"
                told = frozenset(_NAMES.findall(now)) | same_references(one.path, one.content, self._now)
                new = [name.decode() for name in _NAMES.findall(one.content) if name not in told]
                named.setdefault(_repository_of(one.path), []).extend(new)
        for repository in dict.fromkeys((*named, *self._hung)):
            if (named.get(repository) or repository in self._hung) and not self.blocked:
                self._follow(repository, named.get(repository, []))

    def _follow(self, repository: str, names: list[str]) -> None:
        path = posixpath.join(repository, "index")
        indexes = [self._entries_now(path)]
        indexes += [self._entries(path, one.content) for one in self.state if one.path == path]
        known = frozenset(link for index in indexes for link in index.gitlinks())
        old = OldObjects(posixpath.join(self.real.path, repository))
        is_new = self.real.about(posixpath.join(repository, "HEAD")) is None
        try:
            walk = CommitWalk(self._leading.get(repository, {}), (lambda _: None) if is_new else old.read, known)
            walk.follow(names)
            walk.follow_trees(self._hung.get(repository, {}))
        except (Stray, Unreadable) as problem:
            self.blocked = str(problem)
        finally:
            old.close()

    def _new_links(self, links: frozenset[bytes]) -> frozenset[bytes]:
        """Names that trees give to submodules, and that no index has now."""
        if links - self._held:
            for directory in {innermost(each.path)[0] for each in self.draft.written}:
                self._held |= _last_parts(self._entries_now(posixpath.join(directory, "index")).gitlinks())
        return links - self._held

    def is_only_a_look(self) -> bool:
        """Whether only what an index remembers of files' times would be lost, as after a `git status`."""
        if self.gone or any(one.kind != "index" for one in self.state):
            return False
        return all(
            self._entries(one.path, one.content).found == self._entries_now(one.path).found for one in self.state
        )

    def commits(self) -> str:
        """The new commits, which are there all the same."""
        found = [one.content.decode("ascii", "replace").strip() for one in self.state if one.kind == "ref"]
        named = dict.fromkeys(text for text in found if len(text) in HASH_CHARS)
        said = ", ".join(f"`{text[:12]}`" for text in list(named)[:COMMITS_NAMED_MAX])
        return f" (its commits are there: {said})" if said else ""

    def _object(self, path: str, carry: Callable[[str, bytes], None]) -> None:
        packed = self._content(path, PACK_BYTES_MAX)
        if packed is None:
            return
        checked = checked_object("".join(path.split("/")[-2:]), packed, max(1, self._unpacked_left))
        if self._is_taken(path, checked, "the object is not what its name says, or too large"):
            self._carried([(path, packed)], checked, carry)

    def _pack(self, path: str, carry: Callable[[str, bytes], None]) -> None:
        index_path = path.removesuffix(".pack") + ".idx"
        pack, index = self._content(path, PACK_BYTES_MAX), self._content(index_path, PACK_BYTES_MAX)
        if pack is None or index is None:
            return
        checked = checked_pack(pack, index, max(1, self._unpacked_left))
        if checked.is_sound and self._new_links(checked.gitlinks) - self._known:
            checked = without_old(checked, posixpath.join(self.real.path, _repository_of(path)))
        if self._is_taken(path, checked, "the pack is not what its index says, or too large"):
            self._carried([(path, pack), (index_path, index)], checked, carry)

    def _is_taken(self, path: str, checked: Checked, otherwise: str) -> bool:
        unknown = self._new_links(checked.gitlinks) - self._known
        if not checked.is_sound:
            self.refuse("create", path, blocks=f"{otherwise}: `{path}`")
        elif unknown:
            name = min(unknown).decode("utf-8", "replace")
            self.refuse("create", path, blocks=f"a commit of it has a submodule `{name}` that its index has not")
        self._unpacked_left -= checked.unpacked_bytes
        leading = self._leading.setdefault(_repository_of(path), {})
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
                self.refuse("create", path, blocks=f"`{path}` could not be written: {problem.strerror}")

    def _content(self, path: str, bytes_max: int) -> bytes | None:
        try:
            content = self.upper.read(path, min(bytes_max, self._left))
        except OSError:
            content = None
        if content is None:
            self.refuse("create", path, blocks=f"`{path}` cannot be read, or is too large")
            return None
        self._left -= len(content)
        return content

    def _judge(self, written: Written) -> None:
        path, kind = written.path, written.kind
        content = self._content(path, INDEX_BYTES_MAX if kind == "index" else TEXT_BYTES_MAX)
        if content is None:
            return
        now = self._now(path)
        if content == now:
            return
        match kind:
            case "config":
                self._config(written, content, now)
                return
            case "home":
                if not self._is_home(path, content):
                    self._drop(path)
                    return
            case "index":
                entries = self._entries(path, content)
                why, content = self._wrong_index(path, entries), entries.plain
                if why:
                    self.refuse("write", path, blocks=why)
                    return
            case "log":
                content = self._log(path, now, content)
            case "shared" if not has_form(kind, content):
                self._drop(path)
                return
            case _ if not has_form(kind, content):
                self.refuse("write", path, blocks=f"`{path}` does not say what such a file says")
                return
        about = self.upper.about(path) if kind == "index" else None
        self.state.append(Accepted(path, kind, content, written.mode, 0 if about is None else about.st_mtime_ns))

    def _config(self, written: Written, content: bytes, now: bytes | None) -> None:
        directory, name, is_linked = innermost(written.path)
        is_of_submodule = bool(directory) and not is_linked and name == "config"
        new, place = _text(content), ConfigPlace(self._may_name, self._worktree_setting(directory, _text(content)))
        wrong = (refused_of_submodule if is_of_submodule else refused_setting)(_text(now or b""), new, place)
        if not wrong:
            self.settings.append(Accepted(written.path, "config", content, written.mode))
            return
        self.refuse("write", written.path)
        self.unset[written.path] = wrong
        if now is None and is_of_submodule:
            self._dropped.append(directory)

    def _may_name(self, path: str) -> bool:
        """Whether only people, and no command, can have made a repository at this path."""
        real = os.path.realpath(path)
        return not any(f"{real}/".startswith(f"{place.rstrip('/')}/") for place in self.circumstances.writable)

    def _worktree_setting(self, directory: str, config: str) -> str:
        """What `core.worktree` of the submodule in `directory` may be: a way to a place below the working tree."""
        named = [line.partition("=")[2].strip() for line in config.split("\n") if line.strip().startswith("worktree")]
        if not named or not directory:
            return ""
        place = posixpath.normpath(posixpath.join(self.real.path, directory, named[0]))
        top = posixpath.dirname(self.real.path)
        inside = place.startswith(f"{top}/") and not f"{place}/".startswith(f"{self.real.path}/")
        return named[0] if inside and ".git" not in place[len(top) :].split("/") else ""

    def _is_home(self, path: str, content: bytes) -> bool:
        """Whether a linked worktree lies where commands may write, and its `.git` agrees."""
        pointer = os.fsdecode(content).removesuffix("\n")
        if not pointer.endswith("/.git") or "\n" in pointer or os.path.realpath(pointer) != pointer:
            return False
        directory = posixpath.join(self.real.path, posixpath.dirname(path))
        return not self._may_name(pointer) and _first_line(pointer) == f"gitdir: {directory}"

    def _drop(self, path: str) -> None:
        self._dropped.append(innermost(path)[0])
        self.refuse("create", path)

    def _is_dropped(self, path: str) -> bool:
        return any(path.startswith(f"{directory}/") for directory in self._dropped)

    def _wrong_index(self, path: str, entries: IndexEntries) -> str:
        if entries.damage:
            return f"its index `{path}` cannot be believed: {entries.damage}"
        before = self._entries_now(path).gitlinks()
        links = entries.gitlinks()
        worktree = self._worktree_of(path)
        for name in sorted(links - before):
            place = os.fsdecode(name)
            if worktree is None or not self._is_own_submodule(posixpath.join(worktree, place)):
                return f"it stages the repository `{place}`, whose settings a later `git status` would obey"
        if links - before and not self.circumstances.is_alone():
            return "it stages a submodule while another command runs in the same repository"
        self._known |= _last_parts(links)
        if hung := entries.directories().items() - self._entries_now(path).directories().items():
            self._hung.setdefault(_repository_of(path), {}).update(hung)
        return ""

    def _worktree_of(self, path: str) -> str | None:
        """The working tree that an index is of; None for a submodule's."""
        directory, _, is_linked = innermost(path)
        if not directory:
            return posixpath.dirname(self.real.path) if self.real.path.endswith("/.git") else None
        if not is_linked:
            return None
        for tree in (self.upper, self.real):
            try:
                text = tree.read(f"{directory}/gitdir", POINTER_BYTES_MAX)
            except OSError:
                text = None
            if text is not None:
                return posixpath.dirname(os.fsdecode(text).strip())
        return None

    def _is_own_submodule(self, place: str) -> bool:
        """Whether git finds nothing there, or what we hold ourselves: the next command finds it closed."""
        pointer = posixpath.join(place, ".git")
        try:
            about = os.lstat(pointer)
        except FileNotFoundError:
            return os.path.realpath(place) == place or not os.path.lexists(place)
        except OSError:
            return False
        if not stat.S_ISREG(about.st_mode) or os.path.realpath(place) != place:
            return False
        named = posixpath.normpath(posixpath.join(place, _first_line(pointer).removeprefix("gitdir: ")))
        inner = named.removeprefix(f"{self.real.path}/")
        is_ours = inner.startswith("modules/") and not self._is_dropped(f"{inner}/")
        return is_ours and any(tree.about(f"{inner}/HEAD") is not None for tree in (self.upper, self.real))

    def _log(self, path: str, now: bytes | None, draft: bytes) -> bytes:
        """Lines that another process added meanwhile stay."""
        if now is None or draft.startswith(now) or self.real.changed_ns(path) <= self.circumstances.began_ns:
            return draft
        told = frozenset(now.splitlines())
        return now + b"".join(line for line in draft.splitlines(keepends=True) if line.rstrip(b"\n") not in told)

    def _entries_now(self, path: str) -> IndexEntries:
        return self._entries(path, self._now(path, INDEX_BYTES_MAX) or b"")

    def _entries(self, path: str, content: bytes) -> IndexEntries:
        """As the git that finds it there will read it; no command chooses the length of a hash."""
        directory, _, is_linked = innermost(path)
        shared = posixpath.dirname(posixpath.dirname(directory)) if is_linked else directory
        settings = git_settings.settings_in(_text(self._now(posixpath.join(shared, "config")) or b""))
        formats = [value for key, value in settings if key == "extensions.objectformat"]
        return IndexEntries(content, SHA256_BYTES if formats[-1:] == ["sha256"] else SHA1_BYTES)

    def _now(self, path: str, bytes_max: int = INDEX_BYTES_MAX) -> bytes | None:
        try:
            return self.real.read(path, bytes_max)
        except OSError:
            return None


def _first_line(path: str) -> str:
    try:
        held = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(held, "rb") as file:
            return os.fsdecode(file.read(POINTER_BYTES_MAX)).removesuffix("\n")
    except OSError:
        return ""


def _repository_of(path: str) -> str:
    """The directory with the objects of what lies at `path` in a git directory: a submodule's, or "" for its own."""
    directory, _, is_linked = innermost(path)
    return posixpath.dirname(posixpath.dirname(directory)) if is_linked else directory


def _replaces(one: Accepted, now: bytes) -> bool:
    """Whether a reference is new by which git shows another object under the name of one: see git-replace(1)."""
    lines = frozenset(one.content.splitlines()) - frozenset(now.splitlines())
    return "refs/replace/" in one.path or any(b" refs/replace/" in line for line in lines)


def _last_parts(names: Iterable[bytes]) -> set[bytes]:
    return {name.rpartition(b"/")[2] for name in names}


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
