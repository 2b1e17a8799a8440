"""Variables that decide which code runs: a pager, a search path, a library that every program loads.

What a variable names is judged as a command of its own. Where it only says from where code is taken, the place counts:
the project's own is its own business, a directory that every program of the machine may write to is nobody's.
"""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN
from sandgate.assessment.findings import HIGH, MEDIUM, PRIVILEGE, SYSTEM
from sandgate.assessment.inline import host_of
from sandgate.assessment.judges.trust import judge_protection
from sandgate.assessment.listing import words
from sandgate.assessment.places import below, place_of
from sandgate.assessment.wording import worded
from sandgate.commandline.commissions import run_for
from sandgate.commandline.renaming import NAMINGS, named_in
from sandgate.commandline.subscripts import evaluated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry

# What they name is loaded into every program, or run by every shell.
LOADED = frozenset(words("LD_PRELOAD LD_AUDIT BASH_ENV DYLD_INSERT_LIBRARIES PROMPT_COMMAND GIT_EXEC_PATH"))
# They say from where code, or settings that name code, are taken.
CODE_PATHS = frozenset(
    words("""
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONUSERBASE PERL5OPT PERL5LIB PERLLIB
    PERL5DB RUBYOPT RUBYLIB NODE_PATH NODE_OPTIONS ENV GCONV_PATH GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
    GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_DIR GIT_COMMON_DIR GIT_TEMPLATE_DIR JAVA_TOOL_OPTIONS _JAVA_OPTIONS
    JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS CLASSPATH OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES LUA_PATH LUA_CPATH
    PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER R_LIBS GCC_EXEC_PREFIX COMPILER_PATH MAKEFILES RUSTFLAGS GOFLAGS
    XDG_CONFIG_HOME ZDOTDIR INPUTRC BUNDLE_GEMFILE GEM_PATH GEM_HOME PSQLRC VIMRUNTIME EMACSLOADPATH BASH_LOADABLES_PATH
    SHELLOPTS BASHOPTS GTK_MODULES QT_PLUGIN_PATH GIO_EXTRA_MODULES TERMINFO TAR_OPTIONS RIPGREP_CONFIG_PATH LESSKEY
    HOME XDG_CONFIG_DIRS FPATH HGRCPATH GNUPGHOME CARGO_HOME GUILE_LOAD_PATH AWKPATH AWKLIBPATH JULIA_LOAD_PATH
    DOTNET_STARTUP_HOOKS CORECLR_PROFILER_PATH ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS ELIXIR_ERL_OPTIONS
    PYTEST_ADDOPTS PYTEST_PLUGINS CAML_LD_LIBRARY_PATH TERMINFO_DIRS LOCPATH CMAKE_TOOLCHAIN_FILE ANSIBLE_CONFIG
    NPM_CONFIG_USERCONFIG npm_config_userconfig NIX_PATH NIX_CONFIG COMPOSER_HOME
    """)
)
ENGINES = frozenset(words("DOCKER_HOST CONTAINER_HOST"))  # they say whose containers are meant
PATH_ENTRIES_MAX = 50  # of a search path that are looked at


def judge_assignment(name: str, values: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    """`name` is set to `values`, for this shell or for the command behind it."""
    name = name.removesuffix("+")
    judge_protection(name, values, inquiry)
    if name in ENGINES and values and "://" in values[0].text and not values[0].text.startswith(("unix:", "npipe:")):
        inquiry.contact(host_of(values[0].text), call)
    if name == "PATH":
        for arg in values:
            _judge_search_path(arg, call, inquiry)
    elif name in LOADED and values and values[0].text:
        _judge_loaded(name, values[0], call, inquiry)
    elif name in CODE_PATHS or name.startswith(("GIT_CONFIG_KEY_", "BASH_FUNC_")):
        inquiry.add(MEDIUM, "runs", name, f"`{name}` changes which code programs load")
    if name.startswith(NAMINGS):
        for _, meant in named_in(name, [arg.text for arg in values]):
            inquiry.run_script(" ".join(meant).replace(UNKNOWN, "${?}"), call)
    for arg in values:
        for text in (*run_for(name, arg.text), *evaluated(arg.text)):
            inquiry.run_script(text.replace(UNKNOWN, "${?}"), call)


def _judge_loaded(name: str, value: Arg, call: Call, inquiry: Inquiry) -> None:
    path = call.shell.resolve(value.text) if value.known and "/" in value.text else None
    if path is not None and below(path, inquiry.facts.cwd) and path not in inquiry.downloads:
        inquiry.add(MEDIUM, "runs", value.text, f"`{name}` loads a file of the project into every program")
        return
    inquiry.add(HIGH, "runs", value.text, f"`{name}` loads foreign code into every program",
                f"Loads {worded(value.text)} into every program it starts", "", (PRIVILEGE, SYSTEM))  # fmt: skip


def _judge_search_path(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    """New entries of PATH: each bare name behind them may mean a program that lies there."""
    before = inquiry.facts.environment.get("PATH", "").split(":")
    for at, entry in enumerate(arg.text.split(":")[:PATH_ENTRIES_MAX]):
        path = call.shell.resolve(entry)
        if entry in before or (path is not None and place_of(path, inquiry.facts).kind == "system"):
            continue
        why = "programs are looked for in another place"
        open_to_all = path is not None and place_of(path, inquiry.facts).kind in {"temporary", "temporary-root"}
        if (open_to_all and not _behind_the_system(arg.text, at)) or (path is not None and inquiry.fetched_from(path)):
            inquiry.add(HIGH, "runs", path or "?", f"{why}, which every program may write to",
                        f"Runs programs that lie in {worded(path or entry)}", "", (PRIVILEGE, SYSTEM))  # fmt: skip
        else:
            inquiry.add(MEDIUM, "runs", path or "?", why)


def _behind_the_system(text: str, at: int) -> bool:
    return "/usr/bin" in text.split(":")[:at]
