"""Which variables may be set beside a command that only reads.

A variable can be a program (`PAGER`), a place where programs lie (`PATH`) or an option (`RIPGREP_CONFIG_PATH`), so only
names that nothing reads, or whose values are known to be harmless, pass. A name that a script sets for itself reaches
no program unless it was exported before; there every ordinary name of a script passes.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Set by scripts for themselves, in capitals; nothing on the list of safe programs reads one of these.
_OWN = words_of(
    "A B C D E F I J K L M N P Q R S T X Y Z IFS FOO BAR BAZ FILE FILES FILENAME DIR DIRS SRC DST DEST OUT OUTPUT "
    "INPUT RESULT RESULTS RES COUNT TOTAL SUM NUM SIZE MAX MIN START END NOW TODAY YESTERDAY DATE TIME TIMESTAMP "
    "NAME NAMES VALUE VALUES KEY KEYS LINE LINENUM MSG MESSAGE TEXT CONTENT VERSION TAG SHA COMMIT HASH BRANCH "
    "BASE HEAD REF REPO PROJECT PROJECT_ROOT ROOT TOP HERE PROJECT_NAME REPO_ROOT REPO_NAME PKG PACKAGE MODULE "
    "PATTERN QUERY REGEX URL PORT LOG LOGFILE LOG_FILE STATUS CODE RC RET EXIT EXIT_CODE FOUND MISSING TARGET "
    "SOURCE EXPECTED ACTUAL OLD NEW FIRST LAST PREV NEXT CURRENT INDEX ID PID PIDS ITEM ITEMS LIST ARCH OS "
    "CURRENT_BRANCH DEFAULT_BRANCH MERGE_BASE BASE_BRANCH TEST TESTS"
)
# Handed to programs: names that only a project's own programs look at.
_FREE = words_of(
    "A B X Y Z FOO BAR BAZ NAME DEBUG VERBOSE CI NODE_ENV APP_ENV RAILS_ENV RACK_ENV FLASK_ENV ENVIRONMENT "
    "LOG_LEVEL RUST_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE FORCE_COLOR NO_COLOR CLICOLOR "
    "CLICOLOR_FORCE COLUMNS LINES TERM LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME TZ"
)
_ROOT_OWNED = frozenset(("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"))
_EMPTY_OR_CAT = words_of("PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER GH_PAGER AWS_PAGER BAT_PAGER")
_OFF = words_of("GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT HOMEBREW_NO_AUTO_UPDATE PIP_DISABLE_PIP_VERSION_CHECK")
_VALUE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@+")
# zsh's own, some of which decide what a name runs.
_STEERING = words_of(
    "aliases galiases saliases functions commands options parameters nameddirs userdirs modules history widgets "
    "keymaps argv status prompt histchars watch fignore psvar signals builtins reswords patchars"
)


def may_set(assignment: str) -> bool:
    """`name=value` as a statement of its own, whatever the value."""
    name = assignment.partition("=")[0].removesuffix("+")
    if name in _OWN or may_hand_over(assignment):
        return True
    own = name.islower() and name.isascii() and name.isidentifier()
    return (
        own
        and not name.endswith(("path", "_proxy"))
        and not name.startswith(("npm_", "dis_"))
        and name not in _STEERING
    )


def may_hand_over(assignment: str) -> bool:
    """`NAME=value ls`, `env NAME=value ls`: the value reaches the program. Quotes, if any, are still there."""
    name, equals, value = assignment.partition("=")
    value = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    if not equals:
        return False
    if name == "IFS":  # programs do not read it, and shells do not take it from outside
        return True
    if name in _EMPTY_OR_CAT:
        return value in ("", "cat")
    if name in _OFF:
        return value in ("", "0", "1")
    if name == "PATH":
        return bool(value) and all(entry in _ROOT_OWNED for entry in value.split(":"))
    if name == "TZ":
        value = value.replace("/", "_") if value[:1] != "/" and ".." not in value else "/"
    return name in _FREE and _VALUE.issuperset(value)
