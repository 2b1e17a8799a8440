"""The tool `apply_patch`: changes files by a patch, all of it or nothing.

A model that was trained on the patch language writes it as it is, held to a grammar; others send a JSON object.
"""

from __future__ import annotations

from sandgate.record import Record
from sandgate.tools.calls import ToolOutput, at_once
from sandgate.tools.fields import as_text, read_object
from sandgate.tools.schema import closed_object, flag, function, number, records, text, texts
from sandgate.tools.tool import Hints, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.waiting import Steps
    from sandgate.tools.fields import Reader
    from sandgate.tools.interfaces import ToolContext
    from sandgate.tools.tool import Offer, ToolCall

    Json = dict[str, Any]

# Stricter than the parser in what it lets a model write, so that nothing is refused for its form.
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


class ApplyPatchArguments(Record):
    """Of `apply_patch` where it is a function."""

    input: str


def apply_patch_arguments(sent: str) -> ApplyPatchArguments:
    """Reads the patch itself, or the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    if not sent.lstrip().startswith("{"):
        return ApplyPatchArguments(sent)
    return ApplyPatchArguments(**read_object(sent, _FIELDS, ("input",)))


def definition(offer: Offer) -> Json:
    """What is told of it."""
    if not offer.freeform_patches:
        return function("apply_patch", _PATCH_BY_HAND, {"input": text("The whole patch.")}, ("input",))
    return {
        "type": "custom",
        "name": "apply_patch",
        "description": "Changes files by a patch. Write the patch itself, without JSON around it.",
        "format": {"type": "grammar", "syntax": "lark", "definition": PATCH_GRAMMAR},
    }


def answer_schema() -> Json:
    """What a patch is answered with, as a schema."""
    changed: Json = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "type": {"type": "string", "enum": ["add", "delete", "update"]}},
        "required": ["path", "type"],
    }
    properties: Json = {
        "applied": flag("Whether the files were changed. All of them are, or none."),
        "refused": text("Why nothing was written."),
        "notices": texts("What else there is to know."),
        "exit_code": number("0 when it was applied."),
        "wall_time_seconds": number("How long it took, with the question where there was one."),
        "changes": {"type": "array", "items": changed, "description": "The files it is about."},
        "denials": records("What of it lies where nothing may be written."),
        "output": text("What happened, in words."),
    }
    return closed_object(properties, ("applied",))


def run(context: ToolContext, arguments: ApplyPatchArguments, call: ToolCall) -> Steps[ToolOutput]:
    """Carries one call out."""
    answer = context.patch(arguments.input, call_id=call.call_id)
    return at_once(ToolOutput(answer.text(), success=answer.exit_code == 0, structured=answer.structured()))


_FIELDS: dict[str, Reader] = {"input": as_text}

TOOL = Tool(
    "apply_patch",
    40,
    definition,
    apply_patch_arguments,
    run=run,
    offered=lambda offer: offer.patches,
    answers=answer_schema,
    hints=Hints("Change files"),
    starts_process=False,
)
