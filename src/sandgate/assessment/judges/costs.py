"""Orders for very many machines: `--replicas=5000`, `--count 50 --instance-type p4d.24xlarge`.

A service obeys at once and sends the bill later; a slipped digit in such an option is among the dear mistakes.
"""

from __future__ import annotations

from sandgate.assessment.findings import EXHAUSTION, HIGH
from sandgate.assessment.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry

COUNTS = frozenset(
    words("""
    --count --replicas --num-nodes --desired-capacity --desired-count --max-size --min-size --instance-count --nodes
    --new-capacity --max-instances --min-instances --num-instances --capacity --max-nodes --node-count --max --min
    --number --machines --workers --num-workers --shard-count --target-capacity --instances --vm-count --scale
    --reserved-concurrent-executions --provisioned-concurrent-executions --max-replicas
    --min-replicas --total-target-capacity
    """)
)
MANY = 20  # machines; more than a person starts to try something
MANY_OF_ANYTHING = 500  # machines, or gigabytes of a disk: few start with as many
LARGEST = ("24xlarge", "32xlarge", "48xlarge", "16xlarge", ".metal", "-416", "-highgpu-16g", "-highgpu-8g",
           "-megagpu-8g", "ND96asr_v4", "ND96isr_H100_v5")  # fmt: skip


def judge_size(call: Call, inquiry: Inquiry) -> None:
    """One finding for an order that is for very many machines, or for those that cost most."""
    if _is_large(call.args):
        inquiry.add(HIGH, "contacts", call.program, "asks for very many or very large machines",
                    "Asks for very many or very large machines", "Somebody has to pay for them",
                    (EXHAUSTION,))  # fmt: skip


def _is_large(args: Sequence[Arg]) -> bool:
    before = ""
    for arg in args:
        name, equals, value = arg.text.partition("=")
        if (before in COUNTS or before == "--size") and not equals:
            name, value = before, arg.text
        if name in COUNTS and value.isdecimal() and int(value) >= MANY:
            return True
        if name == "--size" and value.isdecimal() and int(value) >= MANY_OF_ANYTHING:
            return True
        if arg.text.endswith(LARGEST):
            return True
        before = name
    return False
