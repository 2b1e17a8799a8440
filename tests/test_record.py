"""Records behave like frozen slotted dataclasses, without importing them."""

from __future__ import annotations

import inspect
import pickle
import pkgutil
import pydoc
from typing import Any

import pytest

import sandgate
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


class Later(Point):
    label: str  # type: ignore[misc] # behind a default: types forbid it, the class itself does not
    weight: int = 1


def test_a_record_shows_its_fields_as_its_signature() -> None:
    assert str(inspect.signature(Point)) == "(x: 'int', y: 'int' = 0, tags: 'tuple[str, ...]' = ()) -> None"
    assert list(inspect.signature(Named).parameters) == ["x", "y", "tags", "name"]
    assert inspect.signature(Point).bind(1, tags=("a",)).arguments == {"x": 1, "tags": ("a",)}
    assert "Point(x: 'int', y: 'int' = 0" in pydoc.plain(pydoc.render_doc(Point))


def test_a_field_that_must_be_given_behind_one_that_need_not_is_shown_by_name() -> None:
    assert str(inspect.signature(Later)).endswith("*, label: 'str', weight: 'int' = 1) -> None")
    assert Later(1, label="a") == Later(1, 0, (), "a")


def test_a_signature_is_the_same_before_and_after_a_class_has_a_constructor_of_its_own() -> None:
    class Busy(Record):
        x: int
        y: int = 0

    before = inspect.signature(Busy)
    for _ in range(USES_BEFORE_OWN + 1):
        Busy(1)
    assert Busy.__init__ is not Record.__init__
    assert inspect.signature(Busy) == before


def test_no_record_of_ours_has_a_constructor_by_hand_which_its_signature_would_not_tell() -> None:
    for module in pkgutil.walk_packages(sandgate.__path__, "sandgate."):
        if not module.name.startswith(("sandgate.surfaces.mcp", "sandgate.external", "sandgate.patch.bin")):
            __import__(module.name)
    ours = [each for each in _below(Record) if each.__module__.startswith("sandgate.")]
    assert len(ours) > 200
    for each in ours:
        inspect.signature(each)
        own = each.__dict__.get("__init__", Record.__init__)
        assert own is Record.__init__ or own.__code__.co_filename == "<string>", each


def _below(kind: type[Any]) -> list[type[Any]]:
    return [below for child in kind.__subclasses__() for below in (child, *_below(child))]
