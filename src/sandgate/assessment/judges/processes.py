"""Processes: which ones a command lists, and what ending them would take along.

Ending a server of the project is ordinary work. Ending what the machine stands on, what belongs to other accounts, or
everything at once is not; so a list of processes says which of these it is, and `kill` asks what reached it.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, EXFILTRATION, EXHAUSTION, HIGH, LOW, MEDIUM, SYSTEM
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded
from sandgate.policy.secret_names import shows_environments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

ESSENTIAL = frozenset(
    words("""
    systemd init launchd sshd dbus-daemon dbus-broker Xorg Xwayland gnome-shell plasmashell kwin_wayland gdm gdm3
    lightdm sddm WindowServer loginwindow Finder dockerd containerd kubelet crio NetworkManager wpa_supplicant dhclient
    rsyslogd syslogd auditd cron crond polkitd udevd firewalld fail2ban-server agetty getty login
    """)
)
OTHER_RIGHTS = frozenset(words("sudo doas su pkexec runuser"))
CHOICES = "-u -U -g -G -P -s -t -d"  # of `pgrep`, with a value
CHOSEN = ("-C", "-p", "--pid", "--ppid", "-t", "--tty", "-q")  # of `ps`: only some processes


def _judge_list(call: Call, inquiry: Inquiry) -> None:
    """`ps -e`, `pgrep -u me` without a pattern: what ends all of these ends everything."""
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if call.program == "ps" and shows_environments(tuple(texts)):
        inquiry.add(HIGH, "reads", "the environment", "shows the variables of programs",
                    "Shows the variables of running programs, secrets included", "", (EXFILTRATION,))  # fmt: skip
        call.carry("environment", "the environment")
    if call.program == "ps":
        every = any(text.strip("-").isalpha() and set(text) & set("eAax") for text in texts[:1])
        if every and not any(text.startswith(CHOSEN) for text in texts):
            call.carry("processes", "all")
        return
    sought = [arg.text for arg in parsed(call.args, CHOICES).operands if arg.text.strip(".*")]
    if not sought and call.program == "pgrep":
        call.carry("processes", "all")
    elif any(_is_essential(text) for text in sought):
        call.carry("processes", "essential")


def _is_essential(name: str) -> bool:
    return name in ESSENTIAL or name.startswith(("systemd-", "/usr/lib/systemd", "/usr/sbin/sshd"))


def _judge_kill(call: Call, inquiry: Inquiry) -> None:
    texts = [arg.text for arg in call.args]
    if texts[:1] and texts[0] in {"-l", "-L", "--list", "-0"}:
        inquiry.add(LOW, "reads", "kill", "only asks about signals or processes")
        return
    if texts[:1] and texts[0] in {"-s", "-n", "--signal"}:
        texts = texts[2:]
    elif texts[:1] and texts[0].startswith("-") and len(texts) > 1:
        texts = texts[1:]
    texts = [text for text in texts if text != "--"]
    reached = call.upstream.get("processes")
    if "-1" in texts:
        inquiry.add(HIGH, "runs", "all processes", "signals every process",
                    "Ends every process of this account", "Unsaved work in all programs is lost",
                    (EXHAUSTION, SYSTEM))  # fmt: skip
    elif reached == "all":
        inquiry.add(HIGH, "runs", "all processes", "signals every process of a list that nothing narrows",
                    "Ends every process it may", "Unsaved work in all programs is lost",
                    (EXHAUSTION, SYSTEM))  # fmt: skip
    elif "1" in texts or "0" in texts or reached == "essential":
        inquiry.add(HIGH, "runs", "process 1", "signals a process everything depends on",
                    "Signals a process that everything else depends on", "",
                    (EXHAUSTION, SYSTEM, COMPLIANCE))  # fmt: skip
    else:
        _note_some(call, inquiry)


def _note_some(call: Call, inquiry: Inquiry) -> None:
    """Single processes: one's own, or with other rights anybody's."""
    if _has_other_rights(call):
        inquiry.add(HIGH, "runs", "a process", "signals processes of other accounts",
                    "Signals processes of other accounts", "", (SYSTEM,))  # fmt: skip
    else:
        inquiry.add(MEDIUM, "runs", "a process", "signals processes", "Signals single processes")


def _has_other_rights(call: Call) -> bool:
    around = call.inherited
    while around is not None and around.program not in OTHER_RIGHTS:
        around = around.inherited
    return around is not None


def _judge_killall(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    if _has_other_rights(call):
        _note_some(call, inquiry)
    for arg in parsed(call.args, "-s --signal -t -g -P").operands:
        if _is_essential(arg.text) or not arg.text.strip(".*"):
            inquiry.add(HIGH, "runs", arg.text, "ends processes everything depends on",
                        f"Ends all processes that match {worded(arg.text)}", "", (EXHAUSTION, SYSTEM))  # fmt: skip


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "ps": _judge_list,
    "pgrep": _judge_list,
    "pidof": _judge_list,
    "kill": _judge_kill,
    "killall": _judge_killall,
    "pkill": _judge_killall,
}
