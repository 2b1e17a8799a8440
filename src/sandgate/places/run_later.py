"""Names in a workspace that something executes or obeys later, outside the sandbox, without being asked to.

An editor that opens the directory, an agent that starts in it, a shell that enters it, a tool that is called for
something else: each reads files that were perhaps put there by a confined command. One table decides name by name.

`closed`: it acts when somebody merely opens or enters the directory, and no everyday command writes it. Directly in a
writable root it can neither be changed nor made; below, what exists cannot be changed, and what is made is told, as
unpacking an archive or cloning a repository into the workspace makes such files every day.

`told`: everyday commands write it, so it stays writable, and the person is told in one line that a command made or
changed it. `told-when-made`: as `told`, but a change to an existing one is left to the difference that people read.

`open`: what it does, it does when a person runs the project, as any source file; it is in the table so that nobody
has to wonder. What is in no row is open as well.

A name is relative to the directory it counts in; one that begins with `*` stands for every name with that ending. A row
may hold several names. Facts are those of the programs' manuals.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Decision = Literal["closed", "told", "told-when-made", "open"]

_TASKS = "starts tasks, servers or debuggers of the directory that is opened"
_SERVERS = "has settings of language servers, with programs that they start"
_HOOKS = "has hooks, servers or permissions that an agent takes over when it starts in the directory"
_STARTED = "names programs that an agent starts when it starts itself, or after each change"
_WORDS = "is what agents take for the person's own instructions"
_SOURCED = "is executed by a program that is started in the directory for something else"
_SHELL = "is executed when a shell starts or enters the directory"
_GIT_CODE = "names programs that version control runs"
_TOOL = "names programs or plugins that the tool loads at its next call; everyday commands write it"
_PIPELINE = "runs on other machines once it is pushed"
_TRUSTED = "sets variables and hooks of shells in the directory, once it is trusted"
_VARIABLES = "sets variables, those of loaders among them, in shells that enter the directory"
_VERSION = "names a version, and nothing to run"
_PROJECT = "runs only when a person runs the project, as its source does"
_CHECKED = "runs only when a person, or an editor that trusts the project, checks it, as its source does"

# names, what obeys them, decision, why
_TABLE: tuple[tuple[str, str, Decision, str], ...] = (
    # Agents: settings, hooks, servers.
    (".agents", "agents", "closed", _HOOKS),
    (".agent", "Antigravity", "closed", _HOOKS),
    (".codex", "Codex", "closed", _HOOKS),
    (".sandgate", "Sandgate", "closed", _HOOKS),
    (".claude", "Claude Code", "closed", _HOOKS),
    (".gemini", "Gemini CLI", "closed", _HOOKS),
    (".cursor", "Cursor", "closed", _HOOKS),
    (".kiro", "Kiro", "closed", _HOOKS),
    (".roo", "Roo Code", "closed", _HOOKS),
    (".kilocode", "Kilo Code", "closed", _HOOKS),
    (".windsurf", "Windsurf", "closed", _HOOKS),
    (".opencode opencode.json opencode.jsonc", "opencode", "closed", _HOOKS),
    (".crush.json crush.json .crush", "Crush", "closed", _HOOKS),
    (".amazonq", "Amazon Q", "closed", _HOOKS),
    (".amp", "Amp", "closed", _HOOKS),
    (".augment", "Augment", "closed", _HOOKS),
    (".clinerules .cline", "Cline", "closed", _HOOKS),
    (".codebuddy", "CodeBuddy", "closed", _HOOKS),
    (".continue", "Continue", "closed", _HOOKS),
    (".copilot", "GitHub Copilot", "closed", _HOOKS),
    (".factory", "Factory", "closed", _HOOKS),
    (".goose", "Goose", "closed", _HOOKS),
    (".grok", "Grok CLI", "closed", _HOOKS),
    (".iflow", "iFlow", "closed", _HOOKS),
    (".junie", "Junie", "closed", _HOOKS),
    (".openhands", "OpenHands", "closed", _HOOKS),
    (".pi", "Pi", "closed", _HOOKS),
    (".qwen", "Qwen Code", "closed", _HOOKS),
    (".rovodev", "Rovo Dev", "closed", _HOOKS),
    (".tabnine", "Tabnine", "closed", _HOOKS),
    (".trae", "Trae", "closed", _HOOKS),
    (".vibe", "Mistral Vibe", "closed", _HOOKS),
    (".kilo kilo.json kilo.jsonc", "Kilo Code", "closed", _HOOKS),
    ("gptme.toml gptme.local.toml", "gptme", "closed", _STARTED),
    ("codebuff.json", "Codebuff", "closed", _STARTED),
    (".continuerc.json", "Continue", "closed", _HOOKS),
    ("firebender.json", "Firebender", "closed", _HOOKS),
    (".kimi", "Kimi CLI", "closed", _HOOKS),
    (".letta", "Letta Code", "closed", _HOOKS),
    (".refact", "Refact", "closed", _HOOKS),
    (".mcp.json", "agents", "closed", _STARTED),
    (".aider.conf.yml", "aider", "closed", _STARTED),
    (".aider.model.settings.yml", "aider", "told", _TOOL),
    ("mcp.json", "agents and editors", "told", "names servers that some programs start"),
    (".github/hooks", "GitHub Copilot", "closed", _HOOKS),
    (".github/lsp.json", "GitHub Copilot", "closed", _STARTED),
    ("lsp.json", "GitHub Copilot", "told", _STARTED),
    (".warp", "Warp", "told", "offers commands to who opens a terminal there"),
    ("conductor.json", "Conductor", "told", _TASKS),
    (".container-use", "Container Use", "told", _TASKS),
    # Agents: instructions. Everyday work writes them, and a change to one is a difference that people read.
    ("AGENTS.md", "agents", "told-when-made", _WORDS),
    ("AGENTS.override.md", "Codex", "told-when-made", _WORDS),
    ("AGENT.md", "agents", "told-when-made", _WORDS),
    ("CLAUDE.md CLAUDE.local.md", "Claude Code", "told-when-made", _WORDS),
    ("GEMINI.md", "Gemini CLI", "told-when-made", _WORDS),
    ("QWEN.md", "Qwen Code", "told-when-made", _WORDS),
    ("CRUSH.md", "Crush", "told-when-made", _WORDS),
    ("WARP.md", "Warp", "told-when-made", _WORDS),
    ("replit.md", "Replit", "told-when-made", _WORDS),
    (".cursorrules", "Cursor", "told-when-made", _WORDS),
    (".windsurfrules", "Windsurf", "told-when-made", _WORDS),
    (".goosehints", "Goose", "told-when-made", _WORDS),
    (".roomodes", "Roo Code", "told-when-made", _WORDS),
    (".kilocodemodes", "Kilo Code", "told-when-made", _WORDS),
    (".continuerules", "Continue", "told-when-made", _WORDS),
    (".augment-guidelines", "Augment", "told-when-made", _WORDS),
    (".rules", "Zed", "told-when-made", _WORDS),
    (".github/copilot-instructions.md .github/instructions", "GitHub Copilot", "told-when-made", _WORDS),
    (".github/prompts .github/agents .github/chatmodes .github/skills", "GitHub Copilot", "told-when-made", _WORDS),
    ("CRUSH.local.md", "Crush", "told-when-made", _WORDS),
    ("CODEBUDDY.md", "CodeBuddy", "told-when-made", _WORDS),
    ("IFLOW.md", "iFlow", "told-when-made", _WORDS),
    ("AmazonQ.md", "Amazon Q", "told-when-made", _WORDS),
    (".roorules", "Roo Code", "told-when-made", _WORDS),
    (".openhands_instructions", "OpenHands", "told-when-made", _WORDS),
    (".aiassistant", "JetBrains AI Assistant", "told-when-made", _WORDS),
    (".zencoder", "Zencoder", "told-when-made", _WORDS),
    # Editors.
    (".vscode *.code-workspace", "VS Code and its kin", "closed", _TASKS),
    (".devcontainer .devcontainer.json", "VS Code, Codespaces", "closed", _TASKS),
    (".idea .run", "JetBrains IDEs", "closed", _TASKS),
    (".fleet", "Fleet", "closed", _TASKS),
    (".zed", "Zed", "closed", _TASKS),
    (".helix", "Helix", "closed", _TASKS),
    (".theia", "Theia", "closed", _TASKS),
    (".nova", "Nova", "closed", _TASKS),
    (".vs", "Visual Studio", "closed", _TASKS),
    (".externalToolBuilders", "Eclipse", "closed", _TASKS),
    (".nvim.lua .nvimrc", "Neovim", "closed", _SOURCED),
    (".exrc", "Vim, Neovim", "closed", _SOURCED),
    (".vimrc .gvimrc", "Vim", "closed", _SOURCED),
    (".lvimrc", "Vim, with localvimrc", "closed", _SOURCED),
    (".local.vimrc", "Vim, with localrc", "closed", _SOURCED),
    (".lazy.lua", "Neovim, with lazy.nvim", "closed", _SOURCED),
    (".vim/coc-settings.json", "Vim, Neovim, with coc", "closed", "names programs as language servers"),
    (".neoconf.json .nlsp-settings", "Neovim, with neoconf or nlsp-settings", "closed", _SERVERS),
    (".lapce", "Lapce", "closed", _TASKS),
    ("rust-analyzer.toml", "rust-analyzer", "closed", _SERVERS),
    (".sourcekit-lsp", "SourceKit-LSP", "closed", _SERVERS),
    (".lsp/config.edn", "clojure-lsp", "closed", _SERVERS),
    (".hie-bios", "Haskell's language servers", "closed", "is the program that they start to learn of the project"),
    (".phpactor.json .phpactor.yml", "Phpactor", "closed", _SERVERS),
    (".ropeproject", "rope, in Python's language servers", "closed", "holds a `config.py` that they execute"),
    (".jedi", "jedi, in Python's language servers", "closed", "names the interpreter that they start"),
    (".vimspector.json", "Vimspector", "closed", _TASKS),
    (".ycm_extra_conf.py", "YouCompleteMe", "closed", _SOURCED),
    (".dir-locals.el .dir-locals-2.el .emacs.desktop", "Emacs", "closed", _SOURCED),
    (".kateproject", "Kate", "told", _TASKS),
    ("*.sublime-project", "Sublime Text", "told", _TASKS),
    (".clangd", "clangd", "told", _TOOL),
    ("hie.yaml", "Haskell's language servers", "told", _SERVERS),
    (".merlin", "OCaml's language servers", "told", _SERVERS),
    (".luarc.json .luarc.jsonc", "Lua's language server", "told", _SERVERS),
    (".pyre_configuration .pyre_configuration.local", "Pyre", "told", _SERVERS),
    ("rust-project.json .rust-project.json", "rust-analyzer", "told", _SERVERS),
    ("kls-classpath", "Kotlin's language server", "told", "is a script that it starts to learn of the project"),
    (".bsp buildServer.json", "editors, for builds", "told", "names the program that answers them; builds write it"),
    (".bloop", "Bloop", "told", _TOOL),
    (".factorypath", "Eclipse", "told", "names code that its compiler loads; builds write it"),
    (".project", "Eclipse", "told-when-made", "names builders, programs among them"),
    (".tern-project", "Tern", "told", _TOOL),
    (".projections.json", "Vim, with projectionist", "told", _TASKS),
    ("Session.vim", "Vim", "told", "is executed when a session is gone on with"),
    (".gitpod.yml", "Gitpod", "told", _TASKS),
    (".replit", "Replit", "told", _TASKS),
    (".idx", "Firebase Studio", "told", _TASKS),
    (".stackblitzrc", "StackBlitz", "told", _TASKS),
    (".codesandbox", "CodeSandbox", "told", _TASKS),
    (".gitpod .ona", "Ona, Gitpod", "told", _TASKS),
    ("devfile.yaml .devfile.yaml", "Dev Spaces, Eclipse Che", "told", _TASKS),
    ("*.desktop", "file managers", "told", "starts what it says at a double click, under any name and picture"),
    # Shells.
    (".bashrc .bash_profile .bash_login", "bash", "closed", _SHELL),
    (".profile", "shells", "closed", _SHELL),
    (".zshrc .zshenv .zprofile .zlogin", "zsh", "closed", _SHELL),
    (".bash_logout .bash_aliases", "bash", "closed", _SHELL),
    (".zlogout", "zsh", "closed", _SHELL),
    (".kshrc .mkshrc", "ksh, mksh", "closed", _SHELL),
    (".cshrc .tcshrc .login .logout", "csh, tcsh", "closed", _SHELL),
    (".envrc .direnv", "direnv", "closed", _SHELL),
    (".autoenv .autoenv.zsh", "autoenv", "closed", _SHELL),
    (".env.leave .autoenv.leave .autoenv_leave.zsh", "autoenv", "closed", "is executed when a shell leaves"),
    (".shadowenv.d", "shadowenv", "closed", _SHELL),
    (".rvmrc", "rvm", "closed", _SHELL),
    (".phpbrewrc", "phpbrew", "closed", _SHELL),
    (".powrc .powenv .pumaenv", "pow, puma-dev", "closed", "is executed by a server that runs for the person"),
    (".mise.toml mise.toml .mise.local.toml mise.local.toml .mise .rtx.toml", "mise", "told", _TRUSTED),
    ("mise/config.toml mise/config.local.toml .config/mise.toml .config/mise.local.toml", "mise", "told", _TRUSTED),
    (".config/mise/config.toml .config/mise/config.local.toml .config/mise/conf.d", "mise", "told", _TRUSTED),
    (".flox", "Flox", "told", _TRUSTED),
    (".tool-versions", "asdf, mise", "told-when-made", "chooses the programs that a shell finds in the directory"),
    (".prototools", "proto", "told-when-made", "chooses the programs that a shell finds in the directory"),
    ("_opam", "opam's shell hook", "told-when-made", "has the programs that a shell finds in the directory"),
    (".env", "shells' and editors' plugins", "told-when-made", _VARIABLES),
    (".rbenv-vars .ruby-env .versions.conf", "rbenv, rvm", "told-when-made", _VARIABLES),
    # Debuggers and interpreters that read the directory they are started in.
    (".gdbinit", "gdb", "closed", _SOURCED),
    (".lldbinit", "lldb", "closed", _SOURCED),
    (".pdbrc", "pdb", "closed", _SOURCED),
    (".irbrc", "irb", "closed", _SOURCED),
    (".pryrc", "pry", "closed", _SOURCED),
    (".byebugrc", "byebug", "closed", _SOURCED),
    (".Rprofile .Renviron", "R, RStudio", "closed", _SOURCED),
    (".ghci", "ghci", "closed", _SOURCED),
    (".ocamlinit", "ocaml", "closed", _SOURCED),
    (".iex.exs", "iex", "closed", _SOURCED),
    (".perldb", "perl -d", "closed", _SOURCED),
    (".psysh.php", "PsySH", "closed", _SOURCED),
    (".octaverc", "Octave", "closed", _SOURCED),
    (".scilab", "Scilab", "closed", _SOURCED),
    ("_irbrc $irbrc irb.rc .config/irb/irbrc", "irb", "closed", _SOURCED),
    (".reviewboardrc", "Review Board's tools", "closed", _SOURCED),
    (".chef/config.rb .chef/knife.rb", "knife", "closed", _SOURCED),
    ("startup.m", "MATLAB, Octave", "told", _SOURCED),
    ("scilab.ini", "Scilab", "told", _SOURCED),
    (".RData", "R", "told-when-made", "may hold code that R runs when it starts there; R writes it when it ends"),
    (".ripgreprc", "ripgrep", "closed", _SOURCED),
    ("sitecustomize.py usercustomize.py", "Python", "told-when-made", "is executed by every Python that finds it"),
    ("*.pth", "Python", "told-when-made", "may hold code for every Python of its directory; pip writes such files"),
    ("jupyter_notebook_config.py jupyter_server_config.py jupyter_lab_config.py", "Jupyter", "told", _SOURCED),
    ("jupyter_notebook_config.json jupyter_server_config.json", "Jupyter", "told", _TOOL),
    ("ipython_config.py ipython_kernel_config.py profile_default", "IPython before 8.0.1", "told", _SOURCED),
    # Version control.
    (".gitmodules .gitconfig", "git", "closed", _GIT_CODE),
    (".husky", "git, by husky", "closed", _GIT_CODE),
    (".hg/hgrc .hg/hgrc-not-shared", "Mercurial", "closed", _GIT_CODE),
    (".sl/config", "Sapling", "closed", _GIT_CODE),
    (".jj/repo/config.toml .jj/workspace-config.toml", "Jujutsu", "closed", _GIT_CODE),
    ("_darcs/prefs/defaults", "Darcs", "closed", _GIT_CODE),
    (".repo/repo", "Android's repo", "closed", "is the code of the tool itself"),
    (".lazygit.yml", "lazygit", "closed", _GIT_CODE),
    (".gh-dash.yml", "gh dash", "closed", _GIT_CODE),
    ("_darcs/prefs/prefs", "Darcs", "told", _GIT_CODE),
    (".pijul/config", "Pijul", "told", _GIT_CODE),
    (".arcconfig", "Arcanist", "told", _TOOL),
    (".gclient", "gclient", "told", _SOURCED),
    (".west/config", "west", "told", _TOOL),
    (".gitattributes", "git", "told", "chooses filters and drivers for files; everyday commands write it"),
    (".githooks", "git, where it is configured", "told", _GIT_CODE),
    (".pre-commit-config.yaml", "git, by pre-commit", "told", _GIT_CODE),
    ("lefthook.yml lefthook.yaml lefthook.toml lefthook.json", "git, by lefthook", "told", _GIT_CODE),
    (".lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json", "git, by lefthook", "told", _GIT_CODE),
    ("lefthook-local.yml lefthook-local.yaml .lefthook-local.yml", "git, by lefthook", "told", _GIT_CODE),
    (".config/lefthook.yml .lefthook .lefthook-local", "git, by lefthook", "told", _GIT_CODE),
    (".overcommit.yml .git-hooks", "git, by overcommit", "told", _GIT_CODE),
    (".huskyrc .huskyrc.json .huskyrc.js husky.config.js", "git, by husky", "told", _GIT_CODE),
    (".simple-git-hooks.json .simple-git-hooks.js .simple-git-hooks.cjs", "git, by this tool", "told", _GIT_CODE),
    ("simple-git-hooks.json simple-git-hooks.js simple-git-hooks.cjs", "git, by this tool", "told", _GIT_CODE),
    ("captainhook.json grumphp.yml grumphp.yml.dist", "git, by CaptainHook or GrumPHP", "told", _GIT_CODE),
    ("rusty-hook.toml .rusty-hook.toml hk.pkl", "git, by rusty-hook or hk", "told", _GIT_CODE),
    # Build tools and package managers.
    (".cargo/config.toml", "cargo, and editors through it", "closed", "names compilers, linkers and runners"),
    (".cargo/config", "cargo, and editors through it", "closed", "names compilers, linkers and runners"),
    (".conanrc", "conan", "closed", "says where it loads extensions from"),
    ("rust-toolchain.toml", "cargo, and editors through it", "told", "chooses the compiler, by path if it likes"),
    ("rust-toolchain", "cargo, and editors through it", "told", "chooses the compiler, by path if it likes"),
    (".npmrc", "npm", "told", _TOOL),
    (".yarnrc.yml .yarnrc", "yarn", "told", _TOOL),
    (".yarn/releases .yarn/plugins", "yarn", "told-when-made", _TOOL),
    (".pnpmfile.cjs pnpmfile.cjs", "pnpm", "told", _TOOL),
    (".mvn", "Maven, and editors through it", "told", _TOOL),
    (".sbtopts .jvmopts", "sbt", "told", _TOOL),
    ("gradle/wrapper", "Gradle, and editors through it", "told", _TOOL),
    (".bazelrc", "bazel", "told", _TOOL),
    (".bundle/config", "bundler", "told", _TOOL),
    ("pnpm-workspace.yaml", "pnpm", "told-when-made", _TOOL),
    ("bunfig.toml", "bun", "told-when-made", _TOOL),
    (".bowerrc", "bower", "told", _TOOL),
    ("uv.toml .pixi/config.toml", "uv, pixi", "told", _TOOL),
    (".pdm-python .pdm-plugins", "pdm", "told-when-made", _TOOL),
    ("nuget.config .config/dotnet-tools.json", "dotnet", "told-when-made", _TOOL),
    ("gradle.properties", "Gradle, and editors", "told-when-made", "names code that its machine loads"),
    (".mill-jvm-opts .mill-opts", "Mill", "told", _TOOL),
    ("tools/bazel .bazeliskrc", "bazel", "told", "is started instead of bazel, or says what is"),
    (".buckconfig .buckconfig.local", "Buck", "told-when-made", _TOOL),
    (".pants.rc .pants.bootstrap", "Pants", "told", _TOOL),
    (".plzconfig .plzconfig.local", "Please", "told-when-made", _TOOL),
    (".moon", "moon", "told", "names programs, and hooks that it writes into git"),
    ("cabal.project.local", "cabal, and editors through it", "told", _TOOL),
    ("nim.cfg *.nims", "Nim, and editors through it", "told-when-made", _TOOL),
    ("ansible.cfg", "Ansible, and editors through it", "told-when-made", _TOOL),
    (".latexmkrc latexmkrc", "latexmk, and editors through it", "told", _SOURCED),
    (".ctags .ctags.d", "ctags", "told", "says where it writes, and what it reads"),
    ("gtags.conf .globalrc", "GNU Global", "told", _TOOL),
    (".proverc", "prove", "told", _TOOL),
    (".htaccess .user.ini", "web servers, PHP", "told", "is obeyed by a server that serves the directory"),
    # Pipelines.
    (".github/workflows .github/actions", "GitHub", "told", _PIPELINE),
    (".gitlab-ci.yml", "GitLab", "told", _PIPELINE),
    (".circleci", "CircleCI", "told", _PIPELINE),
    (".travis.yml", "Travis CI", "told", _PIPELINE),
    (".drone.yml", "Drone", "told", _PIPELINE),
    (".woodpecker.yml", "Woodpecker", "told", _PIPELINE),
    ("azure-pipelines.yml", "Azure", "told", _PIPELINE),
    ("bitbucket-pipelines.yml", "Bitbucket", "told", _PIPELINE),
    ("Jenkinsfile", "Jenkins", "told", _PIPELINE),
    (".gitea/workflows .forgejo/workflows", "Gitea, Forgejo", "told", _PIPELINE),
    (".buildkite .semaphore .tekton .teamcity", "Buildkite, Semaphore, Tekton, TeamCity", "told", _PIPELINE),
    (".cirrus.yml .cirrus.star .drone.star .woodpecker", "Cirrus CI, Drone, Woodpecker", "told", _PIPELINE),
    ("appveyor.yml .appveyor.yml codemagic.yaml bitrise.yml", "AppVeyor, Codemagic, Bitrise", "told", _PIPELINE),
    ("cloudbuild.yaml buildspec.yml .taskcluster.yml", "Google Cloud, AWS, Taskcluster", "told", _PIPELINE),
    (".build.yml .builds .zuul.yaml .zuul.d .readthedocs.yaml", "sourcehut, Zuul, Read the Docs", "told", _PIPELINE),
    # Everyday files.
    ("package.json", "npm, yarn, pnpm, bun", "open", _PROJECT),
    ("Makefile", "make", "open", _PROJECT),
    ("justfile", "just", "open", _PROJECT),
    ("pyproject.toml", "Python's tools", "open", _PROJECT),
    ("setup.py", "pip", "open", _PROJECT),
    ("conftest.py", "pytest", "open", _PROJECT),
    ("tox.ini", "tox", "open", _PROJECT),
    ("noxfile.py", "nox", "open", _PROJECT),
    ("Cargo.toml build.rs", "cargo", "open", _PROJECT),
    ("pom.xml", "Maven", "open", _PROJECT),
    ("build.gradle gradlew", "Gradle", "open", _PROJECT),
    ("Dockerfile docker-compose.yml", "container engines", "open", _PROJECT),
    ("flake.nix", "nix", "open", _PROJECT),
    ("shell.nix default.nix devenv.nix devbox.json pixi.toml", "nix, devenv, devbox, pixi", "open", _PROJECT),
    ("eslint.config.js .eslintrc.js .prettierrc .stylelintrc", "JavaScript's checkers", "open", _CHECKED),
    ("tailwind.config.js jest.config.js vitest.config.ts", "JavaScript's tools", "open", _CHECKED),
    (".pylintrc .flake8 mypy.ini", "Python's checkers", "open", _CHECKED),
    (".rubocop.yml .solargraph.yml Steepfile Gemfile", "Ruby's checkers", "open", _CHECKED),
    ("phpstan.neon psalm.xml .php-cs-fixer.php composer.json", "PHP's checkers", "open", _CHECKED),
    (".golangci.yml go.mod go.work", "Go's tools", "open", _CHECKED),
    (".luacheckrc .credo.exs .formatter.exs .scalafix.conf", "checkers", "open", _CHECKED),
    ("CMakeLists.txt CMakePresets.json meson.build build.zig", "build tools, and editors", "open", _CHECKED),
    (".gitignore", "git", "open", "runs nothing"),
    (".editorconfig", "editors", "open", "runs nothing"),
    (
        ".nvmrc .python-version .ruby-version .node-version .java-version .sdkmanrc",
        "version managers",
        "open",
        _VERSION,
    ),
)


_NAMES = [(name, row) for row in _TABLE for name in row[0].split()]
CLOSED = tuple([name for name, row in _NAMES if row[2] == "closed"])
# What is told of when a command makes it, and the part of it of which also a change is told.
_WATCHED = {name.lower(): row for name, row in _NAMES if row[2] != "open"}
CLOSED_ENDINGS = tuple([name[1:] for name in CLOSED if name[0] == "*"])
CLOSED_NAMES = tuple([name for name in CLOSED if name[0] != "*"])
_WATCHED_ENDINGS = tuple([name[1:] for name in _WATCHED if name[0] == "*"])
_PARTS_MAX = 3  # of a name; the longest ones have as many
_INNERMOST = frozenset([name.rpartition("/")[2] for name in _WATCHED if "/" in name])
_PLAIN = frozenset([part for part in " ".join(_WATCHED).replace("/", " ").split() if part[0] not in ".*"])


def rows() -> tuple[tuple[str, str, Decision, str], ...]:
    """The table, one name a row."""
    return tuple([(name, *row[1:]) for name, row in _NAMES])


def agent_settings() -> tuple[str, ...]:
    """What an agent may do in a directory, and what it starts there: the closed names that it takes its orders from."""
    return tuple([name for name, _, decision, why in rows() if decision == "closed" and why in (_HOOKS, _STARTED)])


class Watched(Record):
    """A name of the table, as it was found."""

    obeyed_by: str
    when_changed: bool  # or only when it is made


def watched(directory: str, name: str) -> Watched | None:
    """What the table says of `name` in `directory`, in any spelling; None when nobody needs to be told of it."""
    folded = name.lower()
    row = _WATCHED.get(folded)
    if row is None and folded in _INNERMOST:
        row = _of_several_parts(directory.lower(), folded)
    if row is None and folded.endswith(_WATCHED_ENDINGS):
        row = next(row for ending, row in _WATCHED.items() if ending[0] == "*" and folded.endswith(ending[1:]))
    return None if row is None else Watched(row[1], row[2] == "told")


def _of_several_parts(directory: str, name: str) -> tuple[str, str, Decision, str] | None:
    for part in directory.rsplit("/", _PARTS_MAX - 1)[:0:-1]:
        name = f"{part}/{name}"
        if name in _WATCHED:
            return _WATCHED[name]
    return None


def is_plain_name(name: str) -> bool:
    """Whether a name that begins with no dot may be one of the table, or a part of one, in any spelling."""
    folded = name.lower()
    return folded in _PLAIN or folded.endswith(_WATCHED_ENDINGS)


def ending_form(path: str) -> str:
    """`/w/x.code-workspace` → `/w/*.code-workspace`, as endings stand among names that must not come to exist."""
    directory, _, name = path.rpartition("/")
    _, dot, ending = name.rpartition(".")
    return f"{directory}/*.{ending}" if dot else path
