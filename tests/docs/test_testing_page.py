"""The tests on the page about testing an agent pass as they stand, where no sandbox can be built."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "testing-an-agent.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
TESTED = [block for block in BLOCKS if "def test_" in block]
(MODEL,) = [block for block in BLOCKS if block not in TESTED]
LIMIT_S = 100
# A user namespace of its own, in which the kernel makes no further one.
BARE = (
    "unshare", "--user", "--map-root-user", "sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh",
)  # fmt: skip


def ran(directory: Path, *words: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    home = directory.with_name(f"{directory.name}-home")
    home.mkdir(exist_ok=True)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
    command = [*before, sys.executable, *words]
    return subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, check=False, timeout=LIMIT_S)


@pytest.mark.host("namespace")
def test_every_test_on_the_page_passes_where_no_namespace_can_be_made(tmp_path: Path) -> None:
    for number, block in enumerate(TESTED):
        (tmp_path / f"test_block_{number}.py").write_text(block)
    done = ran(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", ".", before=BARE)
    passed = f"{sum(block.count('def test_') for block in TESTED)} passed" in done.stdout
    assert (passed, done.returncode) == (True, 0), done.stdout + done.stderr  # no error beside them
    made = ran(tmp_path, "-c", "import subprocess; subprocess.run(['unshare', '--user', 'true'])", before=BARE)
    assert "No space left on device" in made.stderr, "the kernel would have made one"


def test_every_block_is_strictly_typed(tmp_path: Path) -> None:
    for number, block in enumerate(BLOCKS):
        (tmp_path / f"block_{number}.py").write_text(block)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), "."]
    env = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.host("namespace")
def test_the_model_says_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    assert ran(tmp_path / "work", "-c", MODEL).returncode == 0
    agent = ("agent", "--skip-git-repo-check", "--model-script", "answers.jsonl", "run the tests")
    done = ran(tmp_path / "work", "-c", "from sandgate.start import entry; entry()", *agent)
    assert (done.returncode, done.stdout) == (0, "All green.\n"), done.stderr
    assert "echo tested" in done.stderr
