"""Tables of servers: how layers add up to one, what is refused, and who may not describe any."""

from __future__ import annotations

import pytest

from sandgate.config.reference import HIDDEN, setting_rows
from sandgate.errors import ConfigError
from sandgate.external.server import ExternalServer, ServerAddress, ServerProgram
from support.config.config_machine import Machine

DOCS = """\
[mcp_servers.docs]
command = "docs-server"
args = ["-v", "-v", ""]
cwd = "sub"
env = { TOKEN = "t" }
env_vars = ["DISPLAY"]
required = true
startup_timeout_sec = 2.5
tool_timeout_sec = 3
enabled_tools = ["a", "b"]
disabled_tools = ["b"]
default_tools_approval_mode = "auto"
supports_parallel_tool_calls = true
[mcp_servers.docs.tools.a]
approval_mode = "approve"
"""
REMOTE = """\
[mcp_servers.remote]
url = "https://x.test/mcp"
bearer_token_env_var = "REMOTE_TOKEN"
http_headers = { "X-Team" = "one" }
env_http_headers = { "X-Org" = "MY_ORG" }
"""


def test_a_program_is_read_with_all_its_fields(machine: Machine) -> None:
    user = machine.write_user(DOCS)
    (server,) = machine.load().settings.external_servers
    assert server == ExternalServer(
        "docs",
        ServerProgram(
            "docs-server", ("-v", "-v", ""), str(user).replace("config.toml", "sub"), (("TOKEN", "t"),), ("DISPLAY",)
        ),
        required=True,
        startup_timeout_ms=2_500,
        tool_timeout_ms=3_000,
        enabled_tools=("a", "b"),
        disabled_tools=("b",),
        approval="auto",
        tool_approvals=(("a", "approve"),),
        parallel=True,
    )
    assert [server.offers(tool) for tool in "abc"] == [True, False, False]
    assert [server.approval_of(tool) for tool in "ab"] == ["approve", "auto"]


def test_layers_add_up_field_by_field_and_a_server_can_be_switched_off(machine: Machine) -> None:
    machine.write_system(REMOTE)
    machine.write_user('[mcp_servers.remote]\nurl = "https://y.test/mcp"\nhttp_headers = { "X-More" = "2" }\n' + DOCS)
    remote, docs = machine.load().settings.external_servers
    assert remote.transport == ServerAddress(
        "https://y.test/mcp", "REMOTE_TOKEN", (("X-Team", "one"), ("X-More", "2")), (("X-Org", "MY_ORG"),)
    )
    assert (remote.approval, remote.enabled_tools, remote.startup_timeout_ms) == ("prompt", None, 10_000)
    assert docs.name == "docs"
    left = machine.load("mcp_servers.docs.enabled=false").settings.external_servers
    assert [server.name for server in left] == ["remote"]


def test_the_old_time_limit_counts_where_the_new_one_is_not_set(machine: Machine) -> None:
    machine.write_user('[mcp_servers.a]\ncommand = "a"\nstartup_timeout_ms = 7')
    assert machine.load().settings.external_servers[0].startup_timeout_ms == 7
    assert machine.load("mcp_servers.a.startup_timeout_sec=1").settings.external_servers[0].startup_timeout_ms == 1_000


def test_tokens_are_kept_from_commands_and_not_shown(machine: Machine) -> None:
    """Required: what opens a server is nothing a command needs."""
    machine.write_user(REMOTE + DOCS)
    loaded = machine.load()
    assert loaded.settings.provider_keys == ("REMOTE_TOKEN", "MY_ORG")
    rows = {name: value for name, value, _origin in setting_rows(loaded)}
    assert rows["mcp_servers.remote.http_headers"] == rows["mcp_servers.docs.env"] == HIDDEN
    assert rows["mcp_servers.docs.command"] == "docs-server"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('command = "a"\nurl = "https://x.test"', "`url` is not supported for stdio"),
        ('command = "a"\nbearer_token_env_var = "T"', "`bearer_token_env_var` is not supported for stdio"),
        ('url = "https://x.test"\nargs = ["a"]', "`args` is not supported for streamable_http"),
        ('url = "https://x.test"\nbearer_token = "secret"', "bearer_token_env_var"),
        ('env = { A = "b" }', "invalid transport"),
        ('url = "file:///etc/passwd"', "is not an address"),
        ('command = ""', "names no program"),
        ('command = "a"\ntool_timeout_sec = 0', "more than 0"),
        ('command = "a"\nargs = "b"', "not a list of texts"),
        ('command = "a"\ndefault_tools_approval_mode = "always"', "allowed: prompt, auto, approve"),
        ('command = "a"\ntools.x.approval_mode = "yes"', "allowed: prompt, auto, approve"),
        ('command = "a"\nenabled = false\nurl = "b"', "not supported for stdio"),
    ],
)
def test_what_cannot_be_meant_is_an_error(machine: Machine, text: str, problem: str) -> None:
    """Required."""
    machine.write_user(f"[mcp_servers.docs]\n{text}")
    with pytest.raises(ConfigError) as raised:
        machine.load()
    said = f"{raised.value} {raised.value.hint}"
    assert problem in said
    assert "secret" not in said


def test_an_unknown_field_is_a_warning_that_names_the_nearest(machine: Machine) -> None:
    machine.write_user('[mcp_servers.a]\ncommand = "a"\ncomand = "b"\n[mcp_servers.a.tools.x]\napproval = "approve"')
    first, second = machine.load().warnings
    assert "did you mean `command`?" in first
    assert "did you mean `approval_mode`?" in second


def test_a_project_can_not_have_a_program_of_its_own_started(machine: Machine) -> None:
    """Required: it would run outside the sandbox, before anybody was asked."""
    machine.trust()
    machine.write_project('[mcp_servers.evil]\ncommand = "./evil"\n')
    loaded = machine.load()
    assert loaded.settings.external_servers == ()
    assert "mcp_servers" in "".join(loaded.warnings)
