import os
from pathlib import Path

from support.machine.ordinary_user import ORDINARY_ID, OrdinaryUser


def test_commands_run_under_an_ordinary_user_id(as_user: OrdinaryUser) -> None:
    expected = ORDINARY_ID if os.geteuid() == 0 else os.geteuid()
    assert as_user.run(["id", "-u"]).stdout == f"{expected}\n"
    assert as_user.run(["id", "-G"]).stdout.split() == [str(as_user.gid)] or os.geteuid() != 0


def test_home_and_temporary_folder_are_its_own(as_user: OrdinaryUser) -> None:
    told = as_user.run(["sh", "-c", 'touch "$HOME/a" "$TMPDIR/b" && pwd && echo "$HOME" "$TMPDIR"'])
    assert told.stdout.splitlines() == [str(as_user.home), f"{as_user.home} {as_user.tmpdir}"]


def test_the_copied_source_can_be_imported_and_not_changed(as_user: OrdinaryUser) -> None:
    told = as_user.run_python("import sandgate, sys; print(sandgate.__file__)")
    assert told.stdout == f"{as_user.source}/sandgate/__init__.py\n", told.stderr
    changed = as_user.run(["sh", "-c", f"echo >> {as_user.source}/sandgate/__init__.py"])
    assert changed.returncode != 0 or os.geteuid() != 0


def test_the_program_runs(as_user: OrdinaryUser) -> None:
    assert as_user.sandgate("--version").stdout.startswith("sandgate ")


def test_a_file_of_another_user_stays_closed(as_user: OrdinaryUser, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    secret.chmod(0o600)
    assert ("hidden" in as_user.run(["cat", str(secret)]).stdout) == (os.geteuid() != 0)
