from __future__ import annotations

import subprocess
import sys

from sandgate import errors


def test_every_error_is_found_by_its_name() -> None:
    found = [getattr(errors, name) for name in errors.__all__]
    assert [each.__name__ for each in found] == errors.__all__
    assert all(issubclass(each, errors.SandgateError) for each in found)


def test_what_a_plain_command_cannot_meet_is_not_made_for_it() -> None:
    asked = "import sys, sandgate.errors as e; e.LaunchError; print('sandgate.errors.beyond_commands' in sys.modules)"
    assert subprocess.check_output((sys.executable, "-c", asked), text=True) == "False\n"
