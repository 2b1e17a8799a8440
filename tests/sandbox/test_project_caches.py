"""Which commands get which layers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.gate.question_reason import only_reads
from sandgate.protocol.confinement import Mount, Overlay
from sandgate.protocol.trace import Notice
from sandgate.runtime import Environment, Runtime, open_runtime
from sandgate.sandbox import cache_layers
from sandgate.sandbox.memory import LaterLook
from sandgate.sandbox.project_caches import ProjectCaches, is_cache_of, with_overlays, writing_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.trace import TraceRecord

pytestmark = pytest.mark.host("namespace")


class Home:
    """A session whose home has caches."""

    def __init__(self, folder: Path) -> None:
        self.path, self.repo = folder / "home", folder / "repo"
        self.repo.mkdir()
        for name in (".cache", ".npm", ".m2/repository", "go/pkg"):
            (self.path / name).mkdir(parents=True)
        self.said: list[TraceRecord] = []

    def open(self, *overrides: str) -> Runtime:
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(self.path)}
        typed = TypedOverrides(sandbox_mode="workspace-write")
        return open_runtime(
            Environment(str(self.repo), environ, overrides=overrides, typed=typed), record=self.said.append
        )

    def plan(self, *argv: str, overrides: tuple[str, ...] = ()) -> ConfinedCommand:
        with self.open(*overrides) as runtime:
            command = runtime.request(argv)
            return runtime.confinement.plan(command, (), reads=only_reads(runtime.gate.verdict(command)))

    def layered(self, *argv: str) -> list[str]:
        return [str(Path(one.lower).relative_to(self.path)) for one in self.plan(*argv).overlays]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_command_has_layers_over_the_caches_that_its_programs_use(home: Home) -> None:
    every = [".cache", ".npm", "go/pkg", ".m2/repository"]
    assert home.layered("make", "test") == every
    assert home.layered("pip", "install", "x") == [".cache"]
    assert home.layered("bash", "-lc", "cd a && go test ./... | tee log") == [".cache", "go/pkg"]
    assert home.layered("bash", "-lc", "mkdir -p a; touch a/b") == []
    assert home.layered("sh", "-c", 'for f in *; do mv "$f" $$.old; done; find . -name x -exec rm {} +') == []
    assert home.layered("sh", "-c", "find . -name x -exec ./unknown {} +") == every
    assert home.layered("sh", "-c", "$x") == home.layered("bash", "-c", 'eval "$x"') == every
    assert home.layered("sh", "-c", "echo x > ~/.npm/x") == [".npm"]


def test_what_only_reads_has_the_layers_that_it_names(home: Home) -> None:
    assert home.layered("true") == home.layered("git", "status") == home.layered("cat", "a.txt") == []
    assert home.layered("cat", f"{home.path}/.npm/_logs/x.log") == [".npm"]
    assert home.layered("sh", "-c", "ls ~/.cache") == [".cache"]


@pytest.mark.parametrize(
    ("argv", "name", "is_one"),
    [
        (("cargo", "run"), ".cargo", True),
        (("cargo", "run"), ".cargo/registry/index", True),
        (("cargo", "run"), ".cargos", False),
        (("cargo", "run"), ".npm", False),
        (("mvn", "verify"), ".m2", True),  # what its cache would lie in
        (("mvn", "verify"), ".m2/settings.xml", False),
        (("./unknown",), ".npm/_cacache", True),
        (("mkdir", "x"), ".cargo", False),
        (("sh", "-c", "cargo run --config ~/.cargo/x"), ".cargo", False),
    ],
)
def test_which_caches_a_command_may_go_on_without(home: Home, argv: tuple[str, ...], name: str, is_one: bool) -> None:
    assert is_cache_of(f"{home.path}/{name}", home.plan(*argv)) is is_one


def test_reading_loads_nothing_for_it(home: Home) -> None:
    """Required: an ordinary command does not pay for what it does not use."""
    loaded = ("sandgate.sandbox.project_caches", "sandgate.places.caches")
    before = {name: sys.modules.pop(name, None) for name in loaded}
    try:
        home.plan("true")
        assert home.layered("apply_patch", "*** Add File: ~/.cache/x") == []
        assert [name for name in loaded if name in sys.modules] == []
    finally:
        sys.modules.update({name: module for name, module in before.items() if module is not None})


def test_a_cache_that_is_writable_or_closed_has_no_layer(home: Home) -> None:
    (home.path / ".cache/ws").mkdir()
    writable = f'additional_writable_roots=["{home.path}/.npm"]'
    closed = f'secrets.hidden=["{home.path}/go"]'
    plan = home.plan("make", overrides=(writable, closed))
    assert [Path(one.lower).name for one in plan.overlays] == [".cache", "repository"]


def test_a_link_leads_to_the_place_itself(home: Home, tmp_path: Path) -> None:
    (home.path / ".npm").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (home.path / ".npm").symlink_to(tmp_path / "elsewhere")
    assert str(tmp_path / "elsewhere") in [one.lower for one in home.plan("npm", "ci").overlays]


@pytest.mark.parametrize("mode", ["off", "shared"])
def test_other_settings_have_no_layers(home: Home, mode: str) -> None:
    plan = home.plan("make", overrides=(f'sandbox.caches="{mode}"',))
    assert plan.overlays == ()
    assert (str(home.path / ".cache") in plan.permissions.writable) is (mode == "shared")


def test_a_disk_that_is_nearly_full_is_told_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_layers, "FREE_BYTES_MIN", 1 << 62)
    with home.open() as runtime:
        plans = [runtime.confinement.plan(runtime.request(("make",)), ()) for _ in range(2)]
    assert [plan.overlays for plan in plans] == [(), ()]
    assert sum("nearly full" in one.message for one in home.said if isinstance(one, Notice)) == 1


def remove_layer(layer: Overlay) -> None:
    assert cache_layers.remove(os.path.dirname(layer.upper)) == "removed"


def close_layer(layer: Overlay) -> None:
    os.chmod(layer.upper, 0)


def make_another_cache(layer: Overlay) -> None:
    os.mkdir(f"{os.path.dirname(layer.lower)}/.cargo")


def remove_cache(layer: Overlay) -> None:
    os.rmdir(layer.lower)


def lead_cache_elsewhere(layer: Overlay) -> None:
    os.rename(layer.lower, f"{layer.lower}-elsewhere")
    os.symlink(f"{layer.lower}-elsewhere", layer.lower)


def say_it_was_too_large(layer: Overlay) -> None:
    stamp = os.path.join(os.path.dirname(os.path.dirname(layer.upper)), cache_layers.STAMP)
    os.utime(stamp, (cache_layers.TOO_LARGE_S, cache_layers.TOO_LARGE_S))


CHANGES = (remove_layer, close_layer, make_another_cache, remove_cache, lead_cache_elsewhere, say_it_was_too_large)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_owed", [False, True])
def test_what_was_given_is_given_again_until_something_is_different(
    home: Home, change: Callable[[Overlay], None], is_owed: bool
) -> None:
    """Required: at once, or by the look that is owed before the command begins; then a plan is made anew."""
    with home.open() as runtime:
        plan = runtime.confinement.plan(runtime.request(("make",)), ())
        caches = ProjectCaches([str(home.path)])
        bare = plan.but(overlays=(), mounts=tuple(mount for mount in plan.mounts if mount.kind != "overlay"))
        private = os.path.join(plan.overlays[0].upper.partition("/caches-")[0], "tmp")

        def added(later: LaterLook) -> tuple[Overlay, ...]:
            return caches.added(bare, lambda: private, reads=False, later=later)[0].overlays

        later = LaterLook()
        first = added(later)
        if is_owed:
            later.owe(lambda: True)
        assert [*map(id, added(later))] == [*map(id, first)]
        change(first[0])
        if is_owed:
            assert not later.stands()
        again, afresh = added(later), ProjectCaches([str(home.path)]).added(bare, lambda: private, reads=False)[0]
        assert again == afresh.overlays
        assert [os.stat(one.upper).st_mode & 0o700 for one in again] == [0o700] * len(again)
        assert later.stands()


def test_a_full_disk_is_noticed_by_the_look_that_is_owed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, later = home.plan("make"), LaterLook()
    caches = ProjectCaches([str(home.path)])
    private = os.path.join(plan.overlays[0].upper.partition("/caches-")[0], "tmp")
    bare = plan.but(overlays=(), mounts=())
    caches.added(bare, lambda: private, reads=False)
    later.owe(lambda: True)
    assert caches.added(bare, lambda: private, reads=False, later=later)[0].overlays != ()
    monkeypatch.setattr(cache_layers, "FREE_BYTES_MIN", 1 << 62)
    assert not later.stands()
    anew, said = caches.added(bare, lambda: private, reads=False, later=later)
    assert (anew.overlays, "nearly full" in said) == ((), True)


def test_programs_are_named_as_they_are_started() -> None:
    assert writing_programs(("/usr/bin/git", "commit", "-m", "x")) == {"git-commit"}
    assert writing_programs(("bash", "-c", "npm ci && ./run.sh")) == {"npm", "run.sh"}
    assert writing_programs(("bash", "-c", "cat a > b && FOO=1 pytest -q 2>&1 | tail -3 >log")) == {"pytest"}
    assert writing_programs(("bash", "-c", "for x in $(y); do $x; done")) == {"y", "$x"}
    assert writing_programs(("timeout", "5", "env", "A=1", "npm", "ci")) == {"npm"}
    assert writing_programs(("sh", "-c", "find . -name '*.py' | xargs black; rm f$$")) == {"black", "rm"}
    assert writing_programs(("bash", "build.sh")) == {"bash"}
    assert writing_programs(("npx", "eslint", ".")) == {"npx", "eslint"}
    assert writing_programs(("sh", "-c", "")) == {"sh"}


def test_the_layer_takes_the_place_of_a_read_only_one() -> None:
    overlay = Overlay("/h/.m2/repository", "/u", "/w")
    before = (
        Mount("hide_directory_with_openings", "/h/.m2"),
        Mount("read", "/h/.m2/repository"),
        Mount("write", "/ws"),
    )
    assert with_overlays(before, (overlay,)) == (
        Mount("write", "/ws"),
        Mount("hide_directory_with_openings", "/h/.m2"),
        Mount("overlay", "/h/.m2/repository"),
    )


@pytest.mark.host("overlay")
def test_a_session_keeps_its_layers_mounted_and_a_lone_command_does_not(home: Home) -> None:
    """Required: what is cleared in between is neither seen nor written by the next command of the session."""
    job = home.repo / "job"
    job.write_text("#!/bin/sh\necho x >> ~/.cache/made; cat ~/.cache/made\n")
    job.chmod(0o755)

    works = [Path(one.work) for one in home.plan("./job").overlays]

    def holders() -> set[str]:
        claims = [(work / "claim").read_text() for work in works if (work / "claim").exists()]
        return {line.split()[0] for claim in claims for line in claim.splitlines()}

    def said(runtime: Runtime) -> bytes:
        result = runtime.run(runtime.request(("./job",))).result
        assert result is not None
        return result.stdout

    with home.open("approval_policy=never") as runtime:
        assert said(runtime) == b"x\n"
        kept = holders()
        assert (said(runtime), holders(), len(kept)) == (b"x\nx\n", kept, 4)
        assert cache_layers.remove(str(works[0].parent.parent)) == "removed"
        assert (said(runtime), said(runtime)) == (b"x\n", b"x\nx\n")
    with home.open("approval_policy=never") as lone:
        lone.confinement.expect_one_command()
        assert said(lone) == b"x\nx\nx\n"
        assert holders() == set()
