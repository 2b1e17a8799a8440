"""Where the tokens of a server come from, and who gets to see them. What it serves is in tests/journeys/test_mcp.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.permissions import DangerFullAccess
from sandgate.runtime import Environment, open_runtime
from sandgate.surfaces.mcp.calling import Channels
from sandgate.surfaces.mcp.command import TOKEN_NAME, VARIABLE, Wishes, _tokens, channels
from sandgate.surfaces.transport.token_choice import require_out_of_reach
from support.terminal.live_sessions import Workplace

TOKEN = "0123456789-0123456789-0123456789"
OTHER = "abcdefghij-abcdefghij-abcdefghij"


def environment(tmp_path: Path, **variables: str) -> Environment:
    return Environment(cwd=str(tmp_path), environ={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", **variables})


def test_without_any_a_token_is_made_and_kept_where_no_command_looks(tmp_path: Path) -> None:
    tokens, commands = _tokens(environment(tmp_path), Wishes(http=True))
    file = tmp_path / ".local/state/sandgate" / TOKEN_NAME
    name, token = file.read_text().split()
    assert (tokens.principal(token), file.stat().st_mode & 0o777) == (name, 0o600)
    assert str(file) in commands.hidden
    again, _commands = _tokens(environment(tmp_path), Wishes(http=True))
    assert again.principal(token) == name


def test_the_variable_is_taken_out_of_what_commands_inherit(tmp_path: Path) -> None:
    before = environment(tmp_path, **{VARIABLE: TOKEN})
    tokens, commands = _tokens(before, Wishes(http=True))
    assert tokens.principal(TOKEN) is not None
    assert VARIABLE not in commands.environ


def test_a_file_that_is_named_counts_and_is_hidden_under_every_name(tmp_path: Path) -> None:
    (tmp_path / "real").write_text(f"alice {TOKEN}\nbob {OTHER}\n")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    tokens, commands = _tokens(environment(tmp_path), Wishes(http=True, token_file=str(tmp_path / "link")))
    assert (tokens.principal(TOKEN), tokens.principal(OTHER)) == ("alice", "bob")
    assert {str(tmp_path / "real"), str(tmp_path / "link")} <= set(commands.hidden)


@pytest.mark.host("namespace")
@pytest.mark.parametrize("how", ["confined", "unconfined"])
def test_a_confined_command_cannot_read_the_tokens(place: Workplace, how: str) -> None:
    """Required: with a token it could answer its own questions."""
    file = place.outside / "tokens"
    file.write_text(f"alice {TOKEN}\n")
    file.chmod(0o600)
    mode = "workspace-write" if how == "confined" else "danger-full-access"
    chosen = place.environment(sandbox_mode=mode, approval_policy="never")
    _known, commands = _tokens(chosen, Wishes(http=True, token_file=str(file)))
    with open_runtime(commands) as runtime:
        answer = runtime.exec_command(f"cat {file}", login=False)
    assert (TOKEN in answer.output) is (how == "unconfined")


def test_a_file_that_a_command_could_replace_is_refused(place: Workplace) -> None:
    with open_runtime(place.environment(sandbox_mode="workspace-write")) as runtime:
        permissions = runtime.confinement.permissions()
    with pytest.raises(RequestError, match="could choose its tokens"):
        require_out_of_reach(str(place.repo / "tokens"), permissions)
    os.symlink(place.repo / "tokens", place.outside / "link")
    with pytest.raises(RequestError, match="could choose its tokens"):
        require_out_of_reach(str(place.outside / "link"), permissions)
    require_out_of_reach(str(place.outside / "tokens"), permissions)


def test_where_nothing_is_confined_there_is_nothing_to_keep_out_of_reach(place: Workplace) -> None:
    with open_runtime(place.environment(sandbox_mode="danger-full-access")) as runtime:
        assert isinstance(runtime.settings.sandbox, DangerFullAccess)
        require_out_of_reach(str(place.repo / "tokens"), runtime.confinement.permissions())


def test_what_its_environment_says_of_the_client_counts_where_the_client_started_it() -> None:
    """Required: a server over HTTP that was started inside of `claude -p` has other clients."""
    told = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    assert channels(Wishes(), told) == Channels(told, forms=True, elsewhere=False)
    assert channels(Wishes(http=True, forms=False, waits_elsewhere=True), told) == Channels(
        {}, forms=False, elsewhere=True
    )
