"""What echo, printf and a few more are known to print."""

from __future__ import annotations

from sandgate.commandline.printing import UNKNOWN, printed, said


def test_what_a_command_prints_is_known_for_few() -> None:
    assert said(("echo", "a", "b"), None) == "a b"
    assert said(("cat",), "text") == "text"
    assert said(("type", "-P", "ls"), None) == "ls"
    assert said(("date",), None) is None
    assert said(("echo", UNKNOWN), None) is None
    assert printed(("printf", "%s-%s\\n", "a", "b")) == "a-b\n"
    assert printed(("printf", "l%s", "s")) == "ls"
    assert printed(("echo", "-e", "a\\tb")) == "a\tb"
    assert said(("true",), None) == ""
