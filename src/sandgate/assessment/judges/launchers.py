"""Programs that start another one for their own reasons: version managers, watchers, terminals, benchmarks.

Unlike the wrappers they have a business of their own, so what they start is judged besides them. A table says for each
where the command stands; a text too many costs a look and nothing else.
"""

from __future__ import annotations

from sandgate.assessment.findings import MEDIUM, NETWORK
from sandgate.assessment.options import listed, parsed
from sandgate.assessment.wording import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry

OPTIONS_WITH_VALUES = (
    "-n -p --name --prefix --node --npm --yarn --using -w --watch -e --exts --ext -i --ignore -f --filter "
    "-d --debounce -g -t -s -c -L --cwd --interval -r --runs -m --min-runs --warmup --export-json "
    "--export-markdown --python --with --from --package --spec --config"
)
OWN_VALUES = {"tmux": "-s -n -t -c -e -x -y -F -f -l -L -S", "screen": "-S -c -s -t -T -h -e -p"}
SCRIPTS_MAX = 50  # of one command that are looked at

# program and sub-command → where the command is:
#   rest     what stands behind the options     behind   what stands behind `--`     skip1    behind one operand
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
    corepack yarn = rest
    corepack pnpm = rest
    corepack npm = rest
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
    devcontainer exec = behind rest
    okteto exec = behind
    coder ssh = behind skip1
    telepresence intercept = behind
    garden exec = skip1
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
REMOTE = frozenset(listed("lxc incus multipass vagrant limactl wsl adb"))


def _lines() -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    """program → for each sub-command, its words and where the command is."""
    found: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for line in _TABLE.strip().splitlines():
        name, _, places = line.partition(" = ")
        program, *sub = name.split()
        found.setdefault(program, []).append((tuple(sub), tuple(places.split())))
    return {program: tuple(sorted(each, reverse=True)) for program, each in found.items()}


LAUNCHERS = _lines()


def judge_launched(call: Call, inquiry: Inquiry) -> None:
    """Put what `call` starts besides its own business on the inquiry's list."""
    for sub, places in LAUNCHERS.get(call.program, ()):
        if tuple([arg.text for arg in call.args[: len(sub)]]) == sub:
            for place in places:
                _judge_place(place, call.args[len(sub) :], call, inquiry)
            return


def _judge_place(place: str, args: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    texts = [arg.text for arg in args]
    if place[:1] == "-":
        _judge_option(place, args, call, inquiry)
        return
    if place == "behind":
        _run(args[texts.index("--") + 1 :] if "--" in texts else (), call, inquiry)
        return
    values = OWN_VALUES.get(call.program, OPTIONS_WITH_VALUES)
    operands = parsed(args, values, stop_at_operand=place != "each").operands
    if place == "each":
        for arg in operands[:SCRIPTS_MAX]:
            inquiry.run_script(arg.text, call)
    elif place == "joined":
        whole = " ".join([arg.text for arg in operands if arg.text not in {"Enter", "C-m"}])
        inquiry.run_script(whole, call.inside(call.program, (), remote=call.program in REMOTE))
        if operands and " " in operands[-1].text:  # the name of a session or a pane may stand before it
            inquiry.run_script(operands[-1].text, call)
    else:
        if place == "fetched":
            inquiry.add(MEDIUM, "contacts", operands[0].text if operands else call.program,
                        "may download a package to run it",
                        f"Runs {shown(operands[0].text) if operands else 'a program'}, which may be downloaded first",
                        "", (NETWORK,))  # fmt: skip
        _run(operands[1:] if place == "skip1" else operands, call, inquiry)


def _judge_option(place: str, args: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    """`--run 'script'`, or `-c command with its words`."""
    name = place.removesuffix("…")
    for at, arg in enumerate(args):
        if arg.text.startswith(f"{name}=") and name[:2] == "--":
            inquiry.run_script(arg.text[len(name) + 1 :], call)
        elif arg.text == name and at + 1 < len(args):
            if place[-1] == "…":
                _run(args[at + 1 :], call, inquiry)
                return
            inquiry.run_script(args[at + 1].text, call)


def _run(words: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    while words and words[0].text == "--":
        words = words[1:]
    if len(words) == 1 and " " in words[0].text:
        inquiry.run_script(words[0].text, call)
    elif words:
        name = words[0].text.split("@", 1)[0] or words[0].text
        inquiry.run(call.inside(name, words[1:], remote=call.program in REMOTE))
