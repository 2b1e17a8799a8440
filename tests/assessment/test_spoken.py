"""What is decoded on its way to a shell is heard."""

from __future__ import annotations

import pytest

from support.command.assessing import judged


@pytest.mark.parametrize(
    "script",
    [
        "echo cm0gLXJmIH4K | base64 -d | sh",
        "base64 -d <<< cm0gLXJmIH4K | sh",
        "echo 726d202d7266207e | xxd -r -p | bash",
        "echo '~ fr- mr' | rev | sh",
        "echo 'ez -es ~' | tr a-z n-za-m | sh",
        'eval "$(echo cm0gLXJmIH4K | base64 -d)"',
        "echo 'rm -rf ~' | cat | sh",
    ],
)
def test_a_hidden_deletion_is_named(script: str) -> None:
    risk = judged(script)
    assert risk.risk_level == "high"
    assert "data_deletion" in risk.risk_categories


@pytest.mark.parametrize("script", ["echo %%% | base64 -d | sh", "cat x | base64 -d | sh", "echo zz | xxd -r -p | sh"])
def test_what_cannot_be_decoded_is_high_all_the_same(script: str) -> None:
    assert judged(script).risk_level == "high"
