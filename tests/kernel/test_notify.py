"""The protocol of held calls, against the kernel: one process holds itself and answers from a second thread."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.host("notify")

HOLDING = """
import _thread, ctypes, os, select, struct
from sandgate.kernel.call_rules import group_actions
from sandgate.kernel.notify import LISTENER_FLAGS, Listener
from sandgate.kernel.seccomp import NOTIFY, assemble, rules
from sandgate.kernel.syscalls import NUMBERS, caller, machine

code = assemble(rules("getppid mkdirat creat", NOTIFY), machine=machine(), otherwise=group_actions(machine()))
held = ctypes.create_string_buffer(code, len(code))
program = struct.pack("=H6xQ", len(code) // 8, ctypes.addressof(held))
ready, listener = _thread.allocate_lock(), []
ready.acquire()
told = []

def restricted():
    caller().call("prctl", 38, 1, 0, 0, 0)
    listener.append(caller().call("seccomp", 1, LISTENER_FLAGS, program))
    ready.release()
    for name, arguments in {calls}:
        try:
            told.append(caller().call(name, *arguments))
        except OSError as error:
            told.append(-error.errno)
    done.release()

done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(restricted, ())
ready.acquire()
watch = Listener(listener[0])
{answer}
done.acquire()
print(told)
"""


def hold(calls: str, answer: str) -> str:
    program = HOLDING.format(calls=calls, answer=answer)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_answers_reach_the_caller() -> None:
    answer = """
first, second, third = watch.receive(), None, None
assert first.arguments[0] == 0 and watch.valid(first.id)
watch.answer(first.id, 42)
assert not watch.valid(first.id)
second = watch.receive(); watch.refuse(second.id, 13)
third = watch.receive(); watch.resume(third.id)
"""
    assert hold('(("getppid", ()), ("getppid", ()), ("getppid", ()))', answer).startswith("[42, -13, ")


def test_a_descriptor_is_given_with_the_answer() -> None:
    answer = """
call = watch.receive()
source = os.open("/etc/passwd", os.O_RDONLY)
watch.inject(call.id, source, cloexec=True)
while not told: pass
assert os.path.samestat(os.fstat(told[0]), os.fstat(source)) and not os.get_inheritable(told[0])
told[0] = "same file"
"""
    assert hold('(("creat", (b"/nowhere", 0)),)', answer) == "['same file']\n"


def test_negative_arguments_are_read_as_the_kernel_reads_them() -> None:
    answer = "call = watch.receive(); watch.answer(call.id, 1 if call.int32(0) == -100 else 0)"
    assert hold('(("mkdirat", (-100, b"x", 0)),)', answer) == "[1]\n"


def test_a_closed_listener_fails_every_held_call() -> None:
    """Required: when the supervisor is gone, nothing passes."""
    assert hold('(("getppid", ()), ("getppid", ()))', "os.close(watch.fd)") == "[-38, -38]\n"
