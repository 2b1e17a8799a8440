from __future__ import annotations

from pathlib import Path

from support.app_server.app_client import app_place
from support.model.responses_server import says
from support.process.loops import run


def test_what_a_terminal_program_asks_before_it_begins_is_answered(tmp_path: Path) -> None:
    """Required: the requests of the recorded sessions, in their order."""

    async def work() -> None:
        async with app_place(tmp_path, says("done"), overrides=("model_reasoning_effort=low",)) as place:
            client = await place.client()
            assert (await client.ask("account/read"))["account"] is None
            (model,) = (await client.ask("model/list", includeHidden=True))["data"]
            assert (model["id"], model["isDefault"], model["defaultReasoningEffort"]) == ("double", True, "low")
            assert (await client.ask("model/list", modelProvider="other"))["data"] == []
            for method in ("hooks/list", "skills/list"):
                (entry,) = (await client.ask(method, cwds=["/a"]))["data"]
                assert entry["cwd"] == "/a"
            assert (await client.ask("configRequirements/read"))["requirements"] is None
            assert [mode["mode"] for mode in (await client.ask("collaborationMode/list"))["data"]] == ["default"]

    run(work())


def test_settings_are_told_with_their_origins_and_without_what_opens_something(tmp_path: Path) -> None:
    async def work() -> None:
        secret = "model_providers.test.http_headers={Authorization='hidden word'}"
        async with app_place(tmp_path, says("done"), overrides=(secret, "sandbox_mode=read-only")) as place:
            client = await place.client()
            read = await client.ask("config/read", includeLayers=True, cwd=".")
            assert (read["config"]["model"], read["config"]["sandbox_mode"]) == ("double", "read-only")
            assert read["origins"]["model"]["name"]["type"] == "sessionFlags"
            (flags,) = read["layers"]
            assert flags["config"]["model"] == "double"
            assert flags["version"] == read["origins"]["model"]["version"]
            assert "hidden word" not in str(client.messages)
            assert (await client.ask("config/read"))["layers"] is None

    run(work())
