"""What a live shell does in git: it sees it at once, others when it ends, and its answers say so."""

from __future__ import annotations

import subprocess

import pytest

from support.terminal.live_sessions import Workplace, shell

pytestmark = pytest.mark.host("namespace", "notify", "overlay")

LIMIT_MS = 20_000
SAID = "what it does in `{}/.git` is kept until it ends; others see it then"
COMMIT = (
    "git -c user.name=a -c user.email=a@b commit -qm made --allow-empty; git log --oneline | wc -l; echo over''now\n"
)


def commits(place: Workplace) -> int:
    """As whoever stands outside counts them."""
    done = subprocess.run(
        ["git", "-C", str(place.repo), "rev-list", "--count", "--all"], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_commit_in_a_live_shell_is_told_to_be_kept_until_its_end(place: Workplace) -> None:
    """Required: told once, and true: outside there is none before the end, and one after it."""
    subprocess.run(["git", "init", "-q", str(place.repo)], check=True)
    session = place.session()
    number = shell(session)
    looked = session.write_stdin(number, "git status; echo over''now\n", wait_for=["overnow"], yield_time_ms=LIMIT_MS)
    assert not any("kept until" in each for each in looked.notices)
    typed = session.write_stdin(number, COMMIT, wait_for=["overnow"], yield_time_ms=LIMIT_MS)
    assert SAID.format(place.repo) in typed.notices
    assert f"Notice: {SAID.format(place.repo)}\n" in typed.text()
    assert commits(place) == 0
    again = session.write_stdin(number, COMMIT, wait_for=["overnow"], yield_time_ms=LIMIT_MS)
    assert again.notices == ()
    ended = session.write_stdin(number, "exit\n", yield_time_ms=LIMIT_MS)
    assert (ended.exit_code, commits(place)) == (0, 2), ended
