"""Who asks is said in headers that nobody's words can break."""

from __future__ import annotations

from sandgate.model.identity import identity_headers


def test_a_session_has_its_id_and_a_delegate_says_for_whom_it_asks() -> None:
    """Required: only delegates say what they are."""
    own = identity_headers("s-1")
    assert (own["session_id"], own["conversation_id"], own["originator"]) == ("s-1", "s-1", "sandgate")
    assert own.keys() & {"x-openai-subagent", "parent_session_id"} == set()
    delegate = identity_headers("s-2", delegate="compact", parent="s-1")
    assert (delegate["x-openai-subagent"], delegate["parent_session_id"]) == ("compact", "s-1")


def test_a_label_is_one_plain_line() -> None:
    headers = identity_headers("s", delegate="a\r\nX-Evil: 1 ü" + "x" * 1000)
    assert headers["x-openai-subagent"].startswith("a\\r\\nX-Evil: 1 \\xfcxx")
    assert headers["x-openai-subagent"].isascii()
    assert len(headers["x-openai-subagent"]) < 300
