"""A rule gives a place: without a question, to whom it says, told with the rule's name, and nothing beside it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.machine.ordinary_user import OrdinaryUser
from support.process.program import Finished, Sandgate

BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RULES = """
place_rule("~/note", "write_path", pattern=["sed"])
place_rule("~/made", "new_entry")
place_rule("~/old", "remove", pattern=["rm"])
place_rule("~/odd", "metadata")
place_rule("~/tree", "write_root", pattern=["touch"])
"""
EACH = {
    "write_path": (("sed", "-i", "s/a/b/", "~/note"), "note"),
    "new_entry": (("mkdir", "-p", "~/made/below"), "made"),
    "remove": (("rm", "~/old"), "old"),
    "metadata": (("chmod", "600", "~/odd"), "odd"),
    "write_root": (("touch", "~/tree/x"), "tree"),
}


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that no command may write to, below no /tmp."""
    place = Path("/var/tmp") / f"sandgate-places-{os.getpid()}"
    (place / "ws").mkdir(parents=True)
    (place / "tree").mkdir()
    (place / ".sandgate/rules").mkdir(parents=True, mode=0o700)
    for name in ("note", "old", "odd", "neighbour"):
        (place / name).write_text("aaa\n")
    yield place
    shutil.rmtree(place)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Both give the same."""
    return str(request.param)


def write_rules(home: Path, text: str, name: str = "a.rules") -> None:
    (home / ".sandgate/rules" / name).write_text(text)


def run(home: Path, backend: str, *words: str, options: tuple[str, ...] = ()) -> Finished:
    return Sandgate(home / "ws", home)("run", "--backend", backend, "--json", *options, "--", *words)


def ended(found: Finished) -> dict[str, Any]:
    (attempt,) = found.last["attempts"]
    return dict(attempt)


def state(home: Path) -> dict[str, tuple[str, int]]:
    """What lies there, with its mode."""
    shown = [
        path for path in home.rglob("*") if not path.is_relative_to(home / ".sandgate") and ".local" not in str(path)
    ]
    return {str(each): (each.read_text() if each.is_file() else "", each.stat().st_mode) for each in shown}


@pytest.mark.parametrize("kind", EACH)
def test_a_rule_gives_what_it_says_and_the_record_names_it(home: Path, backend: str, kind: str) -> None:
    """Required, both halves: without the rule nothing changes."""
    words, name = EACH[kind]
    words = tuple([word.replace("~", str(home)) for word in words])
    before = state(home)
    assert run(home, backend, *words).code != 0
    assert state(home) == before
    write_rules(home, RULES)
    found = run(home, backend, *words)
    assert found.code == 0, found
    assert state(home) != before
    given = [each for each in ended(found)["granted_by_rules"] if each["kind"] == kind]
    assert [(each["value"], "a.rules" in each["rule"]) for each in given] == [(str(home / name), True)]
    assert all(each["allowed_by"] in ("", given[0]["rule"]) for each in ended(found).get("performed", ()))
    assert not [each for each in found.events if each["type"] == "exec_approval_request"]


def test_what_was_carried_out_is_told_with_the_rule(home: Path, backend: str) -> None:
    write_rules(home, 'place_rule("~/made", "new_entry")\n')
    (call,) = ended(run(home, backend, "mkdir", str(home / "made")))["performed"]
    assert (call["asked"], call["allowed_by"].endswith("a.rules:1")) == (False, True)


def test_another_command_has_nothing_of_it(home: Path, backend: str) -> None:
    write_rules(home, RULES)
    before = state(home)
    for script in (
        f"sed -i s/a/b/ {home}/neighbour",
        f"echo x > {home}/note",
        f"sed -i s/a/b/ {home}/note; echo x > {home}/neighbour",
    ):
        assert run(home, backend, "sh", "-c", script).code != 0, script
    assert state(home) == before


def test_a_rule_that_forbids_is_neither_given_nor_offered_nor_set_aside(home: Path, backend: str) -> None:
    """Required: the strictest rule decides, whatever file it stands in, and before any answer."""
    write_rules(home, RULES)
    write_rules(home, 'place_rule("~/note", decision="forbidden", justification="mine")\n', "b.rules")
    before = state(home)
    asking = ("-a", "on-failure", "--answer", "approve", "--answer", "approve")
    found = run(home, backend, "sed", "-i", "s/a/b/", str(home / "note"), options=asking)
    assert found.code != 0
    assert state(home) == before
    assert not [grant for each in found.events if "grants" in each for grant in each["grants"] if "note" in str(grant)]
    set_aside = run(home, backend, "true", options=("--grant", f"write_path={home}/note"))
    assert (set_aside.code, "b.rules:1 forbids it" in set_aside.err) == (78, True)


ALWAYS = ("-a", "on-failure", "--answer", "approve-always")


def test_always_at_a_call_saves_the_rule_that_was_shown(home: Path, backend: str) -> None:
    """Required: the next command of those words is asked nothing, and another one has nothing of it."""
    words = ("mkdir", str(home / "made"))
    first = run(home, backend, *words, options=ALWAYS)
    (question,) = [each for each in first.events if each["type"] == "exec_approval_request"]
    line = (home / ".sandgate/rules/default.rules").read_text()
    assert (first.code, line) == (0, question["rule"] + "\n"), first
    assert (
        line
        == f'place_rule(path="{home}/made", grant="new_entry", decision="allow", pattern=["mkdir", "{home}/made"])\n'
    )
    (home / "made").rmdir()
    assert run(home, backend, "touch", str(home / "made")).code != 0
    again = run(home, backend, *words)
    assert (again.code, (home / "made").is_dir()) == (0, True)
    assert "default.rules:1" in str(ended(again)["granted_by_rules"])


@pytest.mark.parametrize("name", ["a*b", "a\rb", "a\udcffb"])
def test_a_name_that_no_rule_can_say_is_given_once_and_stops_nothing_later(home: Path, backend: str, name: str) -> None:
    """Required: a command chooses the name; a line that cannot be read would stop every later start."""
    (home / "ws/make.sh").write_text('mkdir "$HOME/$(cat name)"\n')
    (home / "ws/Makefile").write_text("x:\n\tsh make.sh\n")
    (home / "ws/name").write_text("made")
    assert run(home, backend, "make", "x", options=ALWAYS).code == 0
    before = (home / ".sandgate/rules/default.rules").read_text()
    assert "made" in before  # one that can be said is kept
    (home / "ws/name").write_bytes(os.fsencode(name))
    found = run(home, backend, "make", "x", options=(*ALWAYS, "--answer", "approve"))
    assert "rule" not in next(each for each in found.events if each["type"] == "exec_approval_request"), found
    assert (home / ".sandgate/rules/default.rules").read_text() == before
    assert run(home, backend, "true").code == 0


def test_a_link_in_the_place_is_not_followed_and_stops_nothing(home: Path, backend: str) -> None:
    """Required: one command may make the link that a later command's rule meets."""
    write_rules(home, 'place_rule("~/made", "new_entry")\nplace_rule("~/made", "write_path")\n')
    made = run(home, backend, "ln", "-s", "tree", str(home / "made"))
    assert (made.code, (home / "made").is_symlink()) == (0, True), made
    assert run(home, backend, "true").code == 0
    assert run(home, backend, "touch", str(home / "made/x")).code != 0
    assert not list((home / "tree").iterdir())


def test_a_closed_name_is_not_made_beside_a_given_one(home: Path, backend: str) -> None:
    """Required, both halves: what goes with a name is given with it, and not where a rule closes it."""
    script = f"echo b > {home}/note.x; echo b > {home}/base.db; echo b > {home}/base.db-journal"
    write_rules(home, 'place_rule("~/note", "write_path")\nplace_rule("~/base.db", "new_entry")\n')
    beside = (home / "note.x", home / "base.db-journal")
    run(home, backend, "sh", "-c", script)
    assert all(each.exists() for each in beside)
    for each in (*beside, home / "base.db"):
        each.unlink()
    closed = [f'place_rule("~/{each.name}", decision="forbidden")\n' for each in beside]
    write_rules(home, "".join(closed), "b.rules")
    run(home, backend, "sh", "-c", script)
    assert not any(each.exists() for each in beside)


@pytest.mark.parametrize("name", [".profile", ".ssh/authorized_keys", "bin/tool", ".config/x/y"])
def test_no_rule_is_offered_for_what_is_obeyed_or_kept_secret(home: Path, backend: str, name: str) -> None:
    (home / name).parent.mkdir(exist_ok=True, parents=True)
    found = run(home, backend, "touch", str(home / name), options=ALWAYS)
    assert [each["type"] for each in found.events if "grants" in each], found
    assert not [each for each in found.events if "rule" in each], found
    assert not (home / ".sandgate/rules/default.rules").exists()


def test_an_ordinary_user_has_the_same(home: Path, as_user: OrdinaryUser, backend: str) -> None:
    for each in (home, *home.rglob("*")):
        os.chown(each, as_user.uid, as_user.gid)
    options: dict[str, Any] = {"cwd": home / "ws", "env": {"HOME": str(home)}}
    mkdir = ("run", "--backend", backend, "--json", "--", "mkdir", str(home / "made"))
    assert as_user.sandgate(*mkdir, **options).returncode != 0
    added = as_user.sandgate("rules", "add", "--grant", "new_entry=~/made", "--", "mkdir", **options)
    assert added.returncode == 0, added.stderr
    given = as_user.sandgate(*mkdir, **options)
    assert (given.returncode, (home / "made").is_dir()) == (0, True), given.stderr
    assert "new_entry" in str(json.loads(given.stdout.splitlines()[-1])["attempts"][0]["granted_by_rules"])
