"""Package managers, builders, test runners, formatters.

Looking and testing are low (a test runner runs the project's own code, which is what one works on); adding packages is
medium, since it brings code from outside; publishing is high, since nothing published comes back.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases


def _published(name: str, words: str = "Publishes this project's package") -> Entry:
    return Entry(
        name, HIGH, words, (name,), kind="contacts", categories=(NETWORK, COMPLIANCE),
        consequence="What has been published cannot be taken back", harmless="--dry-run",
    )  # fmt: skip


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel


# A checker that is told to repair changes files; the same words for all of them.
FIXING = Worse("--fix --write --unsafe-fixes --in-place --autocorrect", MEDIUM, "Rewrites source files in the project")

GLOBAL = Worse(
    "-g --global --system --break-system-packages", HIGH, "Installs packages for the whole account or machine",
    (SYSTEM, NETWORK),
)  # fmt: skip
OWN_FILE = Worse("-f --file --makefile", MEDIUM, "Builds by a file named here")


def _family(
    level: RiskLevel,
    words: str,
    kind: FactKind,
    categories: tuple[RiskCategory, ...],
    names: str,
    worse: Worse = FIXING,
) -> tuple[Entry, ...]:
    return tuple(Entry(name, level, words, (name,), kind, categories, worse=(worse,)) for name in phrases(names))


_TESTERS = """
    pytest, py.test, tox, nox, unittest, jest, vitest, mocha, ava, karma, phpunit, rspec, ctest, bats, make test,
    make check, make lint, npm test, npm t, npm run test, npm run lint, npm run typecheck, yarn test, yarn lint,
    pnpm test, pnpm lint, bun test, cargo test, cargo check, cargo clippy, cargo bench, go test, go vet, go build,
    mvn test, mvn verify, gradle test, gradle check, gradlew test, dotnet test, swift test, mix test, deno test,
    deno check, deno lint, rake test, sbt test, lein test, zig test, bazel test, playwright test, cypress run, ruff
    check, ruff, mypy, pyright, pylint, flake8, eslint, tsc, stylelint, shellcheck, hadolint, golangci-lint,
    rubocop, bandit, semgrep, vulture, lint-imports, yamllint, markdownlint, actionlint, tflint, clang-tidy,
    cppcheck
    """

_BUILDERS = """
    npm run build, npm run, npm start, yarn build, yarn run, yarn start, pnpm build, pnpm run, pnpm start, bun
    run, cargo build, cargo run, go run, go generate, cmake, ninja, meson, bazel build, bazel run, mvn package, mvn
    compile, gradle build, gradlew build, gradle, gradlew, dotnet build, dotnet run, swift build, swift run, mix
    compile, rake, sbt, webpack, vite, vite build, rollup, esbuild, gcc, g++, cc, c++, clang, clang++, ld, ar, as,
    rustc, javac, zig build, configure, autoconf, automake, sphinx-build, mkdocs build, hatch build, just, task,
    invoke, cargo doc, next build, next dev, flask run, manage.py, tailwindcss, protoc, pre-commit run, poetry run,
    pdm run, hatch run, terraform-docs, latexmk, pdflatex, pandoc, convert, ffmpeg
    """

_FORMATTERS = """
    npm run format, npm run fix, yarn format, pnpm format, make format, make fmt,
    black, isort, ruff format, prettier, gofmt, goimports, rustfmt, cargo fmt, cargo fix, go fmt, clang-format,
    autopep8, yapf, biome, dprint, shfmt, terraform fmt, swiftformat, ktlint, google-java-format, pyupgrade,
    autoflake, standard, xo, stylua
    """

_INSTALLERS = """
    pip install, pip3 install, pip download, pip wheel, uv pip install, uv add, uv sync, uv lock, uv remove, uv tool
    install, uvx, pipx install, pipx run, poetry add, poetry install, poetry update, poetry lock, poetry remove, pdm
    add, pdm install, conda install, conda create, mamba install, npm install, npm i, npm ci, npm update, npm add,
    npm audit fix, npm exec, npx, yarn, yarn add, yarn install, yarn dlx, pnpm add, pnpm install, pnpm i, pnpm dlx,
    bun add, bun install, bunx, cargo add, cargo update, cargo fetch, go get, go mod tidy, go mod download, gem
    install, bundle install, bundle update, composer install, composer require, composer update, mvn install, nuget
    install, dotnet add, dotnet restore, cabal install, stack install, opam install, mix deps.get, cpan, cpanm,
    luarocks install, pod install, swift package update, deno install, pre-commit install, pre-commit autoupdate,
    nvm install, pyenv install, rbenv install, asdf install, mise install, rustup update, rustup install, rustup
    toolchain install, sdk install, corepack enable, playwright install, helm dependency update, terraform init,
    ansible-galaxy install, vcpkg install, conan install, go work sync, cargo vendor, pip uninstall, npm uninstall,
    npm prune, npm dedupe, nix-shell, nix develop, nix build
    """

_GLOBAL_INSTALLERS = """
    apt install, apt-get install, apt upgrade, apt-get upgrade, apt-get dist-upgrade, apt remove, apt-get remove,
    apt purge, apt-get purge, apt autoremove, apt-get autoremove, apt update, apt-get update, dnf install, dnf
    remove, dnf update, dnf upgrade, yum install, yum remove, yum update, zypper install, zypper remove, apk add,
    apk del, brew install, brew uninstall, brew upgrade, port install, snap install, snap remove, flatpak install,
    flatpak uninstall, rpm, dpkg, pacman, emerge, nix-env, cargo install, go install, npm link, choco install, nix
    profile install, nixos-rebuild, add-apt-repository, apt-key, update-alternatives, dpkg-reconfigure, alien
    """

_LOOKERS = """
    pip list, pip show, pip freeze, pip check, pip index versions, pip config list, uv pip list, uv tree, poetry
    show, npm ls, npm list, npm outdated, npm view, npm audit, npm root, npm config list, yarn list, pnpm list,
    cargo tree, cargo metadata, cargo search, go list, go env, go version, go doc, go mod graph, go mod why, gem
    list, bundle list, composer show, apt list, apt show, apt search, apt-cache, dpkg-query, brew list, brew info,
    conda list, conda info, mvn dependency:tree, dotnet list, rustup show, rustup toolchain list, nvm ls, pyenv
    versions, conda env list, helm list, helm template, helm lint, terraform plan, terraform validate, terraform
    show, terraform output, terraform version, tox list, ruff rule, pipdeptree
    """

ENTRIES: tuple[Entry, ...] = (
    *_family(LOW, "Runs the project's own checks", "runs", (), _TESTERS),
    *_family(LOW, "Builds or starts the project", "runs", (), _BUILDERS),
    *_family(MEDIUM, "Rewrites source files in the project", "writes", (), _FORMATTERS),
    *_family(MEDIUM, "Installs or removes packages of this project", "contacts", (NETWORK,), _INSTALLERS, GLOBAL),
    *_family(HIGH, "Changes the software of this machine", "writes", (SYSTEM, NETWORK), _GLOBAL_INSTALLERS),
    *_family(LOW, "Shows packages", "reads", (), _LOOKERS),
    Entry("pip", MEDIUM, "Uses pip", ("pip cache purge",), kind="writes"),
    Entry("pip3", MEDIUM, "Uses pip", ("pip3 cache purge",), kind="writes"),
    Entry("npm", MEDIUM, "Uses npm", ("npm init",), kind="writes", values="--prefix -C -w --workspace"),
    Entry("npm run deploy", HIGH, "Deploys the project", ("npm run deploy",), kind="contacts",
          categories=(NETWORK, SYSTEM)),
    Entry("make install", HIGH, "Installs the project on this machine", ("make install",), kind="writes",
          categories=(SYSTEM,)),
    Entry("make deploy", HIGH, "Deploys the project", ("make deploy",), kind="contacts", categories=(NETWORK, SYSTEM)),
    Entry("make", LOW, "Builds the project", ("make test", "make -j 4 all", "make -f other.mk => medium"),
          values="-C -f -I -o -W --file --makefile --directory", worse=(OWN_FILE,)),
    Entry("make clean", MEDIUM, "Deletes what was built", ("make clean",), kind="deletes"),
    Entry("make distclean", MEDIUM, "Deletes what was built", ("make distclean",), kind="deletes"),
    Entry("cargo clean", MEDIUM, "Deletes what was built", ("cargo clean",), kind="deletes"),
    Entry("go clean", MEDIUM, "Deletes what was built", ("go clean -cache",), kind="deletes"),
    Entry("mvn clean", MEDIUM, "Deletes what was built", ("mvn clean",), kind="deletes"),
    Entry("gradle clean", MEDIUM, "Deletes what was built", ("gradle clean",), kind="deletes"),
    Entry("npm config set", MEDIUM, "Changes settings of npm", ("npm config set x y",), kind="writes"),
    Entry("npm cache clean", MEDIUM, "Deletes the package cache", ("npm cache clean --force",), kind="deletes"),
    Entry("npm token", HIGH, "Handles access tokens", ("npm token list",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("npm login", HIGH, "Stores an access token", ("npm login",), kind="contacts", categories=(NETWORK, SYSTEM)),
    Entry("npm owner", HIGH, "Changes who may publish a package", ("npm owner add eve pkg",), kind="contacts",
          categories=(NETWORK, PRIVILEGE)),
    *(
        _published(name)
        for name in (
            "npm publish", "yarn publish", "yarn npm publish", "pnpm publish", "bun publish", "cargo publish",
            "poetry publish", "uv publish", "hatch publish", "flit publish", "pdm publish", "gem push", "mvn deploy",
            "gradle publish", "dotnet nuget push", "twine upload", "vsce publish", "deno publish", "mix hex.publish",
            "helm push", "composer publish", "lerna publish", "changeset publish", "goreleaser release",
            "semantic-release", "jsr publish", "conan upload", "docker push", "podman push",
        )
    ),
    Entry("npm unpublish", HIGH, "Withdraws a published package", ("npm unpublish pkg",), kind="deletes",
          categories=(DELETION, NETWORK)),
    Entry("npm deprecate", HIGH, "Marks a published package", ("npm deprecate pkg x",), kind="contacts",
          categories=(NETWORK, COMPLIANCE)),
    Entry("cargo yank", HIGH, "Withdraws a published package", ("cargo yank",), kind="contacts",
          categories=(DELETION, NETWORK)),
    Entry("cargo", MEDIUM, "Uses cargo", ("cargo new x",), kind="writes", values="-C --config"),
    Entry("go", MEDIUM, "Uses go", ("go mod init x",), kind="writes", values="-C"),
    Entry("uv", MEDIUM, "Uses uv", ("uv venv",), kind="writes"),
    Entry("uv run", LOW, "Runs a program of the project", ("uv run pytest",)),
    Entry("virtualenv", MEDIUM, "Creates an environment", ("virtualenv .venv",), kind="writes"),
    Entry("conda", MEDIUM, "Uses conda", ("conda init",), kind="writes"),
    Entry("conda remove", MEDIUM, "Removes packages", ("conda remove x",), kind="deletes"),
    Entry("apt", MEDIUM, "Uses apt", ("apt changelog x",), kind="writes"),
    Entry("apt-get", MEDIUM, "Uses apt", ("apt-get download x",), kind="writes", values="-o -t"),
    Entry("brew", MEDIUM, "Uses brew", ("brew doctor",), kind="writes"),
)  # fmt: skip
