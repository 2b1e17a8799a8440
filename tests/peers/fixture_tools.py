"""The tools that the conformance suite calls by name, written against the SDK's lowlevel handlers.

They do what the suite's scenarios describe and nothing else, so what is judged is the server around them. The suite's
tools for images, sounds, resources, prompts and sampling are left out: Sandgate answers with text and asks with forms.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Answer = types.CallToolResult | types.InputRequiredResult
Handler = Callable[[Context, types.CallToolRequestParams], Awaitable[Answer]]
Schema = dict[str, Any]

NO_ARGUMENTS: Schema = {"type": "object", "properties": {}}

TOOLS: dict[str, tuple[types.Tool, Handler]] = {}
"""By name: what `tools/list` says and what `tools/call` does."""


def fixture(name: str, description: str, schema: Schema = NO_ARGUMENTS) -> Callable[[Handler], Handler]:
    """Adds the decorated function to `TOOLS`."""

    def add(handler: Handler) -> Handler:
        TOOLS[name] = (types.Tool(name=name, description=description, input_schema=schema), handler)
        return handler

    return add


async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """For `Server(on_list_tools=...)`."""
    return types.ListToolsResult(tools=[tool for tool, _ in TOOLS.values()])


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    """For `Server(on_call_tool=...)`."""
    if params.name not in TOOLS:
        raise MCPError(types.INVALID_PARAMS, f"no tool is called {params.name!r}")
    return await TOOLS[params.name][1](ctx, params)


def said(text: str, *, is_error: bool = False) -> types.CallToolResult:
    """A result of one text."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


def form(required: bool = True, **properties: Schema) -> Schema:
    """The schema of a form with these fields."""
    return {"type": "object", "properties": properties} | ({"required": list(properties)} if required else {})


def question(message: str, schema: Schema) -> types.ElicitRequest:
    """A form to fill in."""
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def ask(key: str, message: str, schema: Schema, state: str | None = None) -> types.InputRequiredResult:
    """One question of the stateless era."""
    return types.InputRequiredResult(input_requests={key: question(message, schema)}, request_state=state)


def filled_in(params: types.CallToolRequestParams, key: str) -> dict[str, Any] | None:
    """What was answered to the question `key`, once it was."""
    response = (params.input_responses or {}).get(key)
    if not isinstance(response, types.ElicitResult) or response.action != "accept":
        return None
    return dict(response.content or {})


@fixture("test_simple_text", "Says one sentence.")
async def simple_text(_ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    return said("This is a simple text response for testing.")


@fixture("test_error_handling", "Always fails.")
async def error_handling(_ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    return said("This tool intentionally returns an error for testing", is_error=True)


@fixture("test_tool_with_progress", "Reports progress three times.")
async def with_progress(ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    for progress in (0, 50, 100):
        await ctx.session.report_progress(progress, 100)
    return said("done")


MESSAGE = form(message={"type": "string", "description": "what to ask"})


async def elicited(ctx: Context, message: str, schema: Schema) -> Answer:
    """Asks in the middle of the call, as the handshake era does."""
    answer = await ctx.session.elicit_form(message, schema, ctx.request_id)
    return said(f"action={answer.action}, content={json.dumps(answer.content)}")


@fixture("test_elicitation", "Asks the user for a name and an address.", MESSAGE)
async def elicitation(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    message = str((params.arguments or {}).get("message", ""))
    return await elicited(ctx, message, form(username={"type": "string"}, email={"type": "string"}))


@fixture("test_elicitation_sep1034_defaults", "Asks with a default for every kind of field.")
async def elicitation_defaults(ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    schema = form(
        required=False,
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return await elicited(ctx, "Is this right?", schema)


@fixture("test_elicitation_sep1330_enums", "Asks with every kind of choice.")
async def elicitation_choices(ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    options = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
    legacy = {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option 1", "Option 2", "Option 3"]}
    schema = form(
        required=False,
        untitledSingle={"type": "string", "enum": options},
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum=legacy,
        untitledMulti={"type": "array", "items": {"type": "string", "enum": options}},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return await elicited(ctx, "Which?", schema)


@fixture("test_reconnection", "Drops its stream before it answers; the answer waits for the client's return.")
async def reconnection(ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    return said("answered after the stream was dropped")


NAME = form(name={"type": "string"})
CONFIRMED = form(ok={"type": "boolean"})


@fixture("test_input_required_result_elicitation", "Asks for a name and greets.")
async def greeting(_ctx: Context, params: types.CallToolRequestParams) -> Answer:
    answer = filled_in(params, "user_name")
    return ask("user_name", "What is your name?", NAME) if answer is None else said(f"Hello, {answer.get('name')}!")


@fixture("test_streaming_elicitation", "Asks for a name and greets, with progress before it.")
async def streamed(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    await ctx.session.report_progress(1, 2)
    return await greeting(ctx, params)


async def confirmed(_ctx: Context, params: types.CallToolRequestParams) -> Answer:
    """One question with a state; that it came back as it was is for the server to see to."""
    if filled_in(params, "confirm") is None or params.request_state is None:
        return ask("confirm", "Please confirm", CONFIRMED, "the state")
    return said("state-ok")


fixture("test_input_required_result_request_state", "Asks with a state of ours.")(confirmed)
fixture("test_input_required_result_tampered_state", "Asks with a state of ours.")(confirmed)


@fixture("test_input_required_result_multi_round", "Asks twice.")
async def two_rounds(_ctx: Context, params: types.CallToolRequestParams) -> Answer:
    if filled_in(params, "step2") is not None and params.request_state == "named":
        return said("both rounds are over")
    if filled_in(params, "step1") is not None and params.request_state == "asked":
        return ask("step2", "Step 2: What is your favorite color?", form(color={"type": "string"}), "named")
    return ask("step1", "Step 1: What is your name?", NAME, "asked")


@fixture("test_missing_capability", "Needs a client that lends its model.")
async def missing_capability(ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    needed = types.ClientCapabilities(sampling=types.SamplingCapability())
    if not ctx.session.check_client_capability(needed):
        data = types.MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
        told = data.model_dump(by_alias=True, exclude_none=True)
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "this tool needs sampling", told)
    return said("it has it")


@fixture("test_logging_tool", "Logs nothing, because nobody asked for a log.")
async def logging_tool(_ctx: Context, _params: types.CallToolRequestParams) -> Answer:
    return said("done")


WIDE_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        },
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@fixture("json_schema_2020_12_tool", "Has a schema with most keywords there are.", WIDE_SCHEMA)
async def wide_schema(_ctx: Context, params: types.CallToolRequestParams) -> Answer:
    return said(json.dumps(params.arguments))


@fixture(
    "test_x_mcp_header",
    "Has an argument that is repeated in a header.",
    form(
        required=False,
        region={"type": "string", "x-mcp-header": "Region"},
    ),
)
async def mirrored(_ctx: Context, params: types.CallToolRequestParams) -> Answer:
    return said(json.dumps(params.arguments))
