"""Rule files: which are read, and that none is silently lost."""

import os
from pathlib import Path

import pytest

from config_machine import Machine
from sandgate.config.rules_files import LoadedRules, load_rules
from sandgate.errors import RuleError
from sandgate.policy.rules import NO_RULES

ALLOW = '[[rule]]\nprefix = ["make"]\ndecide = "allow"\n'
FORBID = '[[rule]]\nprefix = ["curl"]\ndecide = "forbid"\n'


def write_rules(directory: Path, name: str, text: str) -> Path:
    rules = directory / "rules"
    rules.mkdir(exist_ok=True, parents=True)
    file = rules / name
    file.write_text(text)
    return file


def names(machine: Machine, *overrides: str) -> list[str]:
    return list(load_rules(machine.load(*overrides)).files)


def said(loaded: LoadedRules) -> list[tuple[str, str]]:
    return [(rule.shown_prefix, rule.decide) for rule in loaded.rules.rules]


def test_every_layers_rules_are_read_in_order(machine: Machine) -> None:
    machine.trust()
    files = [
        write_rules(machine.system, "a.toml", ALLOW),
        write_rules(machine.own, "a.toml", ALLOW),
        write_rules(machine.own, "b.toml", FORBID),
        write_rules(machine.project / ".sandgate", "a.toml", FORBID),
    ]
    write_rules(machine.own, "c.txt", "not rules")
    write_rules(machine.own, ".hidden.toml", "= broken")
    assert names(machine) == [str(file) for file in files]


def test_the_rules_are_what_the_file_says(machine: Machine) -> None:
    file = write_rules(machine.own, "a.toml", ALLOW)
    loaded = load_rules(machine.load())
    assert (said(loaded), loaded.files, loaded.warnings) == ([("make", "allow")], (str(file),), ())


def test_without_rules_there_are_none(machine: Machine) -> None:
    assert load_rules(machine.load()) == LoadedRules(NO_RULES)


def test_switching_rules_off_leaves_the_systems(machine: Machine) -> None:
    system = write_rules(machine.system, "a.toml", FORBID)
    write_rules(machine.own, "a.toml", "= broken")
    assert names(machine, "rules.enabled=false") == [str(system)]


def test_a_broken_rules_file_is_an_error_with_its_line(machine: Machine) -> None:
    file = write_rules(machine.own, "a.toml", "[[rule]]\nprefix = [")
    with pytest.raises(RuleError) as caught:
        load_rules(machine.load())
    assert caught.value.what == f"cannot use `{file}`"
    assert "line 2" in caught.value.why or "end of document" in caught.value.why


@pytest.mark.parametrize("kind", ["directory", "pipe", "writable"])
def test_a_rules_file_that_cannot_be_trusted_or_read_is_an_error(machine: Machine, kind: str) -> None:
    file = write_rules(machine.own, "a.toml", ALLOW)
    if kind == "writable":
        file.chmod(0o666)
    else:
        file.unlink()
        os.mkfifo(file) if kind == "pipe" else file.mkdir()
    with pytest.raises(RuleError, match=f"cannot use `{file}`"):
        load_rules(machine.load())


def test_rules_that_are_no_directory_are_an_error(machine: Machine) -> None:
    (machine.own / "rules").touch()
    with pytest.raises(RuleError, match="cannot use the rules in"):
        load_rules(machine.load())


def test_a_symbolic_link_is_skipped_and_named(machine: Machine) -> None:
    file = write_rules(machine.own, "a.toml", ALLOW)
    link = file.with_name("b.toml")
    link.symlink_to(file)
    read = load_rules(machine.load())
    assert read.files == (str(file),)
    assert read.warnings == (f"ignored rules file {link}: it is a symbolic link",)


def test_a_project_may_ask_and_forbid_but_not_allow(machine: Machine) -> None:
    """Nor may it speak about paths, or about which paths answer to a name: both reach into the user's own rules."""
    machine.trust()
    file = write_rules(
        machine.project / ".sandgate",
        "a.toml",
        ALLOW
        + FORBID
        + '[[rule]]\nprefix = ["x"]\n[[rule]]\nprefix = [["y", "/bin/curl"]]\ndecide = "ask"\n'
        + '[[host_executable]]\nname = "git"\npaths = []\n',
    )
    loaded = load_rules(machine.load())
    assert (said(loaded), loaded.rules.host_executables) == ([("curl", "forbid")], ())
    assert loaded.warnings == (
        f"ignored 4 entries in {file}: a project's rules may only ask or forbid, by a program's bare name",
    )


def test_a_rule_that_cannot_be_understood_is_an_error_with_its_line(machine: Machine) -> None:
    file = write_rules(machine.own, "a.toml", ALLOW + '\n[[ rule ]]  # second\nprefix = ["x"]\ndecide = "perhaps"\n')
    with pytest.raises(RuleError) as caught:
        load_rules(machine.load())
    assert caught.value.what == f"cannot use the rules in {file}: rule 2 (line 5)"


def test_rules_of_a_project_nobody_trusts_are_not_read(machine: Machine) -> None:
    write_rules(machine.project / ".sandgate", "a.toml", "= broken")
    loaded = machine.load()
    assert load_rules(loaded).files == ()
    assert "not trusted" in loaded.warnings[0]
