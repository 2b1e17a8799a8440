"""The form that a model's answer must have, as providers are told."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "codex_output_schema"  # what gateways know a structured answer by


def responses_form(schema: Mapping[str, object], *, strict: bool = True) -> dict[str, Any]:
    """For `text.format` of the Responses API."""
    return {"type": "json_schema", "strict": strict, "schema": dict(schema), "name": NAME}


def chat_form(schema: Mapping[str, object]) -> dict[str, Any]:
    """For `response_format` of Chat Completions."""
    return {"type": "json_schema", "json_schema": {"name": NAME, "strict": True, "schema": dict(schema)}}
