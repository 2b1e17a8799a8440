"""What a real client of the lineage says of its own protocol: the JSON Schema that it writes of itself."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it brings no types

LIMIT_S = 60
NO_PARAMS = {"configRequirements/read": "ConfigRequirementsReadResponse"}
"""Requests without parameters are not named after them."""


class LineageSchema:
    """Of one program. Checks what a server says."""

    def __init__(self, codex: str, folder: Path) -> None:
        written = [codex, "app-server", "generate-json-schema", "--experimental", "--out", str(folder)]
        subprocess.run(written, check=True, timeout=LIMIT_S, capture_output=True)
        text = (folder / "codex_app_server_protocol.schemas.json").read_text()
        found = json.loads(text.replace("#/definitions/v2/", "#/definitions/"))["definitions"]
        self._all: dict[str, Any] = {**found, **found.pop("v2")}

    def problem(self, message: dict[str, Any], asked: dict[Any, str]) -> str | None:
        """What is wrong with a message of the server's; `asked`: methods by the ids of the client's requests."""
        if "method" in message:
            union = "ServerRequest" if "id" in message else "ServerNotification"
            known = {each["properties"]["method"]["enum"][0]: each for each in self._all[union]["oneOf"]}
            if message["method"] not in known:
                return f"{message['method']} is unknown"
            return self._problem(message, known[message["method"]], message["method"])
        if "error" in message:
            return self._problem(message, self._all["JSONRPCError"], "error")
        method = asked[message["id"]]
        return self._problem(message["result"], self._all[self._answer_to(method)], method)

    def _answer_to(self, method: str) -> str:
        for each in self._all["ClientRequest"]["oneOf"]:
            if each["properties"]["method"]["enum"] == [method] and "$ref" in each["properties"].get("params", {}):
                return re.sub("Params$", "Response", each["properties"]["params"]["$ref"].rpartition("/")[2])
        return NO_PARAMS[method]

    def _problem(self, value: Any, form: dict[str, Any], name: str) -> str | None:
        checker = jsonschema.Draft7Validator({**form, "definitions": self._all})
        found = [f"{name} at {list(each.absolute_path)}: {each.message[:200]}" for each in checker.iter_errors(value)]
        return "; ".join(found[:3]) or None
