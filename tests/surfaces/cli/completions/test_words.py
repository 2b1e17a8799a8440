from sandgate.surfaces.cli.completions.words import OptionValue, after, argument, deeds, option_value
from sandgate.surfaces.cli.options import Command, Option

RULES = Command(
    "rules", "", (), "rules", forms=("list", "check -- CMD…", "check RULES…", "import one FILE", "[PROMPT]")
)


def test_choices_features_files_and_directories_are_told_apart() -> None:
    assert option_value(Option(("-a",), "a", "", "A", ("x", "y"))) == OptionValue("words", ("x", "y"))
    assert "unified_exec" in option_value(Option(("--enable",), "enable", "", "FEATURE")).words
    assert [option_value(Option(("-a",), "a", "", name)).kind for name in ("FILE", "DIR", "TEXT")] == [
        "files",
        "directories",
        "unknown",
    ]


def test_fixed_words_of_forms_are_deeds_once_and_what_is_in_capitals_is_none() -> None:
    assert deeds(RULES) == ("list", "check", "import")
    assert deeds(Command("config", "", (), "config", words=("show",))) == ("show",)
    assert deeds(Command("caches", "", (), "caches", forms=("clear", "[list]"))) == ("clear", "list")


def test_a_deed_is_followed_by_further_words_or_by_a_kind_of_name() -> None:
    assert after(RULES, "import") == OptionValue("words", ("one",))
    assert after(RULES, "check") == OptionValue("files")
    assert after(RULES, "list") == OptionValue("unknown")
    assert argument(Command("patch", "", (), "patch", argument="FILE|PATCH")) == OptionValue("files")
