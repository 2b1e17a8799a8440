"""Commands that each only read, and in company show secrets or never end."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.endless import never_ends
from sandgate.policy.safety import safe_commands
from sandgate.policy.whole_lines import harmless_together


def harmless(script: str) -> bool:
    what = segments(("bash", "-c", script))
    assert what.script is not None
    return harmless_together(what.script)


@pytest.mark.parametrize(
    "script",
    [
        "find / -name id_rsa | xargs cat",
        "find / -name '*.pem' | while read f; do cat \"$f\"; done",
        "cat $(find ~ -name '*.kdbx')",
        "locate .env | xargs head",
        "fd -H id_rsa / | xargs cat",
        "ls -d ~/.ssh/* | xargs cat",
        "ls -a | grep .env | xargs cat",
        'for f in ~/.ssh/*; do cat "$f"; done',
        "cd ~/.aws; cat credentials",
        "cd ~/.ssh && cat *",
        "cd /etc && tail shadow",
        "cd ~/.ssh && grep -r KEY .",
        "env | grep -i token",
        "yes > /dev/null &",
        "yes",
        "cat /dev/urandom > /dev/null",
        "sha256sum /dev/zero",
        "wc -c < /dev/zero",
        "echo {1..100000000}",
    ],
)
def test_this_is_asked_about(script: str) -> None:
    assert not all(safe_commands(segments(("bash", "-c", script))))


@pytest.mark.parametrize(
    "script",
    [
        "find / -name id_rsa",
        "find / -name id_rsa | xargs ls -l",
        "find . -name '*.py' | xargs cat",
        "find . -name '*.pem' | wc -l",
        "cd ~/.ssh && ls -la",
        "cd ~/.ssh && ls | grep pub",
        "cd ~/.ssh && cat known_hosts",
        "cd src && cat credentials.py",
        "env | grep -i proxy",
        "env | grep -c token",
        "yes | head -3",
        "head -c 16 /dev/urandom | xxd",
        "cat /dev/urandom | tr -dc a-z | head -c 10",
        "od -N 4 /dev/urandom",
        "ls -l /dev/zero",
        "echo {1..9}",
    ],
)
def test_this_is_not(script: str) -> None:
    assert harmless(script)
    assert all(safe_commands(segments(("bash", "-c", script))))


@pytest.mark.parametrize(
    ("argv", "goes_on"),
    [
        (("yes",), True),
        (("yes", "--version"), False),
        (("cat", "/dev/zero"), True),
        (("head", "-c", "9", "/dev/zero"), False),
        (("xxd", "-l", "9", "/dev/urandom"), False),
        (("stat", "/dev/zero"), False),
        ((), False),
    ],
)
def test_what_never_ends_is_known_by_its_words(argv: tuple[str, ...], goes_on: bool) -> None:
    assert never_ends(argv) is goes_on
