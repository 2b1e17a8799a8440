"""A reading of bpf(4) that judges seccomp filters, independent of the assembler."""

from __future__ import annotations

import struct

from sandgate.kernel.syscalls import AUDIT_ARCH


def judge(program: bytes, number: int, arguments: tuple[int, ...] = (), *, arch: int = AUDIT_ARCH["x86_64"]) -> int:
    """What the kernel's BPF machine would return: a reading of bpf(4), independent of the assembler."""
    padded = [word & (1 << 64) - 1 for word in (*arguments, *(0,) * 6)][:6]
    packet = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    while True:
        operation, yes, no, operand = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", packet, operand)
        elif operation == 0x54:
            accumulator &= operand
        elif operation == 0x05:
            at += operand
        elif operation == 0x06:
            return int(operand)
        else:
            held = {
                0x15: accumulator == operand,
                0x25: accumulator > operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[operation]
            at += yes if held else no
