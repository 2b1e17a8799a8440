"""Programs that start another one for their own reasons: version managers, watchers, terminals, benchmarks.

Unlike the wrappers they have a business of their own, so what they start is judged besides them. A table says for each
where the command stands; a text too many costs a look and nothing else.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]
    Places = tuple[tuple[Argv, Argv], ...]  # for each sub-command its words, and where the command is

_OPTIONS_WITH_VALUES = words_of(
    "-n -p --name --prefix --node --npm --yarn --using -w --watch -e --exts --ext -i --ignore -f --filter "
    "-d --debounce -g -t -s -c -L --cwd --interval -r --runs -m --min-runs --warmup --export-json "
    "--export-markdown --python --with --from --package --spec --config"
)
_OWN_VALUES = {
    "tmux": words_of("-s -n -t -c -e -x -y -F -f -l -L -S"),
    "screen": words_of("-S -c -s -t -T -h -e -p"),
}
_KEYS = ("Enter", "C-m")  # that `tmux send-keys` types behind a command
SCRIPTS_MAX = 50  # of one command that are looked at

# Runners of a project's own tools, and the sub-command behind which the tool stands.
RUNNERS = {
    "uv": "run", "poetry": "run", "pdm": "run", "hatch": "run", "pipenv": "run", "rye": "run", "bundle": "exec",
    "pnpm": "exec", "yarn": "exec", "npm": "exec", "conda": "run", "mise": "exec", "direnv": "exec", "coverage": "run",
    "asdf": "exec", "doppler": "run", "infisical": "run", "teller": "run", "dotenvx": "run", "phase": "run",
    "op": "run",
    "chamber": "exec", "aws-vault": "exec", "bw": "run", "bws": "run", "akeyless": "run", "saml2aws": "exec",
}  # fmt: skip
DIRECT_RUNNERS = words_of(
    "npx bunx uvx cross-env dotenv torsocks proxychains proxychains4 caffeinate rlwrap torify envconsul tsocks "
    "grc chronic winpty"
)
PLACE_FIRST = frozenset(("direnv", "aws-vault"))  # `direnv exec DIRECTORY COMMAND`

# program and sub-command → where the command is:
#   rest     what stands behind the options     behind   what stands behind `--`     skip1    behind one operand
#   self     it is the sub-command itself
#   joined   the operands together are a script  each     every operand is a script   fetched  rest, got from a registry
# or options: the value of any of them is a script; with `…`, all that follows it is a command.
_TABLE = """
    nix-shell = --run --command
    nix develop = -c… --command…
    nix shell = -c… --command…
    nix run = behind
    mise x = behind
    mise exec = behind
    rtx exec = behind
    devbox run = joined
    devenv shell = rest
    flox activate = behind -c --command
    dotenv run = rest
    dotenv = behind
    mamba run = rest
    micromamba run = rest
    conda run = rest
    rbenv exec = rest
    pyenv exec = rest
    nodenv exec = rest
    goenv exec = rest
    jenv exec = rest
    plenv exec = rest
    volta run = rest
    fnm exec = rest behind
    nvm exec = skip1
    nvm run = skip1
    rvm do = rest
    chruby-exec = behind
    corepack yarn = self
    corepack pnpm = self
    corepack npm = self
    yarn exec = joined
    yarn node = rest
    npx = -c --call
    npm exec = -c --call
    npm x = behind -c --call
    pnpm dlx = fetched
    yarn dlx = fetched
    bun x = fetched
    pipx run = fetched
    uv tool run = fetched
    uvx = fetched
    bunx = fetched
    concurrently = each
    nodemon = --exec -x
    watchexec = joined behind
    cargo watch = -s --shell
    hyperfine = each -p --prepare -s --setup -c --cleanup -C --conclude
    tmux new = joined
    tmux new-session = joined
    tmux new-window = joined
    tmux neww = joined
    tmux split-window = joined
    tmux splitw = joined
    tmux respawn-pane = joined
    tmux run-shell = joined
    tmux run = joined
    tmux if-shell = each
    tmux display-popup = joined
    tmux popup = joined
    tmux send-keys = joined
    tmux send = joined
    screen = joined
    zellij run = behind rest
    kitty = rest -e…
    xterm = -e…
    alacritty = -e… --command…
    konsole = -e…
    gnome-terminal = behind -e --command
    xfce4-terminal = -e --command -x…
    x-terminal-emulator = -e…
    wezterm start = behind rest
    foot = rest
    just = --command… -c…
    cgexec = skip1
    setpriv = rest
    perf stat = rest
    perf record = rest
    valgrind = rest
    heaptrack = rest
    eatmydata = rest
    nocache = rest
    faketime = skip1
    gtimeout = skip1
    cpulimit = behind
    daemonize = rest
    dtach = skip1
    start-stop-daemon = behind
    sg = -c
    distrobox enter = behind
    toolbox run = rest
    wsl = behind -e…
    lxc exec = behind
    adb shell = joined
    adb exec-out = joined
    incus exec = behind
    multipass exec = behind
    vagrant ssh = -c --command
    limactl shell = skip1
    dagger run = rest
    op run = behind
    envchain = skip1
    dotenvx run = behind
    sops exec-env = each
    sops exec-file = each
    bazel run = behind
"""
# These start it on another machine, or in a container.
ELSEWHERE = words_of("lxc incus multipass vagrant limactl wsl adb")


def _lines() -> dict[str, Places]:
    found: dict[str, list[tuple[Argv, Argv]]] = {}
    for line in _TABLE.strip().splitlines():
        name, _, places = line.partition(" = ")
        program, *sub = name.split()
        found.setdefault(program, []).append((tuple(sub), tuple(places.split())))
    return {program: tuple(sorted(each, reverse=True)) for program, each in found.items()}


LAUNCHERS = _lines()
LAUNCHING = frozenset((*LAUNCHERS, *RUNNERS, *DIRECT_RUNNERS))  # all programs with a row in one of these tables


class Launched(Record):
    """What one place of a command line starts: the command that begins at word `at`, or a script that stands there."""

    at: int
    script: str | None = None
    together: bool = False  # the script is put together of all words from there on
    fetched: bool = False  # the program may be downloaded first


def launched(program: str, argv: Argv) -> Iterator[Launched]:
    """What `argv` starts besides its own business. `program`: what `argv[0]` is called in the table."""
    for sub, places in LAUNCHERS.get(program, ()):
        if argv[1 : 1 + len(sub)] == sub:
            for place in places:
                yield from _at_place(place, program, argv, 1 + len(sub))
            return


def started(program: str, argv: Argv) -> list[Launched]:
    """All that `argv` starts, runners of a project's tools among them; assignments before a command are left out."""
    places = list(launched(program, argv))
    sub = RUNNERS.get(program)
    if places or (program not in DIRECT_RUNNERS and (sub is None or argv[1:2] != (sub,))):
        return places
    start = 1 + (program not in DIRECT_RUNNERS)
    for place in ("skip1" if program in PLACE_FIRST else "rest", "behind"):
        for each in _at_place(place, program, argv, start):
            at = each.at
            while at < len(argv) and each.script is None and "=" in argv[at]:
                at += 1
            if at < len(argv) and all(at != other.at for other in places):
                places.append(each.but(at=at))
    return places


def command_at(argv: Argv, place: Launched) -> Argv:
    """The command that begins there, its program without a version: `cowsay@1.6` is `cowsay`."""
    name = argv[place.at].split("@", 1)[0] or argv[place.at]
    return (name, *argv[place.at + 1 :])


def _at_place(place: str, program: str, argv: Argv, start: int) -> Iterator[Launched]:
    if place[:1] == "-":
        yield from _at_option(place, argv, start)
        return
    if place == "self":
        yield Launched(start - 1)
        return
    if place == "behind":
        if "--" in argv[start:]:
            yield from _command(argv, argv.index("--", start) + 1)
        return
    operands = _operands(argv, start, _OWN_VALUES.get(program, _OPTIONS_WITH_VALUES), every=place == "each")
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


def _at_option(place: str, argv: Argv, start: int) -> Iterator[Launched]:
    """`--run 'script'`, or `-c command with its words`."""
    name = place.removesuffix("…")
    for at in range(start, len(argv)):
        word = argv[at]
        if name[:2] == "--" and word.startswith(f"{name}="):
            yield Launched(at, word[len(name) + 1 :])
        elif word == name and at + 1 < len(argv):
            if place != name:
                yield from _command(argv, at + 1)
                return
            yield Launched(at + 1, argv[at + 1])


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
            at += _takes_next(word, values)
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
