"""What a command line says, without running it.

`segments` is the entrance: it answers which simple commands an argv stands for, and whether that answer is the
whole truth. Nothing here decides anything; policy and assessment do.
"""

from __future__ import annotations

from sandgate.commandline.split import Segments, segments

__all__ = ["Segments", "segments"]
