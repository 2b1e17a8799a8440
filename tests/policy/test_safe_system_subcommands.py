"""Commands of system programs: those that show are safe, their neighbours are not."""

from __future__ import annotations

import pytest

from sandgate.policy.safe_checks import CHECKS
from sandgate.policy.safe_system_subcommands import SYSTEM_SUBCOMMANDS
from sandgate.policy.safety import is_safe
from support.suite.rows import every

SHOWS = (
    "systemctl status nginx --no-pager", "systemctl --user list-timers --all", "timedatectl", "zfs list -t snapshot",
    "openssl x509 -in a.pem -noout -dates", "openssl rand -hex 16", "7z l -slt a.7z", "tmux capture-pane -p -t x",
    "qemu-img info a.qcow2", "xsv stats a.csv", "udevadm info -q property -n /dev/sda",
)  # fmt: skip
ACTS = (
    "systemctl stop nginx", "systemctl -M host status", "systemctl set-default x", "timedatectl set-ntp false",
            "zfs rollback x",
    "openssl x509 -req -in a.csr -CA ca.pem", "openssl rand -out a 16", "7z d a.7z x", "tmux send-keys x",
            "tmux capture-pane -b x",
    "qemu-img info https://host/a", "xsv split out a.csv", "xsv stats -o b a.csv", "udevadm trigger",
            "systemd-analyze set-log-level x",
    "hostnamectl hostname other", "rfkill block all", "chronyc makestep", "gsettings set a b c",
            "diskutil eraseDisk a b c",
)  # fmt: skip


@pytest.mark.parametrize("line", SHOWS)
def test_a_command_that_shows_is_safe(line: str) -> None:
    assert is_safe(tuple(line.split()))


@every("line", ACTS)
def test_a_command_that_acts_is_not_safe(line: str) -> None:
    assert not is_safe(tuple(line.split()))


def test_each_line_names_checks_that_exist() -> None:
    marks = {mark[6:] for line in SYSTEM_SUBCOMMANDS.values() for mark in line.split() if mark.startswith("check:")}
    assert marks <= CHECKS.keys()
