"""The model that a provider's settings ask for."""

from __future__ import annotations

from sandgate.record import never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.model.chat import ChatModel
    from sandgate.model.prompt import ModelSettings
    from sandgate.model.provider import Provider
    from sandgate.model.responses import ResponsesModel


def model_of(provider: Provider, settings: ModelSettings, *, environ: Mapping[str, str]) -> ResponsesModel | ChatModel:
    """Speaks what the provider speaks. Nothing is sent, and nothing heavy is imported, before `prepare` or `stream`."""
    match provider.wire_api:
        case "responses":
            from sandgate.model.responses import ResponsesModel

            return ResponsesModel(provider, settings, environ=environ)
        case "chat":
            from sandgate.model.chat import ChatModel

            return ChatModel(provider, settings, environ=environ)
        case _:
            return never_reached(provider.wire_api)
