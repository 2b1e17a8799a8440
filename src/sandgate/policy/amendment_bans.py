"""Beginnings of commands that no rule may allow, because what follows them could be anything.

A rule speaks about everything that begins with its words. `git push` leaves little open; `python -c`, `sudo`, `xargs`
or `ssh host` leave open which program runs. So a prefix is refused where its last fixed word is still in front of the
program or the code: by position, through wrappers, not by a list of whole prefixes.
"""

from __future__ import annotations

from sandgate.commandline.arguments import grammar, read
from sandgate.commandline.launcher_rows import CONTAINERS, DIRECT_RUNNERS, LAUNCHERS, PLACE_FIRST, RUNNERS
from sandgate.commandline.loading import loads
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS, WRAPPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

WORDS_MAX = 64
_NAMED_THERE = frozenset(("rest", "fetched", "behind"))
CHARACTERS_MAX = 2_000
_WRAPPERS_DEEP_MAX = 8
# What a shell would replace. A rule compares text, so `rm '*'`, once allowed, would allow `rm *`.
_SHELL_CHARACTERS = frozenset("*?[{$`")

# What these run is in their input, in a script, on another machine, or typed later.
_ALWAYS = words_of(
    "xargs find fd ssh parallel eval trap exec source . watch script su runuser expect gdb lldb tmux screen at batch "
    "crontab entr watchexec hyperfine capsh nix-shell dotenv run-parts start-stop-daemon osascript pwsh powershell "
    "powershell.exe cmd cmd.exe mosh rsh socat ed ex vi vim nvim emacs coproc"
)
# These destroy, fetch or open whatever comes next, so one word is too few, and so are options alone.
_TOO_SHORT = words_of(
    "rm rmdir dd shred chmod chown chgrp chattr mv ln tee truncate install curl wget nc ncat kill pkill killall mount "
    "umount systemctl service docker podman nerdctl kubectl oc npm pnpm yarn bun deno pip uv poetry cargo go make "
    "gmake apt apt-get dnf yum brew terraform aws gcloud az gh rsync scp"
)
_INTERPRETERS = words_of(
    "python py pythonw pyw pypy node nodejs perl ruby php lua luajit tclsh wish guile racket julia R Rscript irb ghci "
    "runghc groovy java scala jshell erl elixir iex ocaml swift awk gawk mawk nawk bpython ipython jruby"
)
# After these words of theirs the code is given, and nothing behind it is code again. Perl and the like take several.
_FINAL = {"python": ("-c", "-m"), "pypy": ("-c", "-m"), "py": ("-c", "-m"), "pythonw": ("-c", "-m"),
          "java": ("-jar",)}  # fmt: skip
_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")

# Runs another program, which must be named directly behind these words; beside those that are launchers.
_RUNNERS: tuple[Argv, ...] = tuple(
    tuple(line.split())
    for line in (
        "pnpx", "deno run", "go run", "go tool", "dotnet exec", "git hook run", "zig run", "crystal run", "tsx",
        "ts-node",
    )
)  # fmt: skip
# And these run it elsewhere, or with freedoms of their own.
_RUN_ELSEWHERE: tuple[Argv, ...] = tuple(
    (program, *sub) for program, subs in CONTAINERS.items() for sub in (*subs, ("debug",), ("attach",))
)
# What comes next is a program, or a setting that names one.
_OPEN_ENDS: frozenset[Argv] = frozenset(
    tuple(line.split())
    for line in (
        "git config", "git bisect", "git bisect run", "git submodule", "git submodule foreach", "git filter-branch",
        "git rebase", "git difftool", "git mergetool", "deno eval", "nix shell", "nix develop", "npm config",
        "npm run", "npm run-script", "npm init", "npm create", "yarn run", "pnpm run", "cargo run", "uv tool",
        "docker compose", "docker container", "podman compose", "podman container", "podman machine", "nix",
        "git for-each-repo", "git hook", "go env", "mise run", "xvfb-run", "deno task", "crystal eval",
    )
)  # fmt: skip
# Their command must be named before their options: what they run, elsewhere or here, comes behind both.
_COMMANDED = words_of(
    "docker podman nerdctl docker-compose kubectl oc npm pnpm yarn bun deno uv poetry pdm cargo go bundle dotnet conda "
    "mise direnv stack cabal"
)
_CODE_FLAGS = words_of(
    "-c -e -E -x -exec -execdir -ok -p -lc -ic -Command -EncodedCommand --exec --eval --command --print --require "
    "--import --loader --init-command --rcfile --init-file --checkpoint-action --to-command --use-compress-program "
    "--pre --rsh --upload-pack --receive-pack --config --config-env"
)


def why_banned(prefix: Argv) -> str:
    """Why no rule may allow everything that begins with these words; empty when one may."""
    return _unfit_words(prefix) or _open_ended(prefix)


def takes_code_from_input(prefix: Argv) -> bool:
    """Whether these words alone, with nothing behind them, run what somebody feeds them."""
    name = program_name(prefix[0])
    family = name.rstrip("0123456789.") or name
    operands = [word for word in prefix[1:] if word[:1] not in "-+"]
    return (name in SHELL_PROGRAMS or family in _INTERPRETERS or name in _ALWAYS) and not operands


def _unfit_words(prefix: Argv) -> str:
    if not prefix or not prefix[0].strip():
        return "it is empty"
    if len(prefix) > WORDS_MAX or sum(map(len, prefix)) > CHARACTERS_MAX:
        return f"it is longer than {WORDS_MAX} words or {CHARACTERS_MAX} characters"
    for word in prefix:
        if not word.isprintable():
            return "a word of it has a line break or another character that cannot be shown"
        if not _SHELL_CHARACTERS.isdisjoint(word) or word.startswith("~"):
            return f"a shell may replace `{word}` by something else"
    return ""


def _open_ended(prefix: Argv, deep: int = 0) -> str:
    name = program_name(prefix[0])
    if deep > _WRAPPERS_DEEP_MAX or name == "" or "=" in name:
        return "which program runs is left open"
    if name in _ALWAYS:
        return f"`{name}` runs what it is told later"
    if name in SHELL_PROGRAMS:
        return _after_interpreter(prefix, ("-c", "-lc"))
    family = name.rstrip("0123456789.") or name
    if family in _INTERPRETERS:
        return _after_interpreter(prefix, _FINAL.get(family, ()))
    if name in WRAPPERS:
        return _after_wrapper(prefix, name, deep)
    if name == "git":
        return _after_git(prefix)
    return _after_program((name, *prefix[1:]), deep)


def _after_interpreter(prefix: Argv, final: tuple[str, ...]) -> str:
    """A script file at once, or code in front of which there is only the option that takes it."""
    name, rest = prefix[0], prefix[1:]
    if rest and rest[0] in final:
        return "" if len(rest) > 1 else f"`{name} {rest[0]}` takes code, and any code would be allowed"
    if not rest or rest[0] in _STANDARD_INPUT or rest[0][:1] in ("-", "+"):
        return f"`{name}` runs any code, and none is named directly behind it"
    return ""


def _after_wrapper(prefix: Argv, name: str, deep: int) -> str:
    from sandgate.commandline.invocation import started_by

    if read(prefix[1:], grammar(WRAPPERS[name], WRAPPERS)) is None:
        return f"where the program behind `{name}` begins cannot be told"
    started = started_by(prefix)
    if started.scripts or not started.commands:
        return f"which program `{name}` runs is left open"
    return next(filter(None, [_open_ended(inner, deep + 1) for inner in started.commands]), "")


def _after_git(prefix: Argv) -> str:
    from sandgate.commandline.invocation import without_git_globals

    plain = prefix
    while plain[1:2] == ("-C",) and len(plain) > 2:  # another directory is no other program
        plain = (plain[0], *plain[3:])
    if len(plain) < 2 or plain[1][:1] == "-" or without_git_globals(plain) != plain:
        return "`git` does anything, and its command is not named directly behind it"
    return _after_program(("git", *plain[1:]), 0)


def _after_launcher(prefix: Argv, deep: int) -> str:
    """Behind a launcher and its sub-command the program must be named."""
    for words, named_behind in _launchers(prefix[0]):
        if prefix[: len(words)] != words:
            continue
        rest = prefix[len(words) :]
        if named_behind is None or not rest[named_behind:] or any(word[:1] == "-" and word != "--" for word in rest):
            return f"which program `{' '.join(words)}` runs is left open"
        inner = tuple(word for word in rest[named_behind:] if word != "--")
        return _open_ended(inner, deep + 1) if inner else f"which program `{' '.join(words)}` runs is left open"
    return ""


def _launchers(program: str) -> Iterator[tuple[Argv, int | None]]:
    """The words behind which a launcher runs a program, the longest first, and how many more come before that one.

    None: what stands there is a script, or could be anything.
    """
    for sub, places in LAUNCHERS.get(program, ()):
        if "skip1" in places:
            yield (program, *sub), 1
        elif not _NAMED_THERE.isdisjoint(places):
            yield (program, *sub), 0
        elif "joined" in places or "each" in places:
            yield (program, *sub), None
    if program in RUNNERS:
        yield (program, RUNNERS[program]), int(program in PLACE_FIRST)
    if program in DIRECT_RUNNERS:
        yield (program,), 0


def _after_program(prefix: Argv, deep: int) -> str:
    shown = " ".join(prefix)
    options_alone = all(word[:1] == "-" for word in prefix[1:])
    if options_alone and (prefix[0] in _TOO_SHORT or prefix[0].startswith("mkfs")):
        return f"`{shown}` alone allows far too much"
    if prefix[0] in _COMMANDED and len(prefix) > 1 and prefix[1][:1] in ("-", "+"):
        return f"`{prefix[0]}` has many commands, and none is named directly behind it"
    if prefix in _OPEN_ENDS:
        return f"what comes behind `{shown}` is a program or names one"
    if any(prefix[: len(start)] == start for start in _RUN_ELSEWHERE):
        return f"`{prefix[0]}` runs programs with freedoms of its own"
    open_launcher = _after_launcher(prefix, deep)
    if open_launcher:
        return open_launcher
    for start in _RUNNERS:
        if prefix[: len(start)] == start:
            inner = prefix[len(start) :]
            if not inner or inner[0][:1] == "-":
                return f"which program `{' '.join(start)}` runs is left open"
            return _open_ended(inner, deep + 1)
    if len(prefix) > 1 and (prefix[-1] in _CODE_FLAGS or loads((prefix[0], prefix[-1]))):
        return f"what comes behind `{prefix[-1]}` is a program or code"
    return ""
