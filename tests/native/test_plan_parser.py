"""The parser of plans under the compiler's sanitizers."""

import subprocess
from pathlib import Path

import pytest

from sandgate.kernel.plan_codec import encode
from sandgate.protocol.bindings import Bound, Identity
from sandgate.protocol.confinement import ConfinedCommand, Limits, Mount, Overlay
from sandgate.protocol.permissions import EffectivePermissions, Grant
from support.kernel.fuzzers import compiled

SOURCE = Path(__file__).parent / "plan_fuzz.c"
ROUNDS = 20_000


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(SOURCE, tmp_path_factory.mktemp("fuzz"))


@pytest.mark.slow
def test_damaged_plans_never_lead_outside_their_bytes(fuzzer: Path, tmp_path: Path) -> None:
    """Required: whatever stands in a plan, it is refused or read within its bounds."""
    plan = ConfinedCommand(
        backend="namespace",
        argv=("sh", "-c", "true"),
        cwd="/work",
        env={"PATH": "/bin", "A": ""},
        permissions=EffectivePermissions(absent=("/repo/.git",), sockets=("/run/s",), hosts=("10.0.0.1:443",)),
        mounts=(
            Mount("write", "/work"),
            Mount("hide_directory_with_openings", "/home"),
            Mount("read", "/home/a"),
            Mount("write", "/tmp", "/x/y"),
            Mount("overlay", "/home/c"),
            Mount("hide_file", "/home/d", content=b"one\0two"),
        ),
        overlays=(Overlay("/home", "/kept/upper", "/kept/work", lasting=True, lent="0-name"),),
        limits=Limits(open_files=10),
        bound=Bound(Identity(1, 2), Identity(1, 3, 4), files=(("/ws/x", Identity(1, 5, 6)),)),
        holds_calls=True,
        supervised_grants=(Grant("new_entry", "/home/e"), Grant("remove", "/home/f")),
    )
    saved = tmp_path / "plan"
    saved.write_bytes(encode(plan))
    done = subprocess.run([str(fuzzer), str(saved), str(ROUNDS)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    accepted = int(done.stdout.split()[0])
    assert 0 < accepted < ROUNDS, "both the refusing and the accepting path were taken"
