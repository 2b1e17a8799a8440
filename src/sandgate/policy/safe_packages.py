"""Questions to the package managers of a machine, by the arguments that keep them so. Data, like `safe_programs`.

Some of them look first whether what they know of their own mirrors is still fresh; what is asked for is not sent, so
they are harmless where the sandbox confines them. Options that name another configuration, another root or another
source are left out on purpose, and so is what asks a shop by the name of a package (`snap info`).
"""

from __future__ import annotations

from sandgate.commandline.tables import one_table
from sandgate.commandline.words import words_of

_DNF = (
    "-qvCyd --quiet --verbose --cacheonly --assumeno --assumeyes --refresh --enabled --disabled --all --installed "
    "--available --upgrades --updates --extras --obsoletes --recent --showduplicates --enablerepo= --disablerepo= "
    "--repo= --repoid= --color="
)
_DNF_ASKS = words_of(
    "list info search repolist repoinfo provides whatprovides check-update deplist grouplist groupinfo"
)
_ZYPPER_ASKS = words_of("lr repos se search if info pa packages patches pt products lu list-updates lp list-patches ll "
                        "locks ls services wp what-provides ps")  # fmt: skip
_ZYPPER = (
    "-disvuxrUPtpE --details --installed-only --not-installed-only --uri --verbose --repo= --type= --match-exact "
    "--requires --provides --sort-by-name --show-enabled-only --alias --name --priority --refresh *"
)
_SIMULATES = (
    "-sqyVf --simulate --dry-run --just-print --no-act --recon --yes --assume-yes --quiet --no-install-recommends "
    "--install-recommends --fix-broken --purge --auto-remove --allow-downgrades --reinstall --only-upgrade "
    "--verbose-versions * exact confined needs:-s,--simulate,--dry-run,--just-print,--no-act,--recon"
)

PACKAGE_PROGRAMS: dict[str, str] = {
    "dnf": f"{_DNF} --version stop * sub alone needs:--version confined",
    "yum": f"{_DNF} --version stop * sub alone needs:--version confined",
    "zypper": "-nqvxC --non-interactive --quiet --no-refresh --no-color --terse --xmlout --version stop * sub alone "
    "needs:--version confined",
    "apt-get": _SIMULATES,
    "apt-file": "-lFix --package-only --fixed-string --ignore-case --regexp stop * sub confined",
    "emerge": "-pvsSqtuDNO --pretend --search --searchdesc --info --verbose --quiet --tree --update --deep --newuse "
    "--version * exact confined needs:-p,--pretend,-s,--search,-S,--searchdesc,--info,--version",
    "nix-env": "-qaPsc --query --installed --available --attr-path --status --compare-versions --out-path "
    "--description --json --version * exact confined needs:-q,--query,--version",
    "guix": "--version stop * sub alone needs:--version confined",
    "eopkg": "stop * sub",
    "debsums": "-acels --all --changed --config --list-missing --silent *",
    "needs-restarting": "-rsu --reboothint --services --useronly 0",
    "swupd": "stop * sub",
    "tlmgr": "stop * sub",
}

_EACH_COMMAND: dict[str, str] = {
    "guix package": "-I -A -l -s= --list-installed[=] --list-available[=] --list-generations[=] --search= --show= 1 "
    "needs:-I,-A,-l,-s,--list-installed,--list-available,--list-generations,--search,--show",
    "guix describe": "-f= --format= 0",
    "guix search": "*",
    "guix show": "*",
    "eopkg list-installed": "-ail *",
    "eopkg list-available": "-l *",
    "eopkg info": "-fs *",
    "eopkg search": "*",
    "swupd bundle-list": "--all 0",
    "swupd info": "0",
    "tlmgr info": "--list --only-installed *",
    "tlmgr list": "--only-installed 0",
}

PACKAGE_COMMANDS: dict[str, str] = one_table(
    _EACH_COMMAND,
    {f"{program} {asks}": f"{_DNF} *" for program in ("dnf", "yum") for asks in _DNF_ASKS},
    {f"{program} history": f"{_DNF} --reverse * exact check:only_shown" for program in ("dnf", "yum")},
    {
        f"{program} repoquery": f"{_DNF} -lfi --list --file= --info --requires --provides --whatrequires= "
        "--whatprovides= --deplist --qf= --queryformat= --location --unneeded --duplicates *"
        for program in ("dnf", "yum")
    },
    {f"{program} group": f"{_DNF} --hidden --ids * exact check:only_shown" for program in ("dnf", "yum")},
    {f"{program} module": f"{_DNF} * exact check:only_shown" for program in ("dnf", "yum")},
    {f"zypper {asks}": _ZYPPER for asks in _ZYPPER_ASKS},
    {
        f"apt-file {asks}": "-lFix --package-only --fixed-string --ignore-case --regexp *"
        for asks in ("search", "find", "list", "show")
    },
)
