"""What configuration costs a command when there is none."""

import subprocess
import sys

from support.config.config_machine import Machine

HEAVY = {"tomllib", "json", "re", "typing", "difflib", "pathlib", "enum", "collections", "dataclasses"}

PROBE = """
import sys
from time import perf_counter_ns
before = set(sys.modules)
from sandgate.config import load_settings
def once():
    started = perf_counter_ns()
    load_settings(cwd=sys.argv[1], environ={"HOME": sys.argv[2]}, system_dir=sys.argv[3])
    return perf_counter_ns() - started
print(min(once() for _ in range(20)))
print(*set(sys.modules) - before)
"""

LOAD_NS_MAX = 1_000_000


def test_without_files_loading_is_quick_and_imports_nothing_heavy(machine: Machine) -> None:
    """Required: a governed command pays for this every time."""
    argv = [sys.executable, "-c", PROBE, str(machine.project), str(machine.home), str(machine.system)]
    took_ns, imported = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    assert set(imported.split()) & HEAVY == set()
    assert int(took_ns) < LOAD_NS_MAX


def test_plain_words_and_numbers_on_the_command_line_need_no_toml_parser(machine: Machine) -> None:
    probe = PROBE.replace(
        "environ=", 'overrides=("sandbox_mode=read-only", "rules.enabled=true", "exec.timeout_ms=500"), environ='
    )
    argv = [sys.executable, "-c", probe, str(machine.project), str(machine.home), str(machine.system)]
    imported = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()[1]
    assert "tomllib" not in imported.split()
