"""Empty things that are made before there is a plan, as many as the last plan took: more, fewer and other ones."""

import os
from pathlib import Path

import pytest

from sandgate.kernel import helper as helper_module
from sandgate.kernel.plan_codec import PREPARE, covers_of, request
from sandgate.protocol.confinement import Mount, SetupFailure
from support.kernel.helper_runs import Outcome, attend, plan_for, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import MountKind

pytestmark = pytest.mark.host("namespace")

SECRET = "correct horse battery"
OLD_KERNEL = 1 << 2  # PREPARE_TEST_OLD_KERNEL of native/sandbox.h: before Linux 6.15
PEEK = 'cd "$1"; shift; for name; do cat "$name" "$name/inside"; chmod 777 "$name"; echo x > "$name/new"; done'


def hidden(place: Path, directories: int, files: int) -> tuple[Mount, ...]:
    """As many of each in `place`, with a secret in each."""
    names: dict[str, MountKind] = {f"d{number}": "hide_directory" for number in range(directories)}
    names |= {f"f{number}": "hide_file" for number in range(files)}
    for name, kind in names.items():
        target = place / name
        if kind == "hide_directory":
            target.mkdir(exist_ok=True)
            target = target / "inside"
        target.write_text(SECRET)
    return tuple(Mount(kind, str(place / name)) for name, kind in names.items())


def peek(
    helper: str, place: Path, mounts: tuple[Mount, ...], expected: tuple[Mount, ...] = (), *, kernel: int = 0
) -> Outcome:
    """Tries to read and to change what `mounts` hide, in a helper that expects to hide `expected`."""
    names = [os.path.basename(mount.path) for mount in mounts]
    plan = plan_for("sh", "-c", PEEK, "sh", str(place), *names, mounts=mounts)
    return run(helper, plan, covers=covers_of(expected) | kernel)


@pytest.mark.parametrize("kernel", [0, OLD_KERNEL])
@pytest.mark.parametrize("expected", [(0, 0), (3, 2), (1, 1), (5, 4), (70, 70)])
def test_what_a_plan_hides_is_hidden_whatever_was_expected(
    helper: str, tmp_path: Path, expected: tuple[int, int], kernel: int
) -> None:
    """Required: also a cover that was made early can be changed by nobody."""
    mounts = hidden(tmp_path, 3, 2)
    other = tmp_path / "other"
    other.mkdir()
    outcome = peek(helper, tmp_path, mounts, hidden(other, *expected), kernel=kernel)
    assert outcome.failure is None
    assert SECRET not in outcome.output
    assert sorted(os.listdir(tmp_path / "d0")) == ["inside"]
    assert (tmp_path / "d0").stat().st_mode & 0o777 != 0o777


def test_without_covers_the_same_names_show_the_secret(helper: str, tmp_path: Path) -> None:
    """The other half: the commands above would read it."""
    names = [os.path.basename(mount.path) for mount in hidden(tmp_path, 3, 2)]
    outcome = run(helper, plan_for("sh", "-c", PEEK, "sh", str(tmp_path), *names))
    assert outcome.output.count(SECRET) == len(names)


@pytest.mark.parametrize("now", ["file", "directory", "link", "nothing"])
def test_a_name_that_is_something_else_by_now_shows_nothing(helper: str, tmp_path: Path, now: str) -> None:
    mounts = hidden(tmp_path, 2, 2)
    secret = tmp_path / "kept"
    secret.write_text(SECRET)
    for mount in mounts:
        path = Path(mount.path)
        path.rename(tmp_path / f"was-{path.name}")
        if now == "file":
            path.write_text(SECRET)
        elif now == "directory":
            path.mkdir()
            (path / "inside").write_text(SECRET)
        elif now == "link":
            path.symlink_to(secret)
    outcome = peek(helper, tmp_path, mounts, mounts)
    assert outcome.failure is None
    assert SECRET not in outcome.output


@pytest.mark.parametrize("kernel", [0, OLD_KERNEL])
def test_the_machines_own_files_in_proc_are_covered_on_every_kernel(helper: str, kernel: int) -> None:
    script = "for name in kcore keys timer_list; do cat /proc/$name; chmod 777 /proc/$name; done"
    outcome = run(helper, plan_for("sh", "-c", script), covers=kernel)
    assert outcome.failure is None
    told = outcome.output.splitlines()
    assert len(told) == 2 * 3
    assert all("Permission denied" in line or "Read-only" in line or "No such file" in line for line in told)


def test_a_cover_below_a_directory_that_is_covered_later_in_the_plan(helper: str, tmp_path: Path) -> None:
    """Required: a directory that was found for one name is not used when something lies over it."""
    mounts = hidden(tmp_path, 1, 0)
    inner = tmp_path / "d0" / "inside"
    plan = (
        Mount("hide_file", str(inner)),
        Mount("hide_directory", str(tmp_path / "d0")),
        Mount("hide_file", str(inner)),
    )
    outcome = peek(helper, tmp_path, plan, mounts)
    assert outcome.failure is None
    assert SECRET not in outcome.output


def test_so_many_of_each_kind_are_counted() -> None:
    hidden_things = (
        Mount("hide_directory", "/a"),
        Mount("hide_file", "/b"),
        Mount("read", "/r"),
        Mount("hide_file", "/c"),
    )
    assert covers_of(hidden_things) == 1 << 8 | 2 << 16
    assert covers_of(tuple(Mount("hide_file", f"/{number}") for number in range(500))) == 64 << 16


@pytest.mark.parametrize("wanted", [1 << 3, 1 << 7, 65 << 8, 65 << 16, 1 << 24])
def test_a_helper_takes_no_order_it_does_not_know(helper: str, null: int, wanted: int) -> None:
    prepared = helper_module.prepare(helper, network="off", covers=wanted)
    child = prepared.start(plan_for("true"), stdin=null, stdout=null, stderr=null)
    attend(child)
    assert isinstance(child.failure, SetupFailure)
    assert child.failure.step == "read order"
    assert request(PREPARE, wanted)[4:] == wanted.to_bytes(4, "little")
