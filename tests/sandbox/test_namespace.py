"""Plans for namespaces, and for no sandbox at all."""

from __future__ import annotations

from pathlib import Path

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand, Limits, Mount
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.backend import WITHOUT_NEWS, WITHOUT_RETRIES
from sandgate.sandbox.namespace import KNOWN_MAX, NamespaceBackend

COMMAND = CommandRequest(("true",), "/", {"PATH": "/bin", "SSH_AUTH_SOCK": "/tmp/agent"}, tty=True)
BASE_GUARANTEES = (
    "no-write-outside-roots",
    "no-metadata-changes",
    "protected-names",
    "secrets-hidden",
    "host-sockets-hidden",
    "process-isolation",
    "tree-kill",
    "no-new-privs",
)


def test_a_plan_holds_the_view_the_marks_and_the_promises(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("")
    permissions = EffectivePermissions(writable=(str(tmp_path),), hidden=(str(secret),))
    assert NamespaceBackend().confine(COMMAND, permissions, limits=Limits(processes=9)) == ConfinedCommand(
        backend="namespace",
        argv=("true",),
        cwd="/",
        env={
            "GIT_OPTIONAL_LOCKS": "0",
            **WITHOUT_NEWS,
            **WITHOUT_RETRIES,
            "PATH": "/bin",
            "SANDGATE_SANDBOX": "namespace",
            "SANDGATE_SANDBOX_NETWORK_DISABLED": "1",
            "CODEX_SANDBOX_NETWORK_DISABLED": "1",
        },
        permissions=permissions,
        mounts=(Mount("write", str(tmp_path)), Mount("hide_file", str(secret))),
        report="report",
        limits=Limits(processes=9),
        tty=True,
        guarantees=(*BASE_GUARANTEES, "network-off", "missing-protected-names", "exact-denials", "held-calls"),
    )


def test_an_open_network_is_neither_marked_nor_promised_away() -> None:
    plan = NamespaceBackend().confine(COMMAND, EffectivePermissions(network="on"), report="off")
    assert plan.env == {"GIT_OPTIONAL_LOCKS": "0", "PATH": "/bin", "SANDGATE_SANDBOX": "namespace"}
    assert plan.guarantees == BASE_GUARANTEES


def test_sessions_that_take_turns_keep_their_mounts(tmp_path: Path) -> None:
    backend = NamespaceBackend()
    sessions = [EffectivePermissions(writable=(str(tmp_path), str(number))) for number in range(KNOWN_MAX)]
    first = [backend.confine(COMMAND, permissions).mounts for permissions in sessions]
    again = [backend.confine(COMMAND, permissions).mounts for permissions in sessions]
    assert [*map(id, first)] == [*map(id, again)]
    backend.confine(COMMAND, EffectivePermissions(writable=("/one/more",)))
    assert backend.confine(COMMAND, sessions[0]).mounts is not first[0]  # no more than so many are kept


def test_the_working_directory_is_canonical(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    plan = NamespaceBackend().confine(COMMAND.but(cwd=str(tmp_path / "link")), EffectivePermissions())
    assert plan.cwd == str(tmp_path)


def test_a_variable_that_was_asked_for_stays_even_if_it_leads_to_a_socket() -> None:
    """The socket itself stays closed; only the name was wanted."""
    env = {"PATH": "/bin", "DISPLAY": ":1", "TMUX": "/tmp/tmux"}
    plan = NamespaceBackend().confine(
        COMMAND.but(env=env, set_variables=(("DISPLAY", ":1"),)), EffectivePermissions(network="on")
    )
    assert (plan.env.get("DISPLAY"), plan.env.get("TMUX")) == (":1", None)
