"""What stays closed in a home even to who may write it."""

from sandgate.commandline.words import words_of
from sandgate.places import home
from sandgate.places.home_startup import CLOSED_IN_HOME, PROGRAMS, STARTUP
from support.suite.rows import every

NAMED = """
    .bashrc .profile .zshrc .config/fish .pam_environment .config/environment.d .config/systemd .config/autostart
    .local/share/systemd .ssh .gitconfig .config/git .local/bin bin .cargo/bin go/bin .npm-global .config/nvim
    .local/lib .local/share/bash-completion .config/sandgate .crontab .local/share/applications
"""


@every("name", NAMED.split())
def test_what_runs_by_itself_is_closed(name: str) -> None:
    assert name in CLOSED_IN_HOME


@every(
    "name",
    [".bash_logout", ".inputrc", ".terminfo", ".lessfilter", ".octaverc", ".sbt", ".mavenrc", ".gemrc",
     ".jjconfig.toml",
     ".fzf.bash", ".p10k.zsh", ".quiltrc", ".subversion/config", ".config/go", ".node_modules", ".asdfrc", ".erlang",
     ".rpmmacros", ".config/dconf", ".xserverrc", ".gnupg/scdaemon.conf", ".vagrant.d", ".cmake", ".conan2/extensions",
     ".config/mypy", ".perldb", ".volta", ".local/share/jupyter/kernels", ".ammonite", ".config/containers"],
)  # fmt: skip
def test_what_programs_read_and_execute_at_their_start_is_closed(name: str) -> None:
    assert name in CLOSED_IN_HOME


# Known to be harmless to show, and harmless to change.
RUNS_NOTHING = frozenset(words_of("""
    .XCompose .config/dircolors .dir_colors .dircolors .toprc .local/man .local/share/info .local/share/locale
    .local/share/man .docker/completions .local/include
    """))  # fmt: skip


def test_what_shells_and_path_lead_to_in_an_open_home_is_decided_here_too() -> None:
    """Two tables speak of the same places: what commands may see, and what they may never change."""
    shown = {
        f"{directory}/{name}" if directory else name
        for directory, reasons in home.HARMLESS.items()
        for reason in (home.SHELLS, home.PROGRAMS)
        for name in words_of(reasons.get(reason, ""))
    }
    covered = {name for name in shown if any(f"{name}/".startswith(f"{one}/") for one in CLOSED_IN_HOME)}
    partly = {name for name in shown if any(one.startswith(f"{name}/") for one in CLOSED_IN_HOME)}
    assert shown - covered - partly == RUNS_NOTHING


def test_every_place_is_relative_said_once_and_closed_by_itself_or_with_another() -> None:
    for place in STARTUP | PROGRAMS:
        assert place[0] != "/"
        assert ".." not in place.split("/")
        bare = place.rstrip("/")
        assert any(bare == closed or bare.startswith(closed + "/") for closed in CLOSED_IN_HOME)


def test_nothing_closed_lies_in_something_closed() -> None:
    assert [name for name in CLOSED_IN_HOME if any(name.startswith(other + "/") for other in CLOSED_IN_HOME)] == []
