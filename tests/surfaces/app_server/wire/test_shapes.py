from __future__ import annotations

from typing import Any

import pytest

from sandgate.surfaces.app_server.wire.approvals import WireCommandApprovalAnswer
from sandgate.surfaces.app_server.wire.objects import SandboxPolicy
from sandgate.surfaces.app_server.wire.server import WireClientInfo, WireInitializeParams
from sandgate.surfaces.app_server.wire.shapes import fault, form_words, has_no_effect
from sandgate.surfaces.app_server.wire.threads import WireThreadSettings, WireTurnStartParams

TEXT = {"type": "text", "text": "hi"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"threadId": "t"}, "`params` lacks `input`"),
        ({"threadId": 7, "input": []}, "`params.threadId` is 7, and has to be text"),
        ({"threadId": "t", "input": "hi"}, "`params.input` is 'hi', and has to be a list"),
        ({"threadId": "t", "input": [TEXT, {"type": "text"}]}, "`params.input[1]` lacks `text`"),
        ({"threadId": "t", "input": [{"type": "song"}]}, "`params.input[0]` is dict, and has to be an object"),
        (
            {"threadId": "t", "input": [], "approvalPolicy": "sometimes"},
            "`params.approvalPolicy` is 'sometimes', and has to be "
            "`untrusted` or `on-failure` or `on-request` or `never` or an object or null",
        ),
        ([], "`params` is list, and has to be an object"),
        (None, "`params` is None, and has to be an object"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(value: Any, said: str) -> None:
    assert fault(value, WireTurnStartParams, "params") == said


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"threadId": "t", "input": [TEXT], "model": None, "new in a later version": 1}, WireTurnStartParams),
        ({"type": "readOnly"}, SandboxPolicy),
        ({"type": "workspaceWrite", "writableRoots": ["/a"], "networkAccess": True}, SandboxPolicy),
        ({"decision": "accept"}, WireCommandApprovalAnswer),
        ({"decision": {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["ls"]}}}, WireCommandApprovalAnswer),
        (1, float),
        ({}, WireThreadSettings),
    ],
)
def test_what_fits_fits(value: Any, form: Any) -> None:
    assert fault(value, form, "params") is None


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_a_whole_number_is_one(value: Any) -> None:
    assert fault(value, int, "it") is not None


def test_strictly_a_field_that_the_table_lacks_is_a_fault() -> None:
    info = {"clientInfo": {"name": "n", "version": "1", "colour": "red"}}
    assert fault(info, WireInitializeParams, "params") is None
    assert fault(info, WireInitializeParams, "params", strict=True) == (
        "`params.clientInfo` has `colour`, which WireClientInfo has not"
    )


def test_a_long_value_is_cut() -> None:
    assert len(fault("x" * 10_000, int, "it") or "") < 200


def test_a_field_says_whether_it_has_an_effect() -> None:
    notes = WireThreadSettings.__annotations__
    assert has_no_effect(notes["personality"])
    assert not has_no_effect(notes["model"])


def test_forms_have_words() -> None:
    assert (form_words(WireClientInfo), form_words(list[str]), form_words(str | None)) == (
        "an object",
        "a list",
        "text or null",
    )
