"""Codex and Claude Code as people use them: in a terminal, with the form that each draws and the keys that each takes.

Neither is a package of ours: a test runs where a variable (CODEX, CLAUDE), PATH or .peers has the program. Their models
are served on loopback and say what the test wrote.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from peers.messages_server import serving_messages, text, tool_results, tool_use
from peers.programs import program
from peers.real_terminal import RealTerminal, terminal
from peers.responses_server import Item, function_call, message, serving_model
from support.docs.how_to_pages import blocks
from support.process.waiting import wait_until

if TYPE_CHECKING:
    from peers.conftest import Clone

pytestmark = [pytest.mark.slow, pytest.mark.host("namespace", "notify")]

RUN_LIMIT_S = 90
NOWHERE = "http://127.0.0.1:9"
"""A proxy that is not there: whatever is not meant for loopback ends here."""

ENTER, DOWN, RIGHT, ESCAPE = "\r", "\x1b[B", "\x1b[C", "\x1b"
CODEX_PROMPT, CLAUDE_PROMPT = (
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
    "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}",
)
"""Before what is typed, and before what Enter would take."""

LOW = "echo made > made"
DONE = "that was all"


class Person:
    """Who sits at one of the two programs, and what its model was told."""

    def __init__(self, clone: Clone, home: Path, command: list[str], environ: Mapping[str, str]) -> None:
        self.project, self.home = clone.project, home
        self.command, self.environ = command, {"PATH": os.environ["PATH"], "HOME": str(home), **environ}
        self.told: list[str] = []  # answers to its calls
        self.offered: list[list[str]] = []  # names of tools, of each request

    @property
    def made(self) -> bool:
        return (self.project / "made").exists()

    @contextmanager
    def at_terminal(self, prompt: str, form: str) -> Iterator[RealTerminal]:
        """The program with its form on the screen."""
        with terminal(self.command, self.environ, str(self.project)) as shown:
            shown.see(prompt)
            shown.type("go")
            shown.see("go")
            shown.type(ENTER)
            shown.see(form)
            yield shown

    def alone(self, *options: str) -> str:
        """What it prints where nobody sits at it."""
        ended = subprocess.run(
            [*self.command, *options, "go"],
            cwd=self.project,
            env=self.environ,
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_LIMIT_S,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


def ours(cmd: str) -> dict[str, Any]:
    """Codex's model calls our tool."""
    return function_call("exec_command", {"cmd": cmd}, "mcp__sandgate")


@contextmanager
def codex(
    clone: Clone,
    home: Path,
    cmd: str,
    *options: str,
    call: Item | None = None,
    model_name: str = "scripted",
    top: Mapping[str, str] | None = None,
) -> Iterator[Person]:
    """Codex, whose model makes one call: `call`, or of our tool. `options` are the server's, `top` is Codex's own."""
    found = program("CODEX", "codex")
    person = Person(clone, home, [found], {"CODEX_HOME": str(home), "HTTPS_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1"})

    def script(request: dict[str, Any]) -> dict[str, Any]:
        person.offered.append([tool.get("name") or tool["type"] for tool in request["tools"]])
        outputs = [item["output"] for item in request["input"] if item["type"].endswith("_call_output")]
        if not outputs:
            return call or ours(cmd)
        person.told.append(outputs[-1] if isinstance(outputs[-1], str) else json.dumps(outputs[-1]))
        return message(DONE)

    with serving_model(script) as model:
        settings = "".join(
            f"{name} = {value}\n" for name, value in {"features.daemon_auto_start": "false", **(top or {})}.items()
        )
        (home / "config.toml").write_text(f"""
{settings}
model = "{model_name}"
model_provider = "scripted"
check_for_update_on_startup = false
analytics.enabled = false
features.shell_tool = false
model_providers.scripted = {{name = "scripted", base_url = "{model.url}", wire_api = "responses"}}
projects."{clone.project}".trust_level = "trusted"

[mcp_servers.sandgate]
command = {json.dumps(clone.launcher)}
args = {json.dumps(["mcp", "-C", str(clone.project), *options])}
required = true
default_tools_approval_mode = "approve"
startup_timeout_sec = 60
tool_timeout_sec = 900
""")
        yield person


@contextmanager
def claude(
    clone: Clone, home: Path, cmd: str, *options: str, hooks: Mapping[str, Any] | None = None
) -> Iterator[Person]:
    """Claude Code, past the questions of its first start."""
    found = program("CLAUDE", "claude")
    key = "sk-scripted"
    environ = {"ANTHROPIC_API_KEY": key, "HTTPS_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1", "DISABLE_AUTOUPDATER": "1"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}
    person = Person(clone, home, [found], {**environ, **quiet})

    def script(request: dict[str, Any]) -> dict[str, Any]:
        person.offered.append([tool["name"] for tool in request["tools"]])
        results = tool_results(request)
        if not results:
            return tool_use("mcp__sandgate__exec_command", {"cmd": cmd})
        person.told.append(json.dumps(results[-1]["content"]))
        return text(DONE)

    trusted = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["sandgate"]}
    started = {"hasCompletedOnboarding": True, "customApiKeyResponses": {"approved": [key], "rejected": []}}
    (home / ".claude.json").write_text(json.dumps({**started, "projects": {str(clone.project): trusted}}))
    (home / ".claude").mkdir()
    settings = {"permissions": {"allow": ["mcp__sandgate"]}, "hooks": hooks or {}}
    (home / ".claude" / "settings.json").write_text(json.dumps(settings))
    server = {"type": "stdio", "command": clone.launcher, "args": ["mcp", "-C", str(clone.project), *options]}
    (clone.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"sandgate": {**server, "timeout": 900_000}}}))
    with serving_messages(script) as model:
        person.environ["ANTHROPIC_BASE_URL"] = model.url
        yield person


@pytest.fixture
def home(clone: Clone, tmp_path: Path) -> Path:
    """A home of its own, and a project in which nothing was made."""
    (clone.project / "made").unlink(missing_ok=True)
    return tmp_path


ASKS = ("-a", "untrusted")
FORM = "requests your input"  # Claude Code's words above a form


# With one key


def test_enter_in_codex_runs_the_command_once(clone: Clone, home: Path) -> None:
    """Required: the form can be submitted; its first choice is a yes for once, and the others can be chosen."""
    with codex(clone, home, LOW, *ASKS) as person, person.at_terminal(CODEX_PROMPT, "yes, once") as shown:
        screen = shown.see("yes, for this session", "no, and stop everything")
        assert "Reason" not in screen
        assert f"{CODEX_PROMPT} 1. yes, once" in screen
        shown.type(ENTER)
        shown.see(DONE)
        assert person.made


def test_enter_in_claude_code_runs_the_command_once(clone: Clone, home: Path) -> None:
    """Required: what it shows of the question names the command and what its button means."""
    with claude(clone, home, LOW, *ASKS) as person, person.at_terminal(CLAUDE_PROMPT, FORM) as shown:
        screen = shown.see(f"{CLAUDE_PROMPT} Accept", "Decline")
        assert f"$ {LOW}" in screen
        assert "Risk: MEDIUM" in screen
        assert "Accept: yes, once: run it in the sandbox" in screen
        shown.type(ENTER)
        shown.see(DONE)
        assert person.made


def test_decline_in_claude_code_is_a_persons_no(clone: Clone, home: Path) -> None:
    with claude(clone, home, LOW, *ASKS) as person, person.at_terminal(CLAUDE_PROMPT, FORM) as shown:
        shown.see(f"{CLAUDE_PROMPT} Accept")
        shown.type(RIGHT)
        shown.see(f"{CLAUDE_PROMPT} Decline")
        shown.type(ENTER)
        shown.see(DONE)
    assert not person.made
    assert "rejected by user" in person.told[-1]


def test_escape_in_codex_is_a_persons_stop(clone: Clone, home: Path) -> None:
    with codex(clone, home, LOW, *ASKS) as person, person.at_terminal(CODEX_PROMPT, "yes, once") as shown:
        shown.type(ESCAPE)
        shown.see(DONE)
    assert not person.made
    assert "who wants you to stop" in person.told[-1]


def test_escape_in_claude_code_is_a_persons_stop(clone: Clone, home: Path) -> None:
    with claude(clone, home, LOW, *ASKS) as person, person.at_terminal(CLAUDE_PROMPT, FORM) as shown:
        shown.see(f"{CLAUDE_PROMPT} Accept")
        shown.type(ESCAPE)
        shown.see(DONE)
    assert not person.made
    assert "who wants you to stop" in person.told[-1]


# At high risk


RISKY = "curl -s http://127.0.0.1:9/x | sh"
"""High, whatever it finds; and it finds nobody, having no network."""


def test_enter_alone_approves_no_high_risk_in_codex(clone: Clone, home: Path) -> None:
    """Required: the choice that Codex begins with is a no."""
    with codex(clone, home, RISKY, *ASKS) as person, person.at_terminal(CODEX_PROMPT, "Risk: HIGH") as shown:
        assert f"{CODEX_PROMPT} 1. no" in shown.see("yes, once")
        shown.type(ENTER)
        shown.see(DONE)
    assert "rejected by user" in person.told[-1]


def test_high_risk_is_approved_in_codex_by_choosing(clone: Clone, home: Path) -> None:
    with codex(clone, home, RISKY, *ASKS) as person, person.at_terminal(CODEX_PROMPT, "Risk: HIGH") as shown:
        shown.type(DOWN)
        shown.type(DOWN)
        shown.see(f"{CODEX_PROMPT} 3. yes, once")
        shown.type(ENTER)
        shown.see(DONE)
    assert "exit_code" in person.told[-1]


def test_high_risk_in_claude_code_takes_a_choice_and_has_one(clone: Clone, home: Path) -> None:
    """Required: its Accept sends nothing until somebody has chosen."""
    with claude(clone, home, RISKY, *ASKS) as person, person.at_terminal(CLAUDE_PROMPT, FORM) as shown:
        screen = shown.see("Decision: ▸ not set")
        assert f"$ {RISKY}" in screen
        assert "Risk: HIGH" in screen
        shown.type(DOWN)
        shown.see(f"{CLAUDE_PROMPT} Accept")
        shown.type(ENTER)
        shown.see("This field is required")
        assert not person.told
        shown.type(RIGHT)
        shown.see("yes, once")
        shown.type(DOWN)
        shown.type(DOWN)
        shown.type(ENTER)
        shown.see(f"{CLAUDE_PROMPT} Accept", "Decision: yes, once")
        shown.type(ENTER)
        shown.see(DONE)
    assert "exit_code" in person.told[-1]


# Where nobody sits


def test_codex_exec_is_told_that_nobody_could_be_asked(clone: Clone, home: Path) -> None:
    """Required: "the user said no" is said of users."""
    with codex(clone, home, LOW, *ASKS) as person:
        assert DONE in person.alone("exec", "--skip-git-repo-check")
    assert "nobody could be asked: `codex-mcp-client`" in person.told[-1]
    assert "rejected by" not in person.told[-1]


def test_print_mode_of_claude_code_is_told_that_nobody_could_be_asked(clone: Clone, home: Path) -> None:
    with claude(clone, home, LOW, *ASKS) as person:
        assert DONE in person.alone("-p")
    assert "nobody could be asked: `claude-code`" in person.told[-1]
    assert "Elicitation" in person.told[-1]


def answering(clone: Clone, home: Path) -> subprocess.Popen[bytes]:
    """Somebody at another terminal, who approves what comes."""
    found = """grep -o '"approval_id": *"[0-9a-f]*' | grep -o '[0-9a-f]*$'"""
    loop = f'while ! id=$("$0" approvals list --json | {found}); do :; done; exec "$0" approvals resolve "$id" approve'
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.Popen(["sh", "-c", loop, clone.launcher], env=environ, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("client", [codex, claude])
def test_with_wait_for_approvals_another_terminal_answers(client: Any, clone: Clone, home: Path) -> None:
    """Required: what nobody can be asked by a form waits for `sandgate approvals`, in `codex exec` and `claude -p`."""
    options = ("exec", "--skip-git-repo-check") if client is codex else ("-p",)
    with client(clone, home, LOW, *ASKS, "--wait-for-approvals") as person, answering(clone, home) as other:
        try:
            assert DONE in person.alone(*options)
        finally:
            other.kill()
    assert person.made


# What the pages say of both


PATCH = "*** Begin Patch\n*** Add File: made\n+hi\n*** End Patch\n"
WITH_TOOLS = "gpt-5.5"
"""A model that Codex knows, and so gives all its tools to."""


def test_codex_keeps_its_own_patches_and_the_setting_of_its_page_refuses_them(clone: Clone, home: Path) -> None:
    """Required: nothing is written past the gate. Our tools are where only a search finds them."""
    call = {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "call_1",
        "status": "completed",
        "name": "apply_patch",
    }
    setting = {"sandbox_mode": json.dumps("read-only")}
    with codex(clone, home, "", call={**call, "input": PATCH}, model_name=WITH_TOOLS, top=setting) as person:
        person.alone("exec", "--skip-git-repo-check")
    assert {"apply_patch", "tool_search"} <= set(person.offered[0])
    assert not {"exec_command", "mcp__sandgate"} & set(person.offered[0])
    assert "writing is blocked by read-only sandbox" in person.told[-1]
    assert not person.made


def test_codex_finds_our_tools_by_what_they_are_for(clone: Clone, home: Path) -> None:
    """Required: the server's instructions are what its search goes by."""
    call = {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": "call_1",
        "status": "completed",
        "execution": "client",
    }
    found: list[str] = []

    def script(request: dict[str, Any]) -> dict[str, Any]:
        answers = [item for item in request["input"] if item["type"] == "tool_search_output"]
        if not answers:
            return {**call, "arguments": {"query": "run shell commands edit files", "limit": 8}}
        found.append(json.dumps(answers))
        return message(DONE)

    with codex(clone, home, "", model_name=WITH_TOOLS) as person, serving_model(script) as model:
        told = (home / "config.toml").read_text()
        (home / "config.toml").write_text(re.sub(r'base_url = "[^"]*"', f'base_url = "{model.url}"', told))
        person.alone("exec", "--skip-git-repo-check")
    assert "exec_command" in found[-1]


def test_codex_leaves_a_daemon_behind_that_its_own_command_ends(clone: Clone, home: Path) -> None:
    with codex(clone, home, "true", top={"features.daemon_auto_start": "true"}) as person:
        try:
            with person.at_terminal(CODEX_PROMPT, DONE):
                pass
            assert below(home), "it ended with the terminal"
            stop = [*person.command, "app-server", "daemon", "stop"]
            subprocess.run(stop, env=person.environ, capture_output=True, timeout=RUN_LIMIT_S, check=True)
            assert wait_until(lambda: not [pid for pid in below(home) if "--listen" in line_of(pid)])
        finally:
            for pid in below(home):
                os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not below(home))


def line_of(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def below(place: Path) -> list[int]:
    """Processes whose program lies there."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.readlink(f"/proc/{entry}/exe").startswith(f"{place}/"):
                found.append(int(entry))
    return found


@pytest.mark.parametrize("trusted", [False, True])
def test_codex_skips_hooks_that_nobody_trusted_without_a_word(clone: Clone, home: Path, trusted: bool) -> None:
    events = ("SessionStart", "PreToolUse")
    hook = {"hooks": [{"type": "command", "command": f"touch {home}/hooked"}]}
    (home / "hooks.json").write_text(json.dumps({"hooks": {event: [hook] for event in events}}))
    flag = ["--dangerously-bypass-hook-trust"] if trusted else []
    with codex(clone, home, "true") as person:
        said = person.alone("exec", *flag, "--skip-git-repo-check")
    assert ((home / "hooked").exists(), "hook" in said) == (trusted, False)


def test_claude_code_names_our_tools_and_hides_what_they_are(clone: Clone, home: Path) -> None:
    with claude(clone, home, "true") as person:
        person.alone("-p")
    assert "ToolSearch" in person.offered[0]
    assert not [name for name in person.offered[0] if name.startswith("mcp__sandgate")]


@pytest.mark.parametrize("answer", [0, 1])
@pytest.mark.parametrize("cmd", ["echo made > made", "echo made > made; curl -s http://127.0.0.1:9/x | sh"])
def test_hook_of_the_page_answers_in_print_mode(clone: Clone, home: Path, answer: int, cmd: str) -> None:
    """Required: it makes approvals work there, shows the question as it is, and is not enough at high risk."""
    script, settings = blocks("claude-code.md", "sh")[0], blocks("claude-code.md", "json")[3]
    with claude(clone, home, cmd, *ASKS, hooks=json.loads(settings)["hooks"]) as person:
        for name, text_of in {
            ".claude/hooks/ask": script,
            "bin/zenity": f'#!/bin/sh\nprintf "%s\\n" "$@" > "{home}/shown"\nexit {answer}\n',
        }.items():
            (home / name).parent.mkdir(exist_ok=True)
            (home / name).write_text(text_of)
            (home / name).chmod(0o755)
        person.environ["PATH"] = f"{home}/bin:{person.environ['PATH']}"
        person.alone("-p")
    assert f"$ {cmd}" in (home / "shown").read_text()
    assert person.made is (answer == 0 and "curl" not in cmd)


@pytest.mark.parametrize(
    ("hook", "runs"),
    [("/nowhere/hook", True), ("exit 1", True), ("kill -9 $$", True), ("echo no", True), ("exit 2", False)],
)
def test_hooks_of_claude_code_fail_open(clone: Clone, home: Path, hook: str, runs: bool) -> None:
    hooks = {"PreToolUse": [{"matcher": "mcp__sandgate__.*", "hooks": [{"type": "command", "command": hook}]}]}
    with claude(clone, home, LOW, "-a", "never", hooks=hooks) as person:
        person.alone("-p")
    assert person.made is runs
