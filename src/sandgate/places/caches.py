"""Where programs keep what they can fetch or compute again, and which programs keep it there.

To commands such a place is writable, and what they write stays in their project (`sandbox/cache_layers.py`). Where it
can be told apart, it holds nothing else that such a program keeps: no settings, nothing installed for the user. Paths
are relative to a home; those that do not exist are left alone.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

CACHE_HOME = ".cache"  # where most programs keep theirs (XDG Base Directory Specification)

_RUST = "cargo rustc rustdoc clippy-driver maturin wasm-pack cross"
_GRADLE = "gradle gradlew kotlin java"
_DOTNET = "dotnet nuget msbuild"
_C = "ccache gcc g++ cc c++ clang clang++ meson"
_NODE = "node electron node-gyp"

# Place: the programs that write there, beside those of `STARTERS`.
KEPT_BY: dict[str, str] = {
    CACHE_HOME: f"""
    pip pip3 pipx uv uvx poetry pdm hatch rye pytest py.test python python3 ruff mypy black pyright jupyter conda mamba
    micromamba pixi {_NODE} deno go gofmt golangci-lint gopls staticcheck {_RUST} {_C} sccache zig gh composer php
    dart flutter rebar3 stack cabal sbt scala cs coursier helm terraform tofu hf huggingface-cli shellcheck ghc ocaml
    julia R Rscript ruby bundle
    """,
    ".npm": _NODE,  # logs of each run, and what `npx` installs
    ".node-gyp": _NODE,
    ".electron": _NODE,
    ".electron-gyp": _NODE,
    ".pnpm-store": "",
    ".local/share/pnpm/store": "",
    ".yarn/berry": "",
    ".bun/install/cache": "",
    ".deno": "deno",
    ".cargo": _RUST,  # as a whole: its locks lie in it directly
    "go/pkg": "go gofmt golangci-lint gopls staticcheck goreleaser",
    ".gradle/caches": _GRADLE,
    ".gradle/daemon": _GRADLE,  # logs, and what tells running ones
    ".gradle/native": _GRADLE,
    ".gradle/wrapper": _GRADLE,
    ".m2/repository": f"mvn mvnw mvnd sbt lein clojure clj {_GRADLE}",
    ".m2/wrapper": "mvn mvnw",
    ".ivy2/cache": "sbt ant ivy java scala",
    ".nuget/packages": _DOTNET,
    ".local/share/NuGet": _DOTNET,
    ".composer/cache": "composer php",
    ".bundle/cache": "bundle bundler ruby gem",
    ".pub-cache/hosted": "dart flutter",
    ".hex/packages": "elixir rebar3",
    ".conan2/p": "conan",
    ".conan/data": "conan",
    ".vcpkg": "vcpkg",
    ".ccache": _C,
    ".terraform.d/plugin-cache": "terraform tofu",
    ".cpan/build": "cpan cpanm perl",
    ".matplotlib": "python python3 jupyter",
    ".triton": "python python3",
    ".nv": "python python3",
}
# A place that is not there cannot be shown; these variables lead its programs to a directory of the project's /tmp.
LED_BY = {CACHE_HOME: "XDG_CACHE_HOME", ".npm": "npm_config_cache", "go/pkg": "GOMODCACHE"}
# They run whatever a project tells them to, and so does every program that no table knows.
STARTERS = words_of("""
    make gmake ninja cmake just rake npm npx corepack yarn pnpm pnpx bun bunx tox nox pre-commit bazel bazelisk mix dune
    """)  # fmt: skip
# These keep no cache, and what they start can be read off their words. `git commit` is unknown: its hooks may do
# anything.
WITHOUT = words_of("""
    mkdir rmdir touch cp mv rm ln link unlink install shred mkfifo chmod chown chgrp dd truncate tee sed awk gawk mawk
    jq sort find xargs comm iconv sqlite3 openssl ssh-keygen curl wget rsync tar gzip gunzip bzip2 bunzip2 zip unzip xz
    unxz zstd patch diff kill pkill wait sleep mktemp split csplit
    git-add git-branch git-tag git-stash git-restore git-reset git-rm git-mv git-init git-config git-status git-diff
    git-log git-show git-clone git-fetch git-remote git-worktree git-apply git-archive
    """)  # fmt: skip

_programs: dict[str, frozenset[str]] = {}  # by place, taken apart with the first question
_known: set[str] = set()  # all of these


def caches_of(names: frozenset[str]) -> tuple[str, ...]:
    """Where programs of these names (without directories; of git `git-SUBCOMMAND`) keep things that can be made again;
    every place where one of them is unknown."""
    left = names.difference(WITHOUT)
    if not left:
        return ()
    if not _programs:
        _known.update(*map(words_of, KEPT_BY.values()))
        _programs.update({place: frozenset(words_of(programs)) for place, programs in KEPT_BY.items()})
    if left <= _known:
        return tuple([place for place, programs in _programs.items() if not programs.isdisjoint(left)])
    return tuple(KEPT_BY)
