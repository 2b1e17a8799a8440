"""Caches of the home: commands of a project write in layers of its own, and nothing comes of it outside of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.escape.escape_stage import Ran, Stage

pytestmark = pytest.mark.host("namespace", "overlay")

SECRET = "correct horse battery"


def sandgate(stage: Stage, *words: str, cwd: Path | None = None) -> Ran:
    """The program itself, as the user under test."""
    return stage.sandgate(*words, cwd=cwd)


def confined(stage: Stage, script: str, *options: str, cwd: Path | None = None) -> Ran:
    return sandgate(stage, "run", *options, "--", "sh", "-c", f"{script}; true", cwd=cwd)


@pytest.fixture
def caches(stage: Stage) -> Stage:
    """A home with caches, and a secret in one."""
    for name in (".cache/tool", ".cache/huggingface", ".npm", ".m2/repository", ".cargo/registry"):
        (stage.home / name).mkdir(parents=True)
    (stage.home / ".cache/tool/program").write_text("echo harmless\n")
    (stage.home / ".cache/huggingface/token").write_text(SECRET)
    (stage.home / ".m2/settings.xml").write_text(SECRET)
    stage.own()
    return stage


def content(stage: Stage) -> dict[str, str]:
    """Every file of the home that is not our own state."""
    files = [path for path in stage.home.rglob("*") if path.is_file() and ".local" not in path.parts]
    return {str(path): path.read_text() for path in files}


POISON = """cd ~; echo evil > .cache/tool/program; echo evil > .cache/new; mkdir .npm/_logs;
echo x > .m2/repository/jar; echo x > .cargo/registry/crate; unlink .cache/tool/program; rmdir .cache/huggingface"""


def test_what_a_command_writes_in_caches_is_kept_for_its_project_and_nowhere_else(caches: Stage) -> None:
    """Required: nothing that runs outside later can come from a command, and no other project sees it."""
    before = content(caches)
    assert confined(caches, f"{POISON}; echo again > .cache/tool/program").exit_code == 0
    assert content(caches) == before
    looked = "cd ~; cat .cache/new .cache/tool/program .m2/repository/jar .cargo/registry/crate; ls -d .npm/_logs"
    assert confined(caches, looked).stdout == "evil\nagain\nx\nx\n.npm/_logs\n"
    other = caches.folder / "other"
    other.mkdir()
    caches.own()
    seen = confined(caches, looked, cwd=other)
    assert (seen.stdout, "harmless" in confined(caches, "cat ~/.cache/tool/program", cwd=other).stdout) == (
        "echo harmless\n",
        True,
    )
    caches.unconfined(["sh", "-c", POISON])
    assert content(caches) != before  # without the layers it would have


def test_secrets_in_caches_stay_closed_and_are_never_copied_up(caches: Stage) -> None:
    peek = """cd ~; cat .cache/huggingface/token .m2/settings.xml; cp .cache/huggingface/token .cache/t;
    mv .cache/huggingface .cache/h; mv .cache/huggingface/token .cache/h; ln .cache/huggingface/token .cache/l;
    chmod 644 .cache/huggingface/token; echo >> .cache/huggingface/token;
    cat .cache/t .cache/l .cache/h/token .cache/h"""
    assert SECRET not in confined(caches, peek).said
    assert SECRET not in confined(caches, "cat ~/.cache/huggingface/token ~/.cache/h/token ~/.cache/t").said
    layers = [path for path in caches.folder.rglob("*") if "caches-1" in path.parts and path.is_file()]
    assert [path for path in layers if SECRET in path.read_text(errors="replace")] == []
    assert SECRET in caches.unconfined(["sh", "-c", peek]).said


def test_layers_are_closed_to_commands_of_every_project(caches: Stage) -> None:
    confined(caches, "echo mine > ~/.cache/mine")
    state = caches.home / ".local/state/sandgate/tmp"
    script = f"find {state}; cat {state}/*/*/*/upper/mine; echo evil > {state}/x"
    assert "mine\n" not in confined(caches, f"exec 2>/dev/null; {script}").stdout
    assert "mine\n" in caches.unconfined(["sh", "-c", script]).stdout


ATTRIBUTES = """
import os, sys
os.chdir(os.path.expanduser("~/.cache"))
os.makedirs("bait", exist_ok=True)
open("bait/file", "w").close()
for name in ("redirect", "metacopy", "opaque", "whiteout", "origin", "upper", "impure"):
    for place in (".", "bait", "bait/file"):
        for value in (b"/.ssh", b"../../.ssh", b"y", bytes(8)):
            try:
                os.setxattr(place, "user.overlay." + name, value)
            except OSError:
                pass
"""


def test_attributes_in_a_layer_reveal_nothing_from_elsewhere(caches: Stage) -> None:
    """Set by a command, and put into the layer by somebody who could: neither is obeyed."""
    (caches.home / ".cache/other").mkdir()
    (caches.home / ".cache/other/inner").write_text("lower\n")
    (caches.home / ".ssh").mkdir()
    (caches.home / ".ssh/id_rsa").write_text(SECRET)
    caches.own()
    (caches.repo / "attributes.py").write_text(ATTRIBUTES)
    assert confined(caches, f"{caches.python} -I -S attributes.py; mkdir -p ~/.cache/bait/deep").exit_code == 0
    assert SECRET not in confined(caches, "cd ~/.cache; find . -type f | xargs cat; cat bait/id_rsa").said
    (upper,) = caches.home.glob(".local/state/sandgate/tmp/*/caches-1/*.cache/upper")
    for value in (b"/other", b"/../.ssh", b"other"):
        os.setxattr(upper / "bait", "user.overlay.redirect", value)
        os.setxattr(upper / "bait/file", "user.overlay.metacopy", b"")
        os.setxattr(upper / "bait/file", "user.overlay.redirect", value + b"/inner")
        ran = confined(caches, "cd ~/.cache; ls -R bait; cat bait/file bait/inner bait/id_rsa")
        assert SECRET not in ran.said
        assert "inner\n" not in ran.stdout.replace("bait/inner", "")
        assert "lower" not in ran.said


@pytest.mark.parametrize(
    "damage",
    [
        "rm -rf {kept}/upper; ln -s /etc {kept}/upper",
        "chmod -R u+rwx {kept}/work; rm -rf {kept}/work; echo x > {kept}/work",
        "chmod -R u+rwx {kept}/work; rm -rf {kept}/work; ln -s ../upper {kept}/work",
        "chmod -R u+rwx {kept}/work; rm -rf {kept}/work/work; echo x > {kept}/work/work",
        "rm -rf {kept}/upper",
        "chmod 0 {kept}/upper",
    ],
)
def test_a_damaged_layer_is_not_used_and_stops_no_command(caches: Stage, damage: str) -> None:
    confined(caches, "echo x > ~/.cache/before")
    (kept,) = caches.home.glob(".local/state/sandgate/tmp/*/caches-1/*.cache")
    assert caches.unconfined(["sh", "-c", damage.format(kept=kept)]).exit_code == 0
    ran = confined(caches, "cat ~/.cache/tool/program; echo y > ~/.cache/new; cat ~/.cache/new", "-v")
    assert (ran.exit_code, ran.stdout.splitlines()[0]) == (0, "echo harmless")
    assert not (caches.home / ".cache/new").exists()
    assert sandgate(caches, "caches", "clear").exit_code == 0
    confined(caches, "echo kept > ~/.cache/after")
    assert confined(caches, "cat ~/.cache/after").stdout == "kept\n"


def test_the_real_caches_are_read_only_without_layers_and_written_where_shared(caches: Stage) -> None:
    write = "echo x > ~/.cache/made"
    confined(caches, write, "-c", 'sandbox.caches="off"')
    assert not (caches.home / ".cache/made").exists()
    assert "denied" in confined(caches, f"{write} || exit 1", "-c", 'sandbox.caches="off"').stderr
    confined(caches, write, "-c", 'sandbox.caches="shared"')
    assert (caches.home / ".cache/made").exists()


def test_a_home_without_caches_stays_without_and_programs_have_some_all_the_same(stage: Stage) -> None:
    job = 'mkdir -p "$XDG_CACHE_HOME"; cd "$XDG_CACHE_HOME"; echo kept >> x; cat x'
    (stage.repo / "job").write_text(job)
    stage.own()
    ran = confined(stage, "sh ./job")
    assert ran.exit_code == 0
    assert [path.name for path in stage.home.iterdir()] == [".local"]
    assert confined(stage, "sh ./job").stdout == "kept\nkept\n"


def test_landlock_leaves_the_real_caches_read_only(caches: Stage) -> None:
    host = ("--backend", "landlock", "-c", "sandbox_workspace_write.exclude_slash_tmp=true")  # which the home lies in
    confined(caches, "echo x > ~/.cache/made", *host)
    assert not (caches.home / ".cache/made").exists()
