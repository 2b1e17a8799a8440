import pytest

from sandgate.testing import NotInScript, ScriptedCommand
from sandgate.testing.script import CommandScript, text_of

FAILS = ScriptedCommand(exit_code=1)


def played(script: CommandScript, *argv: str) -> ScriptedCommand:
    """An answer that was given to a run to which nothing was refused."""
    answer = script.next(argv)
    script.went(argv)
    return answer


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (("/bin/bash", "-lc", "make test"), "make test"),
        (("sh", "-c", "a | b"), "a | b"),
        (("make", "test"), "make test"),
        (("echo", "two words"), "echo 'two words'"),
        (("sh", "-c", "$0", "x"), "sh -c '$0' x"),
    ],
)
def test_a_command_is_known_by_what_a_shell_would_be_given(argv: tuple[str, ...], text: str) -> None:
    assert text_of(argv) == text


def test_a_single_answer_holds_each_time_and_a_text_is_what_a_success_prints() -> None:
    script = CommandScript({"make": "built\n", "test": FAILS})
    assert [played(script, "make") for _ in range(3)] == [ScriptedCommand("built\n")] * 3
    assert [played(script, "test") for _ in range(2)] == [FAILS, FAILS]


def test_listed_answers_are_used_up_one_by_one() -> None:
    script = CommandScript({"test": [FAILS, "passed\n"]})
    assert [played(script, "test"), played(script, "test")] == [FAILS, ScriptedCommand("passed\n")]
    with pytest.raises(NotInScript, match="no further answer to `test`"):
        script.next(("test",))


def test_an_answer_that_was_refused_something_is_given_to_the_retry() -> None:
    script = CommandScript({"test": ["first\n", "second\n"]})
    assert script.next(("test",)) == script.next(("test",)) == ScriptedCommand("first\n")


@pytest.mark.parametrize(
    ("known", "named"), [({"make": "", "ls": ""}, "it knows `make`, `ls`"), ({}, "it knows nothing")]
)
def test_what_it_does_not_know_is_a_mistake_of_the_test_that_names_what_it_knows(
    known: dict[str, str], named: str
) -> None:
    with pytest.raises(NotInScript, match=f"does not know `make -k`; {named}"):
        CommandScript(known).next(("make", "-k"))
