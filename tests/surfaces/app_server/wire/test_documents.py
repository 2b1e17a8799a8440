from __future__ import annotations

import json
import re
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it brings no types
import pytest

from sandgate.surfaces.app_server.wire.documents import schema_text, typescript
from sandgate.surfaces.app_server.wire.methods import METHODS, SERVER_NOTIFICATIONS, SERVER_REQUESTS
from support.app_server.recorded import recorded

SCHEMA: dict[str, Any] = json.loads(schema_text())
OFFERED = {each.name for each in (*METHODS, *SERVER_REQUESTS, *SERVER_NOTIFICATIONS)} | {"initialized"}
UNIONS = {
    ("request", "client"): "ClientRequest",
    ("request", "server"): "ServerRequest",
    ("notification", "client"): "ClientNotification",
    ("notification", "server"): "ServerNotification",
}


def _validator(name: str) -> Any:
    schema = {"$ref": f"#/definitions/{name}", "definitions": SCHEMA["definitions"]}
    return jsonschema.Draft7Validator(schema)


def test_every_recorded_message_validates() -> None:
    """Required: the schema is that of the wire."""
    validators = {kind: _validator(name) for kind, name in UNIONS.items()}
    checked = 0
    for message in recorded():
        validator = validators.get((message.kind, message.described_by))
        if validator is not None and message.method in OFFERED:
            whole = {name: value for name, value in message.whole.items() if value is not None}
            validator.validate(whole)
            checked += 1
    assert checked > 150


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "method": "turn/start", "params": {"threadId": "t"}},
        {"id": 1, "method": "thread/start", "params": {"approvalPolicy": "sometimes"}},
        {"id": None, "method": "account/read"},
        {"id": 1, "method": "unheard/of"},
        {"method": "account/read", "params": {}},
    ],
)
def test_what_the_server_refuses_does_not_validate(message: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        _validator("ClientRequest").validate(message)


def test_every_reference_leads_somewhere() -> None:
    named = set(re.findall(r'"#/definitions/([^"]+)"', schema_text()))
    assert named <= SCHEMA["definitions"].keys()


def test_typescript_names_every_message_once_and_declares_what_it_uses() -> None:
    text = typescript()
    requests = [f'method: "{each.name}"' for each in (*METHODS, *SERVER_REQUESTS, *SERVER_NOTIFICATIONS)]
    assert [each for each in requests if text.count(each) != 1] == []
    declared = set(re.findall(r"export interface (\w+)", text))
    assert declared >= SCHEMA["definitions"].keys() - set(UNIONS.values())


def test_a_field_without_effect_is_marked_in_both() -> None:
    settings = SCHEMA["definitions"]["ThreadSettings"]["properties"]
    assert "without effect" in settings["personality"]["description"]
    assert "description" not in settings["model"]
    assert re.search(r"personality\?: unknown; // Accepted, and without effect", typescript())
