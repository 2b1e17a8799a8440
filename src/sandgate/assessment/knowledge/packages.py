"""Package managers of languages.

Looking is low; adding packages is medium, since it brings code from outside; publishing is high, since nothing
published comes back.
"""

from __future__ import annotations

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.families import family
from sandgate.assessment.listing import phrases

UNCHECKED = Worse(
    "--trusted-host --allow-insecure-host --allow-untrusted", HIGH, "Installs packages from a source nobody checks",
    (SYSTEM, NETWORK),
)  # fmt: skip


def _published(name: str, words: str = "Publishes this project's package") -> Entry:
    return Entry(
        name, HIGH, words, (name,), kind="contacts", categories=(NETWORK, COMPLIANCE, EXFILTRATION),
        consequence="What has been published cannot be taken back", harmless="--dry-run",
    )  # fmt: skip


GLOBAL = Worse(
    "-g --global --system --break-system-packages", HIGH, "Installs packages for the whole account or machine",
    (SYSTEM, NETWORK),
)  # fmt: skip


_INSTALLERS = """
    pip install, pip3 install, pip download, pip wheel, uv pip install, uv add, uv sync, uv lock, uv remove, uv
    tool install, uvx, pipx install, pipx run, poetry add, poetry install, poetry update, poetry lock, poetry
    remove, pdm add, pdm install, conda install, conda create, mamba install, npm install, npm i, npm ci, npm
    update, npm add, npm audit fix, npm exec, npx, yarn, yarn add, yarn install, yarn dlx, pnpm add, pnpm
    install, pnpm i, pnpm dlx, bun add, bun install, bunx, cargo add, cargo update, cargo fetch, go get, go mod
    tidy, go mod download, gem install, bundle install, bundle update, composer install, composer require,
    composer update, mvn install, nuget install, dotnet add, dotnet restore, cabal install, stack install, opam
    install, mix deps.get, cpan, cpanm, luarocks install, pod install, swift package update, deno install,
    pre-commit install, pre-commit autoupdate, nvm install, pyenv install, rbenv install, asdf install, mise
    install, rustup update, rustup install, rustup toolchain install, sdk install, corepack enable, playwright
    install, helm dependency update, terraform init, ansible-galaxy install, vcpkg install, conan install, go
    work sync, cargo vendor, pip uninstall, npm uninstall, npm prune, npm dedupe, nix-shell, nix develop, nix
    build
    """

_MORE_INSTALLERS = """
    pip sync, pip-sync, pip-compile, uv pip sync, uv pip compile, uv pip uninstall, uv tool upgrade, uv tool
    uninstall, uv python install, uv venv, uv self update, uv build, uv export, pipx upgrade, pipx inject, pipx
    uninstall, pipx ensurepath, pipenv, pipenv install, pipenv sync, poetry self update, poetry export, poetry
    env use, pdm sync, pdm update, hatch env create, rye, rye sync, rye add, pixi, pixi add, pixi install, pixi
    run, conda update, conda env create, conda env update, conda activate, mamba create, mamba update, mamba
    env, micromamba, micromamba install, micromamba create, easy_install, python-build, pyenv global, pyenv
    local, pyenv rehash, pyenv virtualenv, virtualenvwrapper, mkvirtualenv, npm rebuild, npm link, npm unlink,
    npm fund, npm install-test, npm it, npm clean-install, npm cache verify, npm audit signatures, npm outdated,
    npm view, npm info, npm show, npm search, npm ping, npm whoami, npm audit, npm doctor, npm pack, npm
    set-script, npm shrinkwrap, npm diff, npm repo, npm docs, npm bugs, npm star, yarn up, yarn upgrade, yarn
    remove, yarn global, yarn set, yarn plugin, yarn audit, yarn info, yarn npm info, yarn outdated, yarn
    dedupe, yarn rebuild, yarn link, yarn import, yarn workspace, yarn workspaces foreach, yarn cache clean,
    pnpm remove, pnpm rm, pnpm update, pnpm up, pnpm import, pnpm rebuild, pnpm fetch, pnpm env, pnpm setup,
    pnpm audit, pnpm outdated, pnpm patch, pnpm store prune, pnpm dedupe, pnpm create, pnpm link, bun remove,
    bun update, bun link, bun create, bun x, bun upgrade, deno cache, deno add, deno upgrade, deno info, deno
    compile, deno bundle, jsr add, ni, nci, nun, nup, volta install, volta pin, fnm install, fnm use, nvm use,
    nvm alias, nvm uninstall, n, corepack, corepack prepare, corepack use, bower, bower install, jspm, tnpm,
    cnpm, cargo remove, cargo rm, cargo install, cargo uninstall, cargo binstall, cargo update, cargo search,
    cargo info, cargo generate-lockfile, cargo upgrade, rustup, rustup default, rustup toolchain, rustup
    component add, rustup target add, rustup override, rustup self update, go install, go mod vendor, go mod
    edit, go work, go work use, go get -u, dep ensure, glide, gvm, goenv install, zig fetch, gem, gem update,
    gem uninstall, gem fetch, gem cleanup, bundle, bundle add, bundle lock, bundle outdated, bundle exec, bundle
    config, bundle clean, bundle binstubs, bundle package, bundle cache, rbenv, rbenv global, rbenv local, rvm,
    rvm install, rvm use, chruby, ruby-build, composer, composer create-project, composer dump-autoload,
    composer remove, composer global, composer outdated, composer audit, composer self-update, composer
    clear-cache, pecl, pecl install, pear, phive, phpbrew, mvn dependency:resolve, coursier, cs install, sdkman,
    jenv, jabba, sbt update, lein deps, dotnet tool, dotnet tool install, dotnet remove, dotnet workload, dotnet
    nuget, dotnet publish, dotnet pack, dotnet clean, dotnet ef, dotnet ef migrations, dotnet ef database
    update, nuget, paket install, swift package, swift package resolve, carthage, carthage update, pod, pod repo
    update, mint, tuist, xcodes, cabal, cabal update, cabal fetch, stack setup, stack upgrade, ghcup, ghcup
    install, opam, opam update, opam upgrade, opam remove, opam switch, opam init, esy, nimble, shards install,
    mix local.hex, mix deps, mix deps.update, mix deps.clean, mix ecto.migrate, mix ecto.create, mix
    archive.install, rebar3 get-deps, rebar3 upgrade, gleam add, elm install, spago install, lake update, raco
    pkg, R CMD INSTALL, renv, pak, julia-pkg, luarocks, luarocks make, cpanm, cpan, carton, perlbrew, plenv,
    dart pub, dart pub get, dart pub add, pub get, flutter pub, flutter pub get, flutter upgrade, flutter clean,
    vcpkg, conan, conan create, hunter, spack, spack install, easybuild, eb, guix, guix install, nix, nix run,
    nix shell, nix flake, nix flake update, nix-build, nix-instantiate, nix-channel, home-manager, devbox,
    devbox add, devenv, flox, asdf, asdf plugin, asdf global, asdf local, mise, mise use, mise trust, rtx, aqua,
    proto, proto install, direnv, direnv allow, sdk, sdk use, tfenv, tfenv install, tenv, helmfile deps,
    arduino-cli, arduino-cli core install, pio pkg, west update, git-lfs, git lfs install, git lfs track,
    vim-plug, apm, pre-commit uninstall,
    pre-commit gc, husky, husky install, lefthook, lefthook install, lint-staged, playwright install-deps,
    puppeteer, cypress install, webdriver-manager, browsers, brew tap, brew untap, brew update, brew services,
    brew link, brew cleanup, brew doctor, brew fetch, brew outdated, brew search, brew audit, mas, mas install
    """

_LOOKERS = """
    pip list, pip show, pip freeze, pip check, pip config list, pip inspect, pip debug, uv pip list, uv pip show, uv
    tree, poetry show, poetry env info, pdm list, npm ls, npm list, npm root, npm prefix, npm config list, npm config
    get, npm explain, npm why, npm query, npm pkg get, yarn list, yarn why, yarn config list, pnpm list, pnpm ls, pnpm
    why, pnpm root, cargo tree, cargo metadata, cargo version, cargo pkgid, cargo locate-project, go list, go env, go
    version, go doc, go mod graph, go mod why, go mod verify, gem list, gem env, gem contents, gem which, bundle list,
    bundle show, bundle info, bundle check, bundle platform, composer show, composer licenses, composer validate, conda
    list, conda info, conda env list, conda search, mvn dependency:tree, mvn help:effective-pom, dotnet list, rustup
    show, rustup toolchain list, rustup target list, rustup which, nvm ls, nvm list, nvm current, nvm version, pyenv
    versions, pyenv version, rbenv versions, tox list, ruff rule, pipdeptree, helm list, helm template, helm lint,
    terraform validate, terraform show, terraform output, terraform version, opam list, stack path,
    cabal list, luarocks list, luarocks show, nix eval, nix log, nix path-info, nix search, nix-store, asdf list, asdf
    current, mise ls, mise current, sdk list, sdk current, code --list-extensions, bun pm ls, deno types, vcpkg list,
    conan list, conan inspect, spack find, spack list, dart pub deps, flutter doctor, flutter devices, swift package
    describe, swift package show-dependencies, mix hex.info, mix help, rebar3 tree, elm diff, lein deps :tree
    """

# Asking a registry is the same question over the network.
_ASKERS = """
    npm view, npm info, npm show, npm v, npm search, npm outdated, npm audit, npm ping, npm whoami, npm fund, npm
    doctor,
    npm access list, npm access ls, npm access get, npm org ls, npm hook ls, npm team list, npm owner list, npm org
    list, pod trunk info, pod trunk me, vsce show, vsce search, vsce ls, ovsx get, mix hex.owner list, mix hex.audit,
    mix hex.user, npm sbom, npm dist-tag ls, npm dist-tag list, npm team ls, npm owner ls, npm profile get, npm
    star, yarn info, yarn npm info, yarn audit, yarn npm audit, yarn outdated, pnpm view, pnpm info, pnpm audit,
    pnpm outdated, pip index,
    pip index versions, pip search, pip download, cargo search, cargo info, cargo outdated, cargo audit, gem
    search, gem outdated, gem query, bundle outdated, composer outdated, composer audit, composer search,
    composer diagnose, poetry search, conda search, mvn versions:display-dependency-updates, nuget list,
    dotnet list package, brew search, brew info, nvm ls-remote, pyenv install --list, rbenv install --list, rustup
    check,
    uv python list, opam search, luarocks search, vcpkg search, conan search, deno info, pub outdated, dart pub
    outdated,
    flutter pub outdated, mix hex.outdated, mix hex.search, helm search, terraform providers, gh search
    """

ENTRIES: tuple[Entry, ...] = (
    *family(MEDIUM, "Installs or removes packages", "contacts", (NETWORK,), _MORE_INSTALLERS, GLOBAL,
            UNCHECKED),
    *family(MEDIUM, "Installs or removes packages", "contacts", (NETWORK,), _INSTALLERS, GLOBAL,
            UNCHECKED),
    *family(LOW, "Shows packages", "reads", (), _LOOKERS),
    *family(MEDIUM, "Asks a registry", "contacts", (NETWORK,), _ASKERS),
    Entry("terraform plan", LOW, "Shows what Terraform would change",
          ("terraform plan", "terraform plan -out x => medium"), kind="reads",
          values="-out -var -var-file -target -state", writes="-out", clusters=False),
    *(Entry(name, MEDIUM, "Opens {} in an editor", (f"{name} .", f"{name} --install-extension x"), alone="a window",
            worse=(Worse("--install-extension --uninstall-extension --update-extensions", MEDIUM,
                         "Installs or removes extensions of an editor", (NETWORK,)),))
      for name in phrases("code, code-insiders, cursor, codium, subl, atom")),
    Entry("pip", MEDIUM, "Uses pip", ("pip cache purge",), kind="writes"),
    Entry("pip3", MEDIUM, "Uses pip", ("pip3 cache purge",), kind="writes"),
    Entry("npm", MEDIUM, "Uses npm", ("npm init",), kind="writes", values="--prefix -C -w --workspace"),
    Entry("cargo clean", MEDIUM, "Deletes what was built", ("cargo clean",), kind="deletes"),
    Entry("go env", LOW, "Shows settings of go", ("go env GOPATH", "go env -w GOBIN=/x => medium"), kind="reads",
          worse=(Worse("-w -u", MEDIUM, "Changes settings of go for all your projects"),)),
    Entry("go clean", MEDIUM, "Deletes what was built", ("go clean -cache",), kind="deletes"),
    Entry("npm config set", MEDIUM, "Changes settings of npm", ("npm config set x y",), kind="writes"),
    Entry("npm cache clean", MEDIUM, "Deletes the package cache", ("npm cache clean --force",), kind="deletes"),
    Entry("npm token", HIGH, "Handles access tokens", ("npm token list",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("npm login", HIGH, "Stores an access token", ("npm login",), kind="contacts", categories=(NETWORK, SYSTEM)),
    Entry("npm owner", HIGH, "Changes who may publish a package", ("npm owner add eve pkg",), kind="contacts",
          categories=(NETWORK, PRIVILEGE, COMPLIANCE)),
    *(
        _published(name)
        for name in (
            "npm publish", "yarn publish", "yarn npm publish", "pnpm publish", "bun publish", "cargo publish",
            "poetry publish", "uv publish", "hatch publish", "flit publish", "pdm publish", "gem push", "mvn deploy",
            "gradle publish", "dotnet nuget push", "twine upload", "vsce publish", "deno publish", "mix hex.publish",
            "helm push", "composer publish", "lerna publish", "changeset publish", "goreleaser release",
            "semantic-release", "jsr publish", "conan upload", "docker push", "podman push",
            "npm dist-tag add", "npm dist-tag rm", "npm dist-tags add", "npm access", "npm team", "npm org", "npm hook",
            "npm profile set", "npm stage", "yarn npm tag", "yarn npm publish", "lerna version", "nx release",
            "np", "npx np",
            "release-it", "auto shipit", "changeset publish", "rush publish", "beachball publish",
            "web-ext sign", "ovsx publish",
            "cargo release", "cargo login", "cargo workspaces publish", "cargo smart-release",
            "flit publish", "maturin publish", "maturin upload", "python-semantic-release",
            "conda-build upload", "anaconda upload",
            "hatch publish", "rye publish", "pixi upload", "devpi upload",
            "gem signin", "rake release",
            "bundle exec rake release", "mix hex.owner", "mix hex.retire", "pod trunk push", "rebar3 hex publish",
            "gleam publish", "elm publish",
            "cabal upload", "stack upload", "opam publish", "dune-release", "dart pub publish",
            "flutter pub publish", "pub publish",
            "luarocks upload", "cpan-upload", "mojo-upload", "nimble publish", "dub publish", "pod trunk add-owner",
            "fastlane deliver",
            "fastlane pilot", "fastlane supply",
            "fastlane release", "fastlane beta", "xcrun altool", "xcrun notarytool", "lein deploy",  "sbt publish",
            "nuget push", "choco push", "paket push", "snapcraft upload", "snapcraft release",
            "flatpak build-export", "osc commit",
            "dput", "debrelease", "copr-cli build", "rpmdevtools", "eas submit", "eas update", "expo publish",
            "code-push release",
            "appcenter distribute", "bumblebee publish", "jfrog rt", "artifactory upload",
            "cloudsmith push",
            "ansible-galaxy publish", "ansible-galaxy collection publish", "terraform login", "packer build",
            "vagrant cloud publish",
            "buf push", "graph publish", "rover subgraph publish", "chromatic publish", "gh-pages",
            "mike deploy",
            "mkdocs gh-deploy", "ghp-import",

            "kaggle kernels push",

        )
    ),
    *(
        Entry(name, HIGH, "Sends data to a service that keeps it for others", (name,), kind="contacts",
              categories=(EXFILTRATION, NETWORK, COMPLIANCE), consequence="What has been sent cannot be taken back",
              harmless="--dry-run --dryrun --help")
        for name in (
            "huggingface-cli upload", "hf upload", "wandb sync", "kaggle datasets create", "kaggle datasets version",
            "dvc push", "git lfs push", "git annex sync", "oras push", "crane push", "skopeo copy",
        )
    ),
    *(Entry(name, HIGH, "Withdraws a published package", (name,), kind="deletes", harmless="--dry-run --help",
            categories=(DELETION, NETWORK, COMPLIANCE))
      for name in phrases("""
          npm unpublish, pnpm unpublish, gem yank, dotnet nuget delete, nuget delete, pod trunk delete, vsce unpublish,
          ovsx unpublish, cargo yank, anaconda remove, jf rt del, jf rt delete, jfrog rt del, cloudsmith delete,
          npm dist-tag rm, npm stage rm, shards yank, quilt delete, poetry yank, hatch yank, pulp delete,
          devpi remove, devpi index --delete, conan remove --remote, apm unpublish, marketplace unpublish""")
      if " --" not in name),
    Entry("cargo owner", HIGH, "Changes who may publish a package", ("cargo owner --add eve", "cargo owner -l => low"),
          kind="contacts", categories=(NETWORK, PRIVILEGE, COMPLIANCE), harmless="--list -l --help"),
    Entry("gem owner", MEDIUM, "Shows who may publish a package", ("gem owner acme", "gem owner acme -a eve => high"),
          kind="contacts", categories=(NETWORK,), values="-a -r --add --remove -k --key --host",
          worse=(Worse("-a -r --add --remove", HIGH, "Changes who may publish a package",
                       (NETWORK, PRIVILEGE, COMPLIANCE)),)),
    Entry("npm deprecate", HIGH, "Marks a published package", ("npm deprecate pkg x",), kind="contacts",
          categories=(NETWORK, COMPLIANCE)),
    Entry("cargo", MEDIUM, "Uses cargo", ("cargo new x",), kind="writes", values="-C --config"),
    Entry("go", MEDIUM, "Uses go", ("go mod init x",), kind="writes", values="-C"),
    Entry("uv", MEDIUM, "Uses uv", ("uv venv",), kind="writes"),
    Entry("uv run", LOW, "Runs a program of the project", ("uv run pytest",)),
    Entry("virtualenv", MEDIUM, "Creates an environment", ("virtualenv .venv",), kind="writes"),
    Entry("conda", MEDIUM, "Uses conda", ("conda init",), kind="writes"),
    *(Entry(name, HIGH, "Deletes an environment or a toolchain", (f"{name} x",), kind="deletes",
            categories=(DELETION, SYSTEM),
            harmless="--dry-run --help --list-dead --list-live -l --print-dead")
      for name in (
          "conda env remove", "mamba env remove", "micromamba env remove", "pyenv uninstall", "pyenv virtualenv-delete",
          "rustup self uninstall", "rustup toolchain uninstall", "pipx uninstall-all", "opam switch remove",
          "rbenv uninstall",
          "rvm remove", "rvm implode", "nvm uninstall", "fnm uninstall", "sdk uninstall", "asdf uninstall",
          "mise uninstall",
          "ghcup rm", "ghcup nuke", "uv python uninstall", "poetry env remove", "pipenv --rm", "rmvirtualenv",
          "jenv remove",
          "cabal gc", "stack uninstall", "nix-collect-garbage", "guix gc", "volta uninstall",
          "code --uninstall-extension",
          "yarn cache clean --all", "npm cache rm", "conda clean --all", "sdk flush", "gem cleanup --all",
          "juliaup remove", "perlbrew uninstall", "plenv uninstall", "gvm uninstall", "jabba uninstall",
          "phpbrew remove",
          "kerl delete", "swiftly uninstall", "choosenim remove", "elan toolchain uninstall", "tfenv uninstall",
          "nodenv uninstall", "goenv uninstall", "proto uninstall", "fvm remove", "n prune", "zvm uninstall",
          "spack uninstall", "spack gc", "nix profile wipe-history", "nix store gc", "nix store delete",
      ) if " --" not in name),
    Entry("conda remove", MEDIUM, "Removes packages", ("conda remove x",), kind="deletes"),
)  # fmt: skip
