"""Programs that start another one for their own reasons: version managers, watchers, terminals, benchmarks.

Unlike the wrappers they have a business of their own, so what they start is judged besides them. A table says for each
where the command stands; a text too many costs a look and nothing else.
"""

from __future__ import annotations

from sandgate.commandline.launcher_rows import (
    CONTAINERS,
    DIRECT_RUNNERS,
    LAUNCHERS,
    PLACE_FIRST,
    PROGRAM_OPTIONS,
    RUNNERS,
)
from sandgate.commandline.words import joined, words_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

_OPTIONS_WITH_VALUES = words_of(
    "-n -p --name --prefix --node --npm --yarn --using -w --watch -e --exts --ext -i --ignore -f --filter "
    "-d --debounce -g -t -s -c -L --cwd --interval -r --runs -m --min-runs --warmup --export-json "
    "--export-markdown --python --with --from --package --spec --config"
)
_OWN_VALUES = {
    "tmux": words_of("-s -n -t -c -e -x -y -F -f -l -L -S"),
    "screen": words_of("-S -c -s -t -T -h -e -p"),
    "watchexec": words_of("-e --exts -f --filter -w --watch -i --ignore -d --debounce -s --signal --shell -E --env"),
    "perf": words_of("-e -p -t -C -F -c -o -m -r -I -x -G -D -j --event --output --pid --repeat"),
    "setpriv": words_of("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig"),
    "gtimeout": words_of("-k -s --kill-after --signal"),
    "cpulimit": words_of("-l -p -e -P --limit --pid --exe --path"),
    "uv": words_of(
        "-p --python --with --with-editable --with-requirements --from --package --directory --project --extra "
        "--group --only-group --no-group --env-file --config-file --cache-dir --index --index-url --default-index -i "
        "-f --find-links -w --color -C -P"
    ),
    "kitty": words_of("-c --config -d --directory -o --override -T --title --class --name --listen-on --session"),
    "caffeinate": words_of("-t -w"),
    "faketime": words_of("-p"),
    **dict.fromkeys(("conda", "mamba", "micromamba"), words_of("-n -p --name --prefix --cwd")),
    "dtach": words_of("-e -r"),
    "wsl": words_of("-d -u --distribution --user --cd --shell-type"),
    "runcon": words_of("-t -u -r -l --type --user --role --range"),
    "systemd-nspawn": words_of(
        "-D -i -M -u -U -p -E -S -s --directory --image --machine --user --bind --bind-ro --setenv --chdir --property"
    ),
    "bwrap": words_of(
        "--args --argv0 --userns --userns2 --pidns --uid --gid --hostname --chdir --unsetenv --lock-file --sync-fd "
        "--remount-ro --exec-label --file-label --proc --dev --tmpfs --mqueue --dir --seccomp --add-seccomp-fd "
        "--block-fd --userns-block-fd --info-fd --json-status-fd --cap-add --cap-drop --perms --size --overlay-src "
        "--tmp-overlay --ro-overlay"
    ),
    "flatpak-spawn": words_of("--directory --env --forward-fd"),
}
# These take two words behind them.
_TWO_VALUES = words_of(
    "--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --bind-fd --ro-bind-fd --setenv --symlink "
    "--file --bind-data --ro-bind-data --chmod"
)
TMUX_MIN = 3  # letters of a command of tmux, which takes the beginning of a name for the name (tmux(1), "COMMANDS")
_KEYS = ("Enter", "C-m")  # that `tmux send-keys` types behind a command
SCRIPTS_MAX = 50  # of one command that are looked at
ORDERS_MAX = 5  # words at which an order to be carried out later may begin, each with all that follows it
WORDS_BEFORE_MAX = 40  # options of a program, and their values, that are looked past
READINGS_MAX = 5  # of the words behind options that may or may not take them
_OPERATORS = frozenset(";&|\n`$<>(")  # what makes more than one command of a script
_NPX_FLAGS = words_of("-y --yes --no --no-install -q --quiet -d -s --silent --")

_NAMED_FIRST = frozenset(("chamber", "saml2aws"))  # `chamber exec SERVICES -- COMMAND`


class Launched(Record):
    """What one place of a command line starts: the command that begins at word `at`, or a script that stands there."""

    at: int
    script: str | None = None
    together: bool = False  # the script is put together of all words from there on
    fetched: bool = False  # the program may be downloaded first
    doubtful: bool = False  # another way to read the words, which may only tighten

    @property
    def several(self) -> bool:
        """Whether what stands there may be more than one command: `adb shell ls ';' rm x`."""
        return self.script is not None and not _OPERATORS.isdisjoint(self.script)


def launched(program: str, argv: Argv) -> Iterator[Launched]:
    """What `argv` starts besides its own business. `program`: what `argv[0]` is called in the table."""
    for sub, places in LAUNCHERS.get(program, ()):
        start = _behind(sub, argv)
        if start is not None:
            for place in places:
                yield from _at_place(place, program, argv, start)
            return


def launched_by(program: str, argv: Argv) -> list[Launched]:
    """All that `argv` starts, runners of a project's tools among them; assignments before a command are left out."""
    places = list(launched(program, argv))
    sub = () if program in DIRECT_RUNNERS else (RUNNERS[program],) if program in RUNNERS else None
    places += _in_container(program, argv)
    start = None if sub is None else _behind(sub, argv)
    if start is not None:
        own = program not in PLACE_FIRST and program not in _NAMED_FIRST  # `uv run pytest -- x` is all about pytest
        for place in ("skip1" if program in PLACE_FIRST else "rest", "behind"):
            for each in _at_place(place, program, argv, start):
                at = each.at if each.script is not None else _behind_assignments(argv, each.at)
                if at < len(argv):
                    places.append(each.but(at=at, doubtful=own and place == "behind"))
    places += [Launched(at, doubtful=True) for at in _other_readings(program, argv, start)]
    return list({(each.at, each.script): each for each in reversed(places)}.values())[::-1]


def composed(program: str, argv: Argv) -> Argv:
    """The command of which an option names the program: `docker run --entrypoint ls IMAGE -l`; () where none does."""
    options, skipped = PROGRAM_OPTIONS.get(program, ((), 0))
    for at, word in enumerate(argv[1:], 1):
        name, equals, value = word.partition("=")
        if name in options and (equals or at + 1 < len(argv)):
            rest = [each for each in (*argv[1:at], *argv[at + 1 if equals else at + 2 :]) if each != "--"]
            words = [place for place, each in enumerate(rest) if each[:1] != "-"]
            behind = (
                rest[words[skipped - 1] + 1 :]
                if skipped and len(words) >= skipped
                else rest[words[0] :]
                if words
                else []
            )
            return (value if equals else argv[at + 1], *(behind if skipped or "--" in argv else []))
    return ()


def _in_container(program: str, argv: Argv) -> Iterator[Launched]:
    for sub in CONTAINERS.get(program, ()):
        start = 1
        for word in sub:  # options with their values may stand between them
            start = (
                argv.index(word, start, start + WORDS_BEFORE_MAX) + 1 if word in argv[start:][:WORDS_BEFORE_MAX] else 0
            )
            if not start:
                break
        if start:
            for at in range(start, min(len(argv), start + WORDS_BEFORE_MAX)):
                if argv[at][:1] != "-":
                    yield from [each.but(doubtful=True) for each in _command(argv, at)]
            return


def may_come_first(argv: Argv, start: int = 1, values: frozenset[str] = frozenset()) -> Iterator[int]:
    """Where the first operand may stand: nobody knows of every option whether it takes the word behind it.

    `values`: options that surely do.
    """
    doubt = False
    found = 0
    for at in range(start, min(len(argv), start + WORDS_BEFORE_MAX)):
        word = argv[at]
        if word == "--":
            if at + 1 < len(argv):
                yield at + 1
            return
        if word[:1] == "-" and len(word) > 1:
            doubt = "=" not in word
            continue
        if argv[at - 1] in values:
            doubt = False
            continue
        yield at
        found += 1
        if not doubt or found == READINGS_MAX:
            return
        doubt = False


def command_at(argv: Argv, place: Launched) -> Argv:
    """The command that begins there, without a version or a source: `cowsay@1.6` and `nixpkgs#cowsay` are `cowsay`."""
    name = argv[place.at].rpartition("#")[2].split("@", 1)[0] or argv[place.at]
    return (name, *argv[place.at + 1 :])


def _behind(sub: Argv, argv: Argv) -> int | None:
    """Where the words of a sub-command end, options of the program before them looked past; None for another one."""
    for at in range(1, min(len(argv), WORDS_BEFORE_MAX) + 1):
        if argv[at : at + len(sub)] == sub or (sub and _abbreviates(argv, at, sub)):
            return at + len(sub)
        valued = at > 1 and argv[at - 1][:1] == "-" and "=" not in argv[at - 1]
        if argv[at : at + 1] and argv[at][:1] not in ("-", "+") and not valued:
            return None
    return None


def _abbreviates(argv: Argv, at: int, sub: Argv) -> bool:
    """`tmux new-s`: tmux alone takes it, and what it could also mean is for tmux to refuse."""
    word = argv[at] if at < len(argv) else ""
    return argv[0].rpartition("/")[2] == "tmux" and len(word) >= TMUX_MIN and sub[0].startswith(word)


def _behind_assignments(argv: Argv, at: int) -> int:
    while at < len(argv) and "=" in argv[at]:
        at += 1
    return at


def _other_readings(program: str, argv: Argv, start: int | None) -> Iterator[int]:
    """Where the command may stand if options are not what the tables say. `start`: behind what a runner is called."""
    if start is None:
        rows = [(_behind(sub, argv), places) for sub, places in LAUNCHERS.get(program, ())]
        start, places = next(((at, places) for at, places in rows if at is not None), (None, ()))
        skips = "skip1" in places
        if start is None or not (skips or "rest" in places or "fetched" in places):
            return
    else:
        skips = program in PLACE_FIRST
    for at in may_come_first(argv, start, _OWN_VALUES.get(program, frozenset())):
        for place in (at, at + 1) if skips else (at,):
            place = _behind_assignments(argv, place)
            if place < len(argv):
                yield place


def _at_place(place: str, program: str, argv: Argv, start: int) -> Iterator[Launched]:
    values = _OWN_VALUES.get(program, _OPTIONS_WITH_VALUES)
    if place[:1] == "-":
        yield from _at_option(place, argv, start, _own_end(argv, start, values) if program == "npx" else len(argv))
        return
    if place == "self":
        yield Launched(start - 1)
        return
    if place == "behind":
        if "--" in argv[start:]:
            yield from _command(argv, argv.index("--", start) + 1)
        return
    operands = _operands(argv, start, values, every=place in ("each", "order"))
    if place == "order":  # of the program itself, to be carried out later
        for at in operands[:ORDERS_MAX]:
            words = argv[at:]
            texts = (joined(words), f"{program} {argv[at]}", joined((program, *words)))
            yield from [Launched(at, text, doubtful=at > operands[0]) for text in texts]
    if place == "each":
        yield from [Launched(at, argv[at]) for at in operands[:SCRIPTS_MAX]]
    elif place == "joined" and operands:
        yield Launched(operands[0], " ".join([argv[at] for at in operands if argv[at] not in _KEYS]), together=True)
        if len(operands) > 1 and " " in argv[operands[-1]]:  # the name of a session or a pane may stand before it
            yield Launched(operands[-1], argv[operands[-1]])
    elif place in ("rest", "fetched", "skip1"):
        yield from [
            each.but(fetched=place == "fetched")
            for at in operands[place == "skip1" :][:1]
            for each in _command(argv, at)
        ]


def _own_end(argv: Argv, start: int, values: frozenset[str]) -> int:
    """Where the options of npx end: `npx eslint -c x` is not `npx -c x`."""
    operands = _operands(argv, start, values, every=False)
    if not operands:
        return len(argv)
    before = argv[operands[0] - 1]
    return operands[0] if operands[0] == start or before[:1] != "-" or before in _NPX_FLAGS else len(argv)


def _at_option(place: str, argv: Argv, start: int, end: int) -> Iterator[Launched]:
    """`--run 'script'`, or `-c command with its words`; behind `end` it may belong to something else."""
    name = place.removesuffix("…")
    for at in range(start, len(argv)):
        word = argv[at]
        if name[:2] == "--" and word.startswith(f"{name}="):
            yield Launched(at, word[len(name) + 1 :], doubtful=at >= end)
        elif word == name and at + 1 < len(argv):
            if place != name:
                yield from _command(argv, at + 1)
                return
            yield Launched(at + 1, argv[at + 1], doubtful=at >= end)


def _command(argv: Argv, at: int) -> Iterator[Launched]:
    while at < len(argv) and argv[at] == "--":
        at += 1
    if at < len(argv):
        yield Launched(at, argv[at] if at + 1 == len(argv) and " " in argv[at] else None)


def _operands(argv: Argv, start: int, values: frozenset[str], *, every: bool) -> list[int]:
    """Where the operands stand; all words from the first one on, unless options may stand between them (`every`)."""
    places: list[int] = []
    at = start
    while at < len(argv):
        word = argv[at]
        if word == "--":
            return [*places, *range(at + 1, len(argv))]
        if len(word) > 1 and word[0] == "-":
            at += 2 if word in _TWO_VALUES else _takes_next(word, values)
        elif every:
            places.append(at)
        else:
            return list(range(at, len(argv)))
        at += 1
    return places


def _takes_next(option: str, values: frozenset[str]) -> bool:
    """Whether the value of an option, or of the last letter of a cluster, is the word behind it."""
    if option in values or option[:2] == "--":
        return option in values
    letter = next((at for at in range(1, len(option)) if f"-{option[at]}" in values), 0)
    return letter == len(option) - 1
