"""Disks, users, services, processes, the kernel: what belongs to the machine and not to a project."""

from __future__ import annotations

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking
from sandgate.assessment.listing import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import RiskCategory


def _all(does: str, categories: tuple[RiskCategory, ...], names: str, harmless: str = "") -> tuple[Entry, ...]:
    return tuple(
        Entry(
            name, HIGH, does, (name,), kind="privilege", categories=categories,
            harmless=f"--help --version {harmless}",
        )
        for name in phrases(names)
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_all("Changes the firewall", (SYSTEM, COMPLIANCE, NETWORK),
          "iptables, ip6tables, nft, firewall-cmd, ebtables, ipset, pfctl, iptables-restore",
          harmless="-L -S --list --list-rules --list-all --state --list-services --list-ports"),
    Entry("ufw", HIGH, "Changes the firewall", ("ufw => low", "ufw enable"), kind="privilege",
          categories=(SYSTEM, COMPLIANCE, NETWORK), bare=True),
    *looking("Shows the firewall", "ufw status, ufw show, nft list, ipset list, ipset test, iptables-save, "
            "ip6tables-save, pfctl show"),
    *_all("Changes how this machine finds others", (SYSTEM,),
          "route, brctl, nmcli, resolvectl, ethtool, tc"),
    Entry("systemd-run", HIGH, "Runs a command outside of this session", ("systemd-run --user ls",), kind="privilege",
          categories=(PRIVILEGE, SYSTEM)),
    Entry("defaults", MEDIUM, "Changes settings of this account", ("defaults write x y",), kind="writes",
          categories=(SYSTEM,)),
    Entry("kill", LOW, "Signals processes", ("kill 1234 => medium", "kill -9 -1 => high", "kill -l => low"),
          kind="runs"),
    Entry("killall", MEDIUM, "Ends processes by name", ("killall node", "killall -u me => high"), kind="runs",
          worse=(Worse("-u --user", HIGH, "Ends all processes of a user", (EXHAUSTION, SYSTEM)),)),
    Entry("pkill", MEDIUM, "Ends processes by pattern", ("pkill -f server", "pkill -u me => high",
          "pkill -9 . => high"),
          kind="runs", worse=(Worse("-u -U --euid --uid", HIGH, "Ends all processes of a user", (EXHAUSTION,
          SYSTEM)),)),
    Entry("xkill", MEDIUM, "Ends a program", ("xkill",), kind="runs"),
    Entry("history", LOW, "Shows the shell's history", ("history", "history -c => high"), kind="reads",
          worse=(Worse("-c -d -w", HIGH, "Erases the record of commands", (COMPLIANCE, DELETION)),)),
    Entry("gdb", MEDIUM, "Runs or inspects a program", ("gdb a.out", "gdb -p 1 => high"), kind="runs", values="-ex -x",
          worse=(Worse("-p --pid", HIGH, "Looks into another program's memory", (PRIVILEGE, EXFILTRATION)),),
          clusters=False),
    Entry("lldb", MEDIUM, "Runs or inspects a program", ("lldb a.out",), kind="runs"),
    Entry("dbus-send", HIGH, "Sends an order to a service of the desktop", ("dbus-send --session x",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("gdbus", HIGH, "Sends an order to a service of the desktop", ("gdbus call",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("osascript", HIGH, "Controls other programs", ("osascript -e x",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("screen", MEDIUM, "Runs a program that stays", ("screen -ls => low", "screen -dmS x"), kind="runs",
            clusters=False,
          harmless="-ls -list -v --version"),
    Entry("tmux", MEDIUM, "Controls terminals", ("tmux new",), kind="runs"),
    *looking("Shows terminals", "tmux ls, tmux list-sessions, tmux list-windows, tmux list-panes, tmux capture-pane, "
            "tmux display-message, "
             "tmux show-options, tmux has-session, tmux list-keys, zellij list-sessions"),
    Entry("tmux kill-server", HIGH, "Ends all terminals of tmux", ("tmux kill-server",), kind="runs",
          categories=(EXHAUSTION,)),
    *acting("Controls terminals", "zellij, byobu, abduco, dtach, mosh-server", level=MEDIUM, kind="runs"),
    Entry("disown", MEDIUM, "Lets a command outlive this one", ("disown",), kind="runs"),
    Entry("fg", LOW, "Resumes a job", ("fg",), kind="runs"),
    Entry("bg", LOW, "Resumes a job", ("bg",), kind="runs"),
    Entry("mknod", HIGH, "Makes a device", ("mknod x b 8 0",), kind="privilege", categories=(PRIVILEGE, SYSTEM)),
)  # fmt: skip
