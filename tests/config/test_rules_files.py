"""Rule files: which are read, and that none is silently lost."""

import os
from pathlib import Path

import pytest

from sandgate.config import rules_files
from sandgate.config.rules_files import LoadedRules, load_rules
from sandgate.errors import RuleError
from sandgate.policy.rules import NO_RULES
from support.config.config_machine import Machine

ALLOW = '[[rule]]\nprefix = ["make", "lint"]\ndecide = "allow"\n'
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
    assert (said(loaded), loaded.files, loaded.warnings) == ([("make lint", "allow")], (str(file),), ())


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


def test_both_forms_stand_side_by_side_sorted_by_name(machine: Machine) -> None:
    files = [
        write_rules(machine.own, "a.rules", 'prefix_rule(["a"])'),
        write_rules(machine.own, "b.toml", ALLOW),
        write_rules(machine.own, "c.rules", 'x = "c"\nprefix_rule([x], "prompt")'),
    ]
    loaded = load_rules(machine.load())
    assert loaded.files == tuple(map(str, files))
    assert said(loaded) == [("a", "allow"), ("make lint", "allow"), ("c", "ask")]
    assert [(rule.source, rule.line) for rule in loaded.rules.rules] == [
        (f"{files[0]}:1", 1),
        (f"{files[1]}: rule 1", 1),
        (f"{files[2]}:2", 2),
    ]


@pytest.mark.parametrize(
    ("content", "what", "why"),
    [
        (b"prefix_rule()", "cannot use the rules in {}:1", "`pattern` is missing"),
        (b"\nprefix_rule([)", "cannot use the rules in {}:2", "unexpected"),
        (b"\xef\xbb\xbfprefix_rule(['a'])", "cannot use the rules in {}:1", "invalid input"),
        (b"\n\xff", "cannot use `{}`", "not UTF-8 (line 2)"),
        (b"#" * 10_000_000, "cannot use `{}`", "larger than 1048576 bytes"),
        (b"prefix_rule(['a\0'])", "cannot use the rules in {}:1", "`pattern` holds"),
        (b"prefix_rule(['a'])\n" * 20_000, "cannot use the rules in {}", "more than 10000 rules"),
        (b"load('/etc/passwd', 'x')", "cannot use the rules in {}:1", "not allowed"),
    ],
    ids=["argument", "syntax", "bom", "encoding", "large", "nul", "many", "load"],
)
def test_a_broken_rules_file_stops_with_file_line_and_cause(
    machine: Machine, content: bytes, what: str, why: str
) -> None:
    file = write_rules(machine.own, "a.rules", "")
    file.write_bytes(content)
    with pytest.raises(RuleError) as caught:
        load_rules(machine.load())
    assert caught.value.what == what.format(file)
    assert why in caught.value.why


def test_a_rules_file_with_other_line_ends_is_read(machine: Machine) -> None:
    write_rules(machine.own, "a.rules", "").write_bytes(b"prefix_rule(['a'])\r\n\r\nprefix_rule(['b'])\r\n")
    assert [rule.line for rule in load_rules(machine.load()).rules.rules] == [1, 3]


def test_a_projects_rules_file_may_only_tighten(machine: Machine) -> None:
    """Required: `allow` of commands and hosts, paths, and which paths answer to a name are the user's business."""
    machine.trust()
    file = write_rules(
        machine.project / ".sandgate",
        "a.rules",
        'prefix_rule(["a"])\nprefix_rule(["b"], "forbidden")\nprefix_rule(["/bin/c"], "prompt")\n'
        'host_executable("git", [])\nnetwork_rule("d", "https", "allow")\nnetwork_rule("e", "https", "deny")\n',
    )
    loaded = load_rules(machine.load())
    assert (said(loaded), loaded.rules.host_executables) == ([("b", "forbid")], ())
    assert [(rule.host, rule.decide) for rule in loaded.rules.network] == [("e", "forbid")]
    assert "ignored 4 entries" in loaded.warnings[0]
    assert str(file) in loaded.warnings[0]


def test_a_linked_rules_file_is_skipped_and_named(machine: Machine) -> None:
    link = write_rules(machine.own, "a.toml", ALLOW).with_name("b.rules")
    link.symlink_to("/dev/zero")
    assert "it is a symbolic link" in load_rules(machine.load()).warnings[0]


def test_rules_of_a_project_nobody_trusts_are_not_read(machine: Machine) -> None:
    write_rules(machine.project / ".sandgate", "a.toml", "= broken")
    write_rules(machine.project / ".sandgate", "a.rules", "= broken")
    loaded = machine.load()
    assert load_rules(loaded).files == ()
    assert "not trusted" in loaded.warnings[0]


def test_only_so_many_files_are_evaluated(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take its whole time; a start must not take that often."""
    monkeypatch.setattr(rules_files, "COMPUTING_FILES_MAX", 2)
    for name in ("a", "b", "c"):
        write_rules(machine.own, f"{name}.rules", '\nx = "a"\nprefix_rule([x])')
    with pytest.raises(RuleError) as caught:
        load_rules(machine.load())
    assert caught.value.what.endswith("c.rules")
    assert "more than 2 files" in caught.value.why


def test_a_rule_that_allows_too_much_holds_and_is_named(machine: Machine) -> None:
    """Required: a team may mean it, so it is no error; and it is never silent."""
    write_rules(machine.own, "a.toml", '[[rule]]\nprefix = ["sudo"]\ndecide = "allow"\n')
    loaded = load_rules(machine.load())
    assert said(loaded) == [("sudo", "allow")]
    (warning,) = loaded.warnings
    assert "the rule `sudo` in " in warning
    assert "a.toml: rule 1 (line 1) allows more than it says" in warning
