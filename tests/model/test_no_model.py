"""A model that is not there."""

from __future__ import annotations

from sandgate.errors import ModelFailed
from sandgate.model.no_model import NoModel
from support.model.answering import SETTINGS, heard_until_error
from support.process.loops import run


def test_whoever_asks_is_told_that_there_is_no_model() -> None:
    model = NoModel(SETTINGS)
    found, problem = run(heard_until_error(model))
    assert (found, isinstance(problem, ModelFailed)) == ([], True)
    run(model.close())
