"""What a home may show to commands: the one table of what is known to be harmless, with the reasons.

Programs keep their keys where they like, mostly below a name that begins with a dot, and no list of such places was
ever complete. So the list is the other way round: what begins with a dot is closed unless it is named here, or lies
below what is. The most specific name decides, so that a secret in an open tree (`places.secrets`) stays closed and a
harmless place in a closed one is open. Everything else in a home, what people make and name themselves, is open.

By name alone: what is on the disk is not looked at. Paths are relative to the home, without a slash at the end; "" is
the home itself.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.places.secrets import FILES_IN_HOME, TREES_IN_HOME, kept_in_home, named_for_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Verdict = Literal["open", "closed", ""]
    Standing = Literal["plain", "harmless", "secret", "unknown"]

SHELLS = "what shells and terminals read when they start"
GIT = "git's settings, which name no password; `.config/git/credentials` does"
SSH = "whom ssh knows and what it connects to; the keys themselves are closed"
PROGRAMS = "programs that a user installed for themselves"
LANGUAGES = "versions of languages and their tools"
CACHES = "downloaded packages and other caches, which anybody may have"
LOOKS = "what fonts and desktops look like"
EDITORS = "how editors show and check text"
TOOLS = "how tools of developers lay out, search and check"
AGENTS = "what coding agents are told to know and can do"

# Directory ("" is the home) → reason → names in it that are open with everything below.
HARMLESS: dict[str, dict[str, str]] = {
    "": {
        SHELLS: """
        .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .bash_completion.d
        .bash_functions .bashrc.d .profile .shrc .kshrc .mkshrc .cshrc .tcshrc .login .logout .zshrc .zshrc.d .zshenv
        .zprofile .zlogin .zlogout .zsh .zfunc .zfunctions .inputrc .editrc .dircolors .dir_colors .hushlogin
        .selected_editor .tmux.conf .screenrc .lesskey .lessfilter .less .terminfo .toprc .Xresources .Xdefaults
        .Xmodmap .XCompose .xinitrc .xprofile .xsession .xsessionrc .oh-my-zsh .oh-my-bash .bash_it .zinit .zplug
        .zgen .zgenom .zim .zimrc .zprezto .zpreztorc .antigen .antidote .p10k.zsh .fzf .fzf.bash .fzf.zsh
        .liquidprompt .wezterm.lua
        """,
        GIT: """
        .gitconfig .gitignore .gitignore_global .gitattributes .gitattributes_global .gitmessage .gitmessage.txt
        .gitmodules .git-templates .git_template .githooks .git-completion.bash .git-prompt.sh .tigrc .jjconfig.toml
        .git .github
        """,
        PROGRAMS: """
        .linuxbrew .nix-profile .nix-defexpr .nix-channels .guix-profile .flatpak .appimages .krew .terraform.versions
        .tfenv .tgenv .helmenv .kubectx .wasmtime .wasmenv .moon .proto .aqua .pkgx .devbox .yarn
        """,
        LANGUAGES: """
        .pyenv .virtualenvs .venvs .venv .pipx .hatch .rye .conda .mamba .micromamba .pixi .poetry .pypoetry .uv .pdm
        .nvm .fnm .volta .nodenv .nodebrew .n .nvs .node .npm-global .npm-packages .pnpm .bun .deno .rustup .cargo
        .goenv .gvm .gobrew .g .go .sdkman .jenv .jabba .jbang .jdks .kotlinc .konan .coursier .bloop .gradle .flutter
        .dart .dart-tool .dartServer .flutter_settings .pub-cache .fvm .rbenv .rvm .gem .asdf .mise .rtx .ghcup .cabal
        .stack .opam .elan .juliaup .julia .dotnet .swiftly .swiftenv .swiftpm .phpenv .phpbrew .luarocks .luaenv
        .perlbrew .plenv .cpanm .crenv .nimble .choosenim .zvm .zigup .vmr .emsdk .espressif .tool-versions .asdfrc
        .node-version .nvmrc .python-version .ruby-version .java-version .go-version .terraform-version .sdkmanrc
        .default-python-packages .default-npm-packages .default-gems .default-cargo-crates .default-golang-pkgs
        """,
        CACHES: """
        .cache .npm .pnpm-store .node-gyp .electron .electron-gyp .sbt .ccache .gem-cache .matplotlib .theano .triton
        .nv .nltk_data .torch .fontconfig .thumbnails .vcpkg .mix .rebar3 .kerl .cache-loader .parcel-cache .v8flags
        .esy .bazelisk
        """,
        LOOKS: ".fonts .fonts.conf .fonts.conf.d .icons .themes .gtkrc-2.0 .mime.types .mailcap",
        EDITORS: ".vimrc .gvimrc .ideavimrc .exrc .nanorc .nano .emacs .ctags .ctags.d .editorconfig",
        TOOLS: """
        .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierignore .eslintrc .eslintrc.json
        .eslintrc.js .eslintrc.yml .eslintignore .stylelintrc .stylelintrc.json .jshintrc .jscsrc .markdownlint.json
        .markdownlintrc .pylintrc .flake8 .ruff.toml .pycodestyle .style.yapf .isort.cfg .mypy.ini .coveragerc
        .clang-format .clang-tidy .clangd .rustfmt.toml .rubocop.yml .rspec .gemrc .irbrc .pryrc .yamllint .ackrc
        .agignore .ripgreprc .rgignore .fdignore .ignore .gdbinit .gdbinit.d .lldbinit .pdbrc .pythonrc .pythonrc.py
        .psqlrc .sqliterc .Rprofile .octaverc .latexmkrc .perltidyrc .perlcriticrc .indent.pro .bcrc .valgrindrc
        .hgignore .mavenrc .antrc .sbtopts .jvmopts
        """,
    },
    ".config": {
        SHELLS: """
        bash zsh shell readline fish starship.toml tmux kitty alacritty wezterm foot ghostty zellij powerline
        dircolors
        """,
        GIT: "git tig lazygit gitui delta jj",
        LANGUAGES: "nvm mise asdf flutter go direnv husky",
        LOOKS: """
        fontconfig gtk-2.0 gtk-3.0 gtk-4.0 qt5ct qt6ct Kvantum user-dirs.dirs user-dirs.locale mimeapps.list
        """,
        EDITORS: "nvim vim helix kak nano",
        TOOLS: """
        ripgrep fd bat lsd eza htop btop ranger lf yazi nnn neofetch fastfetch ruff black flake8 pycodestyle pylintrc
        yamllint rustfmt clangd ccache matplotlib procps glow tealdeer cheat pep8
        """,
    },
    ".local": {
        SHELLS: "man",
        PROGRAMS: "bin lib lib64 libexec include opt sbin pipx",
    },
    ".local/share": {
        SHELLS: "bash-completion zsh zinit man info locale oh-my-zsh",
        PROGRAMS: """
        pipx pnpm claude applications virtualenvs hatch rye gem coursier swiftly fnm nvm nodenv mise rtx asdf cargo
        rustup go bun deno dotnet opam ghcup stack pixi mamba micromamba aquaproj-aqua proto sdkman pyenv rbenv tfenv
        gnome-shell
        """,
        LOOKS: "fonts icons themes mime color-schemes desktop-directories sounds",
        EDITORS: "lunarvim",
    },
    ".local/state": {PROGRAMS: "nix fnm_multishells mise"},
    ".agents": {AGENTS: "skills"},
    ".android": {LANGUAGES: "avd cache repositories.cfg"},
    ".arduino15": {LANGUAGES: "packages staging"},
    ".arkade": {PROGRAMS: "bin"},
    ".bundle": {CACHES: "cache plugin"},
    ".claude": {
        PROGRAMS: "local",
        AGENTS: "CLAUDE.md skills commands agents plugins hooks output-styles",
    },
    ".codeium": {PROGRAMS: "bin"},
    ".codex": {AGENTS: "AGENTS.md skills prompts"},
    ".composer": {LANGUAGES: "vendor cache"},
    ".conan": {CACHES: "data"},
    ".conan2": {CACHES: "p"},
    ".config/composer": {PROGRAMS: "vendor"},
    ".config/goose": {AGENTS: "recipes"},
    ".config/micro": {EDITORS: "colorschemes syntax plug settings.json bindings.json"},
    ".config/opencode": {AGENTS: "agent command skill"},
    ".config/pypoetry": {LANGUAGES: "config.toml"},
    ".config/yarn": {PROGRAMS: "global"},
    ".config/zed": {EDITORS: "themes"},
    ".console-ninja": {PROGRAMS: ".bin"},
    ".cpan": {CACHES: "build sources"},
    ".cursor": {
        EDITORS: "extensions",
        AGENTS: "rules commands skills",
    },
    ".cursor-server": {EDITORS: "bin extensions"},
    ".cursor-server/cli": {EDITORS: "servers"},
    ".docker": {PROGRAMS: "cli-plugins completions bin"},
    ".emacs.d": {EDITORS: "init.el early-init.el elpa lisp straight themes"},
    ".fly": {PROGRAMS: "bin"},
    ".foundry": {PROGRAMS: "bin"},
    ".gemini": {AGENTS: "GEMINI.md commands skills extensions"},
    ".helm": {PROGRAMS: "plugins"},
    ".hex": {CACHES: "packages"},
    ".ipython": {TOOLS: "extensions"},
    ".ipython/profile_default": {TOOLS: "startup ipython_config.py"},
    ".ivy2": {CACHES: "cache local jars"},
    ".java": {LANGUAGES: "jdks"},
    ".keras": {CACHES: "datasets models"},
    ".lima": {PROGRAMS: "bin"},
    ".lmstudio": {PROGRAMS: "bin"},
    ".local/share/JetBrains/Toolbox": {PROGRAMS: "apps"},
    ".local/share/fish": {SHELLS: "vendor_completions.d generated_completions"},
    ".local/share/flatpak": {PROGRAMS: "exports app runtime"},
    ".local/share/helm": {PROGRAMS: "plugins"},
    ".local/share/jupyter": {PROGRAMS: "kernels nbextensions labextensions"},
    ".local/share/nvim": {EDITORS: "lazy mason site plugged runtime"},
    ".local/share/pdm": {PROGRAMS: "venvs"},
    ".local/share/pypoetry": {PROGRAMS: "venv python"},
    ".local/share/solana": {PROGRAMS: "install"},
    ".local/share/tmux": {SHELLS: "plugins"},
    ".local/share/uv": {PROGRAMS: "python tools"},
    ".m2": {CACHES: "repository wrapper toolchains.xml extensions.xml"},
    ".nuget": {CACHES: "packages plugins"},
    ".opencode": {PROGRAMS: "bin"},
    ".orbstack": {PROGRAMS: "bin"},
    ".platformio": {LANGUAGES: "penv packages platforms"},
    ".pulumi": {PROGRAMS: "bin plugins"},
    ".rd": {PROGRAMS: "bin"},
    ".ssh": {
        SSH: """
        config config.d conf.d known_hosts known_hosts.old known_hosts2 authorized_keys environment rc allowed_signers
        """,
    },
    ".terraform.d": {PROGRAMS: "plugins plugin-cache"},
    ".tmux": {SHELLS: "plugins"},
    ".vim": {
        EDITORS: """
        autoload plugin plugged pack bundle colors ftplugin ftdetect syntax indent after compiler doc spell lua vimrc
        UltiSnips
        """,
    },
    ".vscode": {EDITORS: "extensions"},
    ".vscode-server": {EDITORS: "bin extensions"},
    ".vscode-server/cli": {EDITORS: "servers"},
    ".wasmer": {PROGRAMS: "bin lib include"},
    ".windsurf": {EDITORS: "extensions"},
}  # fmt: skip
# Programs let people choose the end of these names: `.gitconfig-work`, `.zcompdump-host-5.9`.
HARMLESS_BEGINNINGS = (".gitconfig", ".gitignore", ".zcompdump")
PUBLIC_ENDING = ".pub"  # of the keys in `.ssh`
# Closed beside what `places.secrets` names: tokens beside tools, mail, records of what the user typed.
CLOSED_TOO = frozenset(words_of("""
    .pub-cache/credentials.json .julia/servers .rye/credentials .sbt/1.0/credentials.sbt
    .config/mise/age.txt .config/mise/github_tokens.toml .config/zsh/.zsh_history .config/direnv/allow
    .cache/gh .cache/mozilla .cache/thunderbird .cache/chromium .cache/google-chrome .cache/BraveSoftware
    .cache/microsoft-edge .cache/keepassxc .cache/evolution .cache/keyring .git/credentials
    .bash_history .zsh_history .python_history .psql_history .mysql_history .node_repl_history .rediscli_history
    .sqlite_history .irb_history .lesshst Maildir mail Mail mbox
    .zsh/.zsh_history .zsh/.zhistory .zsh/.histfile .zsh/history .zsh/zsh_history .config/zsh/.zhistory
    .config/zsh/.histfile .config/zsh/history .config/zsh/zsh_history .config/zsh/.zsh_sessions
    .config/bash/.bash_history .config/bash/bash_history .config/bash/history .config/shell/history
    .local/share/zsh/history .local/share/zsh/zsh_history .local/share/zsh/.zsh_history .cache/zsh/history
    .cache/zsh/zsh_history .cache/zsh/.zsh_history .cache/bash/history .cache/zsh_history .cache/.zsh_history
    .cache/bash_history .nano/search_history .julia/logs/repl_history.jl .config/tmux/resurrect
    .cache/cliphist .cache/greenclip.history .cache/clipman .cache/mutt .cache/neomutt .cache/aerc .cache/geary
    .cache/vivaldi .cache/opera .cache/librewolf .cache/epiphany .cache/qutebrowser .cache/zen .cache/github-copilot
    .cache/claude-cli-nodejs .gradle/develocity/keys.properties .gradle/enterprise/keys.properties .sbt/gpg
    .stack/upload .luarocks/upload_config.lua .nimble/github_api_token .dotnet/corefx .mamba/auth
    """))  # fmt: skip
# Directories with something closed below them, or something open further down. `HARMLESS` has the others.
MORE_BELOW = frozenset(words_of("""
    .aliyun .ansible .bundle .cache .cache/bash .cache/huggingface .cache/zsh .cargo .claude .codex .composer
    .config .config/.wrangler .config/.wrangler/config .config/Code .config/Code/User
    .config/Code/User/globalStorage .config/Cursor .config/Cursor/User .config/Cursor/User/globalStorage
    .config/NuGet .config/bash .config/composer .config/direnv .config/fish .config/fly .config/git .config/mise
    .config/netlify .config/pip .config/scw .config/shell .config/tmux .config/zsh .continue .dbt .docker .dotnet
    .fly .gem .gemini .git .gnome2 .gradle .gradle/develocity .gradle/enterprise .hex .huggingface .irssi .ivy2
    .julia .julia/logs .kaggle .lein .local .local/share .local/share/JetBrains .local/share/fish
    .local/share/opencode .local/share/zsh .luarocks .m2 .mamba .mc .nano .netlify .ngrok2 .nimble .nuget
    .nuget/NuGet .pip .planetscale .pub-cache .pulumi .qwen .rye .sbt .sbt/1.0 .stack .subversion .supabase
    .terraform.d .var .var/app .vnc .weechat .wrangler .wrangler/config .zsh Library snap
    """))  # fmt: skip

_harmless: dict[str, frozenset[str]] = {}  # taken apart when that directory is asked for


def verdict_on(directory: str, name: str) -> Verdict:
    """What the table says of `name` in `directory` itself; "" where only what is above or below it is named."""
    inner = f"{directory}/{name}" if directory else name
    if inner in FILES_IN_HOME or inner in TREES_IN_HOME or inner in CLOSED_TOO:
        return "closed"
    if name in harmless_in(directory):
        return "open"
    if directory == ".ssh":
        return "open" if name.endswith(PUBLIC_ENDING) else ""
    return "open" if not directory and name.startswith(HARMLESS_BEGINNINGS) else ""


def harmless_in(directory: str) -> frozenset[str]:
    """The names in `directory` that are open."""
    known = _harmless.get(directory)
    if known is None:
        known = _harmless[directory] = frozenset(words_of(" ".join(HARMLESS.get(directory, {}).values())))
    return known


def has_more_below(inner: str) -> bool:
    """Whether the table names something below `inner`, so that it cannot be decided as a whole."""
    return inner in HARMLESS or inner in MORE_BELOW


def standing(inner: str) -> Standing:
    """What is known of `inner`, relative to a home. "plain" has no dot in front, and nothing speaks against it."""
    decided: Verdict = ""
    directory = ""
    for name in inner.split("/"):
        decided = verdict_on(directory, name) or decided
        directory = f"{directory}/{name}" if directory else name
        if not has_more_below(directory):
            break
    if decided == "closed" or named_for_secrets(inner.rsplit("/", 1)[-1]):
        return "secret"
    if decided == "open":
        return "harmless"
    if kept_in_home(inner):
        return "secret"
    return "unknown" if inner[:1] == "." and inner not in (".", "..") else "plain"


def entry_of(inner: str) -> str:
    """The entry that is closed or opened as one: `.config/gh/hosts.yml` → `.config/gh`."""
    end = inner.find("/")
    while end >= 0 and has_more_below(inner[:end]):
        end = inner.find("/", end + 1)
    return inner if end < 0 else inner[:end]
