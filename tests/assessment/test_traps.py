"""A trap is judged with the variables of the script's end."""

from __future__ import annotations

from sandgate.assessment.traps import traps_last
from sandgate.commandline.walk import script
from support.command.assessing import judged


def test_a_trap_comes_last_and_the_others_keep_their_order() -> None:
    found = traps_last(script("trap 'x' EXIT; a=$b; c $a").commands)
    assert [command.words[0].literal if command.words else "" for command in found] == ["", "c", "trap"]


def test_a_trap_that_deletes_a_temporary_directory_named_later_is_not_high() -> None:
    assert judged("trap 'rm -rf \"$tmp\"' EXIT; tmp=$(mktemp -d); ls $tmp").risk_level != "high"


def test_a_trap_that_deletes_what_is_named_later_is_judged_by_it() -> None:
    assert judged("trap 'rm -rf \"$d\"' EXIT; d=~").risk_level == "high"
