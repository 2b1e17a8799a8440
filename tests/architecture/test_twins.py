from support.suite.source_tree import REPOSITORY, modules, shown

TESTED_ELSEWHERE = {
    "errors.": (
        "tests/journeys/test_sandgate_run.py",
        "plain classes; their messages are compared where they are shown",
    ),
    "commandline.commission_rows": (
        "tests/commandline/test_commissions.py",
        "data; what it says shows in what is found",
    ),
    "places.run_later_rows": ("tests/places/test_run_later.py", "data; what it says shows in what is asked of it"),
    "commandline.bashcommands": ("tests/commandline/test_bash.py", "values; what reads scripts makes them"),
    "terminals.ending": ("tests/terminals/test_terminal.py", "a result; it shows where a command has ended"),
    "terminals.identity": ("tests/terminals/test_start.py", "a value without behaviour of its own"),
    "terminals.loop_waiting": ("tests/runtime/test_aio.py", "waits on an event loop; shows in what such callers get"),
    "terminals.traffic": ("tests/terminals/test_terminal.py", "reading and writing show in what a command does"),
    "terminals.interfaces": ("tests/terminals/test_terminal.py", "a protocol without code"),
    "gate.forecast": ("tests/runtime/test_runtime.py", "a value without behaviour of its own"),
    "gate.gate_request": ("tests/gate/test_gate.py", "a value without behaviour of its own"),
    "tools.python_arguments": (
        "tests/conversations/test_exec_command.py",
        "arguments, held to the rules of tools/arguments.py",
    ),
    "runtime.wiring": ("tests/gate/test_confinement.py", "what it puts together is looked at as a whole"),
    "runtime.commands": ("tests/runtime/test_runtime.py", "the part of a session that `Runtime` builds on"),
    "runtime.caches": ("tests/surfaces/cli/test_caches.py", "names alone"),
    "runtime.decisions": ("tests/surfaces/cli/test_decisions.py", "names alone"),
    "runtime.foresight": ("tests/surfaces/cli/test_check.py", "what surfaces print"),
    "runtime.patches": ("tests/surfaces/cli/test_patch.py", "names alone"),
    "runtime.ports": ("tests/surfaces/cli/test_ports.py", "names alone"),
    "runtime.idle_places": ("tests/surfaces/cli/test_rules_add.py", "shows in which rules are added"),
    "runtime.opening": ("tests/runtime/test_runtime.py", "every session of every test is opened by it"),
    "gate.contracts": ("tests/gate/test_gate.py", "protocols without code"),
    "gate.held_questions": ("tests/gate/test_gate.py", "what it asks and answers shows in what the gate does"),
    "gate.readiness": ("tests/gate/test_launch.py", "the part that every launch of a passage shares"),
    "tools.tool": ("tests/tools/test_registry.py", "values; they show in what is made from them"),
    "tools.interfaces": ("tests/tools/test_live_commands.py", "a protocol without code"),
    "surfaces.cli.options": ("tests/surfaces/cli/test_parse.py", "a table; it shows in what is parsed and in the help"),
    "surfaces.cli.run": ("tests/journeys/test_sandgate_run.py", "its streams and exit codes belong to a process"),
    "surfaces.mcp.event_telling": (
        "tests/surfaces/mcp/test_client_thread.py",
        "shows in what a client of a turn hears",
    ),
    "surfaces.mcp.thread_answers": ("tests/surfaces/mcp/test_client_thread.py", "shows in what a client is asked"),
    "surfaces.mcp.disconnects": ("tests/surfaces/mcp/test_http.py", "shows in which sessions of a server end"),
    "surfaces.mcp.connections": ("tests/surfaces/mcp/test_http.py", "its limits belong to real connections"),
    "surfaces.mcp.request_limit": ("tests/surfaces/mcp/test_http.py", "counts what the SDK's server has in progress"),
    "surfaces.mcp.http_guard": (
        "tests/surfaces/mcp/test_http.py",
        "turns away real requests; what it lets in is served",
    ),
    "surfaces.transport.signals": ("tests/surfaces/mcp/test_stdio.py", "signals belong to a process"),
    "surfaces.transport.streams": ("tests/surfaces/mcp/test_stdio.py", "standard streams belong to a process"),
    "surfaces.transport.wire": ("tests/surfaces/mcp/test_stdio.py", "two threads between real pipes and a server"),
    "surfaces.transport.loopback": ("tests/surfaces/mcp/test_http.py", "sockets and names of a real server"),
    "surfaces.transport.token_choice": ("tests/surfaces/mcp/test_command.py", "shows in what a server takes"),
    "agent.client_settings": (
        "tests/surfaces/app_server/test_thread_settings.py",
        "shows in what the clients of servers may ask for",
    ),
    "surfaces.transport.json_rpc": (
        "tests/surfaces/app_server/test_connection.py",
        "its words are in a server's answers",
    ),
    "agent.client_commands": ("tests/surfaces/app_server/test_about_commands.py", "shows in what its commands may"),
    "surfaces.app_server.client_command": (
        "tests/surfaces/app_server/test_about_commands.py",
        "real commands of clients",
    ),
    "surfaces.app_server.command_gates": (
        "tests/surfaces/app_server/test_about_commands.py",
        "real commands of clients",
    ),
    "surfaces.sessions.life": ("tests/surfaces/app_server/test_about_threads.py", "shows in how threads begin and end"),
    "surfaces.sessions.serving": ("tests/surfaces/app_server/test_thread_settings.py", "a value"),
    "surfaces.acp.agent": ("tests/surfaces/acp/test_stdio.py", "what it answers, the library's client reads"),
    "surfaces.acp.calls": ("tests/surfaces/acp/test_stdio.py", "shows in what an editor is told"),
    "surfaces.acp.client": ("tests/surfaces/acp/test_stdio.py", "what it tells arrives"),
    "surfaces.acp.command": ("tests/surfaces/acp/test_stdio.py", "shows in the program itself"),
    "surfaces.acp.live_session": ("tests/surfaces/acp/test_stdio.py", "a session with its editor"),
    "surfaces.acp.refusal": ("tests/surfaces/acp/test_stdio.py", "shows in what is answered"),
    "surfaces.acp.sessions": ("tests/surfaces/acp/test_stdio.py", "shows in what is opened"),
    "surfaces.acp.story": ("tests/surfaces/acp/test_stdio.py", "shows in what an editor is told"),
    "surfaces.cli.session_serving": ("tests/surfaces/cli/test_app_server.py", "shows in what servers of sessions say"),
    "surfaces.app_server.wire.": (
        "tests/surfaces/app_server/wire/test_methods.py",
        "forms without behaviour; recorded messages are held to them",
    ),
    "surfaces.app_server.command": ("tests/surfaces/app_server/test_stdio.py", "shows in the program itself"),
    "surfaces.app_server.handlers": ("tests/surfaces/app_server/test_connection.py", "a table; compared as a whole"),
    "surfaces.app_server.item_forms": ("tests/surfaces/app_server/test_about_turns.py", "its items are told there"),
    "surfaces.app_server.live_thread": (
        "tests/surfaces/app_server/test_about_threads.py",
        "a session with its clients, from its beginning to its end",
    ),
    "surfaces.app_server.messages": (
        "tests/surfaces/app_server/test_connection.py",
        "what is read shows in what is answered",
    ),
    "surfaces.app_server.refusal": ("tests/surfaces/app_server/test_thread_settings.py", "shows in what is refused"),
    "surfaces.app_server.story": ("tests/surfaces/app_server/test_about_turns.py", "what real turns are told as"),
    "surfaces.app_server.thread_forms": (
        "tests/surfaces/app_server/test_about_threads.py",
        "its forms are listed there",
    ),
    "surfaces.app_server.threads": ("tests/surfaces/app_server/test_about_threads.py", "which are open, and for whom"),
    "model.answer_form": ("tests/model/test_responses.py", "part of a request; whole requests are compared"),
    "model.exchange": ("tests/model/test_responses.py", "what both wires share, shown on the one used most"),
    "model.incoming": ("tests/model/test_responses.py", "one response; its end shows in what the reader gets"),
    "model.prompt": ("tests/model/test_responses.py", "values without behaviour of their own"),
    "model.streaming": ("tests/model/test_responses.py", "values without behaviour of their own"),
    "session.base_instructions": ("tests/agent/test_resume.py", "one text; whole requests are compared"),
    "session.context": (
        "tests/session/test_session.py",
        "what tools of a turn are given; shows in what they tell and ask",
    ),
    "session.interfaces": ("tests/session/test_session.py", "protocols without code"),
    "session.turn": ("tests/session/test_session.py", "values without behaviour of their own"),
    "agent.options": ("tests/agent/test_agent.py", "values without behaviour of their own"),
    "agent.factory": ("tests/agent/test_agent.py", "every session of every test is made by it"),
    "agent.models": ("tests/agent/test_agent.py", "every session of every test is given its model by it"),
    "model.question": ("tests/model/test_client.py", "a value without behaviour of its own"),
    "reviewers.consultation": (
        "tests/reviewers/test_model_risk.py",
        "one question's end shows in what is told of it",
    ),
    "patch.changes": ("tests/patch/test_plan.py", "what a plan says; there is no way to it but a plan"),
    "gate.new_repositories": (
        "tests/gate/test_running_commands.py",
        "what sessions may begin, with the company they have",
    ),
    "sandbox.grounds": ("tests/sandbox/test_looking.py", "a value without behaviour of its own"),
    "sandbox.protection": ("tests/sandbox/test_protected.py", "a value without behaviour of its own"),
    "sandbox.workspace_question": ("tests/sandbox/test_facts.py", "a value without behaviour of its own"),
    "sandbox.survey": (
        "tests/sandbox/test_facts.py",
        "asks where nothing is known; facts are asked for as a whole",
    ),
    "sandbox.diagnosis": ("tests/runtime/test_doctor.py", "what it finds shows in what a session's doctor says"),
    "execution.draft_files": (
        "tests/execution/test_draft_judgement.py",
        "what is read of a draft shows in how it is judged",
    ),
    "execution.draft_objects": ("tests/execution/test_carrying.py", "shows in which objects are carried over"),
    "sandbox.begun_alone": ("tests/journeys/test_git_init.py", "a lock between commands; shows in what both may do"),
    "patch.drafts": ("tests/patch/test_plan.py", "one file of a plan in the making; shows in how hunks compose"),
    "patch.hunks": ("tests/patch/test_parse.py", "values without behaviour of their own"),
    "patch.report": ("tests/patch/test_program.py", "one text, compared where it is printed"),
    "protocol.": ("tests/test_record.py", "values without behaviour of their own"),
    "reference.": (
        "tests/reference/test_pages.py",
        "what it writes is held to the program and to real lines and files",
    ),
    "assessment.": ("tests/assessment/test_corpus.py", "judged as a whole, by a corpus of command lines"),
    "kernel.deeds": ("tests/kernel/test_held_calls.py", "values; they show in what is carried out"),
    "kernel.given_grants": ("tests/kernel/test_held_calls.py", "shows in what is carried out, under both backends"),
    "kernel.performing": ("tests/kernel/test_held_calls.py", "shows in what is carried out, under both backends"),
    "kernel.restriction": ("tests/kernel/test_restricted.py", "shows in what a restricted child may do"),
    "kernel.helper_sources": ("tests/kernel/test_build.py", "what is built is made of them"),
    "kernel.compile": ("tests/kernel/test_build.py", "compiling is what building comes to"),
    "policy.danger_checks": ("tests/policy/test_dangerous.py", "what is asked of each program; whole lines are judged"),
    "policy.danger_in_company": ("tests/policy/test_dangerous.py", "whole lines are judged there"),
    "policy.safe_find": ("tests/policy/test_safety.py", "a part of what makes a command safe"),
    "policy.danger": ("tests/policy/test_dangerous.py", "single commands are judged there, too"),
    "surfaces.cli.denied_lines": ("tests/surfaces/cli/test_narrate.py", "its lines are what is told there"),
    "surfaces.cli.forms": ("tests/surfaces/cli/test_parse.py", "commands with forms are taken apart there"),
    "surfaces.cli.usage_errors": ("tests/surfaces/cli/test_parse.py", "what it says is compared there"),
    "surfaces.cli.parsed": ("tests/surfaces/cli/test_parse.py", "what parsing comes to"),
    "surfaces.cli.place_lines": ("tests/surfaces/cli/test_doctor.py", "its lines are printed there"),
    "config.": ("tests/config/test_load.py", "layers, files and checks show only in what is loaded"),
}
"""Modules (or, ending in a dot, packages) without a test file of their own: where they are tested, and why there."""


def test_every_module_has_its_test_file() -> None:
    """Required: a newcomer finds the tests of a file without searching."""
    assert [name for name in _without_twin() if not any(_matches(entry, name) for entry in TESTED_ELSEWHERE)] == []


def test_every_exception_is_still_needed_and_names_a_test() -> None:
    missing = _without_twin()
    assert [entry for entry in TESTED_ELSEWHERE if not any(_matches(entry, name) for name in missing)] == []
    assert [file for file, _why in TESTED_ELSEWHERE.values() if not (REPOSITORY / file).is_file()] == []


def _without_twin() -> list[str]:
    """Modules, named from below `sandgate.`, whose test file does not exist; package fronts only re-export."""
    missing = []
    for dotted, path in modules().items():
        folder, _, file = shown(path).removeprefix("src/sandgate/").rpartition("/")
        twin = REPOSITORY / "tests" / folder / f"test_{file.lstrip('_')}"
        if path.name != "__init__.py" and not twin.exists():
            missing.append(dotted.removeprefix("sandgate."))
    return missing


def _matches(entry: str, name: str) -> bool:
    return name.startswith(entry) if entry.endswith(".") else name == entry
