"""What the contestants are measured on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import contestants as who
from measure import Contestant, largest_process_mb, race, spawn, table

BALLAST_BYTES = 1 << 30  # what the caller holds in the "with 1 GiB" rows
BUILD_FILES = 12
SEARCH_FILES = 400
# 60 entries that begin with a dot, and what lies in two of them, as a developer's home has them: some closed, some not.
ORDINARY_HOME = """
    .ansible .aws .azure .bash_history .bash_logout .bashrc .bun .bundle .cache/pip .cargo/bin .config/gcloud .config/gh
    .config/git .config/htop .config/nvim .config/Code .config/pulse .config/systemd .conda .deno .docker .dotnet
    .emacs.d .eslintrc.json .gem .gitconfig .gnome .gnupg .gradle .helm .inputrc .ipython .java .jupyter .kube .lesshst
    .local/bin .local/share/applications .local/share/keyrings .local/share/Trash .local/state .m2 .minikube .mozilla
    .mysql_history .node_repl_history .npm .npmrc .nuget .nvm .oh-my-zsh .pki .profile .psql_history .pyenv
    .python_history .rustup .sdkman .ssh .steam .sudo_as_admin_successful .terraform.d .thunderbird .tmux.conf
    .tool-versions .var .viminfo .vim .vimrc .volta .vscode .wget-hsts .yarn .zoom .zsh_history .zshrc
    """


def latency(workspace: Path, home: Path, rounds: int) -> str:
    """One confined `/bin/true` from a fresh command line."""
    env = who.quiet_environment(home)
    field = [who.plain(), who.bwrap(workspace), who.sandgate_run(workspace, env)]
    field += [who.codex(workspace, env), who.srt(workspace, env, home)]
    present = [contestant for contestant in field if contestant is not None]
    race(present, rounds)
    shown = table("One confined /bin/true, fresh command line", present, against=("fork+exec", "codex sandbox"))
    argv = [who.SANDGATE, "run", "-C", str(workspace), "--", who.TRUE]
    return shown + f"\nlargest process of `sandgate run`: {largest_process_mb(argv, env):.1f} MB\n"


def warm(workspace: Path, _home: Path, rounds: int) -> str:
    """One more command from a program that runs already."""
    shown = _warm(workspace, rounds, "In process, /bin/true")
    ballast = bytearray(BALLAST_BYTES)
    ballast[::4096] = b"x" * len(ballast[::4096])
    shown += "\n" + _warm(workspace, rounds, "The same while the caller holds 1 GiB")
    del ballast
    return shown


def _warm(workspace: Path, rounds: int, title: str) -> str:
    field = [who.subprocess_run(), who.subprocess_bwrap(workspace), who.governed(workspace, "approval_policy=never")]
    present = [contestant for contestant in field if contestant is not None]
    race(present, rounds)
    return table(title, present, against=("subprocess.run", "bwrap"))


def home_entries(workspace: Path, home: Path, rounds: int) -> str:
    """One more command, in a home where nothing is closed and in an ordinary one."""
    bare, ordinary = home / "bare", home / "ordinary"
    for place in (bare, ordinary):
        place.mkdir()
    for name in ORDINARY_HOME.split():
        made = ordinary / name
        made.parent.mkdir(parents=True, exist_ok=True)
        made.mkdir() if made.suffix == "" and "rc" not in made.name else made.write_text("x\n")
    field = [
        who.governed(workspace, "approval_policy=never", home=place, name=f"{place.name} home")
        for place in (bare, ordinary)
    ]
    race(field, rounds)
    return table("In process, /bin/true: what closing a home costs", field, against=("bare home",))


# Those of a home in which something was built with six kinds of programs.
CACHES = (".cache", ".npm", ".cargo", "go/pkg", ".gradle/caches", ".m2/repository")


def caches(workspace: Path, home: Path, rounds: int) -> str:
    """One more command that could use any cache and uses none."""
    job = workspace / "job"
    shutil.copy(who.TRUE, job)
    field = []
    for name, places, setting in (
        ("no layers", CACHES, "off"),
        ("one", CACHES[:1], "private"),
        ("six", CACHES, "private"),
    ):
        own = home / f"caches {name}"
        for place in places:
            (own / place).mkdir(parents=True)
        options = ("approval_policy=never", f"sandbox.caches={setting}")
        field.append(who.governed(workspace, *options, home=own, name=name, argv=("./job",)))
    race(field, rounds)
    return table("In process, ./job: what layers over the caches of a home cost", field, against=("no layers",))


def startup(_workspace: Path, home: Path, rounds: int) -> str:
    """Programs that do nothing."""
    env = who.quiet_environment(home)
    python = str(who.ROOT / ".venv" / "bin" / "python")  # the interpreter `./sandgate` itself runs on
    field = [
        Contestant("python -c pass", lambda: spawn([python, "-c", "pass"], env=env)),
        Contestant("sandgate --version", lambda: spawn([who.SANDGATE, "--version"], env=env)),
        Contestant("sandgate --help", lambda: spawn([who.SANDGATE, "--help"], env=env)),
    ]
    race(field, rounds)
    return table("Start-up", field, against=("python -c pass",))


def report(workspace: Path, _home: Path, rounds: int) -> str:
    """A build and a search, with report mode on and off."""
    build, search = _project(workspace)
    shown = ""
    for title, script in (("Build: compile, link, test", build), ("Read-only: search", search)):
        field = [
            _scripted(workspace, "report off", script, "sandbox.notify=off"),
            _scripted(workspace, "report on", script, "sandbox.notify=report"),
        ]
        race(field, max(3, rounds // 4))
        shown += table(title, field, against=("report off",)) + "\n"
    return shown


def _scripted(workspace: Path, name: str, script: str, option: str) -> Contestant:
    from sandgate.runtime import Environment, open_runtime

    settings = (option, "approval_policy=never", "sandbox_mode=workspace-write")
    runtime = open_runtime(Environment(cwd=str(workspace), environ=dict(os.environ), overrides=settings))

    def run() -> None:
        passage = runtime.run(runtime.request(("bash", "-c", script)))
        if passage.result is None or passage.result.exit_code != 0:
            raise RuntimeError(f"not run: {passage}")

    return Contestant(name, run)


def _project(workspace: Path) -> tuple[str, str]:
    source = workspace / "src"
    source.mkdir(exist_ok=True)
    for number in range(BUILD_FILES):
        body = f'#include <stdio.h>\n#include <stdlib.h>\nint part_{number}(int x) {{ return printf("%d", x); }}\n'
        (source / f"part_{number}.c").write_text(body)
    calls = "".join(f"part_{number}({number});" for number in range(BUILD_FILES))
    heads = "".join(f"int part_{number}(int);" for number in range(BUILD_FILES))
    (source / "main.c").write_text(f"{heads}\nint main(void) {{ {calls} return 0; }}\n")
    text = workspace / "text"
    text.mkdir(exist_ok=True)
    for number in range(SEARCH_FILES):
        (text / f"{number}.txt").write_text("some words to look through\n" * 50)
    build = (
        "for f in src/*.c; do cc -O1 -c $f -o ${f%.c}.o || exit 1; done; cc src/*.o -o app && ./app && rm src/*.o app"
    )
    return build, "for i in 1 2 3 4 5; do grep -r words text | wc -l; done"


WORKLOADS = {
    "latency": latency,
    "warm": warm,
    "startup": startup,
    "report": report,
    "home": home_entries,
    "caches": caches,
}
