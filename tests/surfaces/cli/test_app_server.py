"""`sandgate app-server`: what is said before anything is served. What it serves is in tests/surfaces/app_server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("schema",), "`schema` writes into a directory"),
        (("--out", "x"), "`--out` belongs to `schema`"),
        (("--listen", "tcp://127.0.0.1:1"), "cannot listen on `tcp://127.0.0.1:1`"),
        (("--listen", "ws://0.0.0.0:8000"), "only this machine is served"),
        (("--listen", "ws://127.0.0.1:65536"), "cannot listen on"),
        (("--listen", "ws://127.0.0.1"), "cannot listen on"),
        (("--listen", "unix://"), "cannot listen on `unix://`"),
        (("--token-file", "x"), "`--token-file` belongs to `--listen ws://127.0.0.1:PORT`"),
        (("--model-script", "/nowhere"), "there is no model script `/nowhere`"),
        (("schema", "--out", "/proc/nothing"), "cannot write into `/proc/nothing`"),
    ],
)
def test_wrong_usage_is_one_clear_error(program: Any, arguments: tuple[str, ...], said: str) -> None:
    assert program("app-server", *arguments) == 2
    assert said in program.err
    assert program.out == ""


def test_what_is_wrong_with_the_configuration_is_said_before_anything_is_served(program: Any) -> None:
    assert program("app-server", "-c", "sandbox_mode=nonsense") == 78
    assert "sandbox_mode" in program.err


def test_schema_writes_the_documents(program: Any, tmp_path: Path) -> None:
    assert program("app-server", "schema", "--out", str(tmp_path / "new")) == 0
    assert sorted(each.name for each in (tmp_path / "new").iterdir()) == [
        "app-server.schema.json",
        "app-server.ts",
        "app_server_client.py",
    ]
    assert "ClientRequest" in json.loads((tmp_path / "new/app-server.schema.json").read_text())["definitions"]
