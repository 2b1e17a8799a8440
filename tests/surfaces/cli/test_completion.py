import pytest

from sandgate.surfaces.cli.main import main
from sandgate.surfaces.cli.options import COMMANDS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_knows_every_command(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    printed = capfd.readouterr().out
    assert [command.name for command in COMMANDS if command.name not in printed] == []


def test_an_unknown_shell_is_bad_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "sandgate completion bash" in capfd.readouterr().err
