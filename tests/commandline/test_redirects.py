"""What hangs on a redirection is found: arguments behind it, further redirections, commands in a here-document."""

from __future__ import annotations

import pytest

from sandgate.commandline.walk import script


def programs(text: str) -> list[str | None]:
    return [command.words[0].literal for command in script(text).commands if command.words]


def test_arguments_behind_a_redirection_belong_to_the_command() -> None:
    (command,) = script("xargs </dev/null rm -f").commands
    assert [word.literal for word in command.words] == ["xargs", "rm", "-f"]


def test_a_redirection_behind_a_here_document_is_kept() -> None:
    (command,) = script("cat <<EOF > out\ntext\nEOF").commands
    assert [each.operator for each in command.redirections] == [">"]


@pytest.mark.parametrize("body", ["`date`", "text `date`", "\t$(date)", "${x:-`date`}"])
def test_a_here_document_that_is_expanded_runs_what_it_holds(body: str) -> None:
    found = script(f"cat <<-EOF\n{body}\n\tEOF").commands
    assert any("date" in (word.literal or "") for command in found for word in command.words)


def test_a_quoted_here_document_runs_nothing() -> None:
    assert programs("cat <<'EOF'\n`date`\nEOF") == ["cat"]
