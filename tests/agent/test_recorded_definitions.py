"""What models and clients are told about the tools is what was recorded, to the letter.

Models were trained on some of these words, clients remember others. A change that is meant is recorded anew:
`SANDGATE_RECORD=1` on this test writes the file.
"""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sandgate.agent.tools import AgentTools
from sandgate.config.features import APPLY_PATCH_FREEFORM, UNIFIED_EXEC, VIEW_IMAGE
from sandgate.surfaces.mcp.tools import described_tools

RECORDED = Path(__file__).with_name("recorded_definitions.json")
FEATURES = (UNIFIED_EXEC, APPLY_PATCH_FREEFORM, VIEW_IMAGE)


def agent_is_told(*features: str, login: bool = True, delegates: bool = True) -> list[Any]:
    settings = SimpleNamespace(features=features, allow_login_shell=login)
    gate: Any = SimpleNamespace(runtime=SimpleNamespace(settings=settings))
    tools = AgentTools(gate, SimpleNamespace(), asks=False)  # type: ignore[arg-type] # nothing is told to it here
    tools.delegates = SimpleNamespace() if delegates else None  # type: ignore[assignment] # as above
    return list(tools.definitions())


def all_that_is_told() -> dict[str, Any]:
    told: dict[str, Any] = {}
    for chosen in product((True, False), repeat=len(FEATURES)):
        features = [name for name, is_on in zip(FEATURES, chosen, strict=True) if is_on]
        told[f"agent with {', '.join(features) or 'nothing'}"] = agent_is_told(*features)
    told["agent without login shells"] = agent_is_told(UNIFIED_EXEC, login=False)
    told["agent without delegates"] = agent_is_told(UNIFIED_EXEC, delegates=False)
    for login in (True, False):
        tools = described_tools(login_allowed=login)
        told[f"client, login shells {login}"] = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    return told


def each_once(told: dict[str, Any]) -> dict[str, Any]:
    """The same with each definition written once; a list holds their numbers, in its order."""
    written: list[str] = []
    lists = {}
    for who, tools in told.items():
        texts = [json.dumps(tool, ensure_ascii=False) for tool in tools]
        written += [text for text in texts if text not in written]
        lists[who] = " ".join(str(written.index(text)) for text in texts)
    return {"definitions": [json.loads(text) for text in written], "lists": lists}


def test_all_that_is_told_about_tools_is_what_was_recorded() -> None:
    text = json.dumps(each_once(all_that_is_told()), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("SANDGATE_RECORD"):
        RECORDED.write_text(text, encoding="utf-8")
    assert text == RECORDED.read_text(encoding="utf-8")
