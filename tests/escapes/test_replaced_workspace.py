"""A session's directory that lies in the workspace of another one, and becomes a link (threat table, row 1)."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from sandgate import open_gate
from sandgate.errors import ConfinementError
from sandgate.protocol.decisions import Passage
from support.escape.escape_stage import BOTH_BACKENDS

REPLACE = "mv sub old && ln -s {victim} sub"
WRITE = "echo changed >> file"


def code(passage: Passage) -> int | None:
    return None if passage.result is None else passage.result.exit_code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("home", "work/sub", "victim"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "victim/file").write_text("mine\n")
    return tmp_path


def test_the_attack_works_where_nothing_confines(folder: Path) -> None:
    replace, write = REPLACE.format(victim=folder / "victim"), f"cd sub && {WRITE}"
    subprocess.run(["sh", "-c", f"{replace} && {write}"], cwd=folder / "work", check=True)
    assert (folder / "victim/file").read_text() == "mine\nchanged\n"


@BOTH_BACKENDS
@pytest.mark.parametrize("place", ["sub", "sub/below"])
def test_another_sessions_command_cannot_make_a_session_write_elsewhere(folder: Path, backend: str, place: str) -> None:
    """Required: a directory was agreed upon, and not what its name leads to by the time of a command."""
    for top in ("work/sub", "victim"):
        (folder / top / "below").mkdir()
    (folder / "victim/below/file").write_text("mine\n")

    async def sessions() -> None:
        overrides = (f'sandbox.backend="{backend}"', 'approval_policy="never"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(folder / "home")}
        narrow = open_gate(str(folder / "work" / place), overrides=overrides, environ=environ)
        wide = open_gate(str(folder / "work"), overrides=overrides, environ=environ)
        async with narrow as session, wide as other:
            first = await session.run("touch own")
            assert code(first) == 0
            attack = await other.run(REPLACE.format(victim=folder / "victim"))
            assert code(attack) == 0
            with pytest.raises(ConfinementError, match="another one now"):
                await session.run(WRITE)

    asyncio.run(sessions())
    assert (folder / "work/sub").is_symlink()
    assert {path.read_text() for path in folder.glob("victim/**/file")} == {"mine\n"}


@BOTH_BACKENDS
def test_nor_by_a_further_root_of_that_session(folder: Path, backend: str) -> None:
    async def sessions() -> None:
        overrides = (f'sandbox.backend="{backend}"', 'approval_policy="never"')
        more = f'sandbox_workspace_write.writable_roots=["{folder}/work/sub"]'
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(folder / "home")}
        (folder / "elsewhere").mkdir()
        apart = open_gate(str(folder / "elsewhere"), overrides=(*overrides, more), environ=environ)
        wide = open_gate(str(folder / "work"), overrides=overrides, environ=environ)
        async with apart as session, wide as other:
            first = await session.run(f"touch {folder}/work/sub/own")
            assert code(first) == 0
            await other.run(REPLACE.format(victim=folder / "victim"))
            with pytest.raises(ConfinementError, match="cannot make"):
                await session.run(f"cd {folder}/work/sub && {WRITE}")

    asyncio.run(sessions())
    assert (folder / "work/sub").is_symlink()
    assert (folder / "victim/file").read_text() == "mine\n"


def test_a_session_that_is_opened_by_a_link_stands_where_that_leads(folder: Path) -> None:
    """Our choice: a person's own link is followed once."""
    (folder / "link").symlink_to("work")

    async def session() -> bytes:
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(folder / "home")}
        async with open_gate(str(folder / "link"), environ=environ) as gate:
            passage = await gate.run("pwd; touch made")
        return passage.result.stdout if passage.result is not None else b""

    assert asyncio.run(session()) == os.fsencode(f"{folder}/work\n")
    assert (folder / "work/made").exists()
