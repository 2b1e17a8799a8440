"""How the tools are described to a model: names, arguments, and what they are for.

Names, types and defaults are the wire's (wire-observed.md §2), because models were trained on them; the words are
ours. `extended` adds what only Sandgate has. The tables in `arguments.py` say the same once more, as what is
accepted; a test holds the two together.
"""

from __future__ import annotations

from sandgate.tools.arguments import CHECKED, KEYS_MAX, PATTERNS_MAX, TERMINAL_SIDE_MAX
from sandgate.tools.keys import KEYS
from sandgate.tools.plan import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

# apply_patch.md §1. Stricter than the parser in what it lets a model write, so that nothing is refused for its form.
PATCH_GRAMMAR = """\
start: begin file_change+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?

file_change: add_file | delete_file | update_file
add_file: "*** Add File: " NAME LF new_line+
delete_file: "*** Delete File: " NAME LF
update_file: "*** Update File: " NAME LF move_to? edits?
move_to: "*** Move to: " NAME LF

edits: (anchor | edit_line)+ end_of_file?
anchor: ("@@" | "@@ " NAME) LF
new_line: "+" REST? LF
edit_line: ("+" | "-" | " ") REST? LF
end_of_file: "*** End of File" LF

NAME: /[^\\n]+/
REST: /[^\\n]+/
%import common.LF
"""

_PATCH_BY_HAND = """\
Changes files by a patch. The patch is one text:

*** Begin Patch
one section for each file
*** End Patch

A section begins with one of these lines, with a path relative to the working directory:
*** Add File: path      creates a file; each of its lines follows with `+` in front
*** Delete File: path   removes a file; nothing follows
*** Update File: path   edits a file; a line `*** Move to: new path` may come next, to rename it as well

An edit repeats the place it is about: three unchanged lines before and after, each with a space in front, and between
them `-` in front of what goes and `+` in front of what comes. A line `@@ def name():` or `@@ class Name` before it
names the function or class when three lines would fit in more than one place. `*** End of File` after an edit says
that it is about the last lines.

*** Begin Patch
*** Update File: src/greet.py
@@ def greet():
 def greet():
-    print("hi")
+    print("hello")
     return None
*** End Patch
"""

_YIELD_EXEC = "How long to wait for output, in milliseconds. Default 10000; from 250 to 30000."
_YIELD_WRITE = (
    "How long to wait for output, in milliseconds. Default 250, at most 30000; "
    "when nothing is sent, from 5000 to 300000."
)
_MAX_TOKENS = "How much output to return, in tokens. Default 10000; the middle of longer output is left out."


def exec_command_tool(*, extended: bool = False, login_allowed: bool = True, login_is_usual: bool = False) -> Json:
    """The definition of `exec_command`."""
    properties: Json = {
        "cmd": _text("The shell command to run."),
        "workdir": _text("The directory to run it in. Default: the working directory of the turn."),
        "shell": _text("The shell to run it with. Default: the user's."),
        "login": _flag(f"Whether the shell reads its login files first. Default {str(login_is_usual).lower()}."),
        "tty": _flag("Whether the command gets a terminal. Default false, with a closed standard input."),
        "yield_time_ms": _number(_YIELD_EXEC),
        "max_output_tokens": _number(_MAX_TOKENS),
        **_approval_properties(),
    }
    if not login_allowed:
        del properties["login"]
    if extended:
        properties["rows"] = _whole("Height of the terminal. Default 24.", TERMINAL_SIDE_MAX)
        properties["columns"] = _whole("Width of the terminal. Default 80.", TERMINAL_SIDE_MAX)
    about = (
        "Runs a shell command and returns what it prints. A command that is still running when the wait is over "
        "keeps running, and the answer holds a session ID for `write_stdin`."
    )
    return _function("exec_command", about, properties, ("cmd",))


def write_stdin_tool(*, extended: bool = False) -> Json:
    """The definition of `write_stdin`."""
    properties: Json = {
        "session_id": _number("The session ID that `exec_command` returned."),
        "chars": _text("What to type, as it is. Default: nothing, which only looks for new output."),
        "yield_time_ms": _number(_YIELD_WRITE),
        "max_output_tokens": _number(_MAX_TOKENS),
    }
    if extended:
        properties["keys"] = {
            "type": "array",
            "items": {"type": "string", "enum": list(KEYS)},
            "maxItems": KEYS_MAX,
            "description": "Keys to press after `chars`, by name.",
        }
        properties["wait_for"] = {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "regex": {"type": "string"}},
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
            },
            "maxItems": PATTERNS_MAX,
            "description": "Return as soon as the output holds one of these.",
        }
    about = "Types into a command that is still running, or looks for its new output, and returns what it prints."
    return _function("write_stdin", about, properties, ("session_id",))


def apply_patch_freeform_tool() -> Json:
    """The definition of `apply_patch` for models that write a patch as it is."""
    return {
        "type": "custom",
        "name": "apply_patch",
        "description": "Changes files by a patch. Write the patch itself, without JSON around it.",
        "format": {"type": "grammar", "syntax": "lark", "definition": PATCH_GRAMMAR},
    }


def apply_patch_function_tool() -> Json:
    """The definition of `apply_patch` for models that only know functions."""
    return _function("apply_patch", _PATCH_BY_HAND, {"input": _text("The whole patch.")}, ("input",))


def update_plan_tool() -> Json:
    """The definition of `update_plan`."""
    step: Json = {
        "type": "object",
        "properties": {"step": {"type": "string"}, "status": {"type": "string", "enum": list(STATUSES)}},
        "required": ["step", "status"],
        "additionalProperties": False,
    }
    properties: Json = {
        "explanation": _text("Why the plan changes, if it does."),
        "plan": {"type": "array", "items": step, "description": "All steps, in order."},
    }
    about = (
        "Shows the user what you are going to do and how far you are. Send the whole plan each time; at most one step "
        "is in progress."
    )
    return _function("update_plan", about, properties, ("plan",))


def view_image_tool() -> Json:
    """The definition of `view_image`."""
    properties = {"path": _text("The file: PNG, JPEG, GIF or WebP. Relative to the working directory.")}
    return _function("view_image", "Shows you a picture that is a file on this machine.", properties, ("path",))


def shell_tool() -> Json:
    """The definition of `shell`, for models that were trained on it."""
    properties: Json = {
        "command": _texts('The program and its arguments, as they are; for a script `["bash", "-lc", "..."]`.'),
        "workdir": _text("The directory to run it in, rather than `cd`. Default: the working directory of the turn."),
        "timeout_ms": _number("After how many milliseconds the command is killed. Default 10000."),
        **_approval_properties(),
    }
    about = "Runs a command to its end and returns what it prints. It has no terminal and nothing to read."
    return _function("shell", about, properties, ("command",))


def exec_list_tool() -> Json:
    """The definition of `exec_list`."""
    return _function(
        "exec_list",
        "Lists the commands that are still running, or have ended and were not read since, with what each is doing.",
        {},
        (),
    )


def exec_kill_tool() -> Json:
    """The definition of `exec_kill`."""
    properties: Json = {"session_id": _number("The session ID that `exec_command` returned.")}
    return _function(
        "exec_kill", "Ends a command that is still running, and all it started.", properties, ("session_id",)
    )


def check_command_tool(*, login_allowed: bool = True) -> Json:
    """The definition of `check_command`."""
    known = exec_command_tool(login_allowed=login_allowed)["parameters"]["properties"]
    about = (
        "Says what would happen to a shell command, and why: whether it would run, be asked about or be refused, what "
        "it could write and reach, and how risky it is. Runs nothing and asks nobody."
    )
    return _function("check_command", about, {name: known[name] for name in CHECKED if name in known}, ("cmd",))


def exec_answer_schema() -> Json:
    """What `ExecAnswer.structured` gives, as a schema."""
    properties: Json = {
        "chunk_id": _text("Names this piece of output."),
        "wall_time_seconds": _number("How long the call waited for output."),
        "exit_code": _number("The exit code, once the command has ended."),
        "session_id": _number("For `write_stdin`, while the command runs."),
        "original_token_count": _number("How much output there was before it was cut, in tokens."),
        "output": _text("What the command printed since the last answer, cut to the budget."),
        "state": _text("What the command is doing."),
        "denials": {"type": "array", "items": {"type": "object"}, "description": "What the sandbox refused."},
        "notices": _texts("What else there is to know."),
        "matched": _text("What was found of `wait_for`."),
        "omitted_bytes": _number("Output that was lost because nobody fetched it in time, in bytes."),
        "refused": _text("Why nothing ran, or was typed."),
    }
    return _object(properties, ())


def patch_answer_schema() -> Json:
    """What a patch is answered with, as a schema."""
    changed: Json = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "type": {"type": "string", "enum": ["add", "delete", "update"]}},
        "required": ["path", "type"],
    }
    properties: Json = {
        "applied": _flag("Whether the files were changed. All of them are, or none."),
        "refused": _text("Why nothing was written."),
        "notices": _texts("What else there is to know."),
        "exit_code": _number("0 when it was applied."),
        "wall_time_seconds": _number("How long it took, with the question where there was one."),
        "changes": {"type": "array", "items": changed, "description": "The files it is about."},
        "denials": _records("What of it lies where nothing may be written."),
        "output": _text("What happened, in words."),
    }
    return _object(properties, ("applied",))


def exec_list_schema() -> Json:
    """What `exec_list` answers, as a schema."""
    live: Json = {
        "type": "object",
        "properties": {
            "session_id": _number("For `write_stdin` and `exec_kill`."),
            "command": _text("What was started."),
            "state": _text("What it is doing."),
        },
        "required": ["session_id", "command", "state"],
    }
    return _object({"commands": {"type": "array", "items": live, "description": "Oldest first."}}, ("commands",))


def exec_kill_schema() -> Json:
    """What `exec_kill` answers, as a schema."""
    return _object({"terminated": _flag("False when no such command was running.")}, ("terminated",))


def check_answer_schema() -> Json:
    """What `check_command` answers, as a schema."""
    properties: Json = {
        "verdict": {
            "type": "string",
            "enum": ["allow", "ask", "forbid"],
            "description": "Whether it would run unasked, be asked about, or be refused.",
        },
        "reason": _text("Why, in a sentence, where the parts do not say it all."),
        "because": _records("The verdict on each of its parts."),
        "sandbox": {"type": "object", "description": "How it would be confined."},
        "risk": {"type": "object", "description": "What could go wrong."},
        "effects": _records("What it reads, writes, deletes, contacts and runs, as far as its words tell."),
        "parts": {"type": "object", "description": "The command taken apart, each part with a verdict of its own."},
        "flip": {"type": "object", "description": "One change after which the verdict is another."},
        "stopped": _records("What the sandbox would not let it do, as far as its words tell."),
    }
    return _object(properties, ("verdict",))


def _records(about: str) -> Json:
    return {"type": "array", "items": {"type": "object"}, "description": about}


def _approval_properties() -> Json:
    return {
        "sandbox_permissions": {
            "type": "string",
            "enum": ["use_default", "require_escalated"],
            "description": "`require_escalated` asks to run outside the sandbox. Default `use_default`.",
        },
        "justification": _text(
            "With `require_escalated`: a question of one line to the user, saying why it is needed."
        ),
        "prefix_rule": _texts(
            'With `require_escalated`: the first words of commands to allow from now on, such as `["git", "pull"]`.'
        ),
    }


def _function(name: str, about: str, properties: Json, required: tuple[str, ...]) -> Json:
    return {
        "type": "function",
        "name": name,
        "description": about,
        "strict": False,
        "parameters": _object(properties, required),
    }


def _object(properties: Json, required: tuple[str, ...]) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(about: str) -> Json:
    return {"type": "string", "description": about}


def _texts(about: str) -> Json:
    return {"type": "array", "items": {"type": "string"}, "description": about}


def _flag(about: str) -> Json:
    return {"type": "boolean", "description": about}


def _number(about: str) -> Json:
    return {"type": "number", "description": about}


def _whole(about: str, most: int) -> Json:
    return {"type": "integer", "minimum": 1, "maximum": most, "description": about}
