"""Was it the sandbox, what exactly was refused, and what is the smallest grant?"""

from __future__ import annotations

import pytest

from sandgate.protocol.commands import CommandResult
from sandgate.protocol.confinement import PATCH, AttemptOutcome, ConfinedCommand, SetupFailure
from sandgate.protocol.denials import Denial, DenialReport, Refused
from sandgate.protocol.permissions import EffectivePermissions, Grant
from sandgate.sandbox.denial import DENIALS_MAX, SHARED_PARENT_MIN, explain
from support.suite.rows import every

PERMISSIONS = EffectivePermissions(
    writable=("/repo",),
    read_only=("/repo/.git", "/repo/.vscode"),
    absent=("/repo/.codex",),
    hidden=("/run", "/home/me/.aws", "/home/me/.unknown", "/home/me/.ssh/id_rsa"),
)


def plan(permissions: EffectivePermissions = PERMISSIONS, backend: str = "namespace") -> ConfinedCommand:
    return ConfinedCommand(backend, ("cmd",), "/repo", {}, permissions)  # type: ignore[arg-type]


def patch(permissions: EffectivePermissions = PERMISSIONS) -> ConfinedCommand:
    return plan(permissions).but(argv=(PATCH, ""))


def ended(
    *refused: Refused, exit_code: int = 0, text: str = "", reported: bool = True, **more: object
) -> AttemptOutcome:
    result = CommandResult(exit_code, None, "exited", b"", b"", text.encode())
    return AttemptOutcome(result, refused, reported=reported, **more)  # type: ignore[arg-type]


def grants(*refused: Refused) -> list[Grant | None]:
    return [denial.grant for denial in explain(plan(), ended(*refused)).denials]


def viewed(*refused: Refused) -> list[Grant | None]:
    """Of a patch: no supervisor writes it, so only a view can be widened."""
    return [denial.grant for denial in explain(patch(), ended(*refused)).denials]


WRITE_MOTD = Refused("write", "openat", "/etc/motd", pid=7, program="sh")


def test_a_recorded_write_is_denied_and_explained() -> None:
    assert explain(plan(), ended(WRITE_MOTD, exit_code=1)) == DenialReport(
        "denied",
        (
            Denial(
                "write",
                path="/etc/motd",
                syscall="openat",
                errno="EROFS",
                program="sh",
                grant=Grant("write_path", "/etc/motd"),
            ),
        ),
    )


BYTECODE = Refused("create", "openat", "/opt/lib/__pycache__/m.cpython-311.pyc.140212226660656")


def test_a_write_that_programs_do_without_is_no_reason_for_a_failure() -> None:
    """Required: a red test asks nothing, wherever its virtual environment lies."""
    found = explain(plan(), ended(BYTECODE, exit_code=1))
    assert (found.verdict, found.denials, [each.path for each in found.did_without]) == (
        "not_denied", (), [BYTECODE.path],
    )  # fmt: skip


def test_beside_it_what_counts_is_still_denied() -> None:
    found = explain(plan(), ended(BYTECODE, WRITE_MOTD, exit_code=1))
    assert (found.verdict, [each.path for each in found.denials]) == ("denied", ["/etc/motd"])


def test_a_read_is_never_done_without() -> None:
    read = BYTECODE.but(operation="read")
    assert explain(plan(), ended(read, exit_code=1)).verdict == "denied"


@pytest.mark.parametrize("words", [("rm", "/opt/lib/__pycache__/m.pyc"), ("python", "-m", "compileall", "/opt/lib")])
def test_what_the_command_speaks_of_counts(words: tuple[str, ...]) -> None:
    assert explain(plan().but(argv=words), ended(BYTECODE, exit_code=1)).verdict == "denied"


def test_a_denial_behind_exit_code_zero_is_a_denial() -> None:
    """Required: `echo x > /etc/motd; true`."""
    assert explain(plan(), ended(WRITE_MOTD)).verdict == "denied"


@pytest.mark.parametrize("exit_code", [0, 1, 2, 126, 127, 159])
def test_words_never_count_where_the_layer_watched(exit_code: int) -> None:
    """Required: a failing test suite that prints "permission denied" is not a denial."""
    outcome = ended(exit_code=exit_code, text="sandbox: Permission denied (publickey). Operation not permitted")
    assert explain(plan(), outcome) == DenialReport("not_denied")


def test_a_refusal_that_the_host_would_repeat_is_not_a_denial() -> None:
    refused = WRITE_MOTD.but(host_allows=False, errno="EACCES")
    report = explain(plan(), ended(refused, exit_code=1))
    assert (report.verdict, [denial.grant for denial in report.denials]) == ("not_denied", [None])


@pytest.mark.parametrize(
    ("exit_code", "address", "verdict"),
    [
        (0, "[::1]:0", "not_denied"),
        (0, "127.0.0.1:0", "not_denied"),
        (1, "[::1]:0", "denied"),
        (0, "0.0.0.0:80", "denied"),
    ],
)
def test_a_local_port_asked_for_in_passing_is_no_denial(exit_code: int, address: str, verdict: str) -> None:
    """Our choice: `pip --version` looks for IPv6 like this, and nobody wants to be asked about it."""
    report = explain(plan(), ended(Refused("bind", "bind", address=address), exit_code=exit_code))
    assert (report.verdict, len(report.denials)) == (verdict, 1)


def test_nothing_is_denied_without_a_sandbox_or_a_run() -> None:
    assert explain(plan(backend="none"), ended(exit_code=1, text="permission denied")) == DenialReport("not_denied")
    failure = AttemptOutcome(None, failure=SetupFailure("unshare", "EPERM"))
    assert explain(plan(), failure) == DenialReport("not_denied")


# --- the smallest grant ---------------------------------------------------------------------------------------


@every(
    "refused, grant",
    [
        (Refused("write", "openat", "/etc/motd"), Grant("write_path", "/etc/motd")),
        (Refused("create", "openat", "/etc/new"), Grant("write_path", "/etc/new")),
        (Refused("create", "openat", "/opt/app/x.lock", exclusive=True), Grant("write_root", "/opt/app")),
        (Refused("create", "mkdirat", "/opt/new"), Grant("write_root", "/opt")),
        (Refused("create", "symlink", "/opt/link"), Grant("write_root", "/opt")),
        (Refused("delete", "unlinkat", "/etc/motd"), Grant("write_root", "/etc")),
        (Refused("rename", "renameat2", "/etc/motd"), Grant("write_root", "/etc")),
        (Refused("metadata", "fchmodat", "/etc/motd"), Grant("write_path", "/etc/motd")),
        (Refused("create", "mkdir", "/new"), None),
        (Refused("create", "openat", "/tmp/tmp.x0Yz"), Grant("write_root", "/tmp")),
        (Refused("metadata", "chmod", "/"), None),
        (Refused("write", "openat", "/proc/sys/kernel/core_pattern"), None),
        (Refused("write", "openat", "/sys/power/state"), None),
        (Refused("create", "openat", "/home/me/.aws/credentials"), None),
        (Refused("create", "openat", "/home/me/.unknown/settings"), Grant("write_path", "/home/me/.unknown/settings")),
        (Refused("write", "openat", "/home/me/.unknown/settings"), Grant("write_path", "/home/me/.unknown/settings")),
        (Refused("create", "openat", "/home/me/.unknown/token"), None),
        (Refused("delete", "unlink", "/home/me/.unknown/settings"), None),
        (Refused("create", "mkdir", "/home/me/.unknown/sub"), Grant("write_root", "/home/me/.unknown/sub")),
    ],
)
def test_where_a_view_is_widened_each_denial_carries_its_smallest_grant(refused: Refused, grant: Grant | None) -> None:
    assert viewed(refused) == [grant]


@every(
    "refused, grant",
    [
        (Refused("write", "openat", "/etc/motd"), Grant("write_path", "/etc/motd")),
        (Refused("create", "openat", "/etc/new"), Grant("new_entry", "/etc/new")),
        (Refused("create", "openat", "/opt/app/x.lock", exclusive=True), Grant("write_path", "/opt/app/x")),
        (Refused("create", "mkdirat", "/opt/new"), Grant("new_entry", "/opt/new")),
        (Refused("create", "symlink", "/opt/link"), Grant("new_entry", "/opt/link")),
        (Refused("delete", "unlinkat", "/etc/motd"), Grant("remove", "/etc/motd")),
        (Refused("rename", "renameat2", "/etc"), Grant("remove", "/etc")),
        (Refused("rename", "renameat2", "/etc/that-is-not-there"), Grant("new_entry", "/etc/that-is-not-there")),
        (Refused("metadata", "fchmodat", "/etc/motd"), Grant("metadata", "/etc/motd")),
        (Refused("create", "openat", "/tmp/tmp.x0Yz"), Grant("write_root", "/tmp")),
        (Refused("metadata", "chmod", "/"), None),
        (Refused("write", "openat", "/proc/sys/kernel/core_pattern"), None),
        (Refused("write", "openat", "/sys/power/state"), None),
        (Refused("create", "openat", "/home/me/.aws/credentials"), Grant("new_entry", "/home/me/.aws/credentials")),
        (Refused("delete", "unlink", "/home/me/.unknown/settings"), Grant("remove", "/home/me/.unknown/settings")),
        (Refused("create", "openat", "/repo/.vscode/tasks.json"), Grant("new_entry", "/repo/.vscode/tasks.json")),
        (Refused("create", "mkdir", "/repo/.codex"), Grant("new_entry", "/repo/.codex")),
        (Refused("delete", "rmdir", "/repo/.vscode"), Grant("remove", "/repo/.vscode")),
        (Refused("delete", "unlink", "/repo/.git/index.lock"), Grant("write_path", "/repo/.git")),
        (Refused("connect", "connect", address="10.0.0.1:443"), Grant("host", "10.0.0.1:443")),
        (Refused("connect", "connect", address="[2001:db8::1]:80"), Grant("host", "[2001:db8::1]:80")),
        (Refused("connect", "connect", address="unix:/run/docker.sock"), Grant("unix_socket", "/run/docker.sock")),
        (Refused("connect", "connect", address="unix:@bus"), None),
        (Refused("connect", "socket"), Grant("host", "*")),
        (Refused("bind", "bind", address="0.0.0.0:80"), None),
        (Refused("read", "openat", "/home/me/.aws"), Grant("read_path", "/home/me/.aws")),
        (Refused("exec", "execve", "/x"), None),
        (Refused("other", "mount"), None),
    ],
)
def test_where_a_supervisor_carries_it_out_each_denial_carries_its_smallest_grant(
    refused: Refused, grant: Grant | None
) -> None:
    """Required: the same as is offered at a call that waits; what is in a git directory takes a view."""
    assert grants(refused) == [grant]


@pytest.mark.parametrize(
    ("refused", "value"),
    [
        (Refused("connect", "connect", address="10.0.0.1:443"), "10.0.0.1:443"),
        (Refused("connect", "connect", address="127.0.0.1:8123"), "*"),
        (Refused("connect", "connect", address="[::1]:8123"), "*"),
        (Refused("connect", "connect", address="10.0.0.2:53"), "*"),
    ],
)
def test_without_a_network_of_its_own_a_command_serves_itself_on_the_hosts(refused: Refused, value: str) -> None:
    """Required: one host is opened alone; what is on the loopback may be a server of the command's, that wants more."""
    report = explain(plan(backend="landlock"), ended(refused, exit_code=1))
    assert [denial.grant for denial in report.denials] == [Grant("host", value)]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/repo/.git/index.lock", "/repo/.git"),
        ("/repo/.git", "/repo/.git"),
        ("/repo/.vscode/tasks.json", "/repo/.vscode"),
        ("/repo/.codex", "/repo/.codex"),
        ("/repo/.codex/config.toml", "/repo/.codex"),
    ],
)
@pytest.mark.parametrize("operation", ["create", "delete", "rename"])
def test_protected_names_need_a_grant_that_names_them(operation: str, path: str, name: str) -> None:
    assert viewed(Refused(operation, "openat", path)) == [Grant("write_path", name)]  # type: ignore[arg-type]


@pytest.mark.parametrize("operation", ["write", "metadata"])
@pytest.mark.parametrize(
    ("path", "opened"),
    [
        ("/repo/.git/HEAD", "/repo/.git/HEAD"),
        ("/repo/.git", "/repo/.git"),
        ("/repo/.codex/config.toml", "/repo/.codex"),  # it does not exist: only its name is protected
    ],
)
def test_for_a_change_of_what_is_protected_that_alone_is_opened(operation: str, path: str, opened: str) -> None:
    assert viewed(Refused(operation, "openat", path)) == [Grant("write_path", opened)]  # type: ignore[arg-type]


@pytest.mark.parametrize("operation", ["create", "delete", "rename"])
def test_what_is_code_in_a_git_directory_is_opened_by_its_own_name(operation: str) -> None:
    """Required: opened as a whole, a git directory keeps these closed, and the same would be refused again."""
    refused = Refused(operation, "openat", "/repo/.git/hooks/new")  # type: ignore[arg-type]
    assert viewed(refused) == [Grant("write_path", "/repo/.git/hooks")]


def test_protected_names_are_recognised_in_another_case_where_case_is_ignored() -> None:
    permissions = PERMISSIONS.but(case_insensitive=True)
    report = explain(patch(permissions), ended(Refused("create", "mkdir", "/repo/.CODEX")))
    assert report.denials[0].grant == Grant("write_path", "/repo/.codex")


def test_many_new_files_in_one_directory_make_the_directory_the_grant() -> None:
    many = [Refused("create", "openat", f"/opt/out/{number}") for number in range(SHARED_PARENT_MIN)]
    assert viewed(*many) == [Grant("write_root", "/opt/out")] * len(many)
    few = many[1:]
    assert viewed(*few) == [Grant("write_path", each.path) for each in few if each.path is not None]


@pytest.mark.parametrize("place", ["/home/me", "/srv/people/me", "/srv/people", "/root", "/projects", "/projects/team"])
def test_no_home_and_nothing_above_a_workspace_is_the_grant_for_new_files(place: str) -> None:
    """Required: whatever number of files is wanted there, each is named, and nothing else opens."""
    here = patch(PERMISSIONS.but(writable=("/projects/team/repo",))).but(env={"HOME": "/srv/people/me"})
    many = [Refused("create", "openat", f"{place}/{number}") for number in range(SHARED_PARENT_MIN + 1)]
    found = [denial.grant for denial in explain(here, ended(*many)).denials]
    assert found == [Grant("write_path", each.path) for each in many if each.path is not None]


def test_several_existing_files_are_granted_one_by_one() -> None:
    several = [Refused("write", "openat", f"/etc/{name}") for name in "ab"]
    assert viewed(*several) == [Grant("write_path", "/etc/a"), Grant("write_path", "/etc/b")]


def test_the_root_directory_is_never_the_grant() -> None:
    several = [Refused("create", "openat", f"/{name}") for name in "ab"]
    assert viewed(*several) == [Grant("write_path", "/a"), Grant("write_path", "/b")]


def test_the_same_refusal_is_told_once() -> None:
    assert len(explain(plan(), ended(WRITE_MOTD, WRITE_MOTD.but(pid=8), WRITE_MOTD)).denials) == 1


def test_denials_over_the_cap_are_counted() -> None:
    many = [Refused("write", "openat", f"/etc/{number}") for number in range(DENIALS_MAX + 3)]
    report = explain(plan(), ended(*many, refused_omitted=2))
    assert (len(report.denials), report.omitted) == (DENIALS_MAX, 5)


# --- reads of hidden files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cat: /home/me/.aws/credentials: Permission denied", "/home/me/.aws"),
        ("cat: .aws: Permission denied", "/home/me/.aws"),
        ("PermissionError: [Errno 13] Permission denied: '.ssh/id_rsa'", "/home/me/.ssh/id_rsa"),
        ("ls: cannot open directory '/run': Permission denied", "/run"),
    ],
)
def test_nothing_is_offered_for_what_no_grant_opens(text: str, path: str) -> None:
    """Required: a hint that would change nothing is worse than none."""
    own = plan()
    sealed = own.but(permissions=own.permissions.but(sealed=(path,)))
    (denial,) = explain(sealed, ended(exit_code=1, text=text)).denials
    assert (denial.path, denial.grant) == (path, None)
    (denial,) = explain(sealed, ended(Refused("read", "openat", f"{path}/x"))).denials
    assert denial.grant is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cat: /home/me/.aws/credentials: Permission denied", "/home/me/.aws"),
        ("cat: .aws: Permission denied", "/home/me/.aws"),
        ("PermissionError: [Errno 13] Permission denied: '.ssh/id_rsa'", "/home/me/.ssh/id_rsa"),
        ("ls: cannot open directory '/run': Permission denied", "/run"),
    ],
)
def test_a_failing_command_that_names_a_hidden_path_was_denied_a_read(text: str, path: str) -> None:
    assert explain(plan(), ended(exit_code=1, text=text)) == DenialReport(
        "denied",
        (Denial("read", path=path, errno="EACCES", certain=False, layer="heuristic", grant=Grant("read_path", path)),),
    )


def test_a_path_in_full_is_not_taken_for_another_of_that_name() -> None:
    """Required: the grant that is offered opens what was asked for."""
    both = PERMISSIONS.but(hidden=("/home/me/.netrc", "/root/.netrc"))
    full = explain(plan(both), ended(exit_code=1, text="cat: /root/.netrc: Permission denied"))
    assert [denial.path for denial in full.denials] == ["/root/.netrc"]
    short = explain(plan(both), ended(exit_code=1, text="cat: .netrc: Permission denied"))
    assert [denial.path for denial in short.denials] == ["/home/me/.netrc", "/root/.netrc"]


def test_a_refusal_that_is_on_record_is_not_told_once_more_as_another_of_that_name() -> None:
    """Required: nobody is asked to open a file of the same name in another place."""
    wanted = Refused("create", "openat", "/srv/.unknown", errno="EACCES", program="sh")
    report = explain(plan(), ended(wanted, exit_code=2, text="sh: cannot create /srv/.unknown: Permission denied"))
    assert [denial.path for denial in report.denials] == ["/srv/.unknown"]


@pytest.mark.parametrize(
    ("exit_code", "text"),
    [
        (0, "cat: .aws: Permission denied"),
        (1, "cat: .aws: No such file or directory"),
        (1, "see .aws\nssh: Permission denied (publickey)"),
        (1, "run: Permission denied"),
        (1, "cat: my.aws: Permission denied"),
        (1, "cat: .aws-backup: Permission denied"),
    ],
)
def test_other_words_are_no_read_denial(exit_code: int, text: str) -> None:
    assert explain(plan(), ended(exit_code=exit_code, text=text)) == DenialReport("not_denied")


# --- nobody watched -------------------------------------------------------------------------------------------


def guess(text: str, exit_code: int = 1, permissions: EffectivePermissions = PERMISSIONS) -> DenialReport:
    return explain(plan(permissions), ended(exit_code=exit_code, text=text, reported=False))


@pytest.mark.parametrize("text", ["READ-ONLY FILE SYSTEM", "x\ntouch: Permission denied", "failed to write file"])
@pytest.mark.parametrize("exit_code", [1, 2, 126, 127])
def test_denial_words_count_where_nobody_watched_and_are_not_certain(text: str, exit_code: int) -> None:
    report = guess(text, exit_code)
    assert report == DenialReport("denied", (Denial("other", certain=False, layer="heuristic"),))


def test_an_unreachable_name_server_is_a_denied_network_when_it_is_off() -> None:
    text = "curl: (6) Could not resolve host: example.org"
    on = PERMISSIONS.but(network="on")
    denial = Denial("connect", certain=False, layer="heuristic", grant=Grant("host", "*"))
    assert guess(text, 6) == DenialReport("denied", (denial,))
    assert guess(text, 6, on) == DenialReport("unknown")


def test_a_shells_report_of_a_bad_system_call_counts() -> None:
    assert guess("", 159).verdict == "denied"


@pytest.mark.parametrize(("exit_code", "text"), [(0, "permission denied"), (1, "boom"), (127, "not found")])
def test_without_a_sign_the_verdict_is_unknown(exit_code: int, text: str) -> None:
    assert guess(text, exit_code) == DenialReport("unknown")


@pytest.mark.parametrize("termination", ["signaled", "timed_out", "cancelled", "interrupted"])
def test_a_command_that_was_stopped_is_not_guessed_about(termination: str) -> None:
    result = CommandResult(124, None, termination, b"", b"", b"permission denied")  # type: ignore[arg-type]
    assert explain(plan(), AttemptOutcome(result)) == DenialReport("unknown")


def test_given_text_replaces_the_captured_output() -> None:
    outcome = ended(exit_code=1, text="permission denied", reported=False)
    assert explain(plan(), outcome, "").verdict == "unknown"


def test_no_grant_is_offered_for_our_own_code() -> None:
    """Required: nothing opens it, so nobody is asked."""
    closed = PERMISSIONS.but(read_only=("/repo/.venv",), own=("/repo/.venv",))
    report = explain(plan(closed), ended(Refused("write", "openat", "/repo/.venv/bin/python")))
    assert [denial.grant for denial in report.denials] == [None]
