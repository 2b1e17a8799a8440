"""What in the draft of a git directory may be carried over: names were looked at before, here it is what files say."""

from __future__ import annotations

import os
import posixpath
import re
import stat

from sandgate.execution.commit_walk import CommitWalk, Stray
from sandgate.execution.draft_files import INDEX_BYTES_MAX, DraftFiles, repository_of, settings_text
from sandgate.execution.draft_objects import DraftObjects
from sandgate.execution.repacked import same_references
from sandgate.places.git_draft import HASH_CHARS, innermost
from sandgate.record import Record
from sandgate.sandbox.git_changed_config import ConfigPlace, refused_of_submodule, refused_setting
from sandgate.sandbox.git_forms import TEXT_BYTES_MAX, has_form
from sandgate.sandbox.old_objects import OldObjects, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.execution.held_tree import HeldTree
    from sandgate.places.git_draft import Kind
    from sandgate.sandbox.git_draft import Draft, Written
    from sandgate.sandbox.git_entries import IndexEntries

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
    """Answers about one draft, whose `objects` go over one by one, `settings` each alone, and `state` as a whole."""

    def __init__(self, upper: HeldTree, real: HeldTree, draft: Draft, circumstances: Circumstances) -> None:
        self.files = DraftFiles(upper, real, draft)
        self.circumstances = circumstances
        self.objects = DraftObjects(self.files)
        self.unset: dict[str, str] = {}  # files of settings that stay, and the setting, or what else, for whose sake
        self.settings: list[Accepted] = []
        self.state: list[Accepted] = []
        self.gone = list(draft.gone)
        self._dropped: list[str] = []  # git directories in this one that do not come about
        self._hung: dict[str, dict[bytes, str]] = {}  # directories that indexes have as a whole, by repository

    def index(self) -> None:
        """Indexes, and what they rest on."""
        for kinds in (("config",), ("home", "shared"), ("index",)):
            for each in self.files.draft.written:
                if each.kind in kinds:
                    self._judge(each)

    def rest(self) -> None:
        """All that `index` and `objects` have left."""
        for each in self.files.draft.written:
            if each.kind not in ("config", "home", "shared", "index", "object", "pack"):
                self._judge(each)
        self.state = [one for one in self.state if not self._is_dropped(one.path)]
        self.settings = [one for one in self.settings if not self._is_dropped(one.path)]
        self.state.sort(key=lambda one: (_ORDER.get(one.kind, 1), one.path))

    def commits_lead_nowhere(self) -> None:
        """No commit that is new, or that a reference names now, shows a submodule where no index has one."""
        named: dict[str, list[str]] = {}
        for repository, leading in self.objects.leading.items():
            named.setdefault(repository, []).extend(leading)
        for one in self.state:
            if one.kind in ("ref", "refs", "packed"):
                now = self.files.now(one.path) or b""
                if _replaces(one, now):
                    self.files.blocked = self.files.blocked or "it has git take one object for another (`refs/replace`)"
                told = frozenset(_NAMES.findall(now)) | same_references(one.path, one.content, self.files.now)
                new = [name.decode() for name in _NAMES.findall(one.content) if name not in told]
                named.setdefault(repository_of(one.path), []).extend(new)
        for repository in dict.fromkeys((*named, *self._hung)):
            if (named.get(repository) or repository in self._hung) and not self.files.blocked:
                self._follow(repository, named.get(repository, []))

    def _follow(self, repository: str, names: list[str]) -> None:
        path = posixpath.join(repository, "index")
        indexes = [self.files.entries_now(path)]
        indexes += [self.files.entries(path, one.content) for one in self.state if one.path == path]
        known = frozenset(link for index in indexes for link in index.gitlinks())
        old = OldObjects(posixpath.join(self.files.real.path, repository))
        is_new = self.files.real.about(posixpath.join(repository, "HEAD")) is None
        try:
            read = (lambda _: None) if is_new else old.read
            walk = CommitWalk(self.objects.leading.get(repository, {}), read, known)
            walk.follow(names)
            walk.follow_trees(self._hung.get(repository, {}))
        except (Stray, Unreadable) as problem:
            self.files.blocked = str(problem)
        finally:
            old.close()

    def is_only_a_look(self) -> bool:
        """Whether only what an index remembers of files' times would be lost, as after a `git status`."""
        if self.gone or any(one.kind != "index" for one in self.state):
            return False
        return all(
            self.files.entries(one.path, one.content).found == self.files.entries_now(one.path).found
            for one in self.state
        )

    def commits(self) -> str:
        """The new commits, which are there all the same."""
        found = [one.content.decode("ascii", "replace").strip() for one in self.state if one.kind == "ref"]
        named = dict.fromkeys(text for text in found if len(text) in HASH_CHARS)
        said = ", ".join(f"`{text[:12]}`" for text in list(named)[:COMMITS_NAMED_MAX])
        return f" (its commits are there: {said})" if said else ""

    def _judge(self, written: Written) -> None:
        path, kind = written.path, written.kind
        content = self.files.content(path, INDEX_BYTES_MAX if kind == "index" else TEXT_BYTES_MAX)
        if content is None:
            return
        now = self.files.now(path)
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
                entries = self.files.entries(path, content)
                why, content = self._wrong_index(path, entries), entries.plain
                if why:
                    self.files.refuse("write", path, blocks=why)
                    return
            case "log":
                content = self._log(path, now, content)
            case "shared" if not has_form(kind, content):
                self._drop(path)
                return
            case _ if not has_form(kind, content):
                self.files.refuse("write", path, blocks=f"`{path}` does not say what such a file says")
                return
        about = self.files.upper.about(path) if kind == "index" else None
        self.state.append(Accepted(path, kind, content, written.mode, 0 if about is None else about.st_mtime_ns))

    def _config(self, written: Written, content: bytes, now: bytes | None) -> None:
        directory, name, is_linked = innermost(written.path)
        is_of_submodule = bool(directory) and not is_linked and name == "config"
        new = settings_text(content)
        place = ConfigPlace(self._may_name, self._worktree_setting(directory, new))
        wrong = (refused_of_submodule if is_of_submodule else refused_setting)(settings_text(now or b""), new, place)
        if not wrong:
            self.settings.append(Accepted(written.path, "config", content, written.mode))
            return
        self.files.refuse("write", written.path)
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
        place = posixpath.normpath(posixpath.join(self.files.real.path, directory, named[0]))
        top = posixpath.dirname(self.files.real.path)
        inside = place.startswith(f"{top}/") and not f"{place}/".startswith(f"{self.files.real.path}/")
        return named[0] if inside and ".git" not in place[len(top) :].split("/") else ""

    def _is_home(self, path: str, content: bytes) -> bool:
        """Whether a linked worktree lies where commands may write, and its `.git` agrees."""
        pointer = os.fsdecode(content).removesuffix("\n")
        if not pointer.endswith("/.git") or "\n" in pointer or os.path.realpath(pointer) != pointer:
            return False
        directory = posixpath.join(self.files.real.path, posixpath.dirname(path))
        return not self._may_name(pointer) and _first_line(pointer) == f"gitdir: {directory}"

    def _drop(self, path: str) -> None:
        self._dropped.append(innermost(path)[0])
        self.files.refuse("create", path)

    def _is_dropped(self, path: str) -> bool:
        return any(path.startswith(f"{directory}/") for directory in self._dropped)

    def _wrong_index(self, path: str, entries: IndexEntries) -> str:
        if entries.damage:
            return f"its index `{path}` cannot be believed: {entries.damage}"
        before = self.files.entries_now(path).gitlinks()
        links = entries.gitlinks()
        worktree = self._worktree_of(path)
        for name in sorted(links - before):
            place = os.fsdecode(name)
            if worktree is None or not self._is_own_submodule(posixpath.join(worktree, place)):
                return f"it stages the repository `{place}`, whose settings a later `git status` would obey"
        if links - before and not self.circumstances.is_alone():
            return "it stages a submodule while another command runs in the same repository"
        self.objects.know(links)
        if hung := entries.directories().items() - self.files.entries_now(path).directories().items():
            self._hung.setdefault(repository_of(path), {}).update(hung)
        return ""

    def _worktree_of(self, path: str) -> str | None:
        """The working tree that an index is of; None for a submodule's."""
        directory, _, is_linked = innermost(path)
        if not directory:
            return posixpath.dirname(self.files.real.path) if self.files.real.path.endswith("/.git") else None
        if not is_linked:
            return None
        for tree in (self.files.upper, self.files.real):
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
        inner = named.removeprefix(f"{self.files.real.path}/")
        is_ours = inner.startswith("modules/") and not self._is_dropped(f"{inner}/")
        return is_ours and any(tree.about(f"{inner}/HEAD") is not None for tree in (self.files.upper, self.files.real))

    def _log(self, path: str, now: bytes | None, draft: bytes) -> bytes:
        """Lines that another process added meanwhile stay."""
        if now is None or draft.startswith(now) or self.files.real.changed_ns(path) <= self.circumstances.began_ns:
            return draft
        told = frozenset(now.splitlines())
        return now + b"".join(line for line in draft.splitlines(keepends=True) if line.rstrip(b"\n") not in told)


def _first_line(path: str) -> str:
    try:
        held = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(held, "rb") as file:
            return os.fsdecode(file.read(POINTER_BYTES_MAX)).removesuffix("\n")
    except OSError:
        return ""


def _replaces(one: Accepted, now: bytes) -> bool:
    """Whether a reference is new by which git shows another object under the name of one: see git-replace(1)."""
    lines = frozenset(one.content.splitlines()) - frozenset(now.splitlines())
    return "refs/replace/" in one.path or any(b" refs/replace/" in line for line in lines)
