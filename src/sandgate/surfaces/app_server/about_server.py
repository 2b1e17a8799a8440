"""Answers about the server itself: the handshake, models, settings, and what there is none of."""

from __future__ import annotations

import hashlib
import json
import os
import platform

from sandgate import __version__
from sandgate.config import load_settings
from sandgate.config.agent import agent_settings
from sandgate.config.agent_rows import EFFORTS
from sandgate.config.paths import sandgate_home
from sandgate.config.reference import setting_rows, shown_value
from sandgate.display import visible
from sandgate.runtime.aio import on_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.config import Loaded
    from sandgate.config.layers import ConfigLayer
    from sandgate.surfaces.app_server.connection import Connection

    Json = dict[str, Any]

DIRECTORIES_MAX = 64  # asked about at once
NAME_CHARS_MAX = 100  # of a client, repeated to it
SCRIPTED = "scripted"


async def initialize(client: Connection, params: Json) -> Json:
    """Who is who."""
    wishes = params.get("capabilities") or {}
    client.introduce(params["clientInfo"], wishes.get("optOutNotificationMethods") or [])
    client.threads.join(client)
    name = visible(f"{params['clientInfo']['name']}/{params['clientInfo']['version']}", limit=NAME_CHARS_MAX)
    environ = client.threads.serving.environment.environ
    return {
        "userAgent": f"sandgate/{__version__} ({platform.system()} {platform.release()}; {platform.machine()}) {name}",
        "codexHome": sandgate_home(environ),
        "platformFamily": "unix",
        "platformOs": "linux",
    }


async def read_account(_client: Connection, _params: Json) -> Json:
    """There is none."""
    return {"account": None, "userId": None, "requiresOpenaiAuth": False, "workspaceRouting": None}


async def list_models(client: Connection, params: Json) -> Json:
    """The one that is configured, if one is."""
    loaded = await _loaded(client, None)
    settings, serving = agent_settings(loaded.values), client.threads.serving
    name = SCRIPTED if serving.model_script is not None else serving.model or settings.model
    wanted = params.get("modelProvider")
    if name is None or wanted not in (None, settings.provider_id):
        return {"data": [], "nextCursor": None}
    nothing = ("upgrade", "upgradeInfo", "availabilityNux", "modelSpecialty", "multiAgentVersion")
    model = {
        **dict.fromkeys((*nothing, "defaultServiceTier", "availableAccessPrograms")),
        "id": name,
        "model": name,
        "displayName": name,
        "description": f"of the provider {settings.provider_id}",
        "hidden": False,
        "supportedReasoningEfforts": [{"reasoningEffort": each, "description": each} for each in EFFORTS],
        "defaultReasoningEffort": settings.effort or "medium",
        "inputModalities": ["text", "image"],
        "supportsPersonality": False,
        "additionalSpeedTiers": [],
        "serviceTiers": [],
        "isDefault": True,
    }
    return {"data": [model], "nextCursor": None}


async def read_config(client: Connection, params: Json) -> Json:
    """What is in force in a directory; values that open something are not shown."""
    loaded = await _loaded(client, params.get("cwd"))
    config: Json = {}
    for name, value, _origin in setting_rows(loaded):
        _put(config, name, value)
    layers = [{**_layer(each), "config": _said_by(each)} for each in reversed(loaded.layers)]
    origins = {name: _layer(layer) for name, layer in loaded.origins.items()}
    return {"config": config, "origins": origins, "layers": layers if params.get("includeLayers") else None}


async def read_requirements(_client: Connection, _params: Json) -> Json:
    """What an administrator demands is in the settings already, and what they say is carried out."""
    return {"supportsIndependentSpeedModes": False, "requirements": None}


async def list_skills(client: Connection, params: Json) -> Json:
    """There are none."""
    return {"data": [{"cwd": cwd, "skills": [], "errors": []} for cwd in _directories(client, params)]}


async def list_hooks(client: Connection, params: Json) -> Json:
    """There are none."""
    return {"data": [{"cwd": cwd, "hooks": [], "warnings": [], "errors": []} for cwd in _directories(client, params)]}


async def list_modes(_client: Connection, _params: Json) -> Json:
    """One: the model works."""
    return {"data": [{"name": "Default", "mode": "default", "model": None, "reasoning_effort": None}]}


def _directories(client: Connection, params: Json) -> list[str]:
    return (params.get("cwds") or [client.threads.serving.environment.cwd])[:DIRECTORIES_MAX]


async def _loaded(client: Connection, wanted: str | None) -> Loaded:
    environment = client.threads.serving.environment
    cwd = os.path.join(environment.cwd, wanted or "")
    return await on_thread(
        lambda: load_settings(
            cwd=cwd,
            environ=environment.environ,
            overrides=environment.overrides,
            profile=environment.profile,
            typed=environment.typed,
        )
    )


def _layer(layer: ConfigLayer) -> Json:
    """Where it comes from; the version is another one as soon as it says something else."""
    said = json.dumps(sorted(layer.values.items(), key=str), default=repr)
    version = f"sha256:{hashlib.sha256(said.encode('utf-8', 'backslashreplace')).hexdigest()}"
    return {"name": _layer_name(layer), "version": version}


def _layer_name(layer: ConfigLayer) -> Json:
    """What is no file is of the session: options, and what clients ask for."""
    match layer.name, layer.file:
        case (("user" | "profile"), str(file)):
            return {"type": "user", "file": file, "profile": layer.profile}
        case "project", str(file):
            return {"type": "project", "dotCodexFolder": os.path.dirname(file)}
        case _, str(file):
            return {"type": "system", "file": file}
        case _:
            return {"type": "sessionFlags"}


def _said_by(layer: ConfigLayer) -> Json:
    said: Json = {}
    for name, value in layer.values.items():
        _put(said, name, shown_value(name, value))
    return said


def _put(config: Json, dotted: str, value: object) -> None:
    """Below the tables that its name has. A key that is a table elsewhere keeps its whole name."""
    *tables, last = dotted.split(".")
    place = config
    for name in tables:
        inner = place.setdefault(name, {})
        if not isinstance(inner, dict):
            config[dotted] = value
            return
        place = inner
    place[last] = value
