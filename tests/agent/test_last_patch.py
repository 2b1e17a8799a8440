"""The last patch of a project: kept for the next program, taken back once."""

from __future__ import annotations

from pathlib import Path

from sandgate.agent.last_patch import LastPatch
from sandgate.runtime import Environment, open_runtime
from support.tool.patching import tree_of, wrapped


def test_each_project_keeps_its_own_last_patch(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with open_runtime(Environment(cwd=str(tmp_path / name), environ=environ)) as runtime:
            done = [runtime.apply_patch(wrapped(f"*** Add File: {name}-{number}\n+x")) for number in (1, 2)]
            kept = LastPatch(environ, str(tmp_path / name))
            kept.keep(runtime, [done[0].call_id])
            kept.keep(runtime, ["of no patch", done[1].call_id])
            kept.keep(runtime, [])
    with open_runtime(Environment(cwd=str(tmp_path / "one"), environ=environ)) as later:
        assert LastPatch(environ, str(tmp_path / "one")).take_back(later) == (f"{tmp_path}/one/one-2",)
        assert LastPatch(environ, str(tmp_path / "one")).take_back(later) == ()
    assert tree_of(tmp_path / "one") == {"one-1": b"x\n"}
    assert tree_of(tmp_path / "two") == {"two-1": b"x\n", "two-2": b"x\n"}


def test_without_a_home_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    with open_runtime(Environment(cwd=str(tmp_path / "repo"), environ=environ)) as runtime:
        done = runtime.apply_patch(wrapped("*** Add File: f\n+x"))
        LastPatch({"HOME": "/dev/null/none"}, str(tmp_path / "repo")).keep(runtime, [done.call_id])
    assert done.exit_code == 0
