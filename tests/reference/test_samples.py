from __future__ import annotations

from typing import Literal

import pytest

from sandgate.protocol.permissions import Grant
from sandgate.record import Record
from sandgate.reference.hints import alias, fields_of
from sandgate.reference.observed import ObservedJson
from sandgate.reference.samples import ANYTHING, FAMILIES, samples

ONE, TWO = FAMILIES


class Leaf(Record):
    kind: Literal["a", "b"]
    note: str = ""


class Tree(Record):
    leaf: Leaf | None
    words: tuple[str, ...] = ()


def test_annotations_that_only_type_checkers_import_are_resolved() -> None:
    assert fields_of(Tree)["leaf"] == Leaf | None
    assert "write_path" in fields_of(Grant)["kind"].__args__
    assert alias("sandgate.protocol.trace", "no such name") is None


def test_every_choice_every_absence_and_every_emptiness_is_among_the_samples() -> None:
    made = samples(Tree, ONE)
    assert {tree.leaf.kind for tree in made if tree.leaf} == {"a", "b"}
    assert None in {tree.leaf for tree in made}
    assert {tree.words for tree in made} == {(ONE.text,), ("",), ()}
    assert made[0] == Tree(Leaf("a", ONE.text), (ONE.text,))


def test_what_is_not_known_is_anything() -> None:
    assert samples(object, ONE) == [ANYTHING]


def test_a_record_that_holds_itself_is_an_error() -> None:
    fields_of(Endless)
    with pytest.raises(RecursionError):
        samples(Endless, ONE)


class Endless(Record):
    more: Endless


def seen(*values: object, name: str = "") -> object:
    place = ObservedJson(name)
    for number, family in enumerate(FAMILIES):
        for value in values:
            place.add(value(family) if callable(value) else value, number)
    return place.schema()


def test_a_text_is_a_choice_only_when_the_writer_chose_it() -> None:
    assert seen("on", "off") == {"enum": ["off", "on"]}
    assert seen("on") == {"const": "on"}
    assert seen(lambda family: f"of {family.number}") == {"type": "string"}
    assert seen("item_0", name="id") == {"type": "string"}
    assert seen("on", None) == {"enum": ["on", None]}


def test_a_key_is_required_only_where_it_is_never_missing() -> None:
    found = seen({"a": 1, "b": True}, {"a": 1.5})
    assert found == {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "boolean"}},
        "required": ["a"],
    }


def test_names_that_are_free_are_no_keys() -> None:
    assert seen(lambda family: {family.text: 1}) == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_where_nothing_but_null_was_seen_nothing_is_said() -> None:
    assert seen(None) == {}
    assert seen([ANYTHING]) == {"type": "array", "items": {}}
