"""Developers' programs that only read: which version, what is installed, what is in this file. Data, like
`safe_programs`, in the same notation.

Where the project has a say in which program answers, a question is reading only where the sandbox confines the answer
(`confined`, as git's lines are): `python -m pip` takes `./pip.py` first, `cargo`, `go`, `mvn` and `yarn` go by
`rust-toolchain.toml`, `go.mod`, `.mvn/jvm.config` and `yarnPath`, and what was installed for a project (`.venv`,
`vendor`) takes part in the answers of `uv pip list` or `composer show`. Two doors stay shut: what runs the project's
own code to find an answer (`bundle list` runs the Gemfile), and what asks a server, which sends something (`npm view`,
`gh pr list`).
"""

from __future__ import annotations

from sandgate.commandline.tables import one_table
from sandgate.commandline.words import words_of

_EACH: dict[str, str] = {
    "yarn": "-v --version stop * sub alone confined needs:-v,--version",
    "pnpm": "-rvF=C= --version --recursive --filter= --dir= stop * sub alone confined needs:-v,--version",
    "rustc": "-Vv --version --verbose 0 needs:-V,--version confined",
    "cargo": "-Vv --version --verbose --list --offline --locked --frozen stop * sub alone confined "
    "needs:-V,--version,--list",
    "go": "stop * sub confined",
    # `python -m json.tool`
    "_json": "--sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact 1",
    "shellcheck": "-V -x -a -C -f= -s= -e= -i= -S= -o= -P= -W= --format= --shell= --exclude= --include= --severity= "
    "--enable= --color[=] --external-sources --norc --version --source-path= --check-sourced *",
    "pyflakes": "--version *",
    "sqlite3": "words -version --version -readonly -header -noheader -csv -json -column -line -list -box -table "
    "-markdown -batch -bail -separator= -nullvalue= * confined exact check:sqlite needs:-readonly,-version,--version",
    "ctags": "--version --list-languages --list-kinds[=] 0 needs:--version,--list-languages,--list-kinds",
    "gofmt": "-ldse -r= *",
    "tokei": "-fCsV -t= -s= -e= -o= -c= --files --hidden --no-ignore --sort= --exclude= --output= --types= --type= "
    "--languages --compact --version * !",
    "scc": "-abcdvwMi -f= -s= -e= -x= -n= --by-file --no-cocomo --no-complexity --no-duplicates --wide --sort= "
    "--format= "
    "--include-ext= --exclude-dir= --exclude-ext= --ci --version * check:no_response_file",
    "cloc": "--by-file --by-file-by-lang --csv --json --md --xml --yaml --quiet --hide-rate --progress-rate= "
    "--exclude-dir= --exclude-ext= --exclude-lang= --include-ext= --include-lang= --not-match-d= --not-match-f= "
    "--match-d= --match-f= --fullpath --skip-uniqueness --show-lang[=] --show-ext[=] --version * exact check:names "
    "confined",
    "pkg-config": "--version --modversion --cflags --cflags-only-I --cflags-only-other --libs --libs-only-l "
    "--libs-only-L --libs-only-other --exists --list-all --list-package-names --print-errors --short-errors "
    "--silence-errors --print-variables --print-requires --print-requires-private --print-provides --variable= "
    "--atleast-version= --exact-version= --max-version= --static --path --uninstalled --help *",
    "pkgconf": "@pkg-config",
    "pg_config": "--bindir --docdir --includedir --libdir --pkglibdir --sharedir --sysconfdir --pgxs --configure "
    "--cc --cppflags --cflags --ldflags --libs --includedir-server --version --help 0",
    "pg_lsclusters": "-hj --no-header --json 0",
    "pg_restore": "-lO --list --version * needs:-l,--list,--version",
    "mysql_config": "--cflags --include --libs --plugindir --socket --version 0",
    "llvm-config": "--version --bindir --libdir --includedir --cflags --cxxflags --ldflags --libs --components "
    "--targets-built --host-target --prefix *",
    "python3-config": "--prefix --exec-prefix --includes --libs --cflags --ldflags --extension-suffix --embed 0",
    "python-config": "@python3-config",
    "php-config": "--prefix --includes --ldflags --libs --extension-dir --version --vernum 0",
    "javap": "words -version -help -l -public -protected -package -private -p -c -s -v -verbose -constants -sysinfo "
    "-cp= -classpath= --class-path= * check:no_response_file check:no_url",
    "lipo": "words -info -archs -detailed_info 1",
    "jps": "-qmlvV 0",
    "xcode-select": "-p -v --print-path --version 0 needs:-p,-v,--print-path,--version",
    "php": "-v -m -i -l --version --ini --modules --info --syntax-check --ri= --rf= --rc= 1 check:php "
    "needs:-v,-m,-i,--version,--ini,--modules,--info,-l,--syntax-check,--ri,--rf,--rc",
    "perl": "-v -V --version 0 needs:-v,-V,--version",
    "ruby": "-vc --version --copyright 1 check:ruby needs:-v,-c,--version,--copyright",
    "node": "-vch --version --v8-options --check --help 1 needs:-v,--version,-c,--check,-h,--help,--v8-options",
    "gcc": "@_compiler",
    "g++": "@_compiler",
    "cc": "@_compiler",
    "c++": "@_compiler",
    "clang": "@_compiler",
    "clang++": "@_compiler",
    "_compiler": "words -v -V --version -dumpversion -dumpmachine -dumpfullversion -print-search-dirs "
    "-print-libgcc-file-name -print-multiarch -print-sysroot -print-resource-dir --print-targets --target-help "
    "-print-file-name= --help 0",
    # Packages of the machine
    "dpkg": "-lLsSpCVIc --info --contents --list --listfiles --status --search --print-architecture "
    "--get-selections --audit --verify * "
    "needs:-l,-L,-s,-S,-p,-I,-c,-V,-C,--verify,--audit,--info,--contents,--list,"
    "--listfiles,--status,--search,--print-architecture,--get-selections,--version "
    "--version",
    "dpkg-query": "-lLsSW -f= --list --listfiles --status --search --show --showformat= *",
    "rpm": "-qailcdRfsp --query --package --all --info --list --changelog --requires --provides --whatprovides= "
    "--whatrequires= --last --scripts --triggers --conflicts --obsoletes --recommends --suggests --configfiles "
    "--docfiles --file "
    "--qf= --queryformat= --version * exact needs:-q,--query,--version check:no_url check:names",
    "apt-cache": "* exact check:apt_cache",
    "apt": "-q --version stop * sub alone",
    "pacman": "-QSqsiloektdmnugcV --query --quiet --search --info --list --owns --explicit --deps --foreign --native "
    "--upgrades --groups --check --version * check:pacman",
    "apk": "-qv stop * sub alone --version --print-arch",
    "dpkg-architecture": "-q= -l -L -a= -t= --query= --list --list-known 0",
    "apt-mark": "stop * sub",
    "apt-config": "stop * sub",
    "snap": "--version stop * sub alone",
    "flatpak": "--version --installations --default-arch stop * sub alone",
    "brew": "-v --version --prefix --cellar --cache --repository --config stop * sub alone",
    "port": "-qv stop * sub",
    "equery": "-qNC stop * sub",
    "qlist": "-IvSULC *",
    "pkg": "-v stop * sub alone",
    "opkg": "stop * sub",
    "xbps-query": "-lmHsSfxXo -p= --list-pkgs --search= --show= --files= * needs:-l,-s,-S,-f,-x,-X,-m,-H,-o,-p",
    "nix-store": "-qR --query --references --requisites --referrers --tree --size --hash --deriver --outputs --roots "
    "* needs:-q,--query",
    "alternatives": "--display= --list --version 0 needs:--display,--list,--version",
    # Packages of languages
    "pip": "--version -V --no-color --disable-pip-version-check -q --quiet stop * sub alone",
    "pip3": "--version -V --no-color --disable-pip-version-check -q --quiet stop * sub alone",
    "pipx": "--version stop * sub alone",
    "pipdeptree": "-aflr -p= -e= --packages= --exclude= --freeze --json --json-tree --reverse --local-only "
    "--user-only --all --warn= --depth= --version -d= 0",
    "uv": "-qV --version --quiet --offline --no-config stop * sub alone confined",
    "poetry": "-qVn --version --no-ansi --no-interaction stop * sub alone confined",
    "pdm": "-V --version stop * sub alone confined",
    "conda": "-V --version stop * sub alone",
    "mamba": "-V --version stop * sub alone",
    "micromamba": "--version stop * sub alone",
    "pyenv": "--version stop * sub alone confined",
    "rbenv": "--version stop * sub alone confined",
    "nodenv": "--version stop * sub alone confined",
    "asdf": "--version stop * sub alone confined",
    "mise": "--version -V stop * sub alone confined",
    "nvm": "--version stop * sub alone",
    "fnm": "--version -V stop * sub alone",
    "volta": "--version -v stop * sub alone",
    "sdk": "stop * sub",
    "npm": "--version -v stop * sub alone confined",
    "bun": "-v --version --revision stop * sub alone confined",
    "deno": "-V --version stop * sub alone needs:-V,--version",
    "corepack": "-v --version 0",
    "ghc": "-V --version --numeric-version --info --supported-extensions 0 needs:-V,--version,--numeric-version,--info",
    "rustup": "-V -v --version --verbose stop * sub alone confined",
    "zig": "stop * sub",
    "hugo": "stop * sub",
    "gem": "-v --version stop * sub alone",
    "composer": "-V --version --no-plugins --no-ansi --no-scripts -n --no-interaction -d= --working-dir= stop * sub "
    "alone "
    "confined",
    "dotnet": "--version --info --list-sdks --list-runtimes 0 confined",
    "opam": "--version stop * sub alone",
    "ghcup": "--version 0 needs:--version",
    "luarocks": "--version stop * sub alone confined",
    "stack": "--version --numeric-version 0 needs:--version,--numeric-version",
    "cabal": "--version --numeric-version -V 0",
    "swift": "--version -v 0 needs:--version",
    "code": "--version -v --list-extensions --show-versions --status -s 0 "
    "needs:--version,-v,--list-extensions,--status,-s",
    "julia": "-v --version 0 needs:-v,--version",
    "hg": "-R= --cwd= -q -v --version stop * sub alone confined",
    "svn": "--version -q stop * sub alone confined check:no_url",
    "direnv": "--version stop * sub alone",
}

TOOLS: dict[str, str] = one_table(
    _EACH,
    dict.fromkeys(
        words_of(
            "fish ninja ld as vim nvim nano emacs emacsclient micro hx kak "
            "black isort yapf autopep8 bandit pycodestyle pydocstyle virtualenv pyright cython cmake "
            "ctest "
            "cpack shfmt gdb lldb valgrind pandoc bwrap "
            "pg_dump pg_dumpall pg_ctl postgres createdb dropdb mysqldump mysqladmin mariadb mysqld sqlcmd "
            "mongod mongo mongodump mongorestore clickhouse-client duckdb influx cqlsh "
            "autoconf automake libtool m4 bison flex yacc gperf swig flatc thrift ccache distcc sccache "
            "clang-format clang-tidy clangd lld llc opt gfortran gnat gcov lcov objcopy patchelf nasm yasm "
            "ghci hlint ormolu fourmolu ocamlc dune coqc agda idris2 elm purs spago "
            "R Rscript octave racket raco sbcl guile clisp jupyter twine nox hatch phpunit "
            "jshint esbuild tsx task vale pecl symfony "
            "doxygen meson sphinx-build mkdocs rst2html tidy xsltproc pre-commit "
            "tea git-lfs tig lazygit bzr fossil jj sl cvs rpm-ostree "
            "buck2 gn scons goenv tfenv jenv "
            "entr watchman ack hyperfine pod carthage xcodegen "
            "cp mv rm ln mkdir touch chmod chown timeout xargs perltidy perlcritic prove "
            "swiftc swiftlint swiftformat terraform-docs vcpkg pylsp typos codespell markdownlint "
            "luacheck stylua selene crystal shards nim nimble dart dmd ldc2 dub gleam php-cs-fixer"
        ),
        "--version 0 needs:--version",
    ),
    dict.fromkeys(
        words_of(
            "python python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 "
            "psql mysql ruff mypy rake nosetests just biome dprint watchexec wasm-pack swc"
        ),
        "-V --version 0 needs:-V,--version",
    ),
    dict.fromkeys(
        words_of("make gmake nodejs tsc nodemon pm2 irb redis-cli lua luajit lua5.3 lua5.4 elixir iex mix"),
        "-v --version 0 needs:-v,--version",
    ),
    # These load a project's settings, plug-ins or own copy of themselves before they look at what they are asked.
    dict.fromkeys(
        words_of(
            "flake8 pylint standard parcel turbo mocha phpstan psalm xmake premake5 conan fastlane waf eslint prettier "
            "jest webpack lerna npx rubocop rspec stylelint vitest ts-node rollup ansible ansible-playbook "
            "ansible-galaxy ansible-lint rustfmt rust-analyzer lean lake"
        ),
        "-v --version 0 needs:-v,--version confined",
    ),
    dict.fromkeys(
        words_of("java javac jshell kotlin kotlinc scala scalac scala-cli groovy groovyc clojure erl ocaml ocamlopt"),
        "words -version --version 0 needs:-version,--version",
    ),
    # The project has a say in which of them it is
    dict.fromkeys(words_of("pytest py.test bazel bazelisk sbt lein flutter"), "--version 0 needs:--version confined"),
    dict.fromkeys(words_of("mvn gradle bundle bundler"), "-v --version 0 needs:-v,--version confined"),
    # `-n` reads a script and runs nothing of it. Without a file it may be a terminal, for which shells ignore `-n`.
    dict.fromkeys(words_of("bash sh zsh dash ksh"), "-n --version 1 exact check:shell needs:-n,--version"),
)
