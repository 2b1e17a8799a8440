"""Disks, users, services, processes, the kernel: what belongs to the machine and not to a project."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, EXHAUSTION, HIGH, LOW, MEDIUM, PRIVILEGE, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import RiskCategory


def _all(does: str, categories: tuple[RiskCategory, ...], names: str, consequence: str = "") -> tuple[Entry, ...]:
    return tuple(
        Entry(
            name, HIGH, does, (name,), kind="privilege", categories=categories, consequence=consequence,
            harmless="--help --version",
        )
        for name in phrases(names)
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_all("Makes a new file system", (DELETION, SYSTEM),
          """
    mkfs, mkfs.ext4, mkfs.ext3, mkfs.ext2, mkfs.xfs, mkfs.btrfs, mkfs.vfat, mkfs.fat, mkfs.ntfs, mke2fs, mkswap,
    newfs, zpool, zfs, btrfs, diskutil
    """, "All data on the device is lost"),
    *_all("Changes disk partitions", (DELETION, SYSTEM),
          """
    fdisk, sfdisk, cfdisk, gdisk, sgdisk, parted, wipefs, blkdiscard, hdparm, partprobe, lvremove, vgremove,
    pvremove, lvreduce, lvcreate, mdadm, cryptsetup, resize2fs, tune2fs, losetup, nvme, badblocks, fsck, e2fsck,
    debugfs, swapoff, swapon
    """, "All data on the device can be lost"),
    *_all("Changes accounts or passwords", (PRIVILEGE, SYSTEM),
          """
    useradd, userdel, usermod, adduser, deluser, groupadd, groupdel, groupmod, passwd, chpasswd, gpasswd, visudo,
    chsh, chfn, vipw, addgroup, delgroup, newusers, dscl
    """),
    *_all("Changes the firewall", (SYSTEM, COMPLIANCE),
          "iptables, ip6tables, nft, ufw, firewall-cmd, ebtables, ipset, pfctl, iptables-restore"),
    *_all("Switches a protection of this machine", (SYSTEM, COMPLIANCE),
          """
    setenforce, aa-disable, aa-complain, aa-teardown, apparmor_parser, auditctl, spctl, csrutil, semanage,
    setsebool, faillock
    """),
    *_all("Changes the running kernel", (SYSTEM, PRIVILEGE),
          "insmod, modprobe, rmmod, kexec, depmod, dkms, bpftool, grub-install, update-grub, efibootmgr, bootctl"),
    *_all("Stops or restarts this machine", (SYSTEM, EXHAUSTION),
          "shutdown, reboot, halt, poweroff, init, telinit, pm-suspend"),
    *_all("Changes how this machine finds others", (SYSTEM,),
          "route, brctl, nmcli, hostnamectl, resolvectl, ethtool, tc"),
    *_all("Changes the clock or the region", (SYSTEM,), "hwclock, timedatectl, localectl, ntpdate, tzselect"),
    *_all("Looks into other programs' memory", (PRIVILEGE, "data_exfiltration"), "gcore, mimikatz, gdbserver"),
    *_all("Escapes into another root or namespace", (PRIVILEGE,), "pivot_root, switch_root, capsh"),
    Entry("sysctl", LOW, "Shows kernel settings", ("sysctl kernel.hostname", "sysctl -w kernel.x=1 => high"),
          kind="reads",
          worse=(Worse("-w --write -p --load --system", HIGH, "Changes kernel settings", (SYSTEM,)),)),
    Entry("systemctl", HIGH, "Controls services", ("systemctl stop nginx", "systemctl disable ufw"), kind="privilege",
          categories=(SYSTEM,)),
    Entry("systemctl status", LOW, "Shows a service", ("systemctl status nginx",), kind="reads"),
    Entry("systemctl show", LOW, "Shows a service", ("systemctl show nginx",), kind="reads"),
    Entry("systemctl list-units", LOW, "Lists services", ("systemctl list-units",), kind="reads"),
    Entry("systemctl is-active", LOW, "Shows a service", ("systemctl is-active nginx",), kind="reads"),
    Entry("systemd-run", HIGH, "Runs a command outside of this session", ("systemd-run --user ls",), kind="privilege",
          categories=(PRIVILEGE, SYSTEM)),
    Entry("loginctl", HIGH, "Controls sessions", ("loginctl terminate-user me",), kind="privilege",
          categories=(SYSTEM,)),
    Entry("service", HIGH, "Controls services", ("service nginx stop",), kind="privilege", categories=(SYSTEM,)),
    Entry("launchctl", HIGH, "Controls services", ("launchctl load x.plist",), kind="privilege", categories=(SYSTEM,)),
    Entry("rc-service", HIGH, "Controls services", ("rc-service nginx stop",), kind="privilege", categories=(SYSTEM,)),
    Entry("supervisorctl", HIGH, "Controls services", ("supervisorctl stop all",), kind="privilege",
          categories=(SYSTEM,)),
    Entry("defaults", MEDIUM, "Changes settings of this account", ("defaults write x y",), kind="writes",
          categories=(SYSTEM,)),
    Entry("crontab", LOW, "Shows or changes scheduled commands", ("crontab -l", "crontab -r => high",
          "crontab a => high"),
          kind="writes", values="-u",
          worse=(Worse("-r", HIGH, "Deletes your scheduled commands", (DELETION, SYSTEM)),
                 Worse("-e", HIGH, "Changes your scheduled commands", (SYSTEM,)))),
    Entry("at", HIGH, "Schedules a command for later", ("at now",), kind="privilege", categories=(SYSTEM,),
          values="-f -q"),
    Entry("batch", HIGH, "Schedules a command for later", ("batch",), kind="privilege", categories=(SYSTEM,)),
    Entry("kill", LOW, "Signals processes", ("kill 1234 => medium", "kill -9 -1 => high", "kill -l => low"),
          kind="runs"),
    Entry("killall", MEDIUM, "Ends processes by name", ("killall node", "killall -u me => high"), kind="runs",
          worse=(Worse("-u --user", HIGH, "Ends all processes of a user", (EXHAUSTION, SYSTEM)),)),
    Entry("pkill", MEDIUM, "Ends processes by pattern", ("pkill -f server", "pkill -u me => high",
          "pkill -9 . => high"),
          kind="runs", worse=(Worse("-u -U --euid --uid", HIGH, "Ends all processes of a user", (EXHAUSTION,
          SYSTEM)),)),
    Entry("xkill", MEDIUM, "Ends a program", ("xkill",), kind="runs"),
    Entry("renice", MEDIUM, "Changes priorities", ("renice 5 1234",), kind="runs"),
    Entry("stress", HIGH, "Uses up processors and memory", ("stress --cpu 8",), kind="runs", categories=(EXHAUSTION,)),
    Entry("stress-ng", HIGH, "Uses up processors and memory", ("stress-ng --vm 8",), kind="runs",
          categories=(EXHAUSTION,)),
    Entry("history", LOW, "Shows the shell's history", ("history", "history -c => high"), kind="reads",
          worse=(Worse("-c -d -w", HIGH, "Erases the record of commands", (COMPLIANCE, DELETION)),)),
    Entry("gdb", MEDIUM, "Runs or inspects a program", ("gdb a.out", "gdb -p 1 => high"), kind="runs", values="-ex -x",
          worse=(Worse("-p --pid", HIGH, "Looks into another program's memory", (PRIVILEGE,)),), clusters=False),
    Entry("lldb", MEDIUM, "Runs or inspects a program", ("lldb a.out",), kind="runs"),
    Entry("dbus-send", HIGH, "Sends an order to a service of the desktop", ("dbus-send --session x",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("gdbus", HIGH, "Sends an order to a service of the desktop", ("gdbus call",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("busctl", HIGH, "Sends an order to a service", ("busctl call x",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("osascript", HIGH, "Controls other programs", ("osascript -e x",), kind="privilege",
          categories=(SYSTEM, PRIVILEGE)),
    Entry("security", HIGH, "Reads or changes the keychain", ("security dump-keychain",), kind="reads",
          categories=("data_exfiltration",)),
    Entry("secret-tool", HIGH, "Reads or changes the keyring", ("secret-tool lookup a b",), kind="reads",
          categories=("data_exfiltration",)),
    Entry("pass", HIGH, "Reads or changes stored passwords", ("pass show mail",), kind="reads",
          categories=("data_exfiltration",)),
    Entry("op", HIGH, "Reads or changes stored passwords", ("op read x",), kind="reads",
          categories=("data_exfiltration", "network_access")),
    Entry("screen", MEDIUM, "Runs a program that stays", ("screen -ls",), kind="runs"),
    Entry("tmux", MEDIUM, "Controls terminals", ("tmux ls",), kind="runs"),
    Entry("disown", MEDIUM, "Lets a command outlive this one", ("disown",), kind="runs"),
    Entry("fg", LOW, "Resumes a job", ("fg",), kind="runs"),
    Entry("bg", LOW, "Resumes a job", ("bg",), kind="runs"),
    Entry("ldconfig", HIGH, "Changes which libraries programs load", ("ldconfig",), kind="writes",
          categories=(SYSTEM,)),
    Entry("mknod", HIGH, "Makes a device", ("mknod x b 8 0",), kind="privilege", categories=(PRIVILEGE, SYSTEM)),
)  # fmt: skip
