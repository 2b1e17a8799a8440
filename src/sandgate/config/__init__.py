"""Configuration: found, checked, stacked and typed. Rule files and the reference page are imported by name."""

from __future__ import annotations

from sandgate.config.load import Loaded, load_settings
from sandgate.config.settings import Settings, for_confinement, for_run, with_policies
from sandgate.protocol.environment import TypedOverrides

__all__ = ["Loaded", "Settings", "TypedOverrides", "for_confinement", "for_run", "load_settings", "with_policies"]
