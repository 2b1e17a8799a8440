"""A provider's settings choose how it is spoken to."""

from __future__ import annotations

import asyncio

from sandgate.model.chat import ChatModel
from sandgate.model.provider_model import model_of
from sandgate.model.replay import RecordingModel, ReplayingModel
from sandgate.model.responses import ResponsesModel
from sandgate.model.scripted import ScriptedModel
from support.model.answering import SETTINGS, provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from sandgate.model.streaming import Model


def test_a_provider_is_spoken_to_as_it_says() -> None:
    assert isinstance(model_of(provider("http://x/v1"), SETTINGS, environ={}), ResponsesModel)
    assert isinstance(model_of(provider("http://x/v1", wire_api="chat"), SETTINGS, environ={}), ChatModel)


def test_every_kind_of_model_can_stand_for_another(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    empty = str(tmp_path / "empty")
    scripted = ScriptedModel(empty, SETTINGS)
    models: list[Model] = [
        model_of(provider("http://x/v1"), SETTINGS, environ={}),
        model_of(provider("http://x/v1", wire_api="chat"), SETTINGS, environ={}),
        scripted,
        RecordingModel(scripted, empty),
        ReplayingModel(empty, SETTINGS),
    ]
    for model in models:
        assert model.settings == SETTINGS
        asyncio.run(model.close())
