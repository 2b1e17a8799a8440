"""Runs the benchmarks: `python bench/run.py [--rounds N] [WORKLOAD …]`."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "src")]
sys.dont_write_bytecode = False  # a program that never caches its byte code measures the compiler

from agent_scale_workloads import AGENT_SCALE_WORKLOADS  # noqa: E402  the path must be set first
from agent_workloads import AGENT_WORKLOADS  # noqa: E402  the path must be set first
from held_workloads import HELD_WORKLOADS  # noqa: E402  the path must be set first
from judge_workloads import JUDGE_WORKLOADS  # noqa: E402  the path must be set first
from mcp_workloads import MCP_WORKLOADS  # noqa: E402  the path must be set first
from terminal_workloads import TERMINAL_WORKLOADS  # noqa: E402  the path must be set first
from workloads import WORKLOADS  # noqa: E402

ROUNDS = 20


def main() -> None:
    """Read the command line and print one table after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = ", ".join(
        [
            *WORKLOADS,
            *HELD_WORKLOADS,
            *JUDGE_WORKLOADS,
            *TERMINAL_WORKLOADS,
            *MCP_WORKLOADS,
            *AGENT_WORKLOADS,
            *AGENT_SCALE_WORKLOADS,
        ]
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {names}; all by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--peers", action="store_true", help="live terminals: the other products too (slow)")
    options = parser.parse_args()
    workloads: dict[str, Callable[[Path, Path, int], str]] = {
        **WORKLOADS,
        **HELD_WORKLOADS,
        **JUDGE_WORKLOADS,
        **MCP_WORKLOADS,
        **AGENT_WORKLOADS,
        **AGENT_SCALE_WORKLOADS,
        **{name: partial(run, peers=options.peers) for name, run in TERMINAL_WORKLOADS.items()},
    }
    unknown = [name for name in options.workloads if name not in workloads]
    if unknown:
        parser.error(f"no workload {unknown[0]!r}; there are {names}")
    # Not below a temporary directory: one peer refuses to keep its files there.
    with tempfile.TemporaryDirectory(dir=Path.home()) as home, tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        workspace = Path(place) / "workspace"
        workspace.mkdir()
        subprocess.run(["git", "init", "-q", str(workspace)], check=True)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        print(f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, Python {platform.python_version()}\n")
        for name in options.workloads or workloads:
            print(workloads[name](workspace, Path(home), options.rounds), flush=True)


if __name__ == "__main__":
    main()
