"""The values that decide, and the command as it is judged."""

from sandgate.gate.policies import Policies, as_judged
from sandgate.policy.rules import NO_RULES
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import DangerFullAccess, Granular, WorkspaceWrite

LOG = CommandRequest(("git", "log"), "/repo", {})


def test_variables_that_were_asked_for_stand_in_front_of_what_is_judged() -> None:
    assert as_judged(LOG) is LOG
    assert as_judged(LOG.but(set_variables=(("PAGER", "sh"),))).argv == ("env", "PAGER=sh", "git", "log")


def test_a_policy_is_called_as_people_write_it() -> None:
    assert Policies("untrusted", WorkspaceWrite(), NO_RULES).name == "untrusted"
    assert Policies(Granular(True, True, True), WorkspaceWrite(), NO_RULES).name == "granular"
    assert not Policies("never", DangerFullAccess(), NO_RULES).confines
