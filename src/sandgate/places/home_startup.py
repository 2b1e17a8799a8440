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
    .config/alacritty/ .config/wezterm/ .wezterm.lua .config/tmux/ .git-templates/ .githooks/ .claude/settings.json
    .claude/settings.local.json .claude/hooks/ .claude/plugins/ .codex/config.toml .codex/rules/ .gemini/settings.json
    .qwen/settings.json .cursor/mcp.json .cursor/hooks.json .config/opencode/ .config/goose/ .config/Claude/
    .config/sandgate/ .logout .mkshrc .shrc .bash_functions .bashrc.d/ .zshrc.d/ .profile.d/ .fzf.bash .fzf.zsh
    .p10k.zsh .zimrc .zpreztorc .xonshrc .config/xonsh/ .config/nushell/ .config/elvish/ .elvish/ .config/powershell/
    .config/bash/ .config/shell/ .config/readline/ .editrc .terminfo/ .lessfilter .lesskey .less .config/lesskey
    .git-completion.bash .git-prompt.sh .rvmrc .phpbrewrc .asdfrc .ondirrc .rbenv-vars .xserverrc .xinputrc
    .Xresources .Xdefaults .Xmodmap .xbindkeysrc .xmonad/ .config/xmonad/ .fluxbox/ .config/openbox/
    .config/herbstluftwm/ .config/river/ .config/niri/ .config/labwc/ .config/wayfire.ini .config/xfce4/
    .config/lxsession/ .config/lxqt/ .config/autostart-scripts/ .config/menus/ .config/dconf/
    .config/kglobalshortcutsrc .config/khotkeysrc .config/foot/ .config/ghostty/ .config/zellij/ .config/terminator/
    .config/dunst/ .config/mako/ .config/Thunar/ .config/pipewire/ .config/wireplumber/ .local/share/konsole/
    .local/share/plasma/ .local/share/kwin/ .local/share/cinnamon/ .local/share/nemo/ .local/share/file-manager/
    .config/caja/ .config/Trolltech.conf .kde/Autostart/ .warp/ .config/warp-terminal/ .local/share/warp-terminal/
    .exrc .gvimrc .nvimrc .ideavimrc .config/vim/ .config/kak/ .SpaceVim.d/ .spacemacs .spacemacs.d/ .doom.d/
    .config/doom/ .nanorc .config/nano/ .joerc .jedrc .mg .atom/ .pulsar/ .config/kate/ .local/share/kate/
    .config/Code/User/mcp.json .config/Windsurf/User/settings.json .config/Windsurf/User/tasks.json
    .config/lapce-stable/ .config/clangd/ .pythonrc.py .pdbrc .pdbrc.py .byebugrc .rdbgrc .rdbgrc.rb .config/irb/
    .config/pry/ .aprc .autotest .rspec .rubocop.yml .config/rubocop/ .powconfig .pumaenv .Renviron .R/ .octaverc
    .Scilab/ .gnuplot .maxima/ .sage/ .juliarc.jl .ocamlinit .iex.exs .erlang .config/erlang/ .perldb .psysh/
    .config/psysh/ .config/php/ .tclshrc .wishrc .expect.rc .duckdbrc .mongorc.js .mongoshrc.js .sbclrc .ccl-init.lisp
    .clisprc.lisp .clisprc .eclrc .abclrc .guile .racketrc .ammonite/ .clojure/ .config/clojure/ .lein/ .boot/
    .groovy/ .cpan/CPAN/ .cpanplus/ .gdb/ .gdbinit.d/ .gdbearlyinit .jupyter/ .pylintrc .config/pylintrc .mypy.ini
    .config/mypy/ .node_modules/ .node_libraries/ .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yml
    .eslintrc.yaml .prettierrc .prettierrc.js .prettierrc.cjs .prettierrc.json .config/hg/ .config/sapling/
    .jjconfig.toml .config/jj/ .tigrc .config/tig/ .config/gitui/ .config/gh-dash/ .arcrc .reviewboardrc
    .git_template/ .subversion/config .subversion/servers .bazaar/ .config/breezy/ .darcs/ .config/darcs/
    .config/pijul/ .p4enviro .cvsrc .quiltrc .lazygit.yml .mavenrc .antrc .ant/ .sbtopts .jvmopts .sbt/1.0/plugins/
    .sbt/0.13/plugins/ .mill/ .config/coursier/ .bloop/ .gemrc .bundle/plugin/ .config/go/ .config/ccache/
    .ccache/ccache.conf .distcc/ .bazelrc .bazeliskrc .buckconfig .buckconfig.d/ .pants.rc .config/please/ .please/
    .conanrc .conan/hooks/ .conan2/extensions/ .conan2/global.conf .cmake/ .latexmkrc .config/latexmk/ .ctags
    .ctags.d/ .config/ctags/ .globalrc .ackrc .ripgreprc .config/ripgrep/ .valgrindrc .proverc .config/uv/
    .config/pypoetry/ .config/pdm/ .config/hatch/ .railsrc .nimble/bin/ .ansible.cfg .ansible/plugins/
    .ansible/collections/ .chef/ .vagrant.d/ .packer.d/ .config/packer/ .tofurc .config/containers/ .k9s/ .config/k9s/
    .devscripts .pbuilderrc .sbuildrc .config/sbuild/ .dput.cf .gbp.conf .debmirror.conf .rpmmacros .config/rpm/
    .makepkg.conf .config/pacman/ .config/paru/ .lftprc .lftp/ .config/lftp/ .w3m/ .omnisharp/ .shadow-cljs/ .mailrc
    .muttrc .mutt/ .config/mutt/ .config/neomutt/ .config/aerc/ .pinerc .qmail .mailfilter .dovecot.sieve .sieve/
    .notmuch-config .claude/commands/ .claude/agents/ .claude/skills/ .claude/CLAUDE.md .codex/AGENTS.md
    .codex/prompts/ .codex/skills/ .codex/hooks.json .gemini/commands/ .gemini/extensions/ .gemini/GEMINI.md .agents/
    .cursor/rules/ .cursor/commands/ .cursor/skills/ .copilot/ .continue/config.yaml .continue/config.ts
    .config/crush/ .config/amp/ .config/kilo/ .config/gptme/ .codeium/windsurf/ .kiro/ .factory/ .augment/ .junie/
    .kimi/ .letta/ .qwen/commands/ .qwen/extensions/ .local/share/vlc/lua/ .config/blender/ .config/GIMP/
    .config/inkscape/extensions/ .config/libreoffice/ .config/obs-studio/
    """)
# Where programs and their plugins are installed for one user. Installing something there is everyday work and no reason
# to call it dangerous; for a command that may write the whole home, it is a way to run outside the sandbox later.
PROGRAMS = words_of("""
    .cargo/bin/ .cargo/env go/bin/ .go/bin/ .npm-global/ .npm-packages/ .local/lib/ .local/share/bash-completion/
    .bash_completion .bash_completion.d/ .bun/bin/ .deno/bin/ .volta/bin/ .yarn/bin/ .config/yarn/global/ .gem/
    .rbenv/ .pyenv/ .nvm/ .asdf/ .sdkman/ .rustup/ .ghcup/ .krew/bin/ .dotnet/tools/ .pub-cache/bin/
    .composer/vendor/bin/ .config/composer/vendor/bin/ .local/share/mise/ .local/share/pipx/ .local/share/uv/
    .local/share/pnpm/ .local/share/fish/ .local/share/zsh/ .local/share/nvim/ .zfunc/ .zsh/ .oh-my-zsh/ .oh-my-bash/
    .zprezto/ .nix-profile .config/nixpkgs/ .config/home-manager/ .config/mise/ .xinitrc.d/ .dmrc
    .config/Cursor/User/settings.json .config/Cursor/User/tasks.json .config/VSCodium/User/settings.json
    .vscode/extensions/ .vscode-server/ .cursor-server/ .config/zed/ .config/helix/ .config/JetBrains/
    .local/share/JetBrains/ .config/sublime-text/ .config/micro/ .config/lf/ .config/ranger/ .config/mpv/ .config/gdb/
    .config/lazygit/ .config/gh/ .hushlogin .selected_editor .mailcap .forward .procmailrc .config/mimeapps.list
    .config/user-dirs.dirs .config/pip/ .pip/ .pydistutils.cfg .condarc .npmrc .yarnrc .yarnrc.yml .bunfig.toml .m2/
    .gradle/ .sbt/ .ivy2/ .config/ghc/ .ghci .ghc/ .cabal/bin/ .cabal/config .stack/config.yaml .julia/config/
    .local/share/kservices5/ .local/share/kservices6/ .local/share/gnome-shell/ .local/share/nautilus/
    .local/share/kio/ .config/qtile/ .config/awesome/ .config/bspwm/ .config/polybar/ .config/sxhkd/ .config/waybar/
    .config/rofi/ .config/pulse/ .asoundrc .gnupg/gpg-agent.conf .gnupg/gpg.conf .gnupg/dirmngr.conf .ssh/known_hosts
    .ssh/ .docker/config.json .docker/cli-plugins/ .kube/ .aws/ .sandgate/ .volta/ .fnm/ .nodenv/ .nodebrew/ .n/ .nvs/
    .pnpm/ .goenv/ .gvm/ .gobrew/ .g/ .jenv/ .jabba/ .jbang/ .jdks/ .kotlinc/ .flutter/ .fvm/ .rvm/ .mise/ .rtx/
    .opam/ .elan/ .juliaup/ .dotnet/ .swiftly/ .swiftenv/ .phpenv/ .phpbrew/ .luaenv/ .luarocks/bin/ .perlbrew/
    .plenv/ .crenv/ .choosenim/ .zvm/ .zigup/ .emsdk/ .pipx/ .hatch/ .rye/ .conda/ .micromamba/ .mamba/ .pixi/
    .poetry/ .pdm/ .uv/ .virtualenvs/ .venvs/ .venv/ .linuxbrew/ .nix-defexpr/ .nix-channels .guix-profile .tfenv/
    .tgenv/ .helmenv/ .wasmtime/ .wasmer/ .proto/ .aqua/ .pkgx/ .arkade/bin/ .appimages/ .foundry/bin/ .fly/bin/
    .pulumi/bin/ .pulumi/plugins/ .opencode/bin/ .claude/local/ .lmstudio/bin/ .rd/bin/ .orbstack/bin/ .docker/bin/
    .codeium/bin/ .lima/bin/ .console-ninja/ .stack/programs/ .coursier/ .moon/ .java/jdks/ .platformio/penv/
    .arduino15/packages/ .local/share/fnm/ .local/share/nvm/ .local/share/nodenv/ .local/share/rtx/ .local/share/asdf/
    .local/share/cargo/bin/ .local/share/rustup/ .local/share/go/bin/ .local/share/bun/ .local/share/deno/
    .local/share/dotnet/ .local/share/opam/ .local/share/ghcup/ .local/share/stack/ .local/share/pixi/
    .local/share/mamba/ .local/share/micromamba/ .local/share/aquaproj-aqua/ .local/share/proto/ .local/share/sdkman/
    .local/share/pyenv/ .local/share/rbenv/ .local/share/tfenv/ .local/share/coursier/ .local/share/swiftly/
    .local/share/rye/ .local/share/hatch/ .local/share/virtualenvs/ .local/share/claude/ .local/share/solana/
    .local/share/gem/ .local/share/pypoetry/ .local/share/pdm/ .local/share/flatpak/ .local/share/helm/plugins/
    .local/share/jupyter/kernels/ .local/share/zinit/ .local/share/oh-my-zsh/ .local/share/tmux/
    .local/share/lunarvim/ .local/state/nix/ .local/state/mise/ .local/state/fnm_multishells/ .local/lib64/
    .local/libexec/ .local/opt/ .local/sbin/ .local/pipx/ .fzf/ .tmux/plugins/ .zim/ .zinit/ .zplug/ .zgen/ .zgenom/
    .antigen/ .antidote/ .bash_it/ .liquidprompt/ .zfunctions/ .cursor/extensions/ .windsurf/extensions/
    .helm/plugins/ .terraform.d/plugins/ .composer/vendor/ .config/composer/vendor/ .config/asdf/ .config/nvm/
    .config/husky/ .envrc .bundle/config .terraformrc .azure/cliextensions/ .nuget/NuGet/NuGet.Config
    .gnupg/gpgsm.conf .gnupg/scdaemon.conf .gnupg/common.conf .fetchmailrc .msmtprc .mbsyncrc .offlineimaprc
    .claude.json .continue/config.json .aider.conf.yml .config/github-copilot/intellij/
    .devbox/ .flatpak/ .wasmenv/ .terraform.versions/ .kubectx/ .terraform.d/plugin-cache/ .config/powerline/
    .local/share/jupyter/labextensions/ .local/share/jupyter/nbextensions/
    """)


def _outermost(places: frozenset[str]) -> tuple[str, ...]:
    """Without what lies below others."""
    kept: list[str] = []
    for place in sorted(places):  # what lies below a tree stands behind it
        if not kept or kept[-1][-1] != "/" or not place.startswith(kept[-1]):
            kept.append(place)
    return tuple([place.rstrip("/") for place in kept])


CLOSED_IN_HOME = _outermost(STARTUP | PROGRAMS)
