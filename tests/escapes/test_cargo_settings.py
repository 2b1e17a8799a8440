"""cargo's settings with secrets in them: programs find all the rest, in every shape, and of the secrets nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib

import pytest

from sandgate.places.without_tokens import without_tokens
from support.escape.cargo_settings import CLOSED, SECRET, SHAPES, remainder, said
from support.suite.rows import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace", "notify")

PARSE = "import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], 'rb'))))"
GET = ("-Z", "unstable-options", "config", "get", "--format", "json-value")


def plant(stage: Stage, text: str) -> str:
    settings = stage.home / ".cargo" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(text, newline="")
    stage.own()
    return str(settings)


@every("shape", SHAPES)
def test_the_rest_is_all_there_and_the_secret_is_not(shape: str) -> None:
    shown = without_tokens("toml", SHAPES[shape][0])
    assert shown is not None
    assert SECRET not in shown
    assert said(tomllib.loads(shown)) == remainder(shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_program_that_parses_them_finds_the_rest(stage: Stage, shape: str) -> None:
    """Both halves: without the sandbox it finds the secret, too, or the comment with it."""
    settings = plant(stage, SHAPES[shape][0])
    assert SECRET in stage.unconfined(["cat", settings]).stdout
    ran = stage.confined(["python3", "-c", PARSE, settings], backend="namespace")
    assert said(json.loads(ran.stdout)) == remainder(shape), ran


@pytest.mark.parametrize("shape", SHAPES)
def test_cargo_itself_finds_the_rest(stage: Stage, shape: str) -> None:
    settings = plant(stage, SHAPES[shape][0])
    asked = ["env", "RUSTC_BOOTSTRAP=1", cargo(), *GET]
    tried = stage.unconfined(asked)
    if "Permission denied" in tried.stderr:
        pytest.skip("this user may not run the cargo that is here")
    unconfined = json.loads(tried.stdout)
    assert said(unconfined) == said(tomllib.loads((stage.home / ".cargo/config.toml").read_text())), settings
    ran = stage.confined(asked, backend="namespace")
    assert said(json.loads(ran.stdout)) == remainder(shape), ran


@pytest.mark.parametrize("shape", CLOSED)
def test_what_is_not_looked_through_is_closed_as_a_whole(stage: Stage, shape: str) -> None:
    settings = plant(stage, CLOSED[shape])
    tomllib.loads(CLOSED[shape])
    assert SECRET in stage.unconfined(["cat", settings]).stdout
    assert stage.confined(["cat", settings], backend="namespace").stdout == ""


def cargo() -> str:
    """The program itself, not the one that chooses among several; skips where there is none."""
    found = shutil.which("cargo")
    if found is None:
        pytest.skip("no cargo here")
    chooser = shutil.which("rustup")
    if chooser is None:
        return found
    done = subprocess.run([chooser, "which", "cargo"], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip() or found
