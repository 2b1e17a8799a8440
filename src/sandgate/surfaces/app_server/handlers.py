"""Which function answers which request. Every method of the table has one, and there is no other."""

from __future__ import annotations

from sandgate.surfaces.app_server import about_commands, about_server, about_threads, about_turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.surfaces.app_server.connection import Handler

HANDLERS: Mapping[str, Handler] = {
    "initialize": about_server.initialize,
    "account/read": about_server.read_account,
    "model/list": about_server.list_models,
    "config/read": about_server.read_config,
    "configRequirements/read": about_server.read_requirements,
    "skills/list": about_server.list_skills,
    "hooks/list": about_server.list_hooks,
    "collaborationMode/list": about_server.list_modes,
    "thread/start": about_threads.start_thread,
    "thread/resume": about_threads.resume_thread,
    "thread/fork": about_threads.fork_thread,
    "thread/list": about_threads.list_threads,
    "thread/loaded/list": about_threads.list_loaded,
    "thread/read": about_threads.read_thread,
    "thread/turns/list": about_threads.list_turns,
    "thread/items/list": about_threads.list_items,
    "thread/name/set": about_threads.set_name,
    "thread/settings/update": about_turns.update_settings,
    "thread/archive": about_threads.archive_thread,
    "thread/unarchive": about_threads.unarchive_thread,
    "thread/unsubscribe": about_threads.unsubscribe,
    "command/exec": about_commands.exec_command,
    "command/exec/write": about_commands.write_command,
    "command/exec/resize": about_commands.resize_command,
    "command/exec/terminate": about_commands.terminate_command,
    "turn/start": about_turns.start_turn,
    "turn/steer": about_turns.steer_turn,
    "turn/interrupt": about_turns.interrupt_turn,
}
