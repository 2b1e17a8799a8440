"""Rule files: found beside the configuration files, read, and made into one set of rules.

A rules file that cannot be used stops the program: a policy with a hole in it is worse than no start. Symlinks are
skipped with a warning, because a link can be swapped for another file after somebody looked at it.

A project's rules are other people's input and may only tighten: ask or forbid, by a program's bare name. An absolute
path would be compared before the user's own rules for the name, and an entry that says which paths may answer to a
name would reach into the user's rules; both are left out, with a warning.
"""

from __future__ import annotations

import os
import stat

from sandgate.display import visible
from sandgate.errors import ConfigError, RuleError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.config.files import TomlFile
    from sandgate.config.load import Loaded, RulesDirectory
    from sandgate.policy.rules import Rule, RuleSet

SUFFIX = ".toml"
FILES_MAX = 256  # in one directory
TABLES = ("rule", "host_executable")


class LoadedRules(Record):
    """Every rule in force, and what people should know about those that are not."""

    rules: RuleSet
    files: tuple[str, ...] = ()  # low to high
    warnings: tuple[str, ...] = ()


def load_rules(loaded: Loaded) -> LoadedRules:
    """The rules of every file that holds here. Raises RuleError for a file that cannot be read or understood.

    With `rules.enabled` off only the system's remain.
    """
    from sandgate.policy.rules import NO_RULES, merged

    sets: list[RuleSet] = []
    files: list[str] = []
    warnings: list[str] = []
    for directory in loaded.rules:
        if directory.owner != "system" and not loaded.settings.rules_enabled:
            continue
        for path in _paths(directory.path, warnings):
            rules = _read(path, directory)
            if rules is not None:
                files.append(path)
                sets.append(_tightening(rules, path, warnings) if directory.owner == "project" else rules)
    return LoadedRules(merged(*sets) if sets else NO_RULES, tuple(files), tuple(warnings))


def _paths(directory: str, warnings: list[str]) -> Iterator[str]:
    """The rule files of a directory, sorted by name."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(SUFFIX) and not name.startswith("."))
    except FileNotFoundError:
        return
    except OSError as wrong:
        raise RuleError(f"cannot use the rules in `{visible(directory)}`", why=f"{wrong.strerror}") from wrong
    if len(names) > FILES_MAX:
        raise RuleError(f"cannot use the rules in `{visible(directory)}`", why=f"there are more than {FILES_MAX} files")
    for name in names:
        path = os.path.join(directory, name)
        if stat.S_ISLNK(os.lstat(path).st_mode):
            warnings.append(f"ignored rules file {visible(path)}: it is a symbolic link")
        else:
            yield path


def _read(path: str, directory: RulesDirectory) -> RuleSet | None:
    from sandgate.config.files import read_toml
    from sandgate.policy.rules.language import rules_from_table

    try:
        file = read_toml(path, guarded=directory.owner != "project")
    except ConfigError as wrong:
        raise RuleError(wrong.what, why=wrong.why, hint=wrong.hint) from wrong
    if file is None:
        return None
    try:
        return rules_from_table(file.table, file.path)
    except RuleError as wrong:
        raise RuleError(wrong.what + _line_of_entry(wrong.what, file), why=wrong.why, hint=wrong.hint) from wrong


def _line_of_entry(what: str, file: TomlFile) -> str:
    """` (line 7)` for an error that names its entry as `FILE: rule 2`; TOML's parser keeps no positions."""
    for table in TABLES:
        header = f"[[{table}]]"
        lines = [at for at, line in enumerate(file.text.splitlines(), 1) if "".join(line.split()).startswith(header)]
        for number, line in enumerate(lines, start=1):
            if what.endswith(f": {table} {number}"):
                return f" (line {line})"
    return ""


def _tightening(rules: RuleSet, path: str, warnings: list[str]) -> RuleSet:
    """The part of a project's rules that can only ask or forbid."""
    kept = tuple(rule for rule in rules.rules if _only_tightens(rule))
    left_out = len(rules.rules) - len(kept) + len(rules.host_executables)
    if left_out:
        entries = "1 entry" if left_out == 1 else f"{left_out} entries"
        warnings.append(
            f"ignored {entries} in {visible(path)}: a project's rules may only ask or forbid, by a program's bare name"
        )
    return rules.but(rules=kept, host_executables=())


def _only_tightens(rule: Rule) -> bool:
    return rule.decide != "allow" and not any(program.startswith("/") for program in rule.prefix[0])
