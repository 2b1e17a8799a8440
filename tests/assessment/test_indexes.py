"""What is imported by need is found by an index; here the index is held to the tables, and the need to the account."""

import subprocess
import sys

from support.command.knowledge_indexes import ASSESSMENT, families_written, judges_written
from support.suite.source_tree import SOURCE

WRITE_ANEW = "the tables have other programs than the index: run `python tests/support/command/knowledge_indexes.py`"


def test_the_index_of_the_families_is_what_the_tables_say() -> None:
    assert (SOURCE / "sandgate/assessment/knowledge/index.py").read_text() == families_written(), WRITE_ANEW


def test_the_index_of_the_judges_is_what_the_judges_say() -> None:
    assert (SOURCE / "sandgate/assessment/judges/index.py").read_text() == judges_written(), WRITE_ANEW


def test_judging_a_plain_command_imports_no_table_and_no_judge_of_other_programs() -> None:
    imported = _imported_by_judging("ls")
    assert f"{ASSESSMENT}.knowledge.reading" in imported
    assert imported & {f"{ASSESSMENT}.knowledge.{family}" for family in ("git", "packages", "remote", "media")} == set()
    assert imported & {f"{ASSESSMENT}.judges.{module}" for module in ("services", "remote", "media", "tools")} == set()


def test_a_program_of_another_family_is_known_when_it_is_met() -> None:
    imported = _imported_by_judging("git", "stash", "drop")
    assert {f"{ASSESSMENT}.knowledge.git", f"{ASSESSMENT}.judges.git"} <= imported


def _imported_by_judging(*argv: str) -> set[str]:
    """Names of the modules of a fresh interpreter that judged `argv`."""
    program = f"""
import sys
sys.path.insert(0, {str(SOURCE)!r})
from sandgate.assessment import AssessmentFacts, assess
from sandgate.protocol.commands import CommandRequest
assess(CommandRequest({argv!r}, "/home/u", {{}}), facts=AssessmentFacts("/home/u", "/home/u", {{}}))
print(*sys.modules)
"""
    ended = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return set(ended.stdout.split())
