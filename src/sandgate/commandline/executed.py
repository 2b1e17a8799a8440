"""Which files a command line says it will execute: scripts, makefiles, what a project's tools take their orders from.

For tying an approval to what these files hold, so a name too many costs a look at the disk, and a missing file is
worth naming where making it would change what runs. What such a file starts in turn is not found. Pure.
"""

from __future__ import annotations

from posixpath import basename, join, normpath

from sandgate.commandline import segments
from sandgate.commandline.commission_rows import LANGUAGES
from sandgate.commandline.commissions import runs_value
from sandgate.commandline.invocation import everything_run, started_by
from sandgate.commandline.launchers import may_come_first
from sandgate.commandline.orders import obeyed_files, worked_in
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.invocation import Everything

    Argv = tuple[str, ...]

BASES_MAX = 32  # directories that relative names are taken from
WORDS_MAX = 256  # of one command that are looked at

# Interpreters of files beside the shells and the languages whose code is read from command lines.
_MORE_INTERPRETERS = words_of(
    "pypy ipython ts-node tsx luajit Rscript julia tclsh wish expect guile groovy elixir escript swipl octave racket "
    "sbcl clisp scala kotlin runghc raku perl6 fish csh tcsh xonsh nu pwsh osascript java php-cgi jruby irb bb clojure "
    "ansible-playbook nft iptables-restore crontab at R qjs"
)
INTERPRETERS = SHELL_PROGRAMS | LANGUAGES | _MORE_INTERPRETERS
_LOADING_VARIABLES = words_of("LD_PRELOAD LD_AUDIT PYTHONSTARTUP ZDOTDIR")  # beside those whose value is a command
_SOURCING = frozenset((".", "source"))
# What makes a file out of another one, whose content is then what runs: `cp x.sh y; sh y`.
_COPYING = words_of("cp mv ln link install dd rsync tee")
_OPEN_ALREADY = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # a file that a redirection names
_PATHS_IN_USE = words_of("PATH CDPATH")
_LEFT_TO_SHELL = frozenset("$`*?[~")  # in a word: the shell makes something else of it
_SUBSTITUTED = ("<(", ">(")
_HERE = ("$PWD/", "${PWD}/")
_HOME = ("~/", "$HOME/", "${HOME}/")
_FED = words_of("psql mysql mariadb sqlite3 ssh xargs parallel kubectl ed ex gdb")  # do what comes in
# What may stand around a path in a script.
_AROUND = str.maketrans(dict.fromkeys(" \t\n\r;|&()<>\"'`,=:", "\0"))
# Options of an interpreter whose value is executed, too, or comes before the script.
_LOADING = words_of(
    "-r --require --import --loader --experimental-loader --rcfile --init-file -f --file -jar -l -S --preload"
)
_DIRECTORIES = words_of("-C --directory --cwd --prefix --chdir --project-dir --working-directory --manifest-path")

# Program → the files it takes its orders from when it is not told another one.
_TABLE = """
    make gmake bmake = GNUmakefile makefile Makefile BSDmakefile
    just = justfile .justfile Justfile
    npm npx pnpm pnpx yarn bun bunx turbo nx lerna corepack = package.json .npmrc .yarnrc.yml .yarnrc .pnpmfile.cjs
    cargo = Cargo.toml build.rs .cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml
    rake = Rakefile rakefile Rakefile.rb
    bundle bundler gem = Gemfile
    tox nox = tox.ini noxfile.py setup.cfg pyproject.toml
    pip pip3 uv poetry pdm hatch pipenv rye = setup.py setup.cfg pyproject.toml Pipfile
    pytest py.test = conftest.py pytest.ini tox.ini setup.cfg pyproject.toml
    invoke inv = tasks.py
    fab = fabfile.py
    task go-task = Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml
    gradle gradlew = build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle gradlew
    mvn mvnw = pom.xml .mvn/extensions.xml .mvn/jvm.config .mvn/maven.config
    ant = build.xml
    ninja = build.ninja
    cmake ctest = CMakeLists.txt CMakePresets.json
    meson = meson.build
    scons = SConstruct Sconstruct sconstruct
    bazel bazelisk buck2 = WORKSPACE WORKSPACE.bazel MODULE.bazel BUILD BUILD.bazel .bazelrc
    composer = composer.json
    mix = mix.exs
    rebar3 = rebar.config
    sbt = build.sbt
    deno = deno.json deno.jsonc
    node nodejs = package.json index.js
    python python3 = __main__.py
    go = go.mod go.work
    terraform tofu = main.tf terraform.tfvars terraform.tfvars.json
    dotnet = global.json Directory.Build.props Directory.Build.targets NuGet.config nuget.config
    kubectl oc = kustomization.yaml kustomization.yml
    snakemake = Snakefile workflow/Snakefile
    serverless sls = serverless.yml serverless.yaml serverless.ts serverless.js
    cdk sam = cdk.json template.yaml template.yml samconfig.toml
    firebase fly wrangler netlify vercel = firebase.json fly.toml wrangler.toml wrangler.jsonc netlify.toml vercel.json
    mocha = .mocharc.js .mocharc.cjs .mocharc.json .mocharc.yml package.json
    playwright cypress = playwright.config.ts playwright.config.js cypress.config.ts cypress.config.js
    nix nix-build nix-shell = flake.nix default.nix shell.nix
    zig swift stack cabal dart flutter = build.zig Package.swift stack.yaml Setup.hs pubspec.yaml
    rspec = .rspec spec/spec_helper.rb
    rails = bin/rails config/application.rb Rakefile
    docker podman buildah = Dockerfile Containerfile compose.yaml compose.yml docker-compose.yml docker-compose.yaml
    docker-compose podman-compose = compose.yaml compose.yml docker-compose.yml docker-compose.yaml
    vagrant = Vagrantfile
    pre-commit = .pre-commit-config.yaml
    gulp = gulpfile.js gulpfile.mjs gulpfile.ts
    grunt = Gruntfile.js
    jest vitest vite webpack rollup eslint = package.json vite.config.js vite.config.ts webpack.config.js
    mage = magefile.go
    overmind foreman honcho = Procfile
"""
PROJECT_FILES: dict[str, tuple[str, ...]] = {
    program: tuple(names.split())
    for line in _TABLE.strip().splitlines()
    for programs, _, names in (line.partition("="),)
    for program in programs.split()
}
# Programs of the table that take an option for another file.
_FILE_OPTIONS = words_of(
    "-f --file --makefile --justfile -F --taskfile -b --build-file --config --rakefile -c --pom -t"
)


def executed_files(
    argv: Argv, cwd: str, variables: tuple[tuple[str, str], ...] = (), home: str = ""
) -> tuple[str, ...]:
    """Paths, absolute where `cwd` is, that this command line will execute or would if they were there.

    `variables` are those that were asked for with it; `home` is where `~` leads, "" when nobody knows.
    """
    everything = everything_run(segments(argv))
    commands = everything.commands
    found = [name for command in commands for name in _named(command[:WORDS_MAX])]
    found += [piece for name, value in variables for piece in _loaded_by(name, value)]
    if any(_reads_code(command) for command in commands) or _makes(everything, found):  # `cat x.sh | bash`
        found += [each.target.text for each in everything.redirections if each.target is not None]
        found += [word for command in commands for word in command[1:WORDS_MAX] if word[:1] != "-"]
    if any(_left_to_shell(command[:WORDS_MAX]) for command in commands):
        found += [piece for word in argv[:WORDS_MAX] for piece in _pieces(word, home)]
    found += _on_new_paths(argv, commands, home)
    bases = _bases(commands, cwd, home)
    return tuple(dict.fromkeys(join(base, name) for name in found if name for base in bases))


def programs_run(argv: Argv) -> tuple[str, ...]:
    """The first word of every command among it, the command's own in front."""
    return tuple(dict.fromkeys((argv[0], *(each[0] for each in everything_run(segments(argv)).commands))))


def _makes(everything: Everything, found: list[str]) -> bool:
    """Whether the line itself makes what it then executes, out of something else."""
    run = set(map(normpath, found))
    made = [each.target.text for each in everything.redirections if each.target is not None and ">" in each.operator]
    made += [path for argv in everything.commands if program_name(argv[0]) in _COPYING for path in _made_by(argv)]
    return not run.isdisjoint(map(normpath, made))


def _made_by(argv: Argv) -> Iterator[str]:
    """What one of `_COPYING` may write: its operands, also as directories for the others."""
    operands = [word.removeprefix("of=") for word in argv[1:WORDS_MAX] if word[:1] != "-" and word]
    yield from operands
    yield from [join(operands[-1], basename(word)) for word in operands[:-1]]


def _on_new_paths(argv: Argv, commands: tuple[Argv, ...], home: str) -> Iterator[str]:
    """Programs in the directories that the line puts on a search path: `PATH=./bin:$PATH tool`."""
    for word in argv[:WORDS_MAX]:
        if any(f"{name}=" in word for name in _PATHS_IN_USE):
            names = dict.fromkeys(command[0] for command in commands if "/" not in command[0])
            pieces = dict.fromkeys(piece for piece in _pieces(word, home) if piece)
            yield from (join(piece, name) for piece in tuple(pieces)[:BASES_MAX] for name in names)


def _bases(commands: tuple[Argv, ...], cwd: str, home: str) -> tuple[str, ...]:
    """Where relative names may count from: in a script, or by an option, a command can go elsewhere."""
    found = {cwd: None}
    for argv in commands:
        for directory in _gone_to(argv, home):
            for base in tuple(found):
                if len(found) < BASES_MAX:
                    found[normpath(join(base, directory))] = None
    return tuple(found)


def _gone_to(argv: Argv, home: str) -> Iterator[str]:
    if argv[0] in ("cd", "pushd"):
        for word in [word for word in argv[1:WORDS_MAX] if word[:1] != "-"][:1]:
            yield from dict.fromkeys(piece for piece in _pieces(word, home) if piece)
    for option, value in _options(argv[:WORDS_MAX]):
        if option in _DIRECTORIES:
            yield value if option != "--manifest-path" else value.rpartition("/")[0]


def _left_to_shell(argv: Argv) -> bool:
    """What runs is a word that the shell still replaces: `$X`, `bash "$PWD/x"`, `eval "$(cat x)"`, `bash scripts/*`."""
    name = program_name(argv[0])
    whole = name in _SOURCING or name == "eval" or _is_interpreter(name)
    return any(
        not _LEFT_TO_SHELL.isdisjoint(word) or word[:2] in _SUBSTITUTED for word in (argv if whole else argv[:1])
    )


def _pieces(text: str, home: str) -> Iterator[str]:
    """What may be a path in a script; `$PWD/x` counts as `x`, and so does what is left of `$(pwd)/x`."""
    for piece in text.translate(_AROUND).split("\0", WORDS_MAX)[:WORDS_MAX]:
        path = piece
        for start in _HERE:
            path = path.removeprefix(start)
        for start in _HOME:
            if home and path.startswith(start):
                path = join(home, path.removeprefix(start))
        path = path.rstrip("}")
        if "/" in path:  # `${X:-./x}`
            path = path.removeprefix("-")
        if path[:1] != "-" and _LEFT_TO_SHELL.isdisjoint(path):
            yield path
            yield path.lstrip("/")


def _loaded_by(name: str, value: str) -> Iterator[str]:
    """Files that a program executes because a variable says so: `BASH_ENV=x`, `LD_PRELOAD=./x.so`."""
    if name in _LOADING_VARIABLES or runs_value(name):
        yield from value.replace(":", " ").replace("=", " ").split()


def _reads_code(argv: Argv) -> bool:
    """An interpreter without a file or a text of its own takes what comes in."""
    name = program_name(argv[0])
    if name in _FED or (name in _SOURCING and argv[1:2] and argv[1].startswith(_OPEN_ALREADY)):
        return True
    if not _is_interpreter(name) or started_by(argv).scripts:
        return False
    return all(word[:1] == "-" or word.startswith(_OPEN_ALREADY) for word in argv[1:])


def _named(argv: Argv) -> Iterator[str]:
    name = program_name(argv[0])
    for word in argv:
        variable, equals, value = word.partition("=")
        if equals:
            yield from _loaded_by(variable, value)
    if "/" in argv[0]:
        yield argv[0]
    if name in _SOURCING:
        yield from argv[1:2]
    elif _is_interpreter(name):
        yield from _scripts(argv)
    yield from obeyed_files(argv, tuple(_options(argv)))
    names = PROJECT_FILES.get(name)
    if names is not None:
        yield from (value for option, value in _options(argv) if option in _FILE_OPTIONS)
        yield from names
        yield from (join(directory, each) for directory in worked_in(argv) for each in names)


def _is_interpreter(name: str) -> bool:
    return name in INTERPRETERS or name.rstrip("0123456789.") in INTERPRETERS


def _scripts(argv: Argv) -> Iterator[str]:
    """The file an interpreter is given, and what it loads before; a module's possible places."""
    for option, value in _options(argv):
        if option in _LOADING:
            yield value
        elif option == "-m":
            path = value.replace(".", "/")
            yield from (f"{path}.py", f"{path}/__main__.py", f"{path}/__init__.py")
    if not started_by(argv).scripts:  # behind `-c` no word is a file
        yield from (argv[at] for at in may_come_first(argv))
    if argv[1:2] == ("run",):  # deno, bun
        yield from argv[2:3]


def _options(argv: Argv) -> Iterator[tuple[str, str]]:
    """Each option with what may be its value: behind `=`, joined to a short one, or the next word."""
    for at, word in enumerate(argv[1:], 1):
        if word[:1] != "-" or len(word) < 2:
            continue
        option, equals, value = word.partition("=")
        if equals:
            yield option, value
        elif at + 1 < len(argv):
            yield word, argv[at + 1]
        if word[1:2] != "-" and len(word) > 2:
            yield word[:2], word[2:]
