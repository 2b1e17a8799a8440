"""Which freedom includes which."""

from fnmatch import fnmatchcase

from sandgate.protocol.implied_grants import implied_by, implies, names_with, without_implied
from sandgate.protocol.names_beside import extends_name
from sandgate.protocol.permissions import ESCALATE, Grant
from support.suite.rows import every

ROOT, FILE = Grant("write_root", "/out"), Grant("write_path", "/out/a/b")


@every(
    "wider, wanted, included",
    [
        (ROOT, FILE, True),
        (ROOT, ROOT, True),
        (ROOT, Grant("write_root", "/out/sub"), True),
        (ROOT, Grant("write_path", "/outside"), False),
        (ROOT, Grant("write_path", "/out/.git"), False),
        (ROOT, Grant("write_path", "/out/a/.git/config"), False),
        (ROOT, Grant("read_path", "/out/a"), False),
        (FILE, ROOT, False),
        (Grant("write_path", "/out"), FILE, False),
        (ESCALATE, ROOT, True),
        (ROOT, ESCALATE, False),
        (Grant("host", "*"), Grant("host", "192.0.2.1:443"), True),
        (Grant("host", "192.0.2.1:443"), Grant("host", "*"), False),
        (Grant("host", "192.0.2.1:443"), Grant("host", "192.0.2.1:80"), False),
        (Grant("unix_socket", "/run"), Grant("unix_socket", "/run/x"), False),
        (ROOT, Grant("new_entry", "/out/a"), True),
        (ROOT, Grant("remove", "/out/a"), True),
        (ROOT, Grant("metadata", "/out"), True),
        (ROOT, Grant("remove", "/out"), False),
        (ROOT, Grant("new_entry", "/out/.envrc"), False),
        (FILE, Grant("new_entry", "/out/a/b"), True),
        (FILE, Grant("metadata", "/out/a/b"), True),
        (FILE, Grant("remove", "/out/a/b"), False),
        (Grant("new_entry", "/out/a"), FILE, False),
        (Grant("remove", "/out/a/b"), FILE, False),
        (Grant("write_root", "/"), Grant("write_path", "/etc/motd"), True),
    ],
)
def test_wider_includes_wanted_only_where_it_really_gives_it(wider: Grant, wanted: Grant, included: bool) -> None:
    """Required: a protected name is not included in the root above it."""
    assert implies(wider, wanted) is included
    assert implied_by((Grant("read_path", "/x"), wider), wanted) is included


def test_what_another_grant_includes_is_left_out_and_the_order_stays() -> None:
    protected = Grant("write_path", "/out/.git")
    assert without_implied((FILE, ROOT, protected, ROOT)) == (ROOT, protected)
    assert without_implied(()) == ()


@every("name", ["k2.pub", "k2-journal", "k2a", "k22", "k2", "K2.pub", "k", "k2[a].pub"])
@every("made", ["/h/k2", "/h/k2[a]", "/h/.k2"])
def test_the_names_a_new_file_brings_are_those_that_the_supervisor_makes(made: str, name: str) -> None:
    """Required: what is told as data is what is done."""
    pattern = names_with(Grant("new_entry", made))
    told = bool(pattern) and fnmatchcase(f"/h/{name}", pattern)
    assert told is extends_name(f"/h/{name}", made)


def test_only_a_new_entry_brings_names_that_stay() -> None:
    assert names_with(Grant("new_entry", "/h/k2")) == "/h/k2[!0-9A-Za-z]*"
    assert not any(names_with(Grant(kind, "/h/k2")) for kind in ("write_path", "remove", "write_root"))
