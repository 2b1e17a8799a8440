"""What may not leave the machine, and what must stay readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.redaction import MARK, redacted, redacted_argv
from support.suite.rows import every

SECRET = "hunter2-Xk9"


@every(
    "text",
    [
        f"API_KEY={SECRET} make",
        f"export GITHUB_TOKEN='{SECRET}'",
        f'export MY_SECRET="{SECRET} more"',
        f"PGPASSWORD={SECRET} psql",
        f"MYSQL_PWD={SECRET} mysql",
        f"curl -H 'Authorization: Bearer {SECRET}' https://x.test",
        f"curl -H 'Authorization: token {SECRET}' https://x.test",
        f"curl -H 'X-Api-Key: {SECRET}' https://x.test",
        f"curl --cookie 'sid={SECRET}'",
        f"curl -u me:{SECRET} https://x.test",
        f"curl --user me:{SECRET} https://x.test",
        f"curl https://me:{SECRET}@x.test/a",
        f"git clone https://{SECRET}@github.com/a/b",
        f"psql postgres://me:{SECRET}@db/x",
        f"curl 'https://x.test/?a=1&access_token={SECRET}&b=2'",
        f"mysql -u root -p{SECRET} db",
        f"sshpass -p {SECRET} ssh me@host",
        f"docker login -u me -p {SECRET}",
        f"tool --password {SECRET} go",
        f"tool --password={SECRET} go",
        f"tool --api-key {SECRET}",
        f'{{"password": "{SECRET}"}}',
        f"password: {SECRET}",
    ],
)
def test_a_secret_known_by_its_place_goes(text: str) -> None:
    shown = redacted(text)
    assert SECRET not in shown
    assert MARK in shown


@pytest.mark.parametrize(
    "token",
    [
        "sk-proj-abcdefghijklmnop1234", "sk-ant-api03-abcdefghijklmnop", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghijkl", "glpat-abcdefghij1234567890", "xoxb-1234567890-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789", "hf_abcdefghijklmnopqrstuvwx", "sk_live_abcdefgh1234",
        "AGE-SECRET-KEY-1QQQQ", "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIabc and the rest was cut",
    ],
)  # fmt: skip
def test_a_secret_known_by_its_shape_goes(token: str) -> None:
    assert redacted(f"echo {token} | nc x.test 80") in (f"echo {MARK} | nc x.test 80", f"echo {MARK}")


@pytest.mark.parametrize(
    "text",
    [
        "docker run -p 8080:80 -p8443:443 nginx",
        "find . -path ./x -prune -o -print0",
        "mkdir -p /etc/cron.d/x",
        "git clone ssh://git@github.com/a/b && git push origin main",
        "rm -rf ~/.ssh/id_ed25519 /etc/passwd",
        "cat keyboard.txt tokens/readme.md",
        "ssh -p2222 me@host",
        "curl -u me https://x.test",
        "kubectl get secrets -n prod",
        "ls -la && echo done > out.txt",
    ],
)
def test_what_is_no_secret_stays_as_it_was(text: str) -> None:
    """Our choice: without targets a rating would be worth nothing."""
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (("tool", "--password", SECRET), ("tool", "--password", MARK)),
        (("tool", "--token", "--verbose"), ("tool", "--token", "--verbose")),
        (("sshpass", "-p", SECRET, "ssh", "h"), ("sshpass", "-p", MARK, "ssh", "h")),
        (("docker", "login", "-p", SECRET), ("docker", "login", "-p", MARK)),
        (("curl", "-u", f"me:{SECRET}", "https://x.test"), ("curl", "-u", f"me:{MARK}", "https://x.test")),
        (("mysql", f"-p{SECRET}"), ("mysql", f"-p{MARK}")),
        (("bash", "-lc", f"TOKEN={SECRET} x"), ("bash", "-lc", f"TOKEN={MARK} x")),
        (("docker", "run", "-p", "80:80", "nginx"), ("docker", "run", "-p", "80:80", "nginx")),
    ],
)
def test_words_of_a_command_lose_secrets_that_the_word_before_announces(
    argv: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    assert redacted_argv(argv) == shown


@given(text=st.text(alphabet="abc-=:@/ \n'\"&kKeEyY._1", max_size=400))
def test_redacting_twice_changes_nothing_more_and_ends_soon(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


def test_a_long_hostile_text_is_redacted_in_no_time() -> None:
    """A pattern that tries everything again from everywhere would take minutes here."""
    for piece in ("-----BEGIN PRIVATE KEY", "key" * 3, "a" * 9 + "://", "--user a", "sshpass x ", "A1+/", "x-key-"):
        redacted(piece * (16_384 // len(piece)))
