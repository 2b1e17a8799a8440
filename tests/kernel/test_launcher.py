"""Which way a plan is started."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from sandgate.errors import ConfinementError
from sandgate.kernel.launcher import start
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions


def unconfined_plan(*argv: str, cwd: str = "/", **changes: Any) -> ConfinedCommand:
    env = {"PATH": "/usr/bin:/bin"}
    return ConfinedCommand("none", argv, cwd, env, EffectivePermissions(confined=False), **changes)


def test_plans_for_other_backends_are_not_started() -> None:
    plan = unconfined_plan("true").but(backend="namespace")
    with pytest.raises(ConfinementError, match="namespace"):
        start(plan, stdin=0, stdout=1, stderr=2)


def test_plain_path_imports_neither_ctypes_nor_threading() -> None:
    program = "import sys, sandgate.kernel.plain, sandgate.kernel.launcher; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=True)
    assert not {"ctypes", "threading", "subprocess", "signal", "dataclasses", "enum"} & set(
        done.stdout.decode().split()
    )
