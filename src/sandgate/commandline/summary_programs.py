"""What single programs look like they do, a function for each family.

Written for a display, so it may be wrong about odd command lines, but never towards harmless where the words say
otherwise: a `find` that deletes lists nothing, and a `sed -i` formats nothing.
"""

from __future__ import annotations

from sandgate.commandline.summary_options import arguments
from sandgate.commandline.words import joined, program_name, words_of
from sandgate.protocol.summaries import ListFiles, Read, Search, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.summaries import Summary

    Argv = tuple[str, ...]

FORMATTERS = words_of("wc tr cut sort uniq tee column yes printf")  # between a reader and the person who looks
_DULL_COMPONENTS = words_of("build dist node_modules src")  # say nothing about where we are
_MUTATORS = words_of(
    "rm rmdir unlink shred mv cp ln install chmod chown chgrp touch mkdir truncate dd tee kill sh bash zsh dash env "
    "sudo git npm pip make curl wget"
)
_FIND_ACTS = words_of("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls")
_PYTHON_LISTS = ("os.walk", "os.listdir", "os.scandir", "glob.glob", "glob.iglob", "pathlib.Path", ".rglob")
_PYTHON_ACTS = words_of("remove unlink rmtree rmdir write rename replace system subprocess exec eval")

_LISTERS = {
    "ls": words_of("-I -w -T --ignore --hide --block-size --color --format --sort --time --time-style --width"),
    "eza": words_of("-I -s -t -L -w --ignore-glob --color --colour --sort --time --time-style --level --width"),
    "exa": words_of("-I -s -t -L --ignore-glob --color --colour --sort --time --time-style --level"),
    "tree": words_of("-I -L -P -H -T -o --charset --filelimit --sort --timefmt"),
    "du": words_of("-B -d -t -X --block-size --exclude --exclude-from --files0-from --max-depth --threshold"),
}  # fmt: skip
_RG = words_of(
    "-A -B -C -E -e -f -g -j -m -M -r -t -T --after-context --before-context --color --colors --context --encoding "
    "--engine --file --glob --iglob --ignore-file --max-columns --max-count --max-depth --max-filesize "
    "--path-separator --pre --pre-glob --regexp --replace --sort --sortr --threads --type --type-add --type-not"
)
_GREP = words_of(
    "-A -B -C -D -d -e -f -m --after-context --before-context --binary-files --color --colour --context --directories "
    "--exclude --exclude-dir --exclude-from --file --include --label --max-count --regexp"
)
_AG = words_of(
    "-A -B -C -G -m -p --after --before --color-match --context --depth --file-search-regex --ignore --ignore-dir "
    "--ignore-file --max-count --pager --path-to-ignore --type"
)
_SEARCHERS = {
    **dict.fromkeys(("rg", "rga", "ripgrep-all"), _RG),
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    **dict.fromkeys(("ag", "ack", "pt"), _AG),
}
_GIT_LS_FILES = words_of("-x -X --exclude --exclude-from --exclude-per-directory --abbrev")
_FD = words_of(
    "-t -e -E -d -c -S -x -X -j -C --type --extension --exclude --max-depth --min-depth --exact-depth --color --size "
    "--exec --exec-batch --threads --base-directory --search-path --changed-within --changed-before --owner "
    "--ignore-file"
)
_READERS = {
    "cat": frozenset[str](),
    "more": words_of("-n --lines"),
    "less": words_of("-b -h -j -k -o -O -p -P -t -T -x -y -z --pattern --prompt --tabs --window"),
    **dict.fromkeys(
        ("bat", "batcat"),
        words_of(
            "-H -l -m -r --color --decorations --file-name --highlight-line --language --line-range --map-syntax "
            "--pager --paging --style --tabs --terminal-width --theme --wrap"
        ),
    ),
}
_HEAD = words_of("-n -c --lines --bytes")
_NL = words_of("-b -d -f -h -i -l -n -s -v -w")
_AWK = words_of("-F -f -v --assign --field-separator --file")
_XARGS = words_of(
    "-a -d -E -I -L -n -P -s --arg-file --delimiter --eof --max-args --max-chars --max-lines --max-procs --replace"
)


def classify(words: Argv) -> Summary:
    """What one command looks like it does."""
    name = program_name(words[0]) if words else ""
    if name in _FAMILIES:
        return _FAMILIES[name](words)
    return _python(words) if name.startswith("python") else Unknown(joined(words))


def formats(words: Argv) -> bool:
    """Whether the command only shapes what another one shows, so that a summary can do without it."""
    name, rest = words[0], words[1:]
    match name:
        case "xargs":
            return not _mutates(_run_by_xargs(rest))
        case "awk":
            return _awk_file(rest) is None
        case "head" | "tail":
            return not arguments(rest, _HEAD).operands
        case "sed":
            return _sed_file(rest) is None and not _edits_in_place(rest)
        case _:
            return name in FORMATTERS


def short_path(path: str) -> str:
    """The last component that says something: `webview/src` is `webview`."""
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    telling = [part for part in parts if part not in _DULL_COMPONENTS]
    return (telling or parts or [path])[-1]


def _lister(words: Argv) -> Summary:
    return ListFiles(joined(words), _short(arguments(words[1:], _LISTERS[program_name(words[0])]).operands, 0))


def _searcher(words: Argv) -> Summary:
    name = program_name(words[0])
    given = arguments(words[1:], _SEARCHERS[name])
    if "--files" in given.flags and _SEARCHERS[name] is _RG:
        return ListFiles(joined(words), _short(given.operands, 0))
    return _search(words, words[1:], _SEARCHERS[name])


def _search(words: Argv, rest: Argv, valued: frozenset[str]) -> Summary:
    given = arguments(rest, valued)
    pattern = given.value("-e", "--regexp", "-f", "--file")
    if pattern is not None:
        return Search(joined(words), pattern, _short(given.operands, 0))
    return Search(joined(words), given.operands[0] if given.operands else None, _short(given.operands, 1))


def _git(words: Argv) -> Summary:
    match words[1:]:
        case ("grep", *rest):
            return _search(words, tuple(rest), _GREP)
        case ("ls-files", *rest):
            return ListFiles(joined(words), _short(arguments(tuple(rest), _GIT_LS_FILES).operands, 0))
        case _:
            return Unknown(joined(words))


def _fd(words: Argv) -> Summary:
    given = arguments(words[1:], _FD)
    if given.has("-x", "-X", "--exec", "--exec-batch"):
        return Unknown(joined(words))
    match given.operands:
        case ():
            return ListFiles(joined(words), _short((given.value("--search-path", "--base-directory", "-C") or "",), 0))
        case (only,) if only in (".", "..") or "/" in only:
            return ListFiles(joined(words), short_path(only))
        case _:
            return Search(joined(words), given.operands[0], _short(given.operands, 1))


def _find(words: Argv) -> Summary:
    if not _FIND_ACTS.isdisjoint(words):
        return Unknown(joined(words))
    starts = []
    for word in words[1:]:
        if word[:1] == "-" and word not in ("-H", "-L", "-P"):
            break
        if word in ("!", "("):
            break
        starts += [word] if word[:1] != "-" else []
    named = [at for at, word in enumerate(words) if word in ("-name", "-iname", "-path", "-regex")]
    if named and named[0] + 1 < len(words):
        return Search(joined(words), words[named[0] + 1], _short(tuple(starts), 0))
    return ListFiles(joined(words), _short(tuple(starts), 0))


def _python(words: Argv) -> Summary:
    at = words.index("-c") + 1 if "-c" in words else len(words)
    script = words[at] if at < len(words) else ""
    lists = any(call in script for call in _PYTHON_LISTS) and not any(call in script for call in _PYTHON_ACTS)
    return ListFiles(joined(words)) if lists else Unknown(joined(words))


def _reader(words: Argv) -> Summary:
    return _read(words, _only(arguments(words[1:], _READERS[program_name(words[0])]).operands))


def _head_or_tail(words: Argv) -> Summary:
    given = arguments(words[1:], _HEAD)
    lines = given.value("-n", "--lines")
    if lines is not None and program_name(words[0]) == "tail":
        lines = lines.removeprefix("+")
    counted = lines is None or lines.isdecimal()
    plain = counted and not given.has("-c", "--bytes") and len(given.values) <= 1
    return _read(words, _only(given.operands) if plain else None)


def _nl(words: Argv) -> Summary:
    return _read(words, _only(arguments(words[1:], _NL).operands))


def _awk(words: Argv) -> Summary:
    return _read(words, _awk_file(words[1:]))


def _sed(words: Argv) -> Summary:
    return _read(words, _sed_file(words[1:]))


def _read(words: Argv, path: str | None) -> Summary:
    return Read(joined(words), short_path(path), path) if path else Unknown(joined(words))


def _awk_file(rest: Argv) -> str | None:
    given = arguments(rest, _AWK)
    return _only(given.operands if given.has("-f", "--file") else given.operands[1:])


def _sed_file(rest: Argv) -> str | None:
    """The file of `sed -n 1,20p FILE`."""
    match rest:
        case ("-n", lines, path) if lines.endswith("p") and path[:1] != "-":
            first, comma, last = lines[:-1].partition(",")
            numbers = first.isdecimal() and (last.isdecimal() or not comma)
            return path if numbers else None
        case _:
            return None


def _edits_in_place(rest: Argv) -> bool:
    given = arguments(rest, frozenset(("-e", "-f", "-l", "--expression", "--file")))
    return given.has("-i", "--in-place")


def _run_by_xargs(rest: Argv) -> Argv:
    """What xargs starts: everything from the first word that is none of its options."""
    waiting = list(reversed(rest))
    while waiting and waiting[-1][:1] == "-":
        option = waiting.pop()
        if option in _XARGS and waiting:
            waiting.pop()
    return tuple(reversed(waiting))


def _mutates(words: Argv) -> bool:
    name = program_name(words[0]) if words else ""
    if name in ("perl", "ruby"):
        return any(word[:2] in ("-i", "-p") and "i" in word for word in words)
    if name == "sed":
        return _edits_in_place(words[1:])
    if name == "rg":
        return arguments(words[1:], _RG).has("-r", "--replace")
    return name in _MUTATORS


def _only(operands: Argv) -> str | None:
    return operands[0] if len(operands) == 1 else None


def _short(operands: Argv, at: int) -> str | None:
    return short_path(operands[at]) if len(operands) > at and operands[at] else None


_FAMILIES: dict[str, Callable[[Argv], Summary]] = {
    **dict.fromkeys(_LISTERS, _lister),
    **dict.fromkeys(_SEARCHERS, _searcher),
    **dict.fromkeys(_READERS, _reader),
    **dict.fromkeys(("head", "tail"), _head_or_tail),
    "git": _git,
    "fd": _fd,
    "find": _find,
    "nl": _nl,
    "awk": _awk,
    "sed": _sed,
}
