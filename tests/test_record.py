"""Records behave like frozen slotted dataclasses, without importing them."""

from __future__ import annotations

import pickle

import pytest

from sandgate.record import USES_BEFORE_OWN, Record, never_reached


class Point(Record):
    x: int
    y: int = 0
    tags: tuple[str, ...] = ()


class Named(Point):
    name: str = "origin"


def test_fields_are_given_by_position_by_name_or_by_default() -> None:
    assert Point(1, tags=("a",)) == Point(x=1, y=0, tags=("a",))


def test_a_subclass_keeps_the_fields_of_its_base_first() -> None:
    assert Named(1, 2, (), "p").fields() == {"x": 1, "y": 2, "tags": (), "name": "p"}


def test_two_types_with_the_same_values_are_not_equal() -> None:
    assert Point(1) != Named(1)
    assert Point(1) != (1, 0, ())


def test_equal_records_have_equal_hashes() -> None:
    assert hash(Point(1)) == hash(Point(1, 0))
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_a_record_cannot_be_changed_or_given_new_fields() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    assert not hasattr(point, "__dict__")


def test_but_copies_with_changes() -> None:
    assert Point(1, 2).but(y=3) == Point(1, 3)


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 2}), ((1,), {"z": 1})])
def test_a_wrong_set_of_fields_is_an_error(values: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="Point"):
        Point(*values, **named)  # type: ignore[arg-type]


class Often(Record):
    x: int
    y: int = 0
    tags: tuple[str, ...] = ()


class OftenNamed(Often):
    name: str = "origin"


def test_a_class_used_often_gets_a_constructor_of_its_own_that_does_the_same() -> None:
    before = [Often(1, tags=("a",)), Often(1, 2), Often(x=1, y=0, tags=())]
    for _ in range(USES_BEFORE_OWN):
        Often(1)
    assert Often.__init__ is not Record.__init__
    assert [Often(1, tags=("a",)), Often(1, 2), Often(x=1, y=0, tags=())] == before
    assert before[1].but(y=3) == Often(1, 3)
    for values, named in [((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 2}), ((1,), {"z": 1})]:
        with pytest.raises(TypeError, match="Often"):
            Often(*values, **named)  # type: ignore[arg-type]


def test_a_subclass_of_a_class_used_often_has_all_its_fields() -> None:
    for _ in range(USES_BEFORE_OWN + 1):
        Often(1)

    class Late(Often):
        name: str = "late"

    for kind, name in ((OftenNamed, "origin"), (Late, "late")):
        assert kind(1, 2).fields() == {"x": 1, "y": 2, "tags": (), "name": name}


def test_records_match_by_position_and_by_name() -> None:
    match Point(1, 2):
        case Point(1, y=y):
            assert y == 2
        case _:
            pytest.fail("did not match")


def test_records_can_be_pickled_and_shown() -> None:
    assert pickle.loads(pickle.dumps(Named(1))) == Named(1)
    assert repr(Point(1)) == "Point(x=1, y=0, tags=())"


def test_an_unhandled_case_is_a_loud_bug() -> None:
    with pytest.raises(AssertionError, match="unhandled"):
        never_reached("surprise")
