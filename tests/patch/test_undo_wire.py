"""What takes a patch back survives being written down, byte for byte, and nothing else is read as one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.patch.apply import UndoRecord
from sandgate.patch.disk_lookup import FileState
from sandgate.patch.plan import FileWrite
from sandgate.patch.undo_wire import as_undo, undo_json

# Names as `os.fsdecode` gives them: bytes that are no UTF-8 are half surrogate pairs.
NAMES = st.binary(min_size=1, max_size=8).map(lambda name: name.decode("utf-8", "surrogateescape"))
ATTRIBUTES = st.lists(st.tuples(NAMES, st.binary(max_size=8)), max_size=2).map(tuple)
STATES = st.none() | st.builds(
    FileState,
    st.binary(max_size=40),
    st.none() | st.integers(0, 0o7777),
    st.none() | NAMES,
    st.integers(1, 3),
    ATTRIBUTES,
)
WRITES = st.builds(FileWrite, NAMES, NAMES, STATES, STATES)
RECORDS = st.builds(UndoRecord, st.lists(WRITES, max_size=3).map(tuple), st.lists(NAMES, max_size=2).map(tuple))
RECORD = UndoRecord((FileWrite("/a", "/a", None, FileState(b"x")),), ("/d",))


@given(RECORDS)
def test_what_was_written_is_read_again(record: UndoRecord) -> None:
    assert as_undo(json.loads(json.dumps(undo_json(record)))) == record


@pytest.mark.parametrize(
    "change",
    [
        {"writes": None}, {"writes": [None]}, {"writes": [{"place": 1}]}, {"made": [1]}, {"made": None},
        {"writes": [{"place": "/a", "path": "/a", "before": None, "after": {"content": "not base64!"}}]},
        {"writes": [{"place": "/a", "path": "/a", "before": None, "after": [1]}]},
    ],
)  # fmt: skip
def test_what_we_have_not_written_is_none(change: dict[str, Any]) -> None:
    assert as_undo({**undo_json(RECORD), **change}) is None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_whatever_stands_there_is_a_record_or_none(value: Any) -> None:
    assert as_undo(value) is None
