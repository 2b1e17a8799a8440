"""What kind of place a path is: the one table of directories and files that matter to people.

A place is decided by the path's text and the circumstances (home, workspace); links have been resolved by whoever
supplied the facts. The order of the questions in `place_of` is the order of severity.
"""

from __future__ import annotations

from sandgate.assessment.listing import words
from sandgate.places.home import standing
from sandgate.places.home_startup import STARTUP
from sandgate.places.run_later import agent_order_names
from sandgate.places.secrets import FILES_IN_HOME, kept_in_home, kept_on_machine, named_for_secrets
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.assessment.facts import AssessmentFacts

    PlaceKind = Literal[
        "root", "home", "device", "harmless", "credentials", "startup", "repository", "system", "trunk", "build",
        "workspace", "temporary", "temporary-root", "cache", "personal", "elsewhere",
    ]  # fmt: skip


class Place(Record):
    """A path and what it means."""

    kind: PlaceKind
    path: str
    words: str  # as part of a sentence: "your home directory"


HARMLESS_DEVICES = frozenset(
    words("/dev/null /dev/zero /dev/full /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/random /dev/urandom")
)
SYSTEM_TREES = words("/etc /usr /bin /sbin /lib /lib32 /lib64 /boot /sys /proc /var /opt /run /srv /root /efi")
# Working here does not make it a project.
NO_WORKSPACES = words("/etc /bin /sbin /lib /lib32 /lib64 /boot /sys /proc /run /dev /usr/bin /usr/sbin /usr/lib /efi")
USER_TREES = ("/home", "/Users")  # the parents of home directories
TEMPORARY_TREES = ("/tmp", "/var/tmp", "/dev/shm")

# More names than deserve a question: here, a certificate that turns out to be one costs nothing.
CREDENTIAL_ENDINGS = (".pem", ".asc", ".gpg")
KEY_BEGINNINGS = ("/etc/ssh/ssh_host", "/root/.ssh", "/etc/sudoers")
PUBLIC_NAMES = frozenset({"known_hosts", "authorized_keys", "config"})  # readable without harm
CACHES = words(".cache/ .npm/ .cargo/registry/ .gradle/caches/ .nuget/ go/pkg/ .local/share/Trash/")
BUILD_OUTPUTS = frozenset(
    words("""
    build dist out target node_modules .venv venv env __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox
    .cache .next .nuxt .parcel-cache .turbo .gradle .eggs coverage htmlcov .coverage .hypothesis bin obj
    cmake-build-debug cmake-build-release _build site .terraform .serverless .angular .svelte-kit DerivedData Pods
    bower_components storybook-static public_html .sass-cache .nyc_output tmp temp logs log test-results
    playwright-report
    """)
)
# Build outputs that are made for others to read.
MADE_TO_SHIP = frozenset(
    words("""
    build dist out target site _site _build public public_html coverage htmlcov storybook-static release artifacts
    test-results playwright-report
    """)
)
# Of a project: what an agent that works in it may do unasked, and what it starts. With everything below.
AGENT_SETTINGS = frozenset(agent_order_names())
_AGENTS_FIRST = frozenset([name.partition("/")[0] for name in AGENT_SETTINGS])
FOUND = "found*"  # stands for "some files below", when a filter decides which
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj"})


def below(path: str, tree: str) -> bool:
    """Whether `path` is `tree` or lies in it."""
    return path == tree or path.startswith(tree.rstrip("/") + "/")


class _Trees:
    """Relative paths to compare with, where a trailing slash means everything below: two looks instead of one each."""

    __slots__ = ("_above", "_exact")

    def __init__(self, trees: frozenset[str] | tuple[str, ...]) -> None:
        self._exact = frozenset([tree.rstrip("/") for tree in trees])
        self._above = tuple([tree for tree in trees if tree.endswith("/")])

    def hold(self, inner: str) -> bool:
        """Whether `inner` is one of them, or below one of them."""
        return inner in self._exact or inner.startswith(self._above)


_STARTUP, _CACHES = _Trees(STARTUP), _Trees(CACHES)
_SYSTEM = tuple([f"{tree}/" for tree in SYSTEM_TREES])
_NO_WORKSPACES = tuple([f"{tree}/" for tree in NO_WORKSPACES])


class _Scene:
    """What every question about the same circumstances would work out again."""

    __slots__ = ("facts", "homes", "roots", "temporary")

    def __init__(self, facts: AssessmentFacts) -> None:
        self.facts = facts
        self.homes = homes(facts)
        self.roots = tuple(
            [
                (root, root.rstrip("/") + "/")
                for root in dict.fromkeys((facts.cwd, *facts.writable_roots))
                if root not in TEMPORARY_TREES
                and root != "/"
                and root not in self.homes
                and not f"{root}/".startswith(_NO_WORKSPACES)
            ]
        )
        own = facts.environment.get("TMPDIR", "").rstrip("/")
        self.temporary = (*TEMPORARY_TREES, *((own,) if own.startswith("/") else ()))


_last_scene: _Scene | None = None


def _scene(facts: AssessmentFacts) -> _Scene:
    global _last_scene
    scene = _last_scene
    if scene is None or scene.facts is not facts:
        scene = _last_scene = _Scene(facts)
    return scene


def homes(facts: AssessmentFacts) -> tuple[str, ...]:
    """The account's home and the one the command believes in, when it is a real directory of its own."""
    claimed = facts.environment.get("HOME", "").rstrip("/")
    found = [facts.home.rstrip("/")]
    if claimed.startswith("/") and claimed not in found:
        found.append(claimed)
    return tuple(home for home in found if home)


def place_of(path: str, facts: AssessmentFacts) -> Place:
    """The kind of place `path` (absolute, normalised) is."""
    if path == "/":
        return Place("root", path, "the whole file system")
    if path.startswith("/dev"):
        if path in HARMLESS_DEVICES or below(path, "/dev/fd") or below(path, "/dev/pts"):
            return Place("harmless", path, "")
        if below(path, "/dev") and not below(path, "/dev/shm"):
            return Place("device", path, "a device")
    scene = _scene(facts)
    return (
        _home_place(path, scene)
        or _secret_name(path)
        or _agents_place(path, scene)
        or _repository_place(path)
        or _work_place(path, scene)
        or _other_place(path, scene)
    )


def _home_place(path: str, scene: _Scene) -> Place | None:
    tree = f"{path}/"
    for home in scene.homes:
        if f"{home}/".startswith(tree):
            return Place("home", path, "your home directory" if path == home else "a directory that holds your home")
        if not tree.startswith(f"{home}/"):
            continue
        inner = path[len(home) + 1 :]
        if _STARTUP.hold(inner) and inner not in FILES_IN_HOME:
            return Place("startup", path, "code or settings that run by themselves")
        if kept_in_home(inner):
            return Place("credentials", path, "private keys or credentials")
    return None


def may_be_private(place: Place, facts: AssessmentFacts) -> bool:
    """Whether it is an entry of a home of which nobody knows that it is harmless; confined, nobody may read it."""
    if place.kind not in ("personal", "system", "startup"):  # root's home is both of the first
        return False
    if place.kind == "startup" and any(below(place.path, root) for root in (facts.cwd, *facts.writable_roots)):
        return False  # somebody works on their settings
    inners = [place.path[len(home) + 1 :] for home in homes(facts) if place.path.startswith(f"{home}/")]
    return any(standing(inner) == "unknown" for inner in inners)


def _secret_name(path: str) -> Place | None:
    name = path.rsplit("/", 1)[-1]
    if (
        named_for_secrets(name)
        or name.endswith(CREDENTIAL_ENDINGS)
        or kept_on_machine(path)
        or path.startswith(KEY_BEGINNINGS)
        or (path.startswith("/proc/") and name == "environ")
    ):
        return Place("credentials", path, "secrets")
    return None


def _agents_place(path: str, scene: _Scene) -> Place | None:
    """Of a project. In a home they lie beside what an agent keeps for itself, and `_home_place` tells them apart."""
    directory, *inner = path.split("/")
    if _AGENTS_FIRST.isdisjoint(inner):
        return None
    for at, name in enumerate(inner):
        if name in AGENT_SETTINGS or "/".join(inner[at : at + 2]) in AGENT_SETTINGS:
            if directory in scene.homes:
                return None
            return Place("startup", path, "what an agent may do and starts by itself")
        directory = f"{directory}/{name}"
    return None


def _repository_place(path: str) -> Place | None:
    parts = path.split("/")
    for name in parts:
        if name in VERSION_CONTROL:
            if "hooks" in parts or parts[-1] in {"config", "attributes"}:
                return Place("startup", path, "code that git runs by itself")
            return Place("repository", path, "the history of a repository")
    return None


def _work_place(path: str, scene: _Scene) -> Place | None:
    for root, tree in scene.roots:
        if path.startswith(tree) and path != root:
            inner = path[len(tree) :].split("/")
            if not BUILD_OUTPUTS.isdisjoint(inner) or any(name.endswith(".egg-info") for name in inner):
                return Place("build", path, "build output")
            return Place("workspace", path, "the workspace")
        if below(root, path):
            if path != root and path in SYSTEM_TREES:
                return None
            return Place("trunk", path, "the whole workspace" if path == root else "a directory above the workspace")
    return None


def made_to_ship(path: str, facts: AssessmentFacts) -> bool:
    """Whether `path` is in a project's directory of finished things, which are meant for others."""
    if not below(path, facts.cwd) or place_of(path, facts).kind not in {"build", "workspace"}:
        return False
    return path[len(facts.cwd) :].strip("/").split("/")[0] in MADE_TO_SHIP


def _kept(path: str, temporary: str, scene: _Scene) -> bool:
    """Whether a home lies in that temporary directory, and `path` in the home."""
    return any(below(path, home) and below(home, temporary) and home != temporary for home in scene.homes)


def _other_place(path: str, scene: _Scene) -> Place:
    around = [tree for tree in scene.temporary if below(path, tree)]
    if around and not _kept(path, max(around, key=len), scene):
        if path in around:
            return Place("temporary-root", path, "the shared temporary directory")
        return Place("temporary", path, "temporary files")
    for home in scene.homes:
        if below(path, home):
            cached = _CACHES.hold(path[len(home) + 1 :])
            return Place("cache", path, "a cache") if cached else Place("personal", path, "your own files")
    if path in USER_TREES or any(below(path, tree) for tree in USER_TREES):
        return Place("personal", path, "files of a user")
    if f"{path}/".startswith(_SYSTEM) or path.count("/") == 1:
        return Place("system", path, "part of the system")
    return Place("elsewhere", path, "files outside the workspace")
