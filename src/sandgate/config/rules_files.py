"""Rule files: found beside the configuration files, read, and made into one set of rules.

A rules file that cannot be used stops the program: a policy with a hole in it is worse than no start. Symlinks are
skipped with a warning, because a link can be swapped for another file after it was looked at.

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
    from sandgate.config.load import Loaded
    from sandgate.policy.rules import Rule, RuleSet

TOML, RULES = SUFFIXES = (".toml", ".rules")
FILES_MAX = 256  # in one directory
COMPUTING_FILES_MAX = 16  # in all directories together: each may take its time limit


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
    computing: list[str] = []
    for directory in loaded.rules:
        if directory.owner != "system" and not loaded.settings.rules_enabled:
            continue
        for path in _paths(directory.path, warnings):
            read = read_rules(path, guarded=directory.owner != "project", computing=computing)
            if read is not None:
                files.append(path)
                sets.append(_tightening(read, path, warnings) if directory.owner == "project" else read)
    rules = merged(*sets) if sets else NO_RULES
    return LoadedRules(rules, tuple(files), (*warnings, *too_broad_rules(rules)))


def too_broad_rules(rules: RuleSet) -> tuple[str, ...]:
    """A warning for each rule that allows what `rules add` refuses."""
    if all(rule.decide != "allow" for rule in rules.rules):
        return ()
    from sandgate.policy import broad_rules

    return tuple([visible(warning) for warning in broad_rules.too_broad(rules.rules)])


def rule_paths(loaded: Loaded) -> list[str]:
    """The files that `load_rules` would read."""
    kept = [each for each in loaded.rules if each.owner == "system" or loaded.settings.rules_enabled]
    return [path for directory in kept for path in _paths(directory.path, [])]


def _paths(directory: str, warnings: list[str]) -> Iterator[str]:
    """The rule files of a directory, sorted by name."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(SUFFIXES) and not name.startswith("."))
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


def read_rules(path: str, *, guarded: bool, computing: list[str] | None = None) -> RuleSet | None:
    """The rules of one file, examples checked; None when there is no such file. Raises RuleError.

    `computing` collects the files that had to be evaluated, of which there may be so many.
    """
    from sandgate.config.files import read_text, read_toml

    try:
        if path.endswith(RULES):
            text = read_text(path, guarded=guarded)
            return None if text is None else _from_calls(text, path, [] if computing is None else computing)
        file = read_toml(path, guarded=guarded)
    except ConfigError as wrong:
        raise RuleError(wrong.what, why=wrong.why, hint=wrong.hint) from wrong
    if file is None:
        return None
    from sandgate.policy.rules.language import TABLES, rules_from_table

    return rules_from_table(file.table, file.path, {table: _header_lines(file, table) for table in TABLES})


def _from_calls(text: str, path: str, computing: list[str]) -> RuleSet:
    from sandgate.policy.rules.calls import rules_from_calls
    from sandgate.policy.rules.literal import Beyond, literal_calls

    calls = literal_calls(text)
    if isinstance(calls, Beyond):
        from sandgate.config.starlark_files import evaluated_calls

        computing.append(path)
        if len(computing) > COMPUTING_FILES_MAX:
            why = f"more than {COMPUTING_FILES_MAX} files hold more than calls with literals (line {calls.line} here)"
            raise RuleError(f"cannot use the rules in {path}", why=why, hint="write the rules out, or join the files")
        calls = evaluated_calls(text, path, since=calls.line)
    return rules_from_calls(calls, path)


def _header_lines(file: TomlFile, table: str) -> tuple[int, ...]:
    """The lines of a table's headers; TOML's parser keeps no positions. Too many when one stands in a string."""
    header = f"[[{table}]]"
    if table not in file.text:
        return ()
    return tuple([at for at, line in enumerate(file.text.splitlines(), 1) if "".join(line.split()).startswith(header)])


def _tightening(rules: RuleSet, path: str, warnings: list[str]) -> RuleSet:
    """The part of a project's rules that can only ask or forbid."""
    kept = tuple(rule for rule in rules.rules if _only_tightens(rule))
    network = tuple(rule for rule in rules.network if rule.decide != "allow")
    places = tuple(rule for rule in rules.places if rule.decide != "allow")
    left_out = len(rules.rules) - len(kept) + len(rules.host_executables) + len(rules.network) - len(network)
    left_out += len(rules.places) - len(places)
    if left_out:
        entries = "1 entry" if left_out == 1 else f"{left_out} entries"
        warnings.append(
            f"ignored {entries} in {visible(path)}: a project's rules may only ask or forbid, by a program's bare name"
        )
    return rules.but(rules=kept, host_executables=(), network=network, places=places)


def _only_tightens(rule: Rule) -> bool:
    return rule.decide != "allow" and not any(program.startswith("/") for program in rule.prefix[0])
