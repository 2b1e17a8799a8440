"""What a view is made for, and what a supervisor carries out."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.errors import ConfinementError
from sandgate.protocol.permissions import ESCALATE, EffectivePermissions, Grant
from sandgate.sandbox.carried_grants import parted


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("ws", "dir", "ws/.git", ".hidden", "ours"):
        (tmp_path / name).mkdir()
    for name in ("file", ".hidden/there"):
        (tmp_path / name).write_text("x")
    return tmp_path


def permissions(place: Path) -> EffectivePermissions:
    return EffectivePermissions(
        writable=(f"{place}/ws",), hidden=(f"{place}/.hidden", f"{place}/ours"), sealed=(f"{place}/ours",)
    )


def parts(place: Path, *grants: Grant, settled: tuple[Grant, ...] = ()) -> tuple[set[Grant], set[Grant]]:
    view, carried = parted(settled, grants, lambda _given: permissions(place))
    return set(view), set(carried)


def test_a_file_is_carried_out_and_a_directory_is_mounted(place: Path) -> None:
    file, new = Grant("write_path", f"{place}/file"), Grant("new_entry", f"{place}/new")
    directory, root = Grant("write_path", f"{place}/dir"), Grant("write_root", f"{place}/dir")
    assert parts(place, file, new, directory, root) == ({directory, root}, {file, new})


@pytest.mark.parametrize("name", ["ws/.git/config", ".hidden/there", "ws/.envrc"])
def test_what_only_a_view_opens_is_mounted(place: Path, name: str) -> None:
    grant = Grant("write_path", f"{place}/{name}")
    assert parts(place, grant) == ({grant}, set())


def test_without_a_sandbox_nothing_is_parted(place: Path) -> None:
    file = Grant("write_path", f"{place}/file")
    assert parts(place, file, ESCALATE) == ({file, ESCALATE}, set())


def test_what_is_written_in_settings_is_named_as_calls_name_it(place: Path) -> None:
    (place / "link").symlink_to("dir")
    written = Grant("new_entry", f"{place}/link/../link/new")
    assert parts(place, settled=(written,))[1] == {Grant("new_entry", f"{place}/dir/new")}


def test_a_link_that_a_command_could_have_made_leads_nowhere(place: Path) -> None:
    """Required: or a command would choose what the next one may change."""
    (place / "ws/link").symlink_to("../dir")
    with pytest.raises(ConfinementError, match="cannot grant"):
        parts(place, settled=(Grant("new_entry", f"{place}/ws/link/new"),))


@pytest.mark.parametrize("path", ["{place}/ours/rules", "/proc/self/mem", "/dev/sda"])
def test_what_is_ours_or_the_kernels_is_never_given(place: Path, path: str) -> None:
    with pytest.raises(ConfinementError, match="cannot grant"):
        parts(place, Grant("new_entry", path.format(place=place)))
