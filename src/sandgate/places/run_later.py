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

A name is relative to the directory it counts in; one that begins with `*` stands for every name with that ending.
Facts are those of the programs' manuals.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Decision = Literal["closed", "told", "told-when-made", "open"]

_TASKS = "starts tasks, servers or debuggers of the directory that is opened"
_HOOKS = "has hooks, servers or permissions that an agent takes over when it starts in the directory"
_WORDS = "is what agents take for the person's own instructions"
_SOURCED = "is executed by a program that is started in the directory for something else"
_SHELL = "is executed when a shell starts or enters the directory"
_GIT_CODE = "names programs that version control runs"
_TOOL = "names programs or plugins that the tool loads at its next call; everyday commands write it"
_PIPELINE = "runs on other machines once it is pushed"
_PROJECT = "runs only when a person runs the project, as its source does"

# name, what obeys it, decision, why
ROWS: tuple[tuple[str, str, Decision, str], ...] = (
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
    (".opencode", "opencode", "closed", _HOOKS),
    ("opencode.json", "opencode", "closed", _HOOKS),
    ("opencode.jsonc", "opencode", "closed", _HOOKS),
    (".crush.json", "Crush", "closed", _HOOKS),
    ("crush.json", "Crush", "closed", _HOOKS),
    (".crush", "Crush", "closed", _HOOKS),
    (".amazonq", "Amazon Q", "closed", _HOOKS),
    (".amp", "Amp", "closed", _HOOKS),
    (".augment", "Augment", "closed", _HOOKS),
    (".clinerules", "Cline", "closed", _HOOKS),
    (".cline", "Cline", "closed", _HOOKS),
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
    (".mcp.json", "agents", "closed", "names servers that agents start"),
    (".aider.conf.yml", "aider", "closed", "names commands that aider runs after each change"),
    (".aider.model.settings.yml", "aider", "told", _TOOL),
    ("mcp.json", "agents and editors", "told", "names servers that some programs start"),
    (".github/hooks", "GitHub Copilot", "closed", _HOOKS),
    # Agents: instructions. Everyday work writes them, and a change to one is a difference that people read.
    ("AGENTS.md", "agents", "told-when-made", _WORDS),
    ("AGENTS.override.md", "Codex", "told-when-made", _WORDS),
    ("AGENT.md", "agents", "told-when-made", _WORDS),
    ("CLAUDE.md", "Claude Code", "told-when-made", _WORDS),
    ("CLAUDE.local.md", "Claude Code", "told-when-made", _WORDS),
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
    (".github/copilot-instructions.md", "GitHub Copilot", "told-when-made", _WORDS),
    (".github/instructions", "GitHub Copilot", "told-when-made", _WORDS),
    (".github/prompts", "GitHub Copilot", "told-when-made", _WORDS),
    (".github/agents", "GitHub Copilot", "told-when-made", _WORDS),
    # Editors.
    (".vscode", "VS Code and its kin", "closed", _TASKS),
    ("*.code-workspace", "VS Code and its kin", "closed", _TASKS),
    (".devcontainer", "VS Code, Codespaces", "closed", _TASKS),
    (".devcontainer.json", "VS Code, Codespaces", "closed", _TASKS),
    (".idea", "JetBrains IDEs", "closed", _TASKS),
    (".run", "JetBrains IDEs", "closed", _TASKS),
    (".fleet", "Fleet", "closed", _TASKS),
    (".zed", "Zed", "closed", _TASKS),
    (".helix", "Helix", "closed", _TASKS),
    (".theia", "Theia", "closed", _TASKS),
    (".nova", "Nova", "closed", _TASKS),
    (".vs", "Visual Studio", "closed", _TASKS),
    (".externalToolBuilders", "Eclipse", "closed", _TASKS),
    (".nvim.lua", "Neovim", "closed", _SOURCED),
    (".nvimrc", "Neovim", "closed", _SOURCED),
    (".exrc", "Vim, Neovim", "closed", _SOURCED),
    (".vimrc", "Vim", "closed", _SOURCED),
    (".gvimrc", "Vim", "closed", _SOURCED),
    (".lvimrc", "Vim, with localvimrc", "closed", _SOURCED),
    (".vimspector.json", "Vimspector", "closed", _TASKS),
    (".ycm_extra_conf.py", "YouCompleteMe", "closed", _SOURCED),
    (".dir-locals.el", "Emacs", "closed", _SOURCED),
    (".dir-locals-2.el", "Emacs", "closed", _SOURCED),
    (".emacs.desktop", "Emacs", "closed", _SOURCED),
    (".kateproject", "Kate", "told", _TASKS),
    ("*.sublime-project", "Sublime Text", "told", _TASKS),
    (".clangd", "clangd", "told", _TOOL),
    (".gitpod.yml", "Gitpod", "told", _TASKS),
    (".replit", "Replit", "told", _TASKS),
    (".idx", "Firebase Studio", "told", _TASKS),
    ("*.desktop", "file managers", "told", "starts what it says at a double click, under any name and picture"),
    # Shells.
    (".bashrc", "bash", "closed", _SHELL),
    (".bash_profile", "bash", "closed", _SHELL),
    (".bash_login", "bash", "closed", _SHELL),
    (".profile", "shells", "closed", _SHELL),
    (".zshrc", "zsh", "closed", _SHELL),
    (".zshenv", "zsh", "closed", _SHELL),
    (".zprofile", "zsh", "closed", _SHELL),
    (".zlogin", "zsh", "closed", _SHELL),
    (".envrc", "direnv", "closed", _SHELL),
    (".direnv", "direnv", "closed", _SHELL),
    (".autoenv", "autoenv", "closed", _SHELL),
    (".autoenv.zsh", "autoenv", "closed", _SHELL),
    (".mise.toml", "mise", "told", "sets variables and hooks of shells in the directory, once it is trusted"),
    ("mise.toml", "mise", "told", "sets variables and hooks of shells in the directory, once it is trusted"),
    (".mise.local.toml", "mise", "told", "sets variables and hooks of shells in the directory, once it is trusted"),
    ("mise.local.toml", "mise", "told", "sets variables and hooks of shells in the directory, once it is trusted"),
    (".mise", "mise", "told", "sets variables and hooks of shells in the directory, once it is trusted"),
    (".tool-versions", "asdf, mise", "told-when-made", "chooses the programs that a shell finds in the directory"),
    (".env", "shells' and editors' plugins", "told-when-made", "sets variables, those of loaders among them"),
    # Debuggers and interpreters that read the directory they are started in.
    (".gdbinit", "gdb", "closed", _SOURCED),
    (".lldbinit", "lldb", "closed", _SOURCED),
    (".pdbrc", "pdb", "closed", _SOURCED),
    (".irbrc", "irb", "closed", _SOURCED),
    (".pryrc", "pry", "closed", _SOURCED),
    (".byebugrc", "byebug", "closed", _SOURCED),
    (".Rprofile", "R, RStudio", "closed", _SOURCED),
    (".Renviron", "R, RStudio", "closed", _SOURCED),
    (".ghci", "ghci", "closed", _SOURCED),
    (".ocamlinit", "ocaml", "closed", _SOURCED),
    (".iex.exs", "iex", "closed", _SOURCED),
    (".ripgreprc", "ripgrep", "closed", _SOURCED),
    ("sitecustomize.py", "Python", "told-when-made", "is executed by every Python that finds it"),
    ("usercustomize.py", "Python", "told-when-made", "is executed by every Python that finds it"),
    ("*.pth", "Python", "told-when-made", "may hold code for every Python of its directory; pip writes such files"),
    ("jupyter_notebook_config.py", "Jupyter", "told", _SOURCED),
    ("jupyter_server_config.py", "Jupyter", "told", _SOURCED),
    ("jupyter_lab_config.py", "Jupyter", "told", _SOURCED),
    # Version control.
    (".gitmodules", "git", "closed", _GIT_CODE),
    (".gitconfig", "git", "closed", _GIT_CODE),
    (".husky", "git, by husky", "closed", _GIT_CODE),
    (".hg/hgrc", "Mercurial", "closed", _GIT_CODE),
    (".hg/hgrc-not-shared", "Mercurial", "closed", _GIT_CODE),
    (".gitattributes", "git", "told", "chooses filters and drivers for files; everyday commands write it"),
    (".githooks", "git, where it is configured", "told", _GIT_CODE),
    (".pre-commit-config.yaml", "git, by pre-commit", "told", _GIT_CODE),
    ("lefthook.yml", "git, by lefthook", "told", _GIT_CODE),
    ("lefthook-local.yml", "git, by lefthook", "told", _GIT_CODE),
    (".lefthook.yml", "git, by lefthook", "told", _GIT_CODE),
    (".overcommit.yml", "git, by overcommit", "told", _GIT_CODE),
    # Build tools and package managers.
    (".cargo/config.toml", "cargo, and editors through it", "closed", "names compilers, linkers and runners"),
    (".cargo/config", "cargo, and editors through it", "closed", "names compilers, linkers and runners"),
    ("rust-toolchain.toml", "cargo, and editors through it", "told", "chooses the compiler, by path if it likes"),
    ("rust-toolchain", "cargo, and editors through it", "told", "chooses the compiler, by path if it likes"),
    (".npmrc", "npm", "told", _TOOL),
    (".yarnrc.yml", "yarn", "told", _TOOL),
    (".yarnrc", "yarn", "told", _TOOL),
    (".yarn/releases", "yarn", "told-when-made", _TOOL),
    (".yarn/plugins", "yarn", "told-when-made", _TOOL),
    (".pnpmfile.cjs", "pnpm", "told", _TOOL),
    ("pnpmfile.cjs", "pnpm", "told", _TOOL),
    (".mvn", "Maven, and editors through it", "told", _TOOL),
    (".sbtopts", "sbt", "told", _TOOL),
    (".jvmopts", "sbt", "told", _TOOL),
    ("gradle/wrapper", "Gradle, and editors through it", "told", _TOOL),
    (".bazelrc", "bazel", "told", _TOOL),
    (".bundle/config", "bundler", "told", _TOOL),
    # Pipelines.
    (".github/workflows", "GitHub", "told", _PIPELINE),
    (".github/actions", "GitHub", "told", _PIPELINE),
    (".gitlab-ci.yml", "GitLab", "told", _PIPELINE),
    (".circleci", "CircleCI", "told", _PIPELINE),
    (".travis.yml", "Travis CI", "told", _PIPELINE),
    (".drone.yml", "Drone", "told", _PIPELINE),
    (".woodpecker.yml", "Woodpecker", "told", _PIPELINE),
    ("azure-pipelines.yml", "Azure", "told", _PIPELINE),
    ("bitbucket-pipelines.yml", "Bitbucket", "told", _PIPELINE),
    ("Jenkinsfile", "Jenkins", "told", _PIPELINE),
    # Everyday files.
    ("package.json", "npm, yarn, pnpm, bun", "open", _PROJECT),
    ("Makefile", "make", "open", _PROJECT),
    ("justfile", "just", "open", _PROJECT),
    ("pyproject.toml", "Python's tools", "open", _PROJECT),
    ("setup.py", "pip", "open", _PROJECT),
    ("conftest.py", "pytest", "open", _PROJECT),
    ("tox.ini", "tox", "open", _PROJECT),
    ("noxfile.py", "nox", "open", _PROJECT),
    ("Cargo.toml", "cargo", "open", _PROJECT),
    ("build.rs", "cargo", "open", _PROJECT),
    ("pom.xml", "Maven", "open", _PROJECT),
    ("build.gradle", "Gradle", "open", _PROJECT),
    ("gradlew", "Gradle", "open", _PROJECT),
    ("Dockerfile", "container engines", "open", _PROJECT),
    ("docker-compose.yml", "container engines", "open", _PROJECT),
    ("flake.nix", "nix", "open", _PROJECT),
    (".gitignore", "git", "open", "runs nothing"),
    (".editorconfig", "editors", "open", "runs nothing"),
    (".nvmrc", "nvm", "open", "names a version, and nothing to run"),
    (".python-version", "pyenv", "open", "names a version, and nothing to run"),
)


def _decided(*decisions: Decision) -> tuple[str, ...]:
    return tuple([name for name, _, decision, _ in ROWS if decision in decisions])


CLOSED = _decided("closed")
CLOSED_ENDINGS = tuple([name[1:] for name in CLOSED if name[0] == "*"])
CLOSED_NAMES = tuple([name for name in CLOSED if name[0] != "*"])
# What is told of when a command makes it, and the part of it of which also a change is told.
_WATCHED = {name.lower(): (obeyed_by, decision) for name, obeyed_by, decision, _ in ROWS if decision != "open"}
_WATCHED_ENDINGS = tuple([name[1:] for name in _WATCHED if name[0] == "*"])
_PLAIN = frozenset([part for name in _WATCHED for part in name.split("/") if part[0] not in ".*"])


class Watched(Record):
    """A name of the table, as it was found."""

    obeyed_by: str
    when_changed: bool  # or only when it is made


def watched(directory: str, name: str) -> Watched | None:
    """What the table says of `name` in `directory`, in any spelling; None when nobody needs to be told of it."""
    folded = name.lower()
    row = _WATCHED.get(folded) or _WATCHED.get(f"{directory.rpartition('/')[2].lower()}/{folded}")
    if row is None and folded.endswith(_WATCHED_ENDINGS):
        row = next(row for ending, row in _WATCHED.items() if ending[0] == "*" and folded.endswith(ending[1:]))
    return None if row is None else Watched(row[0], row[1] == "told")


def is_plain_name(name: str) -> bool:
    """Whether a name that begins with no dot may be one of the table, or a part of one, in any spelling."""
    folded = name.lower()
    return folded in _PLAIN or folded.endswith(_WATCHED_ENDINGS)


def ending_form(path: str) -> str:
    """`/w/x.code-workspace` → `/w/*.code-workspace`, as endings stand among names that must not come to exist."""
    directory, _, name = path.rpartition("/")
    _, dot, ending = name.rpartition(".")
    return f"{directory}/*.{ending}" if dot else path
