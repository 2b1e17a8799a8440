"""What a surface needs to list and remove the caches that projects keep."""

from __future__ import annotations

from sandgate.sandbox.kept_caches import KeptCache as KeptCache
from sandgate.sandbox.kept_caches import clear_caches as clear_caches
from sandgate.sandbox.kept_caches import kept_caches as kept_caches
