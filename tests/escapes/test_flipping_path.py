"""A path that changes between look and use opens nothing (threat table, row 36)."""

from support.escape.escape_stage import BOTH_BACKENDS, Stage

ROUNDS = 3000
# One thread rewrites the path in memory while another opens it: allowed, forbidden, allowed, …
FLIP = """
import ctypes, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
allowed, forbidden = (os.fsencode(path) for path in sys.argv[1:3])
size = max(len(allowed), len(forbidden)) + 1
room = ctypes.create_string_buffer(size)
over = False
def flip():
    while not over:
        ctypes.memmove(room, allowed.ljust(size, b"\\0"), size)
        ctypes.memmove(room, forbidden.ljust(size, b"\\0"), size)
sys.setswitchinterval(1e-6)
thread = threading.Thread(target=flip)
thread.start()
opened = 0
for _ in range(int(sys.argv[3])):
    if os.path.exists(forbidden):
        break
    descriptor = libc.open(room, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    if descriptor >= 0:
        opened += 1
        os.write(descriptor, b"x")
        os.close(descriptor)
over = True
thread.join()
print(opened)
"""


@BOTH_BACKENDS
def test_the_forbidden_file_is_never_written(stage: Stage, backend: str) -> None:
    forbidden = stage.outside / "forbidden"
    attack = stage.script(FLIP, stage.repo / "allowed", forbidden, str(ROUNDS))
    assert stage.unconfined(stage.script(FLIP, stage.repo / "allowed", forbidden, str(ROUNDS * 100))).exit_code == 0
    assert forbidden.exists()
    forbidden.unlink()
    ran = stage.confined(attack, backend=backend)
    assert not forbidden.exists()
    assert int(ran.stdout) > 0, ran


@BOTH_BACKENDS
def test_a_grant_for_one_path_opens_no_other(stage: Stage, backend: str) -> None:
    granted, forbidden = stage.outside / "granted", stage.outside / "neighbour"
    granted.write_text("")
    stage.own()
    attack = stage.script(FLIP, granted, forbidden, str(ROUNDS))
    stage.confined(attack, backend=backend, grants=[("write_path", str(granted))])
    assert not forbidden.exists()
    assert granted.read_text() != ""
