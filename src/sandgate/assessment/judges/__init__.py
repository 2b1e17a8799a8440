"""Judges for programs whose arguments decide what they do: each takes one call and notes what it finds.

Everything a table can say stands in `knowledge`; what is here needs to look at several arguments together. A judge is
imported when its program is judged; which module it is in stands in `index`.
"""

from __future__ import annotations

import sys

from sandgate.assessment.judges.index import JUDGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

    Judge = Callable[[Call, Inquiry], None]

_module_of: dict[str, str] = {}
for _module, _programs in JUDGED:
    _module_of.update(dict.fromkeys(_programs.split(), _module))


class _Judges:
    """The judges by program, like a dictionary that is read."""

    __slots__ = ("_met",)

    def __init__(self) -> None:
        self._met: dict[str, Judge] = {}

    def get(self, program: str) -> Judge | None:
        """The judge of this program, if it has one."""
        found = self._met.get(program)
        if found is None and program in _module_of:
            module = f"{__name__}.{_module_of[program]}"
            __import__(module)
            judges: dict[str, Judge] = sys.modules[module].JUDGES
            found = self._met[program] = judges[program]
        return found

    def __contains__(self, program: str) -> bool:
        return program in _module_of


JUDGES = _Judges()
