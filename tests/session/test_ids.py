"""Names of sessions and turns."""

from __future__ import annotations

import uuid

from sandgate.session.ids import new_id


def test_ids_are_uuids_of_version_seven_that_sort_by_time() -> None:
    ids = [new_id() for _ in range(2000)]
    assert len(set(ids)) == len(ids)
    assert all(uuid.UUID(each).version == 7 and str(uuid.UUID(each)) == each for each in ids)
    stamps = [uuid.UUID(each).int >> 80 for each in ids]
    assert stamps == sorted(stamps)
