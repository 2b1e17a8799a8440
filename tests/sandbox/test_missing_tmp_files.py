"""The sentence about a file that the host's /tmp has and the project's has not."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.protocol.permissions import PrivateTmp
from sandgate.runtime import Environment, open_runtime
from sandgate.sandbox.missing_tmp_files import unseen_in_tmp


@pytest.fixture
def hosts() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        (Path(name) / "x.sh").write_text("")
        yield Path(name)


@pytest.mark.parametrize(
    "argv", [("bash", "{}"), ("sh", "-c", "cat <{}; true"), ("a", "--file={}"), ("sh", "-c", "x='{}'; . $x")]
)
def test_it_names_the_file_the_place_and_the_ways_out(tmp_path: Path, hosts: Path, argv: tuple[str, ...]) -> None:
    """Required, literally."""
    path = hosts / "x.sh"
    said = unseen_in_tmp(tuple(word.format(path) for word in argv), PrivateTmp("/tmp", str(tmp_path)))
    assert said == (
        f"`{path}` is not there for commands: their `/tmp` is the project's own (here `{tmp_path}`). Copy it into the "
        f"workspace, name its directory with `--add-dir`, or share with `-c 'sandbox.tmp=\"shared\"'`"
    )


def test_nothing_is_said_of_what_is_there_or_was_nowhere(tmp_path: Path, hosts: Path) -> None:
    (tmp_path / hosts.name).mkdir()
    (tmp_path / hosts.name / "x.sh").write_text("")
    tmp = PrivateTmp("/tmp", str(tmp_path))
    assert unseen_in_tmp(("bash", f"{hosts}/x.sh"), tmp) == ""
    assert unseen_in_tmp(("bash", f"{hosts}/y.sh"), tmp) == ""
    assert unseen_in_tmp(("bash", f"/ws{hosts}/x.sh"), PrivateTmp("/tmp", "/nowhere")) == ""
    assert unseen_in_tmp(("bash", f"{hosts}/x.sh"), PrivateTmp("/tmp", "/nowhere", (str(hosts),))) == ""
    assert unseen_in_tmp(("bash", f"{hosts}/x.sh"), None) == ""


@pytest.mark.host("namespace")
def test_a_model_is_told_also_when_the_command_lived_on(tmp_path: Path, hosts: Path) -> None:
    for name in ("repo", "home"):
        (tmp_path / name).mkdir()
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home")}
    with open_runtime(Environment(str(tmp_path / "repo"), environ)) as session:
        for wait in ("", "sleep 0.3; "):
            answer = session.exec_command(f"{wait}cat {hosts}/x.sh", login=False, yield_time_ms=10_000)
            assert answer.exit_code == 1
            assert [f"{hosts}/x.sh" in notice for notice in answer.notices] == [True]
