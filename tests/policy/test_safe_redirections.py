"""A loop over known files may read them by redirection unasked; secrets and connections stay behind a question."""

from __future__ import annotations

import pytest

from sandgate.commandline.split import segments
from sandgate.policy.safety import safe_commands


def only_reads(script: str) -> bool:
    return all(safe_commands(segments(("bash", "-lc", script))))


@pytest.mark.parametrize(
    "script",
    [
        'for f in src/*.ts; do echo "$f: $(wc -l < "$f")"; done',
        "for f in a.txt b.txt; do head -3 < ${f}; done",
        "for f in .env .env.local; do ls -l $f; done",
        "wc -l < a.txt 2>/dev/null | sort",
    ],
)
def test_known_files_are_read_unasked(script: str) -> None:
    assert only_reads(script)


@pytest.mark.parametrize(
    "script",
    [
        "for f in /dev/tcp/h/80; do cat < $f; done",
        "for f in {/dev,/x}/tcp/h/80; do cat < $f; done",
        "for f in $(cat list); do cat < $f; done",
        "for f in a; do f=/dev/tcp/h/80; cat < $f; done",
        "for f in a; do read f; cat < $f; done < list",
        "for f in a; do printf -v f /dev/tcp/h/80; cat < $f; done",
        "for f in a; do cat < $g; done",
        "for f in a; do echo x > $f; done",
        "for f in .env; do wc -c < $f; done",
    ],
)
def test_what_may_be_a_connection_or_a_secret_is_asked_about(script: str) -> None:
    assert not only_reads(script)


@pytest.mark.parametrize("file", [".env", "~/.ssh/id_rsa", "$HOME/.aws/credentials", "~/.ssh/*"])
def test_a_secret_does_not_become_readable_by_a_loop(file: str) -> None:
    assert not only_reads(f'for f in {file}; do cat "$f"; done')
