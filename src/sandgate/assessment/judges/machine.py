"""Services, the clock, kernel settings: programs whose operands decide whether they show or change."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, HIGH, LOW, MEDIUM, SYSTEM
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.places import place_of
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

FILES_OF_A_PROJECT = frozenset({"workspace", "build", "temporary"})
DISK_VALUES = "-t -L -U -b -i -m -N -O -o -E -T -S -s -R -d"
PRINTING = frozenset(words("print unit s B kB MB GB TB KiB MiB GiB TiB free all list devices compact"))  # parted
ASKING = frozenset({"status", "configtest", "check", "describe", "test", "checkconfig"})  # second operand


def judge_service(call: Call, inquiry: Inquiry) -> None:
    """`service NAME status`: the word behind the name says what happens."""
    operands = [arg.text for arg in parsed(call.args).operands]
    if len(operands) > 1 and operands[1] in ASKING:
        inquiry.add(LOW, "reads", operands[0], "shows a service", f"Shows the service {worded(operands[0])}")
        return
    by_table(call, inquiry)


def _judge_sysctl(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    for arg in parsed(call.args, "-p -r --pattern").operands:
        if "=" in arg.text:
            inquiry.add(HIGH, "writes", arg.text.partition("=")[0], "changes kernel settings",
                        f"Changes the kernel setting {worded(arg.text)}", "", (SYSTEM,))  # fmt: skip


def _judge_hostname(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    options = parsed(call.args, "-F --file -b --boot")
    if options.operands or options.has("-F --file -b --boot"):
        inquiry.add(HIGH, "writes", "the name of this machine", "changes the name of this machine",
                    "Changes the name of this machine", "", (SYSTEM,))  # fmt: skip


def _judge_disk(call: Call, inquiry: Inquiry) -> None:
    """A disk image in the workspace is a file like others; anything else named by a path is taken for a device."""
    operands = [arg for arg in parsed(call.args, DISK_VALUES).operands if "/" in arg.text or "." in arg.text]
    paths = [call.paths(arg)[0] for arg in operands]
    kinds = {place_of(path, inquiry.facts).kind if path is not None else "device" for path in paths}
    if call.program == "parted" and operands and _only_prints([arg.text for arg in parsed(call.args).operands[1:]]):
        inquiry.add(LOW, "reads", "parted", "shows disk partitions", "Shows disk partitions")
        return
    if call.remote or not kinds or not kinds <= FILES_OF_A_PROJECT:
        by_table(call, inquiry)
        return
    for arg in operands:
        inquiry.write(arg, call, verb="Formats or changes the disk image")
    inquiry.add(MEDIUM, "writes", call.program, "changes a disk image")


def _only_prints(commands: list[str]) -> bool:
    return "print" in commands and set(commands) <= PRINTING


def _judge_date(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    options = parsed(call.args, "-d -r -f -v --date --reference --file")
    if any(arg.text[:1].isdigit() for arg in options.operands) and not options.has("-j"):
        inquiry.add(HIGH, "writes", "the clock", "changes the clock", "Changes the clock", "", (SYSTEM, COMPLIANCE))


DISK_PROGRAMS = words("""
    mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkdosfs mke2fs mkswap
    fdisk sfdisk gdisk sgdisk parted wipefs tune2fs resize2fs e2fsck fsck fsck.ext4
    fsck.vfat e2label debugfs badblocks cryptsetup
    """)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(("service", "rc-service", "invoke-rc.d", "sc", "brew-services"), judge_service),
    "sysctl": _judge_sysctl,
    "hostname": _judge_hostname,
    "date": _judge_date,
    **dict.fromkeys(DISK_PROGRAMS, _judge_disk),
}
