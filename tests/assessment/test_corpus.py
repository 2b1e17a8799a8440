"""The assessor against labelled commands: what it may miss (nothing that is high), and how often it may cry wolf."""

from __future__ import annotations

import shlex
from collections import Counter

from sandgate.assessment.knowledge import ENTRIES
from sandgate.places.home import standing
from sandgate.places.home_startup import STARTUP
from support.command.assessing import corpus, facts, judged

OVERRATED_LOW_PERCENT_MAX = 5
LABELLED_MIN = 250


def test_no_high_command_is_rated_lower_and_each_names_its_categories() -> None:
    """Required: zero missed."""
    missed = {}
    for level, categories, script in corpus():
        risk = judged(script)
        absent = [name for name in categories if name not in risk.risk_categories]
        if level == "high" and (risk.risk_level != "high" or absent):
            missed[script] = (risk.risk_level, absent)
    assert missed == {}


def test_medium_commands_are_not_called_low() -> None:
    """Our choice: what changes something is never rated as mere looking."""
    assert [script for level, _, script in corpus() if level == "medium" and judged(script).risk_level == "low"] == []


def test_ordinary_work_is_seldom_overrated() -> None:
    """Required: at most 5 % of the harmless commands are rated above low."""
    harmless = [script for level, _, script in corpus() if level == "low"]
    overrated = [script for script in harmless if judged(script).risk_level != "low"]
    assert len(overrated) * 100 <= OVERRATED_LOW_PERCENT_MAX * len(harmless), overrated


def test_changes_of_the_project_are_seldom_called_high() -> None:
    """Our choice: the same bar for medium, so that `high` keeps its meaning."""
    changes = [script for level, _, script in corpus() if level == "medium"]
    overrated = [script for script in changes if judged(script).risk_level == "high"]
    assert len(overrated) * 100 <= OVERRATED_LOW_PERCENT_MAX * len(changes), overrated


def test_the_corpus_is_large_and_names_every_category() -> None:
    lines = corpus()
    assert len(lines) >= LABELLED_MIN
    assert len({script for _, _, script in lines}) == len(lines)
    assert len({name for _, names, _ in lines for name in names}) == 7
    assert min(Counter(level for level, _, _ in lines).values()) >= 60


def _examples() -> list[tuple[str, str, str]]:
    made = []
    for entry in ENTRIES.values():
        for example in entry.examples:
            script, _, level = example.partition(" => ")
            made.append((entry.name, script, level or entry.level))
    return made


def test_every_table_entry_agrees_with_its_examples() -> None:
    wrong = {
        script: (judged(tuple(shlex.split(script)), facts()).risk_level, level)
        for _, script, level in _examples()
        if judged(tuple(shlex.split(script)), facts()).risk_level != level
    }
    assert wrong == {}


def test_every_table_entry_has_an_example_of_itself() -> None:
    named: dict[str, list[str]] = {name: [] for name in ENTRIES}
    for owner, script, _ in _examples():
        named[owner].append(script)
    lonely = [
        name for name, scripts in named.items() if not any(script.startswith(name.split()[0]) for script in scripts)
    ]
    assert lonely == []
    assert len(ENTRIES) >= 120


def test_settings_that_the_sandbox_closes_are_not_read_for_nothing() -> None:
    """One table: where a confined command may not read a program's settings, reading them is of some risk."""
    wrong = {}
    for name in STARTUP:
        inner = name + "some" if name.endswith("/") else name
        expected = {"unknown": "medium", "secret": "high"}.get(standing(inner), "low")
        if (level := judged(f"cat ~/{inner}").risk_level) != expected:
            wrong[inner] = (level, expected)
    assert wrong == {}


def test_settings_in_a_workspace_are_read_as_what_they_are_there() -> None:
    working = facts().but(cwd="/home/u/.config/emacs", writable_roots=("/home/u/.config/emacs",))
    assert judged("cat ~/.config/emacs/init.el", working).risk_level == "low"
