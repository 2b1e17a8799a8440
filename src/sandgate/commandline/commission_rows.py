"""Options, variables and orders by which a program is told to run another one. Data for `commissions` and `escapes`."""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.record import Record

UNSEEN = "${?}"  # a script that the text does not show
ABBREVIATED_MIN = 4  # characters of a shortened long option that are enough to mean it, dashes included
# The value is a command line. A name of two words is for that sub-command alone; `-O[=]` takes an attached value only.
COMMAND_LINES: dict[str, str] = {
    "tar": (
        "--to-command --checkpoint-action -I --use-compress-program -F --rsh-command --info-script --new-volume-script"
    ),
    "rsync": "-e --rsh --rsync-path",
    "scp": "-S",
    "sftp": "-S -D",
    "man": "-P --pager -H[=]",
    "zip": "-TT --unzip-command",
    "git": (
        "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter "
        "--upload-pack --receive-pack --extcmd --exec"
    ),
    "git grep": "-O[=]",
    "git clone": "-u",
    "git difftool": "-x",
    "sort": "--compress-program",
    "split": "--filter",
    "bat": "--pager",
    "batcat": "--pager",
    "delta": "--pager",
    "fzf": "--preview",
    **dict.fromkeys(("diff3", "sdiff"), "--diff-program"),
    "svn": "--diff-cmd --diff3-cmd --editor-cmd",
    "cpio": "--rsh-command",
    "git send-email": "--sendmail-cmd",
    "sk": "--preview",
    "go": "-toolexec -vettool -exec",
    "gcc": "-wrapper",
    "g++": "-wrapper",
    "npm": "--script-shell",
    "yarn": "--script-shell",
    "pnpm": "--script-shell",
    "tcpdump": "-z",
    "wget": "--use-askpass",
    "pip": "--python",
    **dict.fromkeys(("compgen", "complete", "mapfile", "readarray"), "-C"),
    "cmake": "-DCMAKE_C_COMPILER_LAUNCHER -DCMAKE_CXX_COMPILER_LAUNCHER -DCMAKE_C_COMPILER -DCMAKE_CXX_COMPILER",
    "logrotate": "-m --mail",
    "mutt": "-e",
    "docker": "--entrypoint",
    "podman": "--entrypoint",
    "hash": "-p",  # what another name means from now on
    "fc": "-e",
    **dict.fromkeys(("bpftrace", "dtrace", "stap"), "-c"),
    **dict.fromkeys(("nc", "ncat", "netcat"), "-e -c --exec --sh-exec"),
}
# The value is a program that runs with the names of the files that are found.
OVER_FILES: dict[str, str] = {
    "rg": "--pre --hostname-bin",
    "git grep": "-O[=] --open-files-in-pager",
}
# The value is a file of code, or of settings that name programs, which is loaded. Only a path counts: a bare name is
# that of something installed.
CODE_FILES: dict[str, str] = {
    **dict.fromkeys(("bash", "rbash"), "--rcfile --init-file"),
    "node": "-r --require --import --loader --experimental-loader",
    "ruby": "-r",
    "lua": "-l",
    "java": "-javaagent -agentpath",
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), "-B -fplugin -specs"),
    "openssl": "-engine -provider-path",
    "openssl engine": "-t",
    "ssh": "-F -I",
    "scp": "-F",
    "sftp": "-F",
    "ssh-keygen": "-D",
    "ssh-add": "-s",
    "enable": "-f",
    "gdb": "-x --command",
    "vim": "-S -u",
    "emacs": "-l --load",
    "tmux": "-f",
    "less": "-k --lesskey-file --lesskey-src",
    "man": "-C",
    "awk": "-l --load -i --include",
    "curl": "-K --config",
    "wget": "--config",
    "psql": "-f --file",
    "sqlite3": "-init",
}
# The value is a setting, `name=value`; a value that looks like a command counts as one.
SETTINGS: dict[str, str] = {
    "hg": "--config",
    "svn": "--config-option",
    "cargo": "--config",
    "wget": "-e --execute",
    "apt": "-o --option",
    "apt-get": "-o --option",
    "dpkg": "--pre-invoke --post-invoke",
    "pip": "--config-settings",
    **dict.fromkeys(("mail", "mailx", "s-nail", "heirloom-mailx"), "-S"),
}
# A file to write to, and a program when `|` or `!` stands before it.
PIPED: dict[str, str] = {"strace": "-o --output"}


class Rest(Record):
    """A program whose command is all words behind one of the `marks`, and behind `skipped` more, as far as `end`."""

    marks: tuple[str, ...]
    skipped: int = 0
    end: str | None = None
    before: tuple[str, ...] = ("",)  # how the word before the mark begins, which may otherwise be an option's value


RESTS: dict[str, Rest] = {
    # `fd -x ls -x` runs `ls -x`, and `fd -x ls ';' -x id` both (fd(1)).
    **dict.fromkeys(("fd", "fdfind"), Rest(("-x", "-X", "--exec", "--exec-batch"), end=";")),
    # `ip netns exec NAME ls`, `ip vrf exec NAME ls`; the beginning of a word will do (ip(8), ip-vrf(8)).
    "ip": Rest(("e", "ex", "exe", "exec"), skipped=1, before=("net", "v")),
}
# Programs whose options are words behind one dash: a cluster of letters means nothing there.
SINGLE_DASH_WORDS = words_of("go gcc g++ cc c++ clang clang++ java openssl cmake sqlite3 zip gdb")
SSH = words_of("ssh scp sftp autossh mosh sshfs")
SSH_SETTINGS = ("command", "provider")  # in the name of each setting that names a program
# `make CC=…`: variables by which a makefile calls its tools.
TOOLS = words_of("SHELL CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY FC YACC LEX INSTALL MAKE RM CP MV LN MKDIR")
MAKES = words_of("make gmake ninja")
# A pager, an editor, a transport: programs run the values of these as commands.
COMMAND_VARIABLES = words_of(
    "LESSOPEN LESSCLOSE VISUAL GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF PROMPT_COMMAND BROWSER "
    "RSYNC_RSH RSYNC_CONNECT_PROG TAR_OPTIONS SHELL MAKEFLAGS PS4 PS1 PS0 CVS_RSH SVN_SSH FCEDIT MAILER RUSTC_WRAPPER "
    "RUSTC_WORKSPACE_WRAPPER RUSTC CC CXX NODE_OPTIONS FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS VIMINIT EXINIT RSH "
    "npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_node_options CMAKE_C_COMPILER_LAUNCHER "
    "CMAKE_CXX_COMPILER_LAUNCHER PERL5DB PERL5OPT RUBYOPT GOFLAGS LUA_INIT DOCKER_SSH_COMMAND PYTHONBREAKPOINT "
    "SSH_SK_HELPER XDG_OPEN GIT_CONFIG_PARAMETERS"
)
FILES = ("BASH_ENV", "ENV")  # a shell reads such a file before anything else
COMMAND_ENDS = ("PAGER", "EDITOR", "_ASKPASS", "_RUNNER", "_LINKER")
COMMAND_STARTS = ("GIT_CONFIG_VALUE_", "BASH_FUNC_")
SOCAT = ("EXEC:", "SYSTEM:", "SHELL:")
WRAPPINGS = ("exec=", "|-", "||", "|", "!")

_NAMES = (*COMMAND_LINES, *OVER_FILES, *CODE_FILES, *SETTINGS, *PIPED, *RESTS)
# All programs that take a command, or a file of code, in an option or a word of theirs.
COMMISSIONED = frozenset(name.partition(" ")[0] for name in _NAMES) | SSH | MAKES | {"sed", "socat"}
SUBCOMMANDED = frozenset(name.partition(" ")[0] for name in _NAMES if " " in name)
# Programs with a language of their own on the command line, in which a text can be a command.
LANGUAGES = words_of(
    "python python2 python3 perl ruby node nodejs php lua awk gawk mawk deno bun ts-node tsx osascript "
    "pypy ipython bpython irb pry jruby luajit texlua R Rscript julia octave octave-cli guile groovy elixir iex erl "
    "scala swift raku perl6 crystal ocaml sbcl clisp ecl racket newlisp janet bb clojure clj emacs emacsclient maxima "
    "gp sage matlab scilab bpftrace stap dtrace mongo mongosh ghc runghc gnuplot"
)
# Programs, and the marks behind which a command stands as far as its line goes. `_` is a blank.
ESCAPES_TABLE = """
    vim vi nvim ex view gvim vimdiff ed red = ! system( term_ terminal_
    less more most = ! |
    man = !
    gdb = ! shell_ |
    lldb = shell_
    psql = \\! | program_
    mysql mariadb = \\! system_ pager_ \\P_
    sqlite3 = .shell_ .system_ |
    dc bc = !
    ftp tftp lftp ncftp sftp telnet smbclient cu tip = ! |
    mail mailx s-nail heirloom-mailx mutt neomutt alpine = ! | pipe_
    gnuplot = ! shell_ system_ system(
    ipython bpython xonsh irb pry = !
    tclsh wish expect jimsh = exec_ spawn_ system_ |
    m4 gm4 autom4te autoconf = syscmd(
    tex latex pdftex pdflatex xetex xelatex luatex lualatex = write18{ \\input|
    crash debugfs drgn = !
"""
ESCAPING = frozenset([name for line in ESCAPES_TABLE.strip().splitlines() for name in line.partition(" = ")[0].split()])
