"""Why a question is asked, in one line."""

from sandgate.gate.question_reason import why_asked
from sandgate.protocol.verdicts import Allow, Ask, Because, Forbid

TOUCH = Because(("touch", "a b"), "ask", "policy", "policy untrusted: not known to only read")
LS = Because(("ls",), "allow", "safe-list", "only reads")
RULE = Because(("rm", "x"), "ask", "rule", "rule `rm` in /r.toml: rule 2: think first")


def test_the_row_or_the_rule_that_asks_is_named_and_of_several_parts_the_one() -> None:
    assert why_asked(Ask((TOUCH,))) == "policy untrusted: not known to only read"
    assert why_asked(Ask((LS, RULE))) == "`rm x`: rule `rm` in /r.toml: rule 2: think first"
    assert why_asked(Ask((TOUCH, LS, RULE))) == "`touch 'a b'`: policy untrusted: not known to only read (and 1 more)"


def test_what_is_not_asked_or_has_no_parts_has_no_line() -> None:
    assert [why_asked(each) for each in (Ask(), Allow((LS,)), Forbid("no", (TOUCH,)))] == ["", "", ""]
