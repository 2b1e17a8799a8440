"""How long a call waits, how much is kept, and how many may live: every number of interactive execution.

One Record holds them all, so that what needs a limit is handed it and no part reads a constant behind another's
back. The defaults are those that models were trained with. Each can be overridden by `SANDGATE_EXEC_<FIELD IN
CAPITALS>`; an override that is no number, out of range, or at odds with another limit is an error before anything
runs, and so is a name we do not know: a limit that a person believes in and no code applies is worse than none. No
environment is read here, it is passed in.
"""

from __future__ import annotations

from itertools import pairwise

from sandgate.errors import ConfigError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PREFIX = "SANDGATE_EXEC_"
HOUR_MS = 3_600_000  # no wait is longer, whatever is configured
MEMORY_BYTES_MAX = 1_073_741_824  # no single buffer is larger
COUNT_MAX = 1_000_000  # no queue, table or budget in tokens has more entries
TEXT_CHARS_MAX = 32  # of an override: longer than any number that fits


class ExecLimits(Record):
    """The numbers of one runtime. Made by `exec_limits`, which has checked that they fit together."""

    min_yield_ms: int = 250  # no call answers earlier, unless its command ends
    min_empty_yield_ms: int = 5_000  # the same for a poll, a write that sends nothing
    max_yield_ms: int = 30_000  # of starting a command and of writing to it
    max_background_poll_ms: int = 300_000  # of a poll
    default_exec_yield_ms: int = 10_000
    default_write_yield_ms: int = 250
    default_max_output_tokens: int = 10_000
    output_max_bytes: int = 1_048_576  # of what waits for the next call, and of the transcript, each
    output_max_tokens: int = 262_144  # of the output quoted in a message about a denial
    max_processes: int = 64
    warn_processes: int = 60  # from here on the model is told
    protected_recent: int = 8  # the processes used last are never removed to make room
    min_process_id: int = 1_000
    end_process_id: int = 100_000  # the first that is not given
    early_exit_grace_ms: int = 150  # a command that ends so soon after its start never gets an id
    post_write_pause_ms: int = 100  # between a write and the first look at what it caused
    post_exit_close_wait_ms: int = 50  # for the output to close after the exit
    trailing_output_grace_ms: int = 100  # for events about output, after the exit
    denial_probe_wait_ms: int = 20  # before the output is looked at for signs of a denial
    late_network_denial_grace_ms: int = 100
    delta_max_bytes: int = 8_192  # of one event about output
    max_deltas: int = 10_000  # events about output in one call
    read_chunk_bytes: int = 8_192
    terminal_rows: int = 24
    terminal_columns: int = 80
    stdin_queue_chunks: int = 128
    stream_queue_chunks: int = 128
    merged_queue_chunks: int = 256
    fan_out_queue_chunks: int = 64

    def yield_for_exec(self, yield_ms: float | None) -> int:
        """How long starting a command waits for output, in ms; None: not said."""
        return _within(self.min_yield_ms, yield_ms, self.default_exec_yield_ms, self.max_yield_ms)

    def yield_for_write(self, yield_ms: float | None, *, empty: bool) -> int:
        """The same for writing to a command; `empty`: nothing is written, so this may wait longer."""
        if empty:
            return _within(self.min_empty_yield_ms, yield_ms, self.default_write_yield_ms, self.max_background_poll_ms)
        return _within(self.min_yield_ms, yield_ms, self.default_write_yield_ms, self.max_yield_ms)


DEFAULT_LIMITS = ExecLimits()

# What a field may be, by its unit; those with a reason of their own come first.
_RANGES: dict[str, tuple[int, int]] = {
    "min_process_id": (1, COUNT_MAX),
    "end_process_id": (2, COUNT_MAX),
    "max_processes": (1, 10_000),
    "delta_max_bytes": (4, MEMORY_BYTES_MAX),  # a character of UTF-8 has up to four bytes
    "read_chunk_bytes": (1, 16_777_216),
    "terminal_rows": (1, 65_535),  # struct winsize holds unsigned shorts
    "terminal_columns": (1, 65_535),
    "stdin_queue_chunks": (1, COUNT_MAX),  # a queue without room never moves anything
    "stream_queue_chunks": (1, COUNT_MAX),
    "merged_queue_chunks": (1, COUNT_MAX),
    "fan_out_queue_chunks": (1, COUNT_MAX),
}
_RANGES_BY_UNIT: dict[str, tuple[int, int]] = {"ms": (0, HOUR_MS), "bytes": (0, MEMORY_BYTES_MAX)}

# Each line is a chain of fields that must not decrease.
_ORDERS = (
    ("min_yield_ms", "default_exec_yield_ms", "max_yield_ms"),
    ("min_yield_ms", "default_write_yield_ms", "max_yield_ms"),
    ("min_yield_ms", "min_empty_yield_ms", "max_background_poll_ms"),
    ("warn_processes", "max_processes"),
)


def exec_limits(environ: Mapping[str, str]) -> ExecLimits:
    """The limits with the overrides of `environ`. Raises one `ConfigError` that names everything wrong with them."""
    given = {name: text for name, text in environ.items() if name.startswith(PREFIX)}
    if not given:
        return DEFAULT_LIMITS
    faults: list[str] = []
    changes: dict[str, int] = {}
    for name, text in sorted(given.items()):
        field = name.removeprefix(PREFIX).lower()
        low, high = _range(field)
        if field not in DEFAULT_LIMITS.fields() or name != PREFIX + field.upper():
            faults.append(f"`{name}` is not the name of a limit")
        elif (number := _whole_number(text)) is None or not low <= number <= high:
            faults.append(f"`{name}` must be a whole number from {low} to {high}, not `{text[:TEXT_CHARS_MAX]}`")
        else:
            changes[field] = number
    limits = DEFAULT_LIMITS.but(**changes)
    faults += [] if faults else _contradictions(limits)
    if faults:
        raise ConfigError(
            f"cannot use the limits in `{PREFIX}*`",
            why="; ".join(faults),
            hint=f"unset the variable to get the default; the names are {_names(DEFAULT_LIMITS.fields())}",
        )
    return limits


def with_background_limit(limits: ExecLimits, max_background_poll_ms: int) -> ExecLimits:
    """`limits` with the longest poll that the configuration allows; it is never below the shortest."""
    return limits.but(max_background_poll_ms=max(limits.min_empty_yield_ms, min(max_background_poll_ms, HOUR_MS)))


def _within(low: int, wanted: float | None, default: int, high: int) -> int:
    # NaN compares with nothing, itself included, and would slip through both bounds.
    return int(max(low, min(default if wanted is None or wanted != wanted else wanted, high)))


def _range(field: str) -> tuple[int, int]:
    return _RANGES.get(field) or _RANGES_BY_UNIT.get(field.rpartition("_")[2], (0, COUNT_MAX))


def _whole_number(text: str) -> int | None:
    """Digits only: no sign, no blanks, no `1_000`, none of the other scripts' digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= TEXT_CHARS_MAX else None


def _contradictions(limits: ExecLimits) -> list[str]:
    values = limits.fields()
    faults = [
        f"{_shown(low, values)} must not be more than {_shown(high, values)}"
        for chain in _ORDERS
        for low, high in pairwise(chain)
        if values[low] > values[high]
    ]
    room = limits.end_process_id - limits.min_process_id
    if room < limits.max_processes:
        faults.append(
            f"{_shown('min_process_id', values)} and {_shown('end_process_id', values)} leave room for {max(room, 0)} "
            f"processes, and {_shown('max_processes', values)}"
        )
    if limits.protected_recent >= limits.max_processes:
        faults.append(f"{_shown('protected_recent', values)} must be less than {_shown('max_processes', values)}")
    return faults


def _shown(field: str, values: Mapping[str, int]) -> str:
    return f"`{PREFIX}{field.upper()}` ({values[field]})"


def _names(fields: Iterable[str]) -> str:
    return ", ".join(PREFIX + field.upper() for field in fields)
