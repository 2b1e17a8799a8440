"""Which programs start another one for their own reasons, and where in their words it stands. Data for `launchers`."""

from __future__ import annotations

from sandgate.commandline.tables import Later
from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Argv = tuple[str, ...]
    Places = tuple[tuple[Argv, Argv], ...]  # for each sub-command its words, and where the command is

# Runners of a project's own tools, and the sub-command behind which the tool stands.
RUNNERS = {
    "uv": "run", "poetry": "run", "pdm": "run", "hatch": "run", "pipenv": "run", "rye": "run", "bundle": "exec",
    "pnpm": "exec", "yarn": "exec", "npm": "exec", "conda": "run", "mise": "exec", "direnv": "exec", "coverage": "run",
    "asdf": "exec", "doppler": "run", "infisical": "run", "teller": "run", "dotenvx": "run", "phase": "run",
    "op": "run", "bun": "run",
    "carton": "exec", "dune": "exec", "stack": "exec", "cabal": "exec", "opam": "exec", "composer": "exec",
    "lerna": "exec", "melos": "exec", "pixi": "run",
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
    nix run = rest
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
    yarn npm = self
    yarn exec = joined
    yarn node = rest
    npx = -c --call
    npm exec = -c --call
    npm x = rest behind -c --call
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
    tmux respawnp = joined
    tmux respawn-window = joined
    tmux respawnw = joined
    tmux pipe-pane = joined
    tmux pipep = joined
    tmux run-shell = joined
    tmux run = joined
    tmux if-shell = each
    tmux if = each
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
    perf trace = rest
    perf mem = rest
    perf lock = rest
    perf sched = rest
    perf c2c = rest
    uftrace = rest
    uftrace record = rest
    uftrace live = rest
    trace-cmd record = rest
    trace-cmd profile = rest
    latrace = rest
    memusage = rest
    sotruss = rest
    kcov = skip1
    gdbserver = skip1
    lldb = behind rest
    py-spy record = behind
    py-spy top = behind
    samply record = rest
    flamegraph = behind
    cargo flamegraph = behind
    nsys profile = rest
    ncu = rest
    vtune = behind
    coz run = behind
    valgrind = rest
    heaptrack = rest
    eatmydata = rest
    nocache = rest
    faketime = skip1
    gtimeout = skip1
    cpulimit = behind rest
    daemonize = rest
    dtach = skip1
    start-stop-daemon = --exec -x --startas -a
    sg = -c skip1
    cross-env-shell = joined
    env-cmd = rest
    distrobox enter = behind
    devcontainer exec = behind rest
    okteto exec = behind
    telepresence intercept = behind
    garden exec = skip1
    toolbox run = rest
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
    fish = -c --command
    csh = -c
    tcsh = -c
    nu = -c --commands
    pwsh = -c -Command -command
    xonsh = -c
    elvish = -c
    osh = -c
    choom = behind
    systemd-inhibit = rest
    setuidgid = skip1
    envdir = skip1
    setlock = skip1
    softlimit = rest
    trickle = rest
    ifne = rest
    pee = each
    run-one = rest
    dbus-launch = rest
    fakechroot = rest
    linux32 = rest
    linux64 = rest
    rr record = rest
    gdb = --args…
    heroku run = rest
    foreman run = rest
    honcho run = rest
    sops exec-env = each
    sops exec-file = each
    rustup run = skip1
    runcon = rest
    guix shell = behind
    guix environment = behind
    podman unshare = rest
    buildah unshare = rest
    bwrap = rest
    machinectl shell = skip1
    systemd-nspawn = rest
    capsh = -c
    wsl = behind -e… rest
    flatpak-spawn = rest
    pseudo = rest
    schroot = behind
    snap run = -c
    expect = -c
    torify = rest
    tmux set-hook = order
    tmux bind-key = order
    tmux bind = order
    tmux confirm-before = order
    tmux confirm = order
    tmux command-prompt = order
    tmux source-file = each
"""
# These start it on another machine, or in a container.
ELSEWHERE = words_of("lxc incus multipass vagrant limactl wsl adb")
# Of containers, and what stands behind these words of theirs: options, the name of an image or a container, a command.
# Nobody knows all the options, so the command may begin at any of the words.
CONTAINERS: dict[str, tuple[Argv, ...]] = {
    **dict.fromkeys(
        ("docker", "podman", "nerdctl"),
        tuple(
            tuple(line.split())
            for line in ("run", "exec", "create", "compose run", "compose exec", "container run", "container exec",
                         "container create")
        ),
    ),
    **dict.fromkeys(("docker-compose", "podman-compose"), (("run",), ("exec",))),
    **dict.fromkeys(("kubectl", "oc"), (("run",), ("exec",), ("debug",), ("rsh",))),
}  # fmt: skip
# The program is the value of an option, and its words are the operands behind so many more.
PROGRAM_OPTIONS: dict[str, tuple[Argv, int]] = {
    **dict.fromkeys(("docker", "podman", "nerdctl"), (("--entrypoint",), 2)),
    "flatpak": (("--command",), 2),
    "start-stop-daemon": (("--exec", "-x", "--startas", "-a"), 0),
}


def _lines() -> tuple[dict[str, Places]]:
    found: dict[str, list[tuple[Argv, Argv]]] = {}
    for line in _TABLE.strip().splitlines():
        name, _, places = line.partition(" = ")
        program, *sub = name.split()
        found.setdefault(program, []).append((tuple(sub), tuple(places.split())))
    return ({program: tuple(sorted(each, reverse=True)) for program, each in found.items()},)


LAUNCHERS: Mapping[str, Places] = Later({}, _lines)
LAUNCHING = frozenset(
    (
        *(line.split(None, 1)[0] for line in _TABLE.strip().splitlines()),
        *RUNNERS,
        *DIRECT_RUNNERS,
        *CONTAINERS,
        *PROGRAM_OPTIONS,
    )
)  # all programs with a row in one of these tables
