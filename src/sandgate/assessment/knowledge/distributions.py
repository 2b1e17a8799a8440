"""Package managers of machines: apt, dnf, pacman, apk, brew and the like. What they change, every program sees."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases, words

PRETENDS = "-s --simulate --just-print --dry-run --no-act --recon --print-uris --assumeno --help --version --pretend"
INSTALLS = Worse(
    "", HIGH, "Installs or upgrades software of this machine", (SYSTEM, NETWORK),
    operands="install in inst reinstall upgrade update up full-upgrade dist-upgrade dup patch downgrade localinstall "
    "groupinstall refresh build-dep rebase import override dselect-upgrade safe-upgrade distro-sync system-upgrade "
    "swap add fix "
    "bundle-add deploy switch apply",
)  # fmt: skip
REMOVES = Worse(
    "--purge --autoremove --erase", HIGH, "Removes software of this machine", (DELETION, SYSTEM),
    operands="remove purge autoremove autopurge uninstall erase delete rm del groupremove reset rollback bundle-remove",
)  # fmt: skip

ENTRIES: tuple[Entry, ...] = (
    *(Entry(name, MEDIUM, "Uses a package manager of this machine",
            (f"{name} x", f"{name} upgrade => high", f"{name} remove x => high"), kind="writes",
            values="-o -t -c --option --config-file --releasever --enablerepo --disablerepo --root --installroot",
            harmless=PRETENDS, worse=(INSTALLS, REMOVES))
      for name in words("""
        apt apt-get aptitude nala dnf dnf5 yum microdnf zypper apk snap flatpak port pkg opkg eopkg swupd tdnf
        urpmi tazpkg slackpkg equo rpm-ostree transactional-update bootc choco scoop winget pamac
      """)),
    Entry("brew", MEDIUM, "Uses a package manager of this account",
          ("brew install x", "brew bundle", "brew uninstall x => high", "brew autoremove => high"), kind="writes",
          categories=(SYSTEM, NETWORK), worse=(REMOVES,)),
    *(Entry(f"{manager} {verb}", LOW, "Shows packages", (f"{manager} {verb}",), kind="reads")
      for manager, verbs in (
          ("apt", "list show search policy depends rdepends changelog"),
          ("apt-get", "changelog check"),
          ("aptitude", "search show why versions"),
          ("dnf", "list info search provides repoquery repolist history deplist check"),
          ("yum", "list info search provides repolist history deplist"),
          ("zypper", "search se info if list-updates lu repos lr what-provides patches packages"),
          ("apk", "info list search policy version"),
          ("snap", "list info find version connections services changes"),
          ("flatpak", "list info search remotes ps remote-ls"),
          ("brew", "list ls info search deps uses leaves desc outdated config doctor"),
          ("port", "installed contents provides search info"),
          ("pkg", "info search which query"), ("opkg", "list list-installed info files status"),
          ("eopkg", "list-installed info search"), ("choco", "list search info"), ("scoop", "list search info"),
      )
      for verb in words(verbs)),
    *(Entry(name, LOW, "Shows packages", (name,), kind="reads") for name in words("""
        apt-cache dpkg-query rpmquery apt-file apt-mark apt-config dpkg-deb equery qlist eix paclist pactree pacsearch
        xbps-query debsums rpmlint lintian popcon-largest-unused apt-rdepends deborphan pkgfile repoquery
        dpkg-architecture
        needrestart checkupdates
    """)),
    *(Entry(f"apt-mark {verb}", HIGH, "Holds or releases software of this machine", (f"apt-mark {verb} x",),
            kind="writes", categories=(SYSTEM,))
      for verb in words("hold unhold auto manual")),
    Entry("rpm", HIGH, "Changes the software of this machine",
          ("rpm -i a.rpm", "rpm -e x", "rpm -qa => low", "rpm -V bash => low", "rpm --eval %x => low"), kind="writes",
          categories=(SYSTEM,), harmless="-q --query -V --verify --eval --showrc --querytags -K --checksig",
          worse=(Worse("-e --erase", HIGH, "Removes software of this machine", (SYSTEM, DELETION)),)),
    Entry("dpkg", HIGH, "Changes the software of this machine",
          ("dpkg -i a.deb", "dpkg -r x", "dpkg -l => low", "dpkg -L bash => low"), kind="writes", categories=(SYSTEM,),
          harmless="-l -L -s -S -c -I -V -C --list --listfiles --status --search --contents --info --verify --audit "
          "--get-selections --print-architecture --compare-versions --no-act --dry-run --simulate",
          worse=(Worse("-r -P --remove --purge", HIGH, "Removes software of this machine", (SYSTEM, DELETION)),)),
    *(Entry(name, HIGH, "Changes the software of this machine",
            (f"{name} -S x", f"{name} -Rns x", f"{name} -Qi x => low", f"{name} -Ss x => low"), kind="writes",
            categories=(SYSTEM, NETWORK), harmless="-Q -Ss -Si -Sl -Sg -F -T -D -Qi -Qs -Ql --query --files --print",
            worse=(Worse("-R --remove -Rns -Rs", HIGH, "Removes software of this machine", (SYSTEM, DELETION)),))
      for name in words("pacman yay paru trizen pikaur")),
    *(Entry(name, HIGH, "Changes the software of this machine", (f"{name} x",), kind="writes",
            categories=(SYSTEM, NETWORK), harmless=f"{PRETENDS} -p --search -s --info --display "
            "--list --query --history")
      for name in words("""
        emerge nixos-rebuild darwin-rebuild add-apt-repository apt-add-repository apt-key update-alternatives
        alternatives dpkg-reconfigure dpkg-divert dpkg-statoverride alien tasksel installpkg upgradepkg removepkg
        xbps-install xbps-remove xbps-reconfigure rpmkeys subscription-manager unattended-upgrade do-release-upgrade
        debootstrap gdebi softwareupdate pkgutil installer ostree fwupdmgr pkg_add pkg_delete freebsd-update portsnap
        swupd-update
      """)),
    Entry("nix-env", HIGH, "Changes the software of this machine", ("nix-env -i x", "nix-env -q => low"), kind="writes",
          categories=(SYSTEM, NETWORK), harmless=f"{PRETENDS} -q --query"),
    *(Entry(name, HIGH, "Changes the software of this machine", (name,), kind="writes", categories=(SYSTEM, NETWORK))
      for name in phrases("nix profile install, nix profile remove, nix profile upgrade, "
                          "snap refresh, snap disable, flatpak override, port selfupdate")),
)  # fmt: skip
