"""A program with the setuid bit gains nothing (threat table, row 22)."""

import os
import shutil

import pytest

from escape_stage import BOTH_BACKENDS, Stage


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a setuid program for the test")
@BOTH_BACKENDS
def test_a_setuid_program_keeps_the_users_identity(stage: Stage, backend: str) -> None:
    if stage.uid == 0:
        return  # root has nothing to gain
    program = stage.repo / "become"
    shutil.copy("/usr/bin/id", program)
    os.chown(program, 0, 0)
    program.chmod(0o4755)
    assert stage.unconfined([str(program), "-u"]).stdout == "0\n"
    assert stage.confined([str(program), "-u"], backend=backend).stdout == f"{stage.uid}\n"
