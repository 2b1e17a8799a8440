"""The values that decide, and the command as it is judged."""

from sandgate.gate.policies import OWN_PROGRAMS, Policies, as_judged
from sandgate.policy.rules import NO_RULES
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import DangerFullAccess, Granular, WorkspaceWrite
from sandgate.tools.toolbox import PROGRAMS

LOG = CommandRequest(("git", "log"), "/repo", {})


def test_variables_that_were_asked_for_stand_in_front_of_what_is_judged() -> None:
    assert as_judged(LOG) is LOG
    assert as_judged(LOG.but(set_variables=(("PAGER", "sh"),))).argv == ("env", "PAGER=sh", "git", "log")


def test_a_policy_is_called_as_people_write_it() -> None:
    assert Policies("untrusted", WorkspaceWrite(), NO_RULES).name == "untrusted"
    assert Policies(Granular(True, True, True), WorkspaceWrite(), NO_RULES).name == "granular"
    assert not Policies("never", DangerFullAccess(), NO_RULES).confines


def test_our_own_programs_on_the_path_are_no_planted_ones() -> None:
    """Or no rule could ever let a model's command out of the sandbox."""
    assert OWN_PROGRAMS == PROGRAMS
    on_path = LOG.but(env={"PATH": f"{PROGRAMS}:/usr/bin:/bin", "A": "1"})
    assert as_judged(on_path).env == {"PATH": "/usr/bin:/bin", "A": "1"}
    elsewhere = LOG.but(env={"PATH": f"/repo:{PROGRAMS}:/usr/bin"})
    assert as_judged(elsewhere) is elsewhere
