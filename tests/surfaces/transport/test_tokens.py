import os
import stat
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.transport.tokens import Tokens, write_token_file

ALICE, BOB = "a" * 32, "b" * 40


def token_file(tmp_path: Path, text: str, mode: int = 0o600) -> str:
    path = tmp_path / "tokens"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_a_file_names_several_principals(tmp_path: Path) -> None:
    tokens = Tokens.from_file(token_file(tmp_path, f"# who\n\nalice {ALICE}\n  bob\t{BOB} \n"))
    assert [tokens.principal(token) for token in (ALICE, BOB, "c" * 32, "", ALICE[:-1], "ä", "\ud800")] == [
        "alice",
        "bob",
        *[None] * 5,
    ]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o700, 0o602])
def test_a_file_that_others_may_reach_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(RequestError, match="others may reach it"):
        Tokens.from_file(token_file(tmp_path, f"alice {ALICE}\n", mode))


def test_a_file_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = token_file(tmp_path, f"alice {ALICE}\n")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    with pytest.raises(RequestError, match="another user"):
        Tokens.from_file(path)


def test_a_pipe_in_the_place_of_the_file_does_not_hold_the_program_up(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    os.mkfifo(path, 0o600)
    with pytest.raises(RequestError, match="no regular file"):
        Tokens.from_file(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nobody\n",
        f"{ALICE}\n",
        f"alice {ALICE} more\n",
        "alice short\n",
        f"{ALICE} alice\n",
        f"al/ice {ALICE}\n",
        f"alice {ALICE}!\n",
        f"alice {ALICE}\nalice {BOB}\n",
        f"alice {ALICE}\nbob {ALICE}\n",
        f"alice {'a' * 600}\n",
        "".join(f"p{n} {n:040}\n" for n in range(65)),
        f"älice {ALICE}\n",
        "#" * 70_000,
    ],
)
def test_a_file_that_is_not_plain_is_refused_without_quoting_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(RequestError) as refused:
        Tokens.from_file(token_file(tmp_path, text))
    said = f"{refused.value} {refused.value.hint} {refused.value!r}"
    assert ALICE not in said
    assert BOB not in said
    assert "short" not in said


def test_a_missing_file_is_refused_plainly(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="No such file"):
        Tokens.from_file(str(tmp_path / "none"))


def test_the_variable_is_taken_out_of_the_environment() -> None:
    environ = {"SANDGATE_MCP_TOKEN": ALICE, "HOME": "/"}
    tokens = Tokens.from_variable(environ, "SANDGATE_MCP_TOKEN")
    assert tokens is not None
    assert (tokens.principal(ALICE), environ) == ("default", {"HOME": "/"})
    assert Tokens.from_variable(environ, "SANDGATE_MCP_TOKEN") is None


def test_a_short_token_in_the_variable_is_refused() -> None:
    with pytest.raises(RequestError, match="32 to 512 characters, this one 5") as refused:
        Tokens.from_variable({"SANDGATE_MCP_TOKEN": "hello"}, "SANDGATE_MCP_TOKEN")
    assert "hello" not in str(refused.value)


def test_a_fresh_token_can_be_written_once_and_read_back(tmp_path: Path) -> None:
    tokens, token = Tokens.fresh()
    path = tmp_path / "token"
    umask = os.umask(0o777)
    try:
        write_token_file(str(path), token)
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (tokens.principal(token), Tokens.from_file(str(path)).principal(token)) == ("default", "default")
    with pytest.raises(RequestError, match="the file exists"):
        write_token_file(str(path), token)


def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(RequestError, match="the file exists"):
        write_token_file(str(tmp_path / "link"), ALICE)
    assert not (tmp_path / "target").exists()


def test_no_token_shows_in_what_can_be_printed() -> None:
    tokens = Tokens([("alice", ALICE)])
    assert repr(tokens) == str(tokens) == "Tokens(alice)"
    assert ALICE not in str(vars(tokens))
