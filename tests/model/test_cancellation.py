"""A change of mind reaches everybody who listens, once."""

from sandgate.model.cancellation import Cancellation


def test_who_listens_is_told_once() -> None:
    told: list[str] = []
    wish = Cancellation()
    wish.listen(lambda: told.append("early"))
    assert not wish.cancelled
    wish.cancel()
    wish.cancel()
    assert (wish.cancelled, told) == (True, ["early"])


def test_who_listens_too_late_is_told_at_once() -> None:
    told: list[str] = []
    wish = Cancellation()
    wish.cancel()
    wish.listen(lambda: told.append("late"))
    assert told == ["late"]


def test_who_does_not_listen_any_more_is_not_told() -> None:
    told: list[str] = []
    wish = Cancellation()

    def tell() -> None:
        told.append("never")

    wish.listen(tell)
    wish.forget(tell)
    wish.forget(tell)
    wish.cancel()
    assert told == []
