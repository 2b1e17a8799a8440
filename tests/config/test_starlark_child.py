"""The child's own program: what it answers on stdout. How it is held is in `test_starlark_files.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from sandgate.config import starlark_child

LIMITS = {
    "import_path": [entry for entry in sys.path if entry],
    "memory_bytes": 1 << 28,
    "processor_s": 5,
    "rules": 2,
    "answer_bytes": 200,
}


def answered(source: str) -> dict[str, Any]:
    command = [sys.executable, "-I", "-S", starlark_child.__file__, json.dumps(LIMITS)]
    ended = subprocess.run(command, input=source.encode(), capture_output=True, check=True, timeout=60)
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_it_answers_with_the_calls_and_their_lines() -> None:
    assert answered('\nhost_executable("git", paths = [])') == {
        "calls": [["host_executable", ["git"], {"paths": []}, 2]]
    }


def test_it_answers_with_the_cause_and_its_line() -> None:
    assert answered("x = 1\nfail('no')") == {"error": "fail: no", "line": 2}


def test_it_keeps_the_limits_of_rules_and_of_bytes() -> None:
    assert answered("[prefix_rule([]) for i in range(3)]")["error"] == "more rules than one file may have"
    assert answered("prefix_rule(['a' * 300])") == {"error": "its rules are too long"}
