"""What is shown of the configuration, and that the reference page keeps step with the table."""

from pathlib import Path

from sandgate.config.reference import defaults_document, setting_rows
from sandgate.config.schema import KEYS, SECTIONS
from support.config.config_machine import Machine

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"


def test_the_reference_page_is_made_from_the_table() -> None:
    assert PAGE.read_text() == defaults_document(), "run: python -m sandgate.config.reference > " + str(PAGE)


def test_the_rows_name_every_key_once_with_value_and_origin(machine: Machine) -> None:
    user = machine.write_user(
        "approval_policy.granular = { sandbox_approval = true, rules = true, mcp_elicitations = true }\n"
        'shell_environment_policy.set = { LANG = "C" }\nsecrets.hidden = ["/x"]'
    )
    rows = setting_rows(machine.load(network="off"))
    keys = [key for key, _value, _origin in rows]
    shown = {key: (value, origin) for key, value, origin in rows}
    assert keys == sorted(
        {*KEYS, "shell_environment_policy.set.LANG"} - {"shell_environment_policy.set", "model_prices"}
    )
    assert shown["secrets.hidden"] == (["/x"], f"user {user}")
    assert shown["shell_environment_policy.set.LANG"] == ("C", f"user {user}")
    assert shown["sandbox.network"] == ("off", "command line")
    assert shown["sandbox.backend"] == ("auto", "default")
    assert shown["sandbox_mode"] == (None, "default")
    assert shown["approval_policy"][0] == {
        "granular": {
            "sandbox_approval": True,
            "rules": True,
            "mcp_elicitations": True,
            "skill_approval": False,
            "request_permissions": False,
        }
    }


def test_no_key_is_also_a_table() -> None:
    assert not SECTIONS & KEYS.keys()
