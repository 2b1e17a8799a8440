"""What in a home runs by itself, or is found by a shell that looks for programs: closed even to who may write the home.

Relative to a home directory; a trailing slash means everything below. The names are those of the programs' manuals.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

STARTUP = words_of("""
    .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc
    .tcshrc .login .inputrc .xinitrc .xprofile .xsession .pam_environment .config/fish/ .config/autostart/
    .config/systemd/ .config/environment.d/ .local/share/systemd/ .ssh/authorized_keys .ssh/rc .ssh/config
    .ssh/environment .gitconfig .config/git/ .vimrc .config/nvim/ .tmux.conf .gdbinit .pythonrc .local/bin/ bin/
    .crontab Library/LaunchAgents/ .bash_aliases .xsessionrc .screenrc .lldbinit .psqlrc .sqliterc .Rprofile .irbrc
    .pryrc .config/zsh/ .oh-my-zsh/custom/ .emacs .emacs.d/ .config/emacs/ .vim/ .ipython/ .curlrc .wgetrc .hgrc
    .cargo/config.toml .cargo/config .gradle/init.gradle .gradle/init.d/ .config/Code/User/settings.json
    .config/Code/User/tasks.json .config/plasma-workspace/ .config/i3/ .config/sway/ .config/hypr/
    .local/share/applications/ .local/share/dbus-1/ .config/direnv/ .direnvrc .config/starship.toml .config/kitty/
    .config/alacritty/ .config/wezterm/ .wezterm.lua .config/tmux/ .git-templates/ .githooks/
    .claude/settings.json .claude/settings.local.json .claude/hooks/ .claude/plugins/ .codex/config.toml .codex/rules/
    .gemini/settings.json .qwen/settings.json .cursor/mcp.json .cursor/hooks.json .config/opencode/ .config/goose/
    .config/Claude/ .config/sandgate/
    """)
# Where programs and their plugins are installed for one user. Installing something there is everyday work and no reason
# to call it dangerous; for a command that may write the whole home, it is a way to run outside the sandbox later.
PROGRAMS = words_of("""
    .cargo/bin/ .cargo/env go/bin/ .go/bin/ .npm-global/ .npm-packages/ .local/lib/ .local/share/bash-completion/
    .bash_completion .bash_completion.d/ .bun/bin/ .deno/bin/ .volta/bin/ .yarn/bin/ .config/yarn/global/ .gem/ .rbenv/
    .pyenv/ .nvm/ .asdf/ .sdkman/ .rustup/ .ghcup/ .krew/bin/ .dotnet/tools/ .pub-cache/bin/ .composer/vendor/bin/
    .config/composer/vendor/bin/ .local/share/mise/ .local/share/pipx/ .local/share/uv/ .local/share/pnpm/
    .local/share/fish/ .local/share/zsh/ .local/share/nvim/ .zfunc/ .zsh/ .oh-my-zsh/ .oh-my-bash/ .zprezto/
    .nix-profile .config/nixpkgs/ .config/home-manager/ .config/mise/ .config/systemd/ .xinitrc.d/ .dmrc
    .config/Cursor/User/settings.json .config/Cursor/User/tasks.json .config/VSCodium/User/settings.json
    .vscode/extensions/ .vscode-server/ .cursor-server/ .config/zed/ .config/helix/ .config/JetBrains/
    .local/share/JetBrains/ .config/sublime-text/ .config/micro/ .config/lf/ .config/ranger/ .config/mpv/ .config/gdb/
    .config/lazygit/ .config/gh/ .hushlogin .selected_editor .mailcap .forward .procmailrc .config/mimeapps.list
    .config/user-dirs.dirs .config/pip/ .pip/ .pydistutils.cfg .condarc .npmrc .yarnrc .yarnrc.yml .bunfig.toml
    .m2/ .gradle/ .sbt/ .ivy2/ .config/ghc/ .ghci .ghc/ .cabal/bin/ .cabal/config .stack/config.yaml .julia/config/
    .local/share/kservices5/ .local/share/kservices6/ .local/share/gnome-shell/ .local/share/nautilus/ .local/share/kio/
    .config/qtile/ .config/awesome/ .config/bspwm/ .config/polybar/ .config/sxhkd/ .config/waybar/ .config/rofi/
    .config/pulse/ .asoundrc .gnupg/gpg-agent.conf .gnupg/gpg.conf .gnupg/dirmngr.conf .ssh/known_hosts .ssh/
    .docker/config.json .docker/cli-plugins/ .kube/ .aws/ .sandgate/
    """)


def _outermost(places: frozenset[str]) -> tuple[str, ...]:
    """Without what lies below others."""
    kept: list[str] = []
    for place in sorted(places):  # what lies below a tree stands behind it
        if not kept or kept[-1][-1] != "/" or not place.startswith(kept[-1]):
            kept.append(place)
    return tuple([place.rstrip("/") for place in kept])


CLOSED_IN_HOME = _outermost(STARTUP | PROGRAMS)
