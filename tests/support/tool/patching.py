"""Patches against real files: what most tests of `sandgate.patch` begin with."""

from __future__ import annotations

import os
from pathlib import Path

from sandgate.patch.apply import Applied, apply_plan
from sandgate.patch.disk_lookup import Tree
from sandgate.patch.parse import parse_patch
from sandgate.patch.plan import PatchPlan, plan_patch
from sandgate.protocol.permissions import EffectivePermissions


def wrapped(body: str) -> str:
    """A patch from its hunks."""
    return f"*** Begin Patch\n{body}\n*** End Patch\n"


def planned(folder: Path, body: str, permissions: EffectivePermissions | None = None) -> PatchPlan:
    """The plan of a patch that begins in `folder`."""
    return plan_patch(parse_patch(wrapped(body)), cwd=str(folder), tree=Tree(permissions))


def patched(folder: Path, body: str, permissions: EffectivePermissions | None = None) -> Applied:
    """The same, applied."""
    return apply_plan(planned(folder, body, permissions), permissions)


def within(
    *roots: Path, read_only: tuple[str, ...] = (), absent: tuple[str, ...] = (), hidden: tuple[str, ...] = ()
) -> EffectivePermissions:
    """Permissions with these writable roots."""
    return EffectivePermissions(tuple(map(str, roots)), read_only, absent=absent, hidden=hidden)


def tree_of(folder: Path) -> dict[str, bytes | str]:
    """Every file below `folder` by its relative path with what it holds; a link as "-> target"."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name + "/"] = b""
    return found
