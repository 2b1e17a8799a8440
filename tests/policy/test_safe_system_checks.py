"""Checks for programs of administration: what each accepts, and the nearest thing it must refuse."""

from __future__ import annotations

import pytest

from sandgate.policy.safe_system_checks import SYSTEM_CHECKS
from sandgate.policy.safety import is_safe
from support.suite.rows import every

PAIRS = {
    "only_shown": ("dnf history info 3", "dnf history undo 3"),
    "own_files": ("rsync -avn a/ b/", "rsync -avn a/ host:b/"),
    "tar": ("tar tvf a.tar --wildcards x", "tar tvf a.tar --to-command=x"),
    "unpacked": ("gunzip -c a.gz", "gunzip a.gz"),
    "service": ("service nginx status", "service ./nginx status"),
    "parted": ("parted /dev/sda unit MiB print free", "parted /dev/sda rm 1"),
    "btrfs": ("btrfs device stats /", "btrfs device stats -z /"),
    "no_host": ("finger u", "finger u@host"),
    "stty": ("stty size", "stty sane"),
    "tput": ("tput setaf 1", "tput init"),
    "jar": ("jar tf a.jar", "jar xf a.jar"),
    "ar": ("ar t a.a", "ar d a.a m.o"),
    "no_plus": ("less a", "less +!x a"),
    "no_url": ("xmllint --noout a.xml", "xmllint --noout http://host/a.xml"),
    "no_remote": ("fuser -v 22/tcp", "fuser 22,host,80/tcp"),
    "socket_filter": ("ss -tn state established sport = :22", "ss -tn dst host"),
    "no_pipe": ("exiftool a.jpg", "exiftool touch${IFS}x|"),
    "only_xpath": ("xmlstarlet sel -t -v //a a.xml", "xmlstarlet sel -t -v document('x') a.xml"),
    "sox": ("sox --i a.wav", "sox a.wav --i b.wav"),
    "man": ("man -P cat ls", "man -P sh ls"),
    "dd": ("dd if=a bs=1 count=2", "dd if=a of=b"),
    "local_media": ("ffprobe -i a.mp4", "ffprobe -i http://host/a.mp4"),
    "quotes": ("zgrep it's a.gz", "zgrep -e' ;id a.gz"),
    "names": ("rpm -qf /usr/bin/ls", "rpm -qf %(id)"),
    "dscl": ("dscl . -read /Groups/admin", "dscl . -append /Groups/admin GroupMembership u"),
    "to_stdout": ("pdftotext a.pdf -", "pdftotext a.pdf b.txt"),
    "discards": ("tee /dev/null", "tee out.txt"),
}


def test_every_check_has_an_example_of_both_answers() -> None:
    assert PAIRS.keys() == SYSTEM_CHECKS.keys()


@every("check", sorted(PAIRS))
def test_a_check_accepts_what_reads_and_refuses_its_neighbour(check: str) -> None:
    reads, acts = PAIRS[check]
    assert is_safe(tuple(reads.split()))
    assert not is_safe(tuple(acts.split()))


@pytest.mark.parametrize("program", ["xz", "bzip2", "zstd", "gzip"])
def test_a_test_that_a_later_option_turns_into_unpacking_is_not_safe(program: str) -> None:
    assert is_safe((program, "-t", "a"))
    assert not is_safe((program, "-t", "-d", "a"))
