"""What a session remembers."""

from sandgate.approvals.store import ENTRIES_MAX, ENTRIES_OF_ONE_MAX, ApprovalStore, Renewed
from sandgate.protocol.bindings import Binding, Seen
from sandgate.protocol.decisions import ApprovalKey
from sandgate.protocol.permissions import ESCALATE, Grant

A, B = (Grant("write_path", f"/outside/{name}") for name in "ab")


def key(word: str) -> ApprovalKey:
    return ApprovalKey("exec", (word,), "/repo", frozenset(), "use_default", False)


def test_what_was_never_approved_is_unknown_and_covers_nothing() -> None:
    store = ApprovalStore()
    assert store.recall(key("touch")) is None
    assert not store.covers((key("touch"),), ())


def test_an_approval_without_grants_is_known_and_covers_only_itself() -> None:
    store = ApprovalStore()
    store.remember(key("touch"), ())
    assert store.recall(key("touch")) == ()
    assert (store.covers((key("touch"),), ()), store.covers((key("touch"),), (A,))) == (True, False)


def test_grants_of_one_command_add_up_and_another_command_has_none() -> None:
    store = ApprovalStore()
    store.remember(key("touch"), (B,))
    store.remember(key("touch"), (A,))
    assert store.recall(key("touch")) == (A, B)
    assert store.covers((key("touch"),), (B, A))
    assert store.recall(key("rm")) is None


def test_who_may_leave_the_sandbox_need_not_ask_for_less() -> None:
    store = ApprovalStore()
    store.remember(key("touch"), (ESCALATE,))
    assert store.covers((key("touch"),), (A, B))


def test_the_other_way_round_is_asked() -> None:
    """Required: a grant never grows into the way out of the sandbox."""
    store = ApprovalStore()
    store.remember(key("touch"), (A, B))
    assert not store.covers((key("touch"),), (ESCALATE,))


def test_one_entry_or_all_can_be_forgotten() -> None:
    store = ApprovalStore()
    for word in ("touch", "rm", "cp"):
        store.remember(key(word), (A,))
    assert (store.revoke(key("rm")), store.revoke(key("rm"))) == (True, False)
    assert store.entries() == ((key("touch"), frozenset({A})), (key("cp"), frozenset({A})))
    store.clear()
    assert store.entries() == ()


def test_a_full_store_remembers_no_new_command_but_still_adds_to_a_known_one() -> None:
    store = ApprovalStore()
    for number in range(ENTRIES_MAX):
        store.remember(key(str(number)), ())
    store.remember(key("one too many"), (A,))
    store.remember(key("0"), (A,))
    assert store.recall(key("one too many")) is None
    assert store.recall(key("0")) == (A,)


def test_an_approval_for_so_many_passages_covers_that_many_and_each_of_them_wholly() -> None:
    store = ApprovalStore()
    store.remember(key("touch"), (A,), uses=2, passage="first")
    keys = (key("touch"),)
    assert store.use(keys, (A,), "first") == (A,)  # the one it was given in
    assert [store.use(keys, (), "second"), store.use(keys, (A,), "second")] == [(A,), (A,)]
    assert store.use(keys, (A,), "third") is None
    assert not store.covers(keys, (), "third")
    assert store.covers(keys, (A,), "second")
    assert store.entries() == ()


def test_an_approval_ends_at_its_moment() -> None:
    now = [100.0]
    store = ApprovalStore(lambda: now[0])
    store.remember(key("touch"), (A,), until=200.0)
    assert store.recall(key("touch")) == (A,)
    now[0] = 200.0
    assert store.recall(key("touch")) is None


def test_what_has_no_end_is_used_before_what_has_one() -> None:
    store = ApprovalStore()
    store.remember(key("touch"), (B,), uses=2, passage="first")
    store.remember(key("touch"), (A,))
    for number in range(5):
        assert store.use((key("touch"),), (A,), str(number)) == (A,)
    assert store.use((key("touch"),), (B,), "other") == (A, B)
    assert store.use((key("touch"),), (B,), "one more") is None


def test_what_includes_it_covers_it_unless_that_was_not_enough() -> None:
    root, inside = Grant("write_root", "/outside"), Grant("write_path", "/outside/x/y")
    store = ApprovalStore()
    store.remember(key("touch"), (root,))
    assert store.covers((key("touch"),), (inside,))
    assert not store.covers((key("touch"),), (inside,), held=(root,))


def named(key: ApprovalKey) -> str:
    return key.argv[0]


def test_what_was_renewed_holds_for_the_command_of_that_name_alone() -> None:
    store = ApprovalStore(lambda: 100.0)
    assert store.empty
    store.renew([Renewed("touch", (A,)), Renewed("rm", (B,), until=99.0)], named)
    assert not store.empty
    assert store.recall(key("touch")) == (A,)
    assert store.covers((key("touch"),), (A,))
    assert not store.covers((key("touch"),), (B,))
    assert store.recall(key("rm")) is None, "its time is over"
    assert store.recall(key("cat")) is None
    assert store.entries() == ((key("touch"), frozenset({A})),)


def test_what_was_renewed_can_be_taken_back() -> None:
    store = ApprovalStore()
    store.renew([Renewed("touch", (A,)), Renewed("rm", ())], named)
    assert store.revoke(key("touch"))
    assert store.recall(key("touch")) is None
    store.clear()
    assert (store.recall(key("rm")), store.empty) == (None, True)


def test_what_was_renewed_and_what_is_given_now_add_up() -> None:
    store = ApprovalStore()
    store.renew([Renewed("touch", (A,))], named)
    store.remember(key("touch"), (B,))
    assert store.recall(key("touch")) == (A, B)


def holding(state: str) -> Binding:
    return Binding((Seen("file", "/repo/x.sh", state),))


def test_what_is_tied_holds_only_as_long_as_it_is_so() -> None:
    store = ApprovalStore()
    store.remember(key("sh"), (A,), binding=holding("one"))
    assert store.recall(key("sh"), seen=lambda: holding("one")) == (A,)
    assert store.recall(key("sh"), seen=lambda: holding("two")) is None
    assert not store.covers((key("sh"),), (A,), seen=lambda: holding("two"))
    assert store.use((key("sh"),), (), "p", lambda: holding("two")) is None
    assert store.recall(key("sh"), seen=lambda: holding("one")) == (A,), "as it was, it holds again"


def test_nothing_is_looked_at_for_what_is_tied_to_nothing() -> None:
    store = ApprovalStore()
    store.remember(key("ls"), (A,))

    def looked() -> Binding:
        raise AssertionError("nobody needed to look")

    assert store.recall(key("ls"), seen=looked) == (A,)
    assert store.recall(key("other"), seen=looked) is None


def test_answers_about_different_contents_stand_side_by_side() -> None:
    store = ApprovalStore()
    for state, grant in (("one", A), ("two", B)):
        store.remember(key("sh"), (grant,), binding=holding(state))
    assert store.recall(key("sh"), seen=lambda: holding("two")) == (B,)
    assert store.recall(key("sh"), seen=lambda: holding("one")) == (A,)


def test_contents_of_one_command_are_bounded() -> None:
    store = ApprovalStore()
    for number in range(ENTRIES_OF_ONE_MAX + 1):
        store.remember(key("sh"), (A,), binding=holding(str(number)))
    assert store.recall(key("sh"), seen=lambda: holding("0")) is None
    assert store.recall(key("sh"), seen=lambda: holding(str(ENTRIES_OF_ONE_MAX))) == (A,)


def test_a_renewed_approval_stays_tied() -> None:
    store = ApprovalStore()
    store.renew([Renewed("sh", (A,), binding=holding("one"))], lambda each: each.argv[0])
    assert store.recall(key("sh"), seen=lambda: holding("two")) is None
    assert store.recall(key("sh"), seen=lambda: holding("one")) == (A,)
